// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <complex>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include <tessera/array.hpp>
#include <tessera/elementwise.hpp>

#include "array_model.hpp"
#include "local_elements.hpp"
#include "mpi_test.hpp"

namespace tessera::test {

using Domain = std::optional<AtomicDomain>;

/// A type that can only be transferred, not accumulated. Its size is no power of two.
struct Triple {
  std::int32_t a, b, c;
  friend bool operator==(const Triple&, const Triple&) = default;
};

/// A whole number as any element type, so that sums are exact in any order. @local
template <class T>
T number(index_t re, index_t im = 0) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<T>(re);
  else if constexpr (Arithmetic<T>)
    return {static_cast<typename T::value_type>(re), static_cast<typename T::value_type>(im)};
  else
    return {static_cast<std::int32_t>(re), static_cast<std::int32_t>(im), static_cast<std::int32_t>(re - im)};
}

template <class T>
T random_number(Random& random) {
  return number<T>(pick(random, -100, 100), pick(random, -9, 9));
}

template <class T>
std::vector<T> random_numbers(Random& random, index_t count) {
  std::vector<T> values;
  for (index_t i = 0; i < count; ++i) values.push_back(random_number<T>(random));
  return values;
}

/// The domains that are available here. @collective
inline std::vector<Domain> domains(const Group& group) {
  if (group.node_count() == 1 || !has_windows()) return {std::nullopt};
  return {std::nullopt, AtomicDomain::mpi};
}

/// Whether MPI makes the updates of an array atomic. @local
inline bool is_by_mpi(const Group& group, const Domain& domain) {
  return group.node_count() > 1 && domain == AtomicDomain::mpi;
}

/// The path of puts and gets between nodes in the domain of the CPU, as TESSERA_METHOD sets it. @collective
inline Path moves_by() {
  const char* method = std::getenv("TESSERA_METHOD");
  const bool forced =
      method != nullptr && (method == std::string("batched") || method == std::string("direct"));
  return forced && has_windows() ? Path::window : Path::agent;
}

/// Open MPI's compare-and-swap is not atomic against its other operations. @local
inline bool has_compare_exchange([[maybe_unused]] const Group& group, [[maybe_unused]] const Domain& domain) {
#ifdef OPEN_MPI
  return !is_by_mpi(group, domain);
#else
  return true;
#endif
}

/// Any position of an array that is not empty. @local
template <std::size_t N>
Index<N> random_index(Random& random, const Extents<N>& dims) {
  Index<N> at;
  for (std::size_t d = 0; d < N; ++d) at[d] = pick(random, 0, dims[d] - 1);
  return at;
}

/// All positions of an array, row by row. @local
template <std::size_t N>
std::vector<Index<N>> all_indices(const Extents<N>& dims) {
  std::vector<Index<N>> list;
  for_each_index(Patch<N>::whole(dims), [&](const Index<N>& at) { list.push_back(at); });
  return list;
}

/// Different numbers for every element of a buffer. @local
template <class T, std::size_t N>
RandomBuffer<T, N> random_buffer(Random& random, const Extents<N>& extents) {
  RandomBuffer<T, N> buffer(random, extents);
  for (T& x : buffer.storage) x = random_number<T>(random);
  return buffer;
}

/// An array and a model of its contents, which every rank keeps.
template <Element T, std::size_t N>
struct Modelled {
  Array<T, N> array;
  LocalArray<T, N> model;

  /// Sets every element to its number. @collective
  Modelled(const Group& group, const Layout<N>& layout, const Domain& domain = {})
      : array(group, layout, {.name = "modelled", .domain = domain}), model(layout.dims()) {
    const Extents<N> dims = layout.dims();
    for_each_local(array, [&](const Index<N>& at, T& x) { x = number<T>(number_of(at, dims), 1); });
    array.sync();
    for_each_index(Patch<N>::whole(dims),
                   [&](const Index<N>& at) { model[at] = number<T>(number_of(at, dims), 1); });
  }

  Extents<N> dims() const { return model.extents(); }
  Patch<N> whole() const { return Patch<N>::whole(dims()); }

  /// Compares a view of a patch with the model. @local
  void compare(Comparison& compared, const Patch<N>& patch, const View<const T, N>& found) const {
    compare_patch(compared, patch, found, [&](const Index<N>& at) { return model[at]; });
  }
  /// Reads a patch and compares it with the model. @onesided
  void compare(Comparison& compared, const Patch<N>& patch) const {
    const LocalArray<T, N> found = array.get(patch);
    compare(compared, patch, found.view());
  }
  /// Compares the elements in this rank's own memory with the model. @local
  void compare_local(Comparison& compared) {
    test::compare_local(compared, array, [&](const Index<N>& at) { return model[at]; });
  }
  /// Whether the elements in this rank's own memory are those of the model. @local
  testing::AssertionResult local_equal() {
    Comparison compared;
    compare_local(compared);
    return compared.equal();
  }
};

/// The result that an update should have. @local
template <class T>
T updated(Update update, T old, T value) {
  if (update == Update::sum) return static_cast<T>(old + value);
  if constexpr (RealElement<T>) {
    if (update == Update::min) return std::min(old, value);
    if (update == Update::max) return std::max(old, value);
  }
  if constexpr (IntegerElement<T>) {
    if (update == Update::bit_and) return old & value;
    if (update == Update::bit_or) return old | value;
    if (update == Update::bit_xor) return old ^ value;
  }
  return value;
}

inline constexpr std::array all_updates{Update::sum,    Update::min,     Update::max,    Update::bit_and,
                                        Update::bit_or, Update::bit_xor, Update::replace};

}  // namespace tessera::test
