// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "mo_integrals.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <tessera/linalg/linalg.hpp>

#include "ao_integrals.hpp"
#include "blas.hpp"
#include "integrals.hpp"

namespace ccsd {

using namespace tessera;
using linalg::contract;
using rhf::ShellRange;

namespace {

// A rank holds the integrals of so many pairs of functions with all others at a time, if shells are not larger.
constexpr index_t functions_of_block = 6;

// The orbitals of a kind.
struct Kind {
  index_t first, last;
  index_t size() const { return last - first; }
};

// Transforms p and q of integrals (r s, p q) to molecular orbitals of two kinds.
class TwoIndices {
 public:
  TwoIndices(const Matrix& coefficients, const Kind& p, const Kind& q)
      : p_(coefficients.get({{0, p.first}, {coefficients.dims()[0], p.last}})),
        q_(coefficients.get({{0, q.first}, {coefficients.dims()[0], q.last}})) {}

  /// The result `both` is row-major, with the extents of r and s first.
  void operator()(const View<double, 4>& integrals, std::vector<double>& both) {
    const index_t n = p_.extents()[0], p = p_.extents()[1], q = q_.extents()[1];
    const index_t pairs = integrals.extent(0) * integrals.extent(1);
    half_.assign(static_cast<std::size_t>(pairs * n * q), 0.0);
    both.assign(static_cast<std::size_t>(pairs * p * q), 0.0);
    add_product({integrals.data_handle(), {pairs * n, n}}, {q_.data(), {n, q}}, {half_.data(), {pairs * n, q}});
    for (index_t pair = 0; pair < pairs; ++pair) {
      add_product({p_.data(), {p, n}, {1, p}}, {half_.data() + pair * n * q, {n, q}},
                  {both.data() + pair * p * q, {p, q}});
    }
  }

 private:
  LocalArray<double, 2> p_, q_;
  std::vector<double> half_;
};

// half(r, s, p, q) = (pq|rs), where p and q are molecular orbitals.
Stored half_transformed(const rhf::Basis& basis, const Space& space, const Kind& p, const Kind& q,
                        const TransformOptions& options, Progress& progress) {
  const Group& world = space.coefficients.group();
  const index_t n = basis.size(), np = p.size(), nq = q.size();
  Stored half(world, options.scratch, "half-transformed integrals", {n, n, np, nq}, 3);
  AoIntegrals integrals(basis, rhf::schwarz_bounds(world, basis), options.screening);
  const std::vector<ShellRange> blocks = integrals.blocks(functions_of_block);
  TwoIndices two(space.coefficients, p, q);
  std::vector<double> memory;
  // The results of a task are on their way while the next is computed.
  struct Sent {
    std::vector<double> data;
    Stored::Send as_computed, turned;
  };
  std::array<Sent, 2> all_sent;
  std::size_t done = 0;
  const auto size = [](const ShellRange& block) { return block.last_function - block.first_function; };
  // Large blocks first, as their tasks take longest.
  const Pairs pairs(static_cast<index_t>(blocks.size()), Triangular{}, [&](index_t i, index_t j) {
    return size(blocks[static_cast<std::size_t>(i)]) * size(blocks[static_cast<std::size_t>(j)]);
  });
  TaskCounter tasks(world, pairs.count(), {.name = "pairs of blocks of shells"});
  for_each_task(tasks, [&](index_t task) {
    progress(static_cast<double>(task + 1) / static_cast<double>(tasks.count()));
    const auto [i, j] = pairs[task];
    const ShellRange &rows = blocks[static_cast<std::size_t>(i)],
                     &columns = blocks[static_cast<std::size_t>(j)];
    const Extents<4> shape{size(rows), size(columns), n, n};
    memory.resize(std::max(memory.size(), static_cast<std::size_t>(shape.size())));
    const View<double, 4> block(memory.data(), shape);
    integrals.compute(rows, columns, block);
    Sent& sent = all_sent[done++ % all_sent.size()];
    sent.as_computed.wait();
    sent.turned.wait();
    two(block, sent.data);
    const View<const double, 4> result(sent.data.data(), {shape[0], shape[1], np, nq});
    const Index<4> at{rows.first_function, columns.first_function, 0, 0};
    sent.as_computed = half.put_async(Patch<4>::at(at, result.extents()), result);
    if (i == j) return;
    const View<const double, 4> turned(result.data_handle(), {shape[1], shape[0], np, nq},
                                       {np * nq, shape[1] * np * nq, nq, 1});
    sent.turned = half.put_async(Patch<4>::at({at[1], at[0], 0, 0}, turned.extents()), turned);
  });
  for (Sent& sent : all_sent) {
    sent.as_computed.wait();
    sent.turned.wait();
  }
  half.sync();
  return half;
}

// Calls function(part) for parts of some orbitals that need no more than so many bytes, if each orbital needs
// `bytes` of them.
template <class F>
void for_each_part(const Kind& all, double bytes, double most, F&& function) {
  const auto count = std::max<index_t>(1, static_cast<index_t>(std::min(most / bytes, 1e9)));
  for (index_t first = all.first; first < all.last; first += count)
    function(Kind{first, std::min(first + count, all.last)});
}

// to(...) = the half-transformed integrals h(r, s, p, q) with r and s transformed to orbitals t and u.
// `letters` are those of the result.
void other_two(const Slice<const double, 4>& h, const Matrix& c, const Kind& t, const Kind& u,
               const Slice<double, 4>& to, const char* letters) {
  const Group& world = c.group();
  const index_t n = c.dims()[0];
  Tensor quarter(world, along(3, Extents<4>{t.size(), n, h.dims()[2], h.dims()[3]}, world.size()),
                 {.name = "three indices transformed"});
  contract(1, h("rspq"), c.slice({{0, t.first}, {n, t.last}})("rt"), 0, quarter("tspq"));
  contract(1, quarter("tspq"), c.slice({{0, u.first}, {n, u.last}})("su"), 0, to(letters));
}

Tensor tensor(const Group& world, const char* name, const Extents<4>& extents, std::size_t dimension) {
  return {world, along(dimension, extents, world.size()), {.name = name}};
}

// The elements of p, of a tensor whose dimension `d` it is.
Patch<4> of(const Extents<4>& extents, std::size_t d, const Kind& p) {
  Patch<4> patch = Patch<4>::whole(extents);
  patch.lo[d] = p.first;
  patch.hi[d] = p.last;
  return patch;
}

}  // namespace

Tensor transform_ovov(const rhf::Basis& basis, const Space& space, const TransformOptions& options,
                      Progress progress) {
  const Group& world = space.coefficients.group();
  const index_t n = basis.size(), no = space.occupied, nv = space.virtuals;
  const Kind o{0, no}, v{no, no + nv};
  const Stored half = half_transformed(basis, space, o, v, options, progress);
  Tensor ovov = tensor(world, "(ov|ov)", {no, nv, no, nv}, 1);
  const double bytes = static_cast<double>(index_t{sizeof(double)} * n * nv * (n + no));
  for_each_part(o, bytes, options.scratch ? options.part_bytes : HUGE_VAL, [&](const Kind& p) {
    half.use(of(half.dims(), 2, p), [&](const auto& h) {
      other_two(h, space.coefficients, o, v, ovov.slice(of(ovov.dims(), 0, p)), "pqtu");
    });
  });
  return ovov;
}

MoIntegrals transform(const rhf::Basis& basis, const Space& space, const TransformOptions& options,
                      Progress progress) {
  const Group& world = space.coefficients.group();
  const index_t n = basis.size(), no = space.occupied, nv = space.virtuals;
  const Kind o{0, no}, v{no, no + nv}, all{0, no + nv};
  const Stored half = half_transformed(basis, space, all, all, options, progress);
  MoIntegrals g{tensor(world, "(oo|oo)", {no, no, no, no}, 0),
                tensor(world, "(oo|ov)", {no, no, no, nv}, 3),
                tensor(world, "(oo|vv)", {no, no, nv, nv}, 2),
                tensor(world, "(ov|ov)", {no, nv, no, nv}, 1),
                Stored(world, options.scratch, "(ov|vv)", {no, nv, nv, nv}, 2),
                Stored(world, options.scratch, "(vv|vv)", {nv, nv, nv, nv}, options.scratch ? 2 : 0)};
  const Matrix& c = space.coefficients;
  // (pq|tu) for p of a part of the orbitals, from the half-transformed integrals of this part.
  const auto columns = [](const Slice<const double, 4>& h, const Kind& q) {
    return h.slice(of(h.dims(), 3, q));
  };
  const double bytes =
      static_cast<double>(index_t{sizeof(double)} * (n * n * all.size() + n * nv * nv + nv * nv * nv));
  const double most = options.scratch ? options.part_bytes : HUGE_VAL;
  for_each_part(o, bytes, most, [&](const Kind& p) {
    half.use(of(half.dims(), 2, p), [&](const Slice<const double, 4>& h) {
      const auto rows = [&](Tensor& to) { return to.slice(of(to.dims(), 0, p)); };
      other_two(columns(h, o), c, o, o, rows(g.oooo), "pqtu");
      other_two(columns(h, o), c, o, v, rows(g.ooov), "pqtu");
      other_two(columns(h, v), c, o, v, rows(g.ovov), "pqtu");
      g.ovvv.set(of(g.ovvv.dims(), 0, p),
                 [&](const auto& to) { other_two(columns(h, v), c, v, v, to, "pqtu"); });
    });
  });
  // (ac|bd) = (ca|bd): the ranks share q, which is a if all is in memory. In a file, p is a, as parts of a lie
  // together.
  const char* letters = options.scratch ? "ptqu" : "qtpu";
  for_each_part(v, bytes, most, [&](const Kind& p) {
    const Kind a{p.first - no, p.last - no};
    half.use(of(half.dims(), 2, p), [&](const Slice<const double, 4>& h) {
      other_two(columns(h, v), c, o, o, g.oovv.slice(of(g.oovv.dims(), 2, a)), "tupq");
      g.vvvv.set(of(g.vvvv.dims(), 0, a),
                 [&](const auto& to) { other_two(columns(h, v), c, v, v, to, letters); });
    });
  });
  return g;
}

}  // namespace ccsd
