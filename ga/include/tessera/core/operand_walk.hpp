// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <functional>
#include <initializer_list>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <tessera/core/agreed.hpp>
#include <tessera/core/slice_core.hpp>
#include <tessera/runtime/group.hpp>

// What all operations on slices have in common. A slice may be a whole array.
namespace tessera::detail {

using Slices = std::initializer_list<SliceCore>;

enum class Shapes { equal, any };
enum class Types { equal, any };

/// Makes all earlier operations on the arrays of the slices visible, and ends their epochs. @collective @throws
/// UsageError if one of them is closed
void settle(const Group& group, std::span<const SliceCore> slices);
/// The same, after a step that may have failed on some members. @collective @throws as Outcome::agree
void settle(std::string_view operation, const Group& group, std::span<const SliceCore> slices,
            const Outcome& outcome);
/// @throws UsageError unless all arrays are open, of one group and (unless they may differ) of one type and
/// equal extents @local
void require_operands(std::string_view operation, std::span<const SliceCore> slices, Shapes shapes,
                      Types types = Types::equal);
/// The same for a collective call, whose members compare their operands. @collective @throws UsageError on
/// every rank
void require_same_operands(std::string_view operation, std::span<const SliceCore> slices, Shapes shapes,
                           Types types = Types::equal);
/// Begins a collective operation. Checks the operands as above, and makes all earlier operations on them
/// visible. @collective @throws UsageError on every rank
void begin_operation(std::string_view operation, std::span<const SliceCore> slices,
                     Shapes shapes = Shapes::equal, Types types = Types::equal);
inline void begin_operation(std::string_view operation, Slices slices, Shapes shapes = Shapes::equal,
                            Types types = Types::equal) {
  begin_operation(operation, std::span(slices.begin(), slices.size()), shapes, types);
}
/// Ends the operation, and makes what was written visible to all. @collective
void end_operation(const SliceCore& written);
/// The same for an operation that calls user code. @collective @throws as Outcome::agree
void end_operation(std::string_view operation, const SliceCore& written, const Outcome& outcome);

/// A run of the same elements of several operands: operand 0, which is local, and the sources. Strides are in
/// elements; there is at least one element.
struct ElementRun {
  void* const* data;
  const index_t* strides;
  index_t count;
  /// Whether the elements of each of the first `operands` operands are contiguous. @local
  bool is_dense(std::size_t operands) const noexcept {
    for (std::size_t i = 0; i < operands; ++i) {
      if (strides[i] != 1) return false;
    }
    return true;
  }
};
using RunFunction = std::function<void(const ElementRun&)>;

/// The most sources that an operation may have.
inline constexpr std::size_t max_sources = 7;

/// Walks the elements of `target` that this rank owns, together with the same elements of the sources, in any
/// layouts. Elements on the node are read directly, and others are fetched in pieces. Sources must not be
/// written meanwhile, unless they are the target itself. @onesided
void for_each_run(const SliceCore& target, std::span<const SliceCore> sources, const RunFunction& f);
/// The same for the target alone. A run also has the position of its first element in the target, and the
/// dimension `along` which it goes.
struct PlacedRun : ElementRun {
  Coordinates at;
  int along;
  /// The row-major number of the run's first element in the slice, and the step from each element to the next.
  /// @local
  struct RowMajorNumbers {
    index_t first, step;
  };
  RowMajorNumbers numbers(const SliceCore& slice) const noexcept {
    RowMajorNumbers found{0, 1};
    for (int d = 0; d < slice.rank(); ++d) {
      const auto i = static_cast<std::size_t>(d);
      found.first = found.first * slice.extents()[i] + at[i];
      if (d > along) found.step *= slice.extents()[i];
    }
    return found;
  }
};
void for_each_placed_run(const SliceCore& target, const std::function<void(const PlacedRun&)>& f);

/// The dimension along which the elements of a piece lie closest. Dimensions with a single element do not
/// count, unless all have only one. @local
std::size_t closest(const LocalPiece& piece, int rank) noexcept;

/// Calls f(Index, T&) for each element of a piece, in runs along dimension `along`. This is an index, or an
/// integral_constant so that the compiler knows it. @local
template <class T, std::size_t N, class Along, class F>
void visit_along(const LocalPiece& piece, Along along, F& f) {
  // By value: for the compiler, a write through T& may alias the indices.
  const Box box = piece.box;
  const Coordinates strides = piece.strides;
  const index_t count = box.hi[along] - box.lo[along];
  T* first = reinterpret_cast<T*>(piece.data);
  Index<N> begin;
  for (std::size_t d = 0; d < N; ++d) begin[d] = box.lo[d];
  const auto run = [&](auto stride) {
    Index<N> at = begin;
    for (index_t i = 0; i < count; ++i, ++at[along])
      std::invoke(f, static_cast<const Index<N>&>(at), first[i * stride]);
  };
  for (;;) {
    if (strides[along] == 1) {
      run(std::integral_constant<index_t, 1>());
    } else {
      run(strides[along]);
    }
    bool more = false;
    for (std::size_t d = N; !more && d-- > 0;) {
      if (d == along) continue;
      first += strides[d];
      more = ++begin[d] < box.hi[d];
      if (more) continue;
      first -= strides[d] * (box.hi[d] - box.lo[d]);
      begin[d] = box.lo[d];
    }
    if (!more) return;
  }
}
/// The same along the dimension in which the elements lie closest. @local
template <class T, std::size_t N, class F>
void visit(const LocalPiece& piece, F& f) {
  const std::size_t along = closest(piece, static_cast<int>(N));
  if (N == 1 || along == N - 1)
    return visit_along<T, N>(piece, std::integral_constant<std::size_t, N - 1>(), f);
  if (N == 2 || along == 0) return visit_along<T, N>(piece, std::integral_constant<std::size_t, 0>(), f);
  if constexpr (N > 2) visit_along<T, N>(piece, along, f);
}

/// Whether a write to the target may change elements of the source that another rank still reads. That is so if
/// both share elements, but not the same elements at the same positions.
bool is_entangled(const SliceCore& target, const SliceCore& source) noexcept;
/// Throws UsageError if a source is entangled with the target. @local
void require_apart(std::string_view operation, const SliceCore& target, std::span<const SliceCore> sources);

/// Element i of operand `k`. Operand `same` has the same memory as the first operand, so it is read through
/// `first`. @local
template <std::size_t k, std::size_t same, class First, class T>
T& element_of(First* first, T* x, index_t i) noexcept {
  if constexpr (k == same && std::is_same_v<std::remove_const_t<First>, std::remove_const_t<T>>)
    return first[i];
  else
    return x[i];
}

/// Calls f with the elements of all operands, position by position. Element i of operand k is data[k][i *
/// strides[k]]. If all strides are 1, the compiler knows it. @local
template <class... T, class F>
void apply(const ElementRun& run, F&& f) {
  apply_indexed<T...>(run, f, std::index_sequence_for<T...>{});
}
template <class... T, class F, std::size_t... k>
void apply_indexed(const ElementRun& run, F& f, std::index_sequence<k...>) {
  // Count and strides are captured by value: for the compiler, a write to an element may alias them. It must
  // also know a source that is the target itself, or it takes a loop that is not vectorised.
  auto dense = [&f, n = run.count]<std::size_t same>(std::integral_constant<std::size_t, same>, T*... x) {
    auto* const first = std::get<0>(std::tuple(x...));
    for (index_t i = 0; i < n; ++i) f(element_of<k, same>(first, x, i)...);
  };
  auto strided = [&f, n = run.count, strides = std::array{run.strides[k]...}](T*... x) {
    for (index_t i = 0; i < n; ++i) f(x[i * strides[k]]...);
  };
  if (!run.is_dense(sizeof...(T))) return strided(static_cast<T*>(run.data[k])...);
  const auto dense_if = [&]<std::size_t same>(std::integral_constant<std::size_t, same> which) {
    if (run.data[same] != run.data[0]) return false;
    dense(which, static_cast<T*>(run.data[k])...);
    return true;
  };
  // Tries the last source first. Operand 0 always matches.
  static_cast<void>((dense_if(std::integral_constant<std::size_t, sizeof...(T) - 1 - k>{}) || ...));
}

/// A function of elements whose result can be assigned to an element of type To.
template <class F, class To, class... From>
concept MapsTo =
    std::invocable<F&, const From&...> && std::is_assignable_v<To&, std::invoke_result_t<F&, const From&...>>;

/// target = f(sources), element by element. @collective
template <class To, class... From, class F, class... Source>
void transform(F& f, const SliceCore& target, const Source&... sources) {
  begin_operation("transform", {target, sources...}, Shapes::equal, Types::any);
  const SliceCore list[] = {sources...};
  require_apart("transform", target, list);
  const Outcome outcome([&] {
    for_each_run(target, list, [&f](const ElementRun& run) {
      apply<To, const From...>(run, [&f](To& to, const From&... from) { to = std::invoke(f, from...); });
    });
  });
  end_operation("transform", target, outcome);
}

/// Calls take(total, elements...) for the elements of this rank's part of the first operand. Then f joins the
/// totals of all ranks in rank order, so that all ranks get the same result. @collective @throws as
/// Outcome::agree if f or take throws
template <class U, class First, class... Others, class F, class Take, class... Source>
U fold(std::string_view name, const U& start, F& f, Take&& take, const SliceCore& first,
       const Source&... others) {
  begin_operation(name, {first, others...}, Shapes::equal, Types::any);
  U total = start;
  const std::array<SliceCore, sizeof...(others)> list{others...};
  const Outcome outcome([&] {
    for_each_run(first, list, [&](const ElementRun& run) {
      apply<const First, const Others...>(
          run, [&](const First& x, const Others&... more) { take(total, x, more...); });
    });
  });
  struct Part {
    U total;
    bool failed;
  };
  const Group& group = first.array().group();
  const auto parts = group.all_gather(Part{total, outcome.failed()});
  if (std::any_of(parts.begin(), parts.end(), [](const Part& part) { return part.failed; }))
    outcome.agree(group, name);
  U all = start;
  auto join = [&] {
    for (const Part& part : parts) all = std::invoke(f, static_cast<const U&>(all), part.total);
  };
  // The ranks do not synchronise after this, so a join that may throw has to agree first.
  if constexpr (std::is_nothrow_invocable_r_v<U, F&, const U&, const U&>)
    join();
  else
    agreed(group, name, join);
  return all;
}
template <class U, class... T, class F, class Map, class... Source>
U transform_reduce(const U& start, F& f, Map& map, const Source&... operands) {
  auto take = [&](U& total, const T&... x) {
    total = std::invoke(f, static_cast<const U&>(total), U(std::invoke(map, x...)));
  };
  return fold<U, T...>("transform_reduce", start, f, take, operands...);
}

}  // namespace tessera::detail
