// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <filesystem>
#include <string_view>

#include <tessera/io/error.hpp>
#include <tessera/slice.hpp>

namespace tessera::io {

namespace detail {
/// The extents of a dataset, after checking that it has `rank` dimensions.
tessera::detail::Coordinates dataset_extents(const Group& group, const std::filesystem::path& path,
                                             std::string_view dataset, int rank);
/// A null patch stands for all of the dataset.
void load(const std::filesystem::path& path, std::string_view dataset, const tessera::detail::Box* patch,
          const tessera::detail::SliceCore& slice);
}  // namespace detail

/// Reads a dataset into an existing array or slice of the dataset's extents and any layout. The number of ranks
/// may differ from the number that wrote the dataset.
///
/// The dataset may come from any program, in any byte order, chunked and compressed. Integers and
/// floating-point numbers of any size are converted to the array's type; real numbers may become complex.
/// Floating-point numbers are rounded to the nearest. A value that the array's type cannot represent is an
/// error: 70000 in 16 bits, 0.5 or NaN in an integer, 1e300 in float32. It is also an error to read complex
/// numbers as real ones, or to read strings. @collective
/// @throws IoError on every rank if the file or dataset is missing, broken, or of another type or shape. The
/// array's contents are then unspecified only if reading itself failed. @completion visible to every rank.
template <WritableOperand A>
void load_into(const std::filesystem::path& path, std::string_view dataset, A&& into) {
  detail::load(path, dataset, nullptr, slice_of(into).core());
}

/// Reads a patch of a dataset into an array or slice of the patch's extents. @collective @throws and
/// @completion as above.
template <WritableOperand A>
void load_into(const std::filesystem::path& path, std::string_view dataset, const Patch<rank_v<A>>& patch,
               A&& into) {
  const auto box = tessera::detail::box_of(patch);
  detail::load(path, dataset, &box, slice_of(into).core());
}

/// Reads a dataset into a new array in even blocks over a group, named after the dataset. @collective
/// @throws as load_into.
template <Element T, std::size_t N>
Array<T, N> load(const Group& group, const std::filesystem::path& path, std::string_view dataset) {
  const auto found = detail::dataset_extents(group, path, dataset, static_cast<int>(N));
  Extents<N> dims;
  for (std::size_t d = 0; d < N; ++d) dims[d] = found[d];
  Array<T, N> array(group, dims, {.name = dataset});
  load_into(path, dataset, array);
  return array;
}

/// Reads a dataset into a new array of the given layout, which must have the dataset's extents. @collective
/// @throws as load_into.
template <Element T, std::size_t N>
Array<T, N> load(const Group& group, const std::filesystem::path& path, std::string_view dataset,
                 const Layout<N>& layout) {
  Array<T, N> array(group, layout, {.name = dataset});
  load_into(path, dataset, array);
  return array;
}

/// Reads a patch of a dataset into a new array in even blocks. @collective @throws as load_into.
template <Element T, std::size_t N>
Array<T, N> load(const Group& group, const std::filesystem::path& path, std::string_view dataset,
                 const Patch<N>& patch) {
  Array<T, N> array(group, patch.extents(), {.name = dataset});
  load_into(path, dataset, patch, array);
  return array;
}

}  // namespace tessera::io
