// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/boundaries.hpp>
#include <tessera/detail/halo_core.hpp>
#include <tessera/slice.hpp>

namespace tessera {

/// Which ghost cells of an operand a Halo exchanges.
template <std::size_t N>
struct HaloOptions {
  /// Without: only cells that are beside the block in one dimension, as stencils of the shape of a star need
  /// them.
  Corners corners = Corners::with;
  /// How many cells on the low and on the high side of each dimension; as many as the array has unless given.
  std::optional<PerDimension<index_t, N>> low = {}, high = {};
};

/// An operand of a Halo, from halo_of().
class HaloPart {
 public:
  explicit HaloPart(detail::HaloOperand operand) : operand_(std::move(operand)) {}
  const detail::HaloOperand& operand() const noexcept { return operand_; }

 private:
  detail::HaloOperand operand_;
};

/// An array whose ghost cells a Halo is to exchange. It may also be a slice of one: of some elements along
/// dimensions without ghost cells (such as components), or of a member of its elements. @local
template <WritableOperand A>
HaloPart halo_of(A&& a, const HaloOptions<rank_v<A>>& options = {}) {
  detail::HaloOperand operand{slice_of(a).core(), {}, {}, options.corners};
  const auto take = [](const PerDimension<index_t, rank_v<A>>& widths) {
    detail::Coordinates all{};
    std::copy(widths.begin(), widths.end(), all.begin());
    return all;
  };
  if (options.low) operand.low = take(*options.low);
  if (options.high) operand.high = take(*options.high);
  return HaloPart(std::move(operand));
}

/// The same with boundary conditions, which are applied at the end of each update. They are copied. @local
template <WritableOperand A>
HaloPart halo_of(A&& a, const Boundaries<value_t<A>, rank_v<A>>& boundaries,
                 const HaloOptions<rank_v<A>>& options = {}) {
  detail::HaloOperand operand = halo_of(a, options).operand();
  operand.finish = [boundaries, slice = operand.slice, corners = options.corners] {
    boundaries.apply_to(slice, corners);
  };
  operand.check = [boundaries, slice = operand.slice] { boundaries.check(slice); };
  return HaloPart(std::move(operand));
}

/// An update of a Halo that is under way. Move-only.
class [[nodiscard]] HaloUpdate {
 public:
  explicit HaloUpdate(detail::HaloCore& halo) : halo_(&halo) {}
  /// Waits.
  ~HaloUpdate() = default;
  HaloUpdate(HaloUpdate&&) noexcept = default;
  HaloUpdate& operator=(HaloUpdate&&) noexcept = default;

  /// Returns when this rank's ghost cells are filled and its elements may be changed. @collective
  void wait() {
    if (auto* halo = halo_.release()) halo->end();
  }
  /// Makes progress with the update, and returns whether wait() would return at once. @onesided
  bool test() {
    if (!halo_ || halo_->test()) return halo_.release(), true;
    return false;
  }

 private:
  struct EndHalo {
    // An error here shows up in later calls too.
    void operator()(detail::HaloCore* halo) const noexcept {
      try {
        halo->end();
      } catch (...) {
      }
    }
  };
  std::unique_ptr<detail::HaloCore, EndHalo> halo_;
};

/// The ghost cells of several arrays, exchanged together: each rank sends one message to each neighbour on
/// another node, however many arrays there are. The arrays may have different layouts and element types, such
/// as faces beside cells. They must outlive the halo, and keep their layouts. Move-only.
class Halo {
 public:
  /// @collective over the arrays' group @throws UsageError on every rank if an array has no ghost cells, is of
  /// another group, or has fewer cells than asked for, or if a block has fewer elements than a mirror needs.
  /// Also for a slice that is permuted, stepped, or cut where there are ghost cells.
  explicit Halo(const std::vector<HaloPart>& parts, std::string_view name = "halo")
      : core_(std::make_unique<detail::HaloCore>(operands_of(parts), name)) {}
  /// All ghost cells of these arrays and slices. @collective @throws likewise
  template <WritableOperand... A>
  requires(sizeof...(A) > 0) explicit Halo(A&&... arrays) : Halo(std::vector{halo_of(arrays)...}) {}

  /// Fills the ghost cells with the current values of their elements. As Array::update_ghosts(), it has no
  /// barrier.
  /// @collective @throws UsageError if another update is under way
  void update(GhostMethod method = GhostMethod::automatic) { core().update(method); }
  /// Begins to fill the ghost cells. No rank may change elements or read ghost cells before it has waited for
  /// the result. @collective @throws as update
  HaloUpdate update_async() {
    core().begin();
    return HaloUpdate(core());
  }
  /// Adds each ghost cell to the element that it is a copy of, as finite elements and particles need it. Ghost
  /// cells keep their values. It returns when this rank's elements are sums, and its ghost cells may be
  /// changed. The order of the sums does not depend on the order of arrival. Elements must not be written, and
  /// ghost cells must not be changed meanwhile. @collective @throws UsageError as update, and if elements are
  /// no numbers
  void accumulate() { core().accumulate(); }
  /// Frees the memory for messages now. @collective
  void close() { core().close(); }

 private:
  static std::vector<detail::HaloOperand> operands_of(const std::vector<HaloPart>& parts) {
    std::vector<detail::HaloOperand> operands;
    for (const HaloPart& part : parts) operands.push_back(part.operand());
    return operands;
  }
  detail::HaloCore& core() const {
    if (!core_) throw UsageError("this Halo was moved from");
    return *core_;
  }

  std::unique_ptr<detail::HaloCore> core_;
};

}  // namespace tessera
