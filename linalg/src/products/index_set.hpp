// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <optional>
#include <vector>

#include <tessera/runtime/types.hpp>

namespace tessera::linalg::detail {

/// Consecutive indices.
struct IndexRun {
  index_t begin, count;
  index_t end() const noexcept { return begin + count; }
  friend bool operator==(const IndexRun&, const IndexRun&) = default;
};

/// Rows or columns of a matrix, ascending, as a process stores them one after another. @local
class IndexSet {
 public:
  IndexSet() = default;
  IndexSet(index_t begin, index_t count) { add({begin, count}); }

  /// Appends indices behind the last.
  void add(IndexRun run);
  const std::vector<IndexRun>& runs() const noexcept { return runs_; }
  index_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }

  IndexSet intersection(const IndexSet& other) const;
  /// The `count` indices from position `offset` on.
  IndexSet part(index_t offset, index_t count) const;
  /// All indices in `parts` parts of nearly the same size; some may be empty.
  std::vector<IndexSet> split(index_t parts) const;
  /// The position at which `part` begins, if its indices follow each other in this set, too.
  std::optional<index_t> find(const IndexSet& part) const;
  friend bool operator==(const IndexSet&, const IndexSet&) = default;

 private:
  std::vector<IndexRun> runs_;  // none is empty or adjacent to another
  index_t size_ = 0;
};

}  // namespace tessera::linalg::detail
