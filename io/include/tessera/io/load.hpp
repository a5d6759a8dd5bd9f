// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <filesystem>
#include <string_view>

#include <tessera/array.hpp>
#include <tessera/io/error.hpp>

namespace tessera::io {

namespace detail {
/// The extents of a dataset, after checking that it holds elements of `type` in `rank` dimensions.
tessera::detail::Coordinates dataset_extents(const Group& group, const std::filesystem::path& path,
                                             std::string_view dataset, const tessera::detail::ElementType& type,
                                             int rank);
void load(const std::filesystem::path& path, std::string_view dataset, tessera::detail::ArrayCore& array);
}  // namespace detail

/// Reads a dataset into an array that exists, of any layout; extents and element type must be those of the
/// file. Any number of ranks, whatever number wrote it. @collective
/// @throws IoError on every rank if the file or dataset is missing, broken, or of another type or shape; what
/// the array holds is then unspecified only if reading itself failed. @completion visible to every rank.
template <Element T, std::size_t N>
void load_into(const std::filesystem::path& path, std::string_view dataset, Array<T, N>& array) {
  detail::load(path, dataset, array.core());
}

/// Reads a dataset into a new array in even blocks over a group, named after the dataset. @collective
/// @throws as load_into.
template <Element T, std::size_t N>
Array<T, N> load(const Group& group, const std::filesystem::path& path, std::string_view dataset) {
  const auto found =
      detail::dataset_extents(group, path, dataset, {element_kind<T>(), sizeof(T)}, static_cast<int>(N));
  Extents<N> dims;
  for (std::size_t d = 0; d < N; ++d) dims[d] = found[d];
  Array<T, N> array(group, dims, {.name = dataset});
  load_into(path, dataset, array);
  return array;
}

}  // namespace tessera::io
