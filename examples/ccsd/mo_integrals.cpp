// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "mo_integrals.hpp"

#include <algorithm>
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

  /// The result is row-major, with the extents of r and s first. It is valid until the next call.
  const std::vector<double>& operator()(const View<double, 4>& integrals) {
    const index_t n = p_.extents()[0], p = p_.extents()[1], q = q_.extents()[1];
    const index_t pairs = integrals.extent(0) * integrals.extent(1);
    half_.assign(static_cast<std::size_t>(pairs * n * q), 0.0);
    both_.assign(static_cast<std::size_t>(pairs * p * q), 0.0);
    add_product({integrals.data_handle(), {pairs * n, n}}, {q_.data(), {n, q}}, {half_.data(), {pairs * n, q}});
    for (index_t pair = 0; pair < pairs; ++pair) {
      add_product({p_.data(), {p, n}, {1, p}}, {half_.data() + pair * n * q, {n, q}},
                  {both_.data() + pair * p * q, {p, q}});
    }
    return both_;
  }

 private:
  LocalArray<double, 2> p_, q_;
  std::vector<double> half_, both_;
};

// half(r, s, p, q) = (pq|rs), where p and q are molecular orbitals.
Tensor half_transformed(const rhf::Basis& basis, const Space& space, const Kind& p, const Kind& q,
                        double screening, Progress& progress) {
  const Group& world = space.coefficients.group();
  const index_t n = basis.size(), np = p.size(), nq = q.size();
  const Extents<4> extents{n, n, np, nq};
  Tensor half(world, along(2, extents, world.size()), {.name = "half-transformed integrals"});
  AoIntegrals integrals(basis, rhf::schwarz_bounds(world, basis), screening);
  const std::vector<ShellRange> blocks = integrals.blocks(functions_of_block);
  TwoIndices two(space.coefficients, p, q);
  std::vector<double> memory;
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
    const View<const double, 4> result(two(block).data(), {shape[0], shape[1], np, nq});
    const Index<4> at{rows.first_function, columns.first_function, 0, 0};
    half.put(Patch<4>::at(at, result.extents()), result);
    if (i == j) return;
    const View<const double, 4> turned(result.data_handle(), {shape[1], shape[0], np, nq},
                                       {np * nq, shape[1] * np * nq, nq, 1});
    half.put(Patch<4>::at({at[1], at[0], 0, 0}, turned.extents()), turned);
  });
  half.sync();
  return half;
}

// to(...) from half(r, s, p, q): r and s become orbitals t and u. `letters` are those of the result.
void other_two(const Tensor& half, const Kind& p, const Kind& q, const Matrix& c, const Kind& t, const Kind& u,
               Tensor& to, const char* letters) {
  const Group& world = c.group();
  const index_t n = c.dims()[0];
  Tensor quarter(world, along(2, {t.size(), n, p.size(), q.size()}, world.size()),
                 {.name = "three indices transformed"});
  contract(1, half.slice({{0, 0, p.first, q.first}, {n, n, p.last, q.last}})("rspq"),
           c.slice({{0, t.first}, {n, t.last}})("rt"), 0, quarter("tspq"));
  contract(1, quarter("tspq"), c.slice({{0, u.first}, {n, u.last}})("su"), 0, to(letters));
}

Tensor tensor(const Group& world, const char* name, const Extents<4>& extents, std::size_t dimension) {
  return {world, along(dimension, extents, world.size()), {.name = name}};
}

}  // namespace

Tensor transform_ovov(const rhf::Basis& basis, const Space& space, double screening, Progress progress) {
  const Group& world = space.coefficients.group();
  const index_t no = space.occupied, nv = space.virtuals;
  const Kind o{0, no}, v{no, no + nv};
  const Tensor half = half_transformed(basis, space, o, v, screening, progress);
  Tensor ovov = tensor(world, "(ov|ov)", {no, nv, no, nv}, 1);
  other_two(half, {0, no}, {0, nv}, space.coefficients, o, v, ovov, "pqtu");
  return ovov;
}

MoIntegrals transform(const rhf::Basis& basis, const Space& space, double screening, Progress progress) {
  const Group& world = space.coefficients.group();
  const index_t no = space.occupied, nv = space.virtuals;
  const Kind o{0, no}, v{no, no + nv}, all{0, no + nv};
  const Tensor half = half_transformed(basis, space, all, all, screening, progress);
  MoIntegrals g{tensor(world, "(oo|oo)", {no, no, no, no}, 0), tensor(world, "(oo|ov)", {no, no, no, nv}, 3),
                tensor(world, "(oo|vv)", {no, no, nv, nv}, 2), tensor(world, "(ov|ov)", {no, nv, no, nv}, 1),
                tensor(world, "(ov|vv)", {no, nv, nv, nv}, 1), tensor(world, "(vv|vv)", {nv, nv, nv, nv}, 0)};
  const Matrix& c = space.coefficients;
  other_two(half, o, o, c, o, o, g.oooo, "pqtu");
  other_two(half, o, o, c, o, v, g.ooov, "pqtu");
  other_two(half, v, v, c, o, o, g.oovv, "tupq");
  other_two(half, o, v, c, o, v, g.ovov, "pqtu");
  other_two(half, o, v, c, v, v, g.ovvv, "pqtu");
  other_two(half, v, v, c, v, v, g.vvvv, "ptqu");
  return g;
}

}  // namespace ccsd
