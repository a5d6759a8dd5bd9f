// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Contractions of block tensors, against the products of their blocks by BLAS alone, and against the same
// contraction of all elements.
#include <algorithm>
#include <string>
#include <vector>

#include <tessera/linalg/block_contract.hpp>
#include <tessera/reductions.hpp>

#include "scalapack_peer.hpp"
#include "sections.hpp"

namespace tessera::benchmark::linalg {
namespace {

constexpr const char* section = "contractions of block tensors of doubles";

using tessera::linalg::BlockTensor;
using tessera::linalg::BlockTensorOptions;

// The particle-particle ladder of spin orbitals: r(ijab) = 0.5 * the sum over c and d of t(ijcd) w(cdab). Each
// spin is cut into `cuts` blocks of equal length.
class SpinLadder {
 public:
  SpinLadder(const Group& world, index_t occupied, index_t virtuals, index_t cuts)
      : occupied_(lengths(occupied, 1)),
        virtuals_(lengths(virtuals, cuts)),
        t_(world, {occupied_, occupied_, virtuals_, virtuals_}, options("t", cuts, true)),
        w_(world, {virtuals_, virtuals_, virtuals_, virtuals_}, options("w", cuts, false)),
        r_(world, {occupied_, occupied_, virtuals_, virtuals_}, options("r", cuts, true)),
        all_t_(world, t_.dims(), {.name = "all of t"}),
        all_w_(world, w_.dims(), {.name = "all of w"}),
        all_r_(world, r_.dims(), {.name = "all of r"}) {
    for (BlockTensor<double, 4>* tensor : {&t_, &w_}) {
      tensor->for_each_own_block([&](const Index<4>& block, const View<double, 4>& elements) {
        const Patch<4> patch = tensor->patch(block);
        for (index_t i = 0; i < elements.extent(0); ++i)
          for (index_t j = 0; j < elements.extent(1); ++j)
            for (index_t a = 0; a < elements.extent(2); ++a)
              for (index_t b = 0; b < elements.extent(3); ++b)
                elements(i, j, a, b) = static_cast<double>((patch.lo[0] + i - patch.lo[1] - j) % 5 *
                                                           ((patch.lo[2] + a - patch.lo[3] - b) % 3));
      });
      tensor->sync();
    }
    t_.copy_to(all_t_);
    w_.copy_to(all_w_);
    find_products();
  }

  void by_blocks() { tessera::linalg::contract(0.5, t_("ijcd"), w_("cdab"), 0.0, r_("ijab")); }
  void with_zeros() { tessera::linalg::contract(0.5, all_t_("ijcd"), all_w_("cdab"), 0.0, all_r_("ijab")); }
  enum class Products { of_all_blocks, that_differ };
  // The products of this rank's blocks, with operands that lie in its own memory.
  void products_alone(Products which) {
    for (const Shape& shape : which == Products::of_all_blocks ? products_ : different_) {
      scalapack_peer::multiply_alone(static_cast<int>(shape.m), static_cast<int>(shape.n),
                                     static_cast<int>(shape.k), a_.data(), b_.data(), c_.data());
    }
  }
  bool is_right() {
    by_blocks();
    with_zeros();
    const double size = dot(r_, r_);
    return size > 0 && std::abs(size - dot(all_r_, all_r_)) <= 1e-10 * size;
  }

 private:
  static std::vector<index_t> lengths(index_t of_spin, index_t cuts) {
    return std::vector<index_t>(static_cast<std::size_t>(2 * cuts), of_spin / cuts);
  }
  static BlockTensorOptions<4> options(const char* name, index_t cuts, bool is_amplitude) {
    const auto spin = [cuts](index_t block) { return block / cuts; };
    return {.name = name,
            .symmetries = {{{0, 1}, -1}, {{2, 3}, -1}},
            .is_stored = [spin, is_amplitude](const Index<4>& block) {
              const index_t first = is_amplitude ? block[0] + block[1] : spin(block[0]) + spin(block[1]);
              return first == spin(block[2]) + spin(block[3]);
            }};
  }
  void find_products() {
    Shape most{0, 0, 0};
    const auto length = [](const std::vector<index_t>& list, index_t block) {
      return list[static_cast<std::size_t>(block)];
    };
    r_.for_each_own_block([&](const Index<4>& r, const View<double, 4>&) {
      const auto count = static_cast<index_t>(virtuals_.size());
      for (index_t c = 0; c < count; ++c) {
        for (index_t d = 0; d < count; ++d) {
          if (!t_.has({r[0], r[1], c, d}) || !w_.has({c, d, r[2], r[3]})) continue;
          products_.push_back({length(occupied_, r[0]) * length(occupied_, r[1]),
                               length(virtuals_, r[2]) * length(virtuals_, r[3]),
                               length(virtuals_, c) * length(virtuals_, d)});
          if (c >= d) different_.push_back(products_.back());
        }
      }
    });
    for (const Shape& shape : products_)
      most = {std::max(most.m, shape.m), std::max(most.n, shape.n), std::max(most.k, shape.k)};
    a_.assign(static_cast<std::size_t>(most.m * most.k), 0.5);
    b_.assign(static_cast<std::size_t>(most.k * most.n), 0.5);
    c_.assign(static_cast<std::size_t>(most.m * most.n), 0.0);
  }

  std::vector<index_t> occupied_, virtuals_;
  BlockTensor<double, 4> t_, w_, r_;
  Array<double, 4> all_t_, all_w_, all_r_;
  std::vector<Shape> products_, different_;
  std::vector<double> a_, b_, c_;
};

}  // namespace

void blocks(Session& session) {
  if (!session.wants(section)) return;
  const Group& world = session.world();
  struct Sizes {
    index_t occupied, virtuals, cuts;
  };
  const std::vector<Sizes> sizes = session.is_quick()
                                       ? std::vector<Sizes>{{2, 8, 2}}
                                       : std::vector<Sizes>{{6, 32, 1}, {10, 40, 2}, {10, 40, 4}};
  for (const auto& [occupied, virtuals, cuts] : sizes) {
    SpinLadder ladder(world, occupied, virtuals, cuts);
    const std::string title = "ladder of spin orbitals, " + std::to_string(occupied) + " occupied and " +
                              std::to_string(virtuals) + " virtual of each spin, " + std::to_string(2 * cuts) +
                              " virtual blocks";
    require_everywhere(world, ladder.is_right(), title);
    session.compare({.section = section,
                     .name = title,
                     .routine = repeat([&] { ladder.by_blocks(); }),
                     .clock = Clock::joint,
                     .others = {.wait = [&world] { world.barrier(); }}},
                    {{"DGEMM of each block",
                      repeat([&] { ladder.products_alone(SpinLadder::Products::of_all_blocks); }),
                      {}},
                     {"DGEMM of one of each pair",
                      repeat([&] { ladder.products_alone(SpinLadder::Products::that_differ); }),
                      Target{Goal::at_least, 1 / 1.2}},
                     {"arrays with the zeros", repeat([&] { ladder.with_zeros(); }), {}}});
  }
  session.note(
      "Block tensors: the elements are antisymmetric, and conserve spin. DGEMM of each block multiplies, on "
      "each rank, as many blocks of the same sizes in its own memory. Blocks (c, d) and (d, c) have equal "
      "products: DGEMM of one of each pair leaves one of them out.");
}

}  // namespace tessera::benchmark::linalg
