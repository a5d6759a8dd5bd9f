// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <utility>
#include <variant>

#include <tessera/detail/cells_of.hpp>
#include <tessera/offset_view.hpp>

namespace tessera {

/// Where the mirror of a boundary condition is: at the outer face of the last element, or at its middle.
enum class Mirror : std::uint8_t { at_face, at_element };

/// What the ghost cells beyond one end of a dimension get. The cell number k, counted outwards from 1, gets one
/// of the following.
template <class T, std::size_t N>
class Boundary {
 public:
  /// The same value in all cells. @local
  static Boundary value(const T& value) { return Boundary(Value{value}); }
  /// The last element, and k times `step` more: zero for a gradient of zero. `step` is the outward derivative
  /// times the distance of elements. @local
  static Boundary gradient(const T& step = T{}) requires Arithmetic<T> { return Boundary(Gradient{step}); }
  /// The k-th element inside, counted from the mirror. @local
  static Boundary even(Mirror mirror = Mirror::at_face) { return Boundary(Reflection{mirror, 1, T{}}); }
  /// The same with the other sign, about `value`: twice `value` less the k-th element. So `value` holds at the
  /// mirror. @local
  static Boundary odd(Mirror mirror = Mirror::at_face, const T& value = T{}) requires Arithmetic<T> {
    return Boundary(Reflection{mirror, -1, value});
  }
  /// function(position), where the position is the cell's, beyond the array. Along periodic dimensions it is
  /// that of the element that a cell is a copy of. It must not throw on some ranks alone: an update is no
  /// barrier, and the others would wait in the next one. @local
  static Boundary function(std::function<T(const Index<N>&)> function) { return Boundary(std::move(function)); }

  /// Fills a patch of cells beyond one end of dimension d. @local
  void fill(const detail::Cells<T, N>& cells, const Patch<N>& beyond, std::size_t d, bool high) const {
    if (const auto* function = std::get_if<Function>(&what_)) {
      detail::for_each_index_of(
          beyond, [&](const Index<N>& cell) { *cells.place_of(cell) = (*function)(cells.wrapped(cell)); });
      return;
    }
    for (index_t k = 1; k <= beyond.hi[d] - beyond.lo[d]; ++k) {
      Patch<N> layer = beyond;
      layer.lo[d] = high ? beyond.lo[d] + k - 1 : beyond.hi[d] - k;
      layer.hi[d] = layer.lo[d] + 1;
      fill_layer(cells, layer, k, cells.view.stride(d) * (high ? -1 : 1));
    }
  }
  /// The elements that `width` cells are taken from, counted from the end inwards: from first to below last.
  /// @local
  std::array<index_t, 2> sources(index_t width) const noexcept {
    if (const auto* mirrored = std::get_if<Reflection>(&what_)) {
      const index_t first = mirrored->mirror == Mirror::at_face ? 0 : 1;
      return {first, first + width};
    }
    return {0, std::holds_alternative<Gradient>(what_) ? 1 : 0};
  }
  /// How many elements from the end inwards the outermost of `width` cells is taken from. @local
  index_t depth(index_t width) const noexcept { return sources(width)[1]; }

 private:
  struct Value {
    T value;
  };
  struct Gradient {
    T step;
  };
  struct Reflection {
    Mirror mirror;
    int sign;
    T value;
  };
  using Function = std::function<T(const Index<N>&)>;

  // Layer k of cells, counted from 1. The next cell inwards is `inwards` elements away.
  void fill_layer(const detail::Cells<T, N>& cells, const Patch<N>& layer, index_t k, index_t inwards) const {
    // Each cell gets f(the element at a distance).
    const auto set = [&](index_t distance, const auto& f) {
      Patch<N> rows = layer;
      rows.hi[N - 1] = rows.lo[N - 1] + 1;
      const index_t count = layer.hi[N - 1] - layer.lo[N - 1], step = cells.view.stride(N - 1);
      detail::for_each_index_of(rows, [&](const Index<N>& first) {
        T* to = cells.place_of(first);
        for (index_t i = 0; i < count; ++i, to += step) *to = f(to[distance * inwards]);
      });
    };
    if (const auto* value = std::get_if<Value>(&what_)) set(0, [&](const T&) { return value->value; });
    if constexpr (Arithmetic<T>) {
      if (const auto* gradient = std::get_if<Gradient>(&what_))
        set(k, [rise = static_cast<T>(k) * gradient->step](const T& last) { return last + rise; });
    }
    if (const auto* mirrored = std::get_if<Reflection>(&what_)) {
      const index_t distance = mirrored->mirror == Mirror::at_face ? 2 * k - 1 : 2 * k;
      if constexpr (Arithmetic<T>) {
        if (mirrored->sign < 0)
          return set(distance,
                     [twice = mirrored->value + mirrored->value](const T& there) { return twice - there; });
      }
      set(distance, [](const T& there) { return there; });
    }
  }

  using What = std::variant<Value, Gradient, Reflection, Function>;

  explicit Boundary(What what) : what_(std::move(what)) {}

  What what_;
};

/// The boundary conditions of an array: what its ghost cells beyond the ends of dimensions that are not
/// periodic get. A side without a condition stays as it is.
template <class T, std::size_t N>
class Boundaries {
 public:
  /// Sets the condition of one side of a dimension, or of both. @local @throws UsageError if there is no such
  /// dimension
  Boundaries& set(int dimension, Side side, Boundary<T, N> condition);
  /// Sets the condition of all sides. @local
  Boundaries& set(const Boundary<T, N>& condition) {
    for (int d = 0; d < static_cast<int>(N); ++d) set(d, Side::both, condition);
    return *this;
  }
  /// Fills this rank's ghost cells beyond the ends, dimension by dimension. Cells beyond several ends are
  /// filled from those that were filled before. Call it after update_ghosts(); a Halo does so itself. Without
  /// corners, only cells beside the block are filled. @local @throws UsageError if the block has fewer elements
  /// than a mirror needs, or for a slice that is permuted, stepped, or cut where there are ghost cells
  template <WritableOperand A>
  requires(rank_v<A> == N && std::is_same_v<value_t<A>, T>) void apply(A&& a,
                                                                       Corners corners = Corners::with) const {
    apply_to(slice_of(a).core(), corners);
  }
  /// The same for the compiled slice; for Tessera's own modules. @local
  void apply_to(const detail::SliceCore& slice, Corners corners) const;
  /// The most elements of a block that the conditions need for this many ghost cells. @local
  index_t depth(const PerDimension<index_t, N>& ghosts) const noexcept;
  /// Throws what apply_to() would throw on this rank. @local
  void check(const detail::SliceCore& slice) const;

 private:
  void require_depth(const detail::SliceCore& slice, const detail::Cells<T, N>& cells, std::size_t d,
                     bool high) const;
  // Tells the checker of conflicts of the elements that a condition reads, as long as the result lives.
  detail::CheckedAccess reading(const detail::SliceCore& slice, const detail::Cells<T, N>& cells, std::size_t d,
                                bool high) const;

  std::array<std::array<std::optional<Boundary<T, N>>, 2>, N> conditions_;  // low and high
};

template <class T, std::size_t N>
Boundaries<T, N>& Boundaries<T, N>::set(int dimension, Side side, Boundary<T, N> condition) {
  if (dimension < 0 || dimension >= static_cast<int>(N)) {
    throw UsageError("Boundaries::set: there is no dimension " + std::to_string(dimension) +
                     "; the dimensions are 0 to " + std::to_string(N - 1));
  }
  auto& sides = conditions_[static_cast<std::size_t>(dimension)];
  if (side != Side::high) sides[0] = condition;
  if (side != Side::low) sides[1] = condition;
  return *this;
}

template <class T, std::size_t N>
void Boundaries<T, N>::require_depth(const detail::SliceCore& slice, const detail::Cells<T, N>& cells,
                                     std::size_t d, bool high) const {
  const index_t width = cells.beyond(d, high);
  const index_t depth = width == 0 ? 0 : conditions_[d][high ? 1 : 0]->depth(width);
  const index_t there = high ? cells.dims[d] - cells.block.lo[d] : cells.block.hi[d];
  if (depth > there) detail::throw_thin_block(slice, static_cast<int>(d), there, depth);
}

template <class T, std::size_t N>
detail::CheckedAccess Boundaries<T, N>::reading(const detail::SliceCore& slice,
                                                const detail::Cells<T, N>& cells, std::size_t d,
                                                bool high) const {
  const auto [first, last] = conditions_[d][high ? 1 : 0]->sources(cells.beyond(d, high));
  Patch<N> read = cells.block;
  read.lo[d] = std::max(read.lo[d], high ? cells.dims[d] - last : first);
  read.hi[d] = std::max(read.lo[d], std::min(read.hi[d], high ? cells.dims[d] - first : last));
  const Extents<N> extents = read.extents();
  const index_t members = slice.array().type().size / slice.type().size;
  detail::Coordinates strides{};
  for (std::size_t e = 0; e < N; ++e) strides[e] = cells.view.stride(e) / members;
  return {slice.array(),
          {cells.place_of(read.lo), static_cast<int>(N), extents.data(), strides.data(), slice.type().size},
          detail::ArrayCore::Access::read};
}

template <class T, std::size_t N>
index_t Boundaries<T, N>::depth(const PerDimension<index_t, N>& ghosts) const noexcept {
  index_t depth = 0;
  for (std::size_t d = 0; d < N; ++d) {
    for (const auto& condition : conditions_[d]) {
      if (condition && ghosts[d] > 0) depth = std::max(depth, condition->depth(ghosts[d]));
    }
  }
  return depth;
}

template <class T, std::size_t N>
void Boundaries<T, N>::check(const detail::SliceCore& slice) const {
  const detail::Cells<T, N> cells = detail::cells_of<T, N>(slice, "Boundaries::apply");
  if (cells.block.empty()) return;
  for (std::size_t d = 0; d < N; ++d) {
    for (const bool high : {false, true}) {
      if (conditions_[d][high ? 1 : 0]) require_depth(slice, cells, d, high);
    }
  }
}

template <class T, std::size_t N>
void Boundaries<T, N>::apply_to(const detail::SliceCore& slice, Corners corners) const {
  const detail::Cells<T, N> cells = detail::cells_of<T, N>(slice, "Boundaries::apply");
  if (cells.block.empty()) return;
  for (std::size_t d = 0; d < N; ++d) {
    for (const bool high : {false, true}) {
      const auto& condition = conditions_[d][high ? 1 : 0];
      const index_t width = cells.beyond(d, high);
      if (!condition || width == 0) continue;
      require_depth(slice, cells, d, high);
      Patch<N> beyond = cells.block;
      beyond.lo[d] = high ? cells.all.hi[d] - width : cells.all.lo[d];
      beyond.hi[d] = high ? cells.all.hi[d] : cells.all.lo[d] + width;
      // Along dimensions before d, all cells have values by now. Along those behind d, cells beyond an end have
      // none.
      // (With one dimension there is no other. GCC 12 would warn of the index 1.)
      for (std::size_t e = 0; N > 1 && e < N && corners == Corners::with; ++e) {
        if (e == d) continue;
        const auto [first, last] = cells.inside(e);
        beyond.lo[e] = e < d ? cells.all.lo[e] : first;
        beyond.hi[e] = e < d ? cells.all.hi[e] : last;
      }
      const auto reads = reading(slice, cells, d, high);
      condition->fill(cells, beyond, d, high);
    }
  }
}

}  // namespace tessera
