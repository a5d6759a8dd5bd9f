// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/array.hpp>
#include <tessera/core/workspace_core.hpp>

namespace tessera {

/// Memory for temporary arrays, which is used again. A new array of many megabytes takes longer to make, touch
/// and free than most operations on it: the system clears each page. An array of a workspace takes memory
/// that an earlier one has left. The workspace grows if no such memory is large enough. Each array takes as
/// much on each rank as it needs on the rank with the most. Move-only.
class Workspace {
 public:
  /// @collective @throws UsageError if the bytes are negative or ranks disagree; MemoryError. On every rank.
  explicit Workspace(const Group& group, const WorkspaceOptions& options = {}) : core_(group, options) {}

  /// An array in memory of the workspace, with unspecified elements. Memory is used again when the earlier
  /// array is closed, or when all ranks have destroyed it. Completes all operations of the group first.
  /// @collective @throws as Array, and UsageError if the options have another domain than the workspace
  template <Element T, std::size_t N>
  Array<T, N> array(const Layout<N>& layout, const ArrayOptions<N>& options = {}) {
    const auto place = core_.take(detail::layout_with_ghosts(layout, options), {element_kind<T>(), sizeof(T)});
    Array<T, N> array(*place.memory, place.offset, layout, options);
    array.core().forget_values();
    return array;
  }
  /// In even blocks over all ranks of the group. @collective @throws as above
  template <Element T, std::size_t N>
  Array<T, N> array(const Extents<N>& dims, const ArrayOptions<N>& options = {}) {
    return array<T>(Layout<N>::blocked(dims, group().size(), {.periodic = options.periodic}), options);
  }

  /// Gives memory back that no array uses. Memory is given back in the large pieces in which it was made.
  /// @collective
  void trim() { core_.trim(); }
  /// Closes its arrays and frees all memory. A workspace that is destroyed leaves the memory to its arrays.
  /// @collective
  void close() { core_.close(); }

  const Group& group() const noexcept { return core_.group(); }
  /// The bytes that the workspace has on each rank, and those of its arrays. @local
  index_t bytes() const noexcept { return core_.bytes(); }
  index_t bytes_in_use() const { return core_.bytes_in_use(); }

 private:
  detail::WorkspaceCore core_;
};

}  // namespace tessera
