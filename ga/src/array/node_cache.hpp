// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/runtime/segment.hpp>

namespace tessera::detail {

/// Pages of other nodes' memory, in memory that the ranks of this node share. They are either copies, each
/// fetched by the first rank that needs it, or sums of what was accumulated. The sums travel when all is added
/// up. A page that finds no room is not kept; its transfer then goes the usual way.
class NodeCache {
 public:
  static constexpr index_t page = index_t{16} << 10;

  /// Room for `bytes` on each node. @collective over the node @throws as Segment
  NodeCache(const Group& node, index_t bytes, std::string_view name);
  /// Forgets all pages. @collective over the node
  void clear();
  void close();

  /// Reads through pages, which are kept from now on. Returns false if there was no room for all pages, or if
  /// another rank failed to fetch one. `filled` returns how many bytes of its slice that rank has: no memory is
  /// reserved beyond them. @onesided
  bool get(const Segment& from, int rank, index_t offset, const Strided& shape, std::byte* to,
           const std::function<index_t()>& filled);
  /// Adds alpha times elements to pages that begin as zeros. Returns false, and adds nothing, if there was no
  /// room. @onesided
  bool accumulate(int rank, index_t offset, const Strided& shape, ElementKind kind, const void* alpha,
                  const std::byte* from);
  /// Adds the sums to the elements that they belong to. @collective over the node
  void deliver(Segment& to, ElementKind kind);

 private:
  // The state of a slot for a page.
  struct Entry {
    std::int64_t key;  // 0: free
    std::int32_t state;
    std::int32_t low, high;  // the range of bytes that was added to
  };
  enum State : std::int32_t { empty, ready, failed };
  struct Claim {
    Entry* entry;  // null: there is no room
    bool is_new;
  };
  static std::int64_t key(int rank, index_t page_number) noexcept;
  Claim claim(int rank, index_t page_number) noexcept;
  // The entries of the pages that the parts of a shape are in, in order; one for parts in a row of one page.
  struct FoundPages {
    std::vector<Entry*> entries;
    bool room = true;
  };
  // Finds them again, part by part.
  class PageWalk {
   public:
    explicit PageWalk(const FoundPages& found) noexcept : next_(found.entries.data()) {}
    Entry& at(index_t number) noexcept {
      if (std::exchange(last_, number) != number) entry_ = *next_++;
      return *entry_;
    }

   private:
    Entry* const* next_;
    Entry* entry_ = nullptr;
    index_t last_ = -1;
  };
  template <class F>
  FoundPages find(int rank, index_t offset, const Strided& shape, F&& prepare);
  Entry* entries() const noexcept;
  std::int64_t& used() const noexcept;
  index_t number(const Entry& entry) const noexcept { return &entry - entries(); }
  int host(index_t slot) const noexcept { return static_cast<int>(slot % members_); }
  index_t place(index_t slot) const noexcept { return slot / members_ * page; }
  std::byte* data(const Entry& entry) const noexcept;
  bool wait(const Entry& entry) const;

  Group node_;
  int members_;
  index_t slots_;
  Segment directory_, pages_;
};

}  // namespace tessera::detail
