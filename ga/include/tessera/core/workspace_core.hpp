// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/core/array_core.hpp>
#include <tessera/runtime/segment.hpp>

namespace tessera {

/// Options of a workspace.
struct WorkspaceOptions {
  std::string_view name = "workspace";
  index_t bytes = 0;  ///< memory on each rank that is made at once, alike on all; more is made if needed
  std::optional<AtomicDomain> domain = {};
};

namespace detail {

/// Workspace for arrays of any type and rank. Its memory is in segments, and each array is a part of one.
class WorkspaceCore {
 public:
  WorkspaceCore(const Group& group, const WorkspaceOptions& options);

  /// A place for the slices of an array.
  struct FreePlace {
    const Segment* memory;
    index_t offset;
  };
  /// A place that no array uses. @collective @throws MemoryError; UsageError on every rank if ranks ask for
  /// arrays of other sizes
  FreePlace take(const LayoutCore& layout, const ElementType& type);
  /// As the members of Workspace.
  void trim();
  void close();
  const Group& group() const noexcept { return group_; }
  index_t bytes() const noexcept;
  index_t bytes_in_use() const;

 private:
  void require_open() const;
  void require_alike(index_t bytes) const;
  void free_unused();
  void add(index_t bytes);

  Group group_;
  std::string name_;
  std::optional<AtomicDomain> domain_;
  std::vector<Segment> segments_;
  bool is_closed_ = false;
};

}  // namespace detail
}  // namespace tessera
