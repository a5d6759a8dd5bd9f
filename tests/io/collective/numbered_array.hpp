// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <tessera/elementwise.hpp>

#include "../../ga/array_model.hpp"
#include "comparison.hpp"
#include "raw_file.hpp"

// Arrays and datasets whose element i, in row-major order, is element<T>(first + i).
namespace tessera::test {

/// Sets this rank's elements of the array. @local
template <class T, std::size_t N>
void number_own_elements(Array<T, N>& array, index_t first = 0) {
  const Extents<N> dims = array.dims();
  for_each_local(array, [&](const Index<N>& at, T& x) { x = element<T>(first + number_of(at, dims)); });
}
/// Sets all elements of the array. @collective
template <class T, std::size_t N>
void number_elements(Array<T, N>& array, index_t first = 0) {
  number_own_elements(array, first);
  array.sync();
}

/// Whether this rank's elements are numbered like that. @local
template <class T, std::size_t N>
testing::AssertionResult own_are_numbered(Array<T, N>& array, index_t first = 0) {
  const Extents<N> dims = array.dims();
  Comparison compared;
  for_each_local(array,
                 [&](const Index<N>& at, T& x) { compared(at, element<T>(first + number_of(at, dims)), x); });
  return compared.equal();
}
/// The same. Returns when every rank has looked, so that the elements may then be changed. @collective
template <class T, std::size_t N>
testing::AssertionResult is_numbered(Array<T, N>& array, index_t first = 0) {
  auto result = own_are_numbered(array, first);
  world().barrier();
  return result;
}

/// Expects that another program finds numbered elements in a dataset. @collective
template <class T, std::size_t N>
void expect_raw(const std::filesystem::path& file, const std::string& name, const Extents<N>& dims,
                index_t first = 0) {
  on_rank_0([&] {
    const auto found = read_raw<T>(file, name);
    EXPECT_EQ(found.dims, raw_dims(dims));
    EXPECT_EQ(static_cast<index_t>(found.elements.size()), dims.size());
    Comparison compared;
    for (std::size_t i = 0; i < found.elements.size(); ++i)
      compared(i, element<T>(first + static_cast<index_t>(i)), found.elements[i]);
    EXPECT_TRUE(compared.equal());
  });
}

}  // namespace tessera::test
