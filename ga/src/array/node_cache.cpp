// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "array/node_cache.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include <tessera/runtime/detail/runs.hpp>
#include <tessera/runtime/detail/wait.hpp>

#include "format.hpp"

namespace tessera::detail {
namespace {

constexpr index_t header = 64;  // bytes before the entries, for the number of used ones

index_t slots_for(const Group& node, index_t bytes) {
  const index_t wanted = std::max<index_t>(bytes / NodeCache::page, 1);
  return (wanted + node.size() - 1) / node.size() * node.size();
}

// Calls f(page, offset in it, offset in local memory, bytes) for each part of a run that lies in one page.
template <class F>
void for_each_part(const Strided& shape, index_t offset, F&& f) {
  auto run = [&](index_t there, index_t here) {
    for (index_t done = 0; done < shape.run;) {
      const index_t begin = there + done, within = begin % NodeCache::page;
      const index_t bytes = std::min(shape.run - done, NodeCache::page - within);
      f(begin / NodeCache::page, within, here + done, bytes);
      done += bytes;
    }
  };
  for_each_run(shape, shape.levels, offset, 0, run);
}

}  // namespace

NodeCache::NodeCache(const Group& node, index_t bytes, std::string_view name)
    : node_(node),
      members_(node.size()),
      slots_(slots_for(node, bytes)),
      directory_(node, node.rank() == 0 ? header + slots_ * index_t{sizeof(Entry)} : 0,
                 formatted("directory of the cache of {}", name)),
      pages_(node, slots_ / members_ * page, formatted("cache of {}", name)) {
  clear();
}

void NodeCache::clear() {
  node_.barrier();
  if (node_.rank() == 0)
    std::memset(directory_.address(0), 0, static_cast<std::size_t>(header + slots_ * index_t{sizeof(Entry)}));
  node_.barrier();
}

void NodeCache::close() {
  pages_.close();
  directory_.close();
}

NodeCache::Entry* NodeCache::entries() const noexcept {
  return reinterpret_cast<Entry*>(directory_.address(0) + header);
}

std::int64_t& NodeCache::used() const noexcept {
  return *reinterpret_cast<std::int64_t*>(directory_.address(0));
}

std::byte* NodeCache::data(const Entry& entry) const noexcept {
  return pages_.address(host(number(entry))) + place(number(entry));
}

std::int64_t NodeCache::key(int rank, index_t page_number) noexcept {
  return (std::int64_t{rank} << 36 | page_number) + 1;
}

// Finds the entry of a page, and makes it if there was none.
NodeCache::Claim NodeCache::claim(int rank, index_t page_number) noexcept {
  const std::int64_t wanted = key(rank, page_number);
  const auto hash = static_cast<std::uint64_t>(wanted) * 0x9E3779B97F4A7C15ULL;
  auto slot = static_cast<index_t>((hash >> 20) % static_cast<std::uint64_t>(slots_));
  for (index_t tries = 0; tries < slots_; ++tries, slot = slot + 1 == slots_ ? 0 : slot + 1) {
    Entry& entry = entries()[slot];
    const std::atomic_ref<std::int64_t> known(entry.key);
    std::int64_t found = known.load(std::memory_order_acquire);
    if (found == wanted) return {&entry, false};
    if (found != 0) continue;
    // A search in a nearly full table would take long.
    const std::atomic_ref<std::int64_t> count(used());
    if (count.load(std::memory_order_relaxed) >= slots_ - slots_ / 8) return {nullptr, false};
    if (known.compare_exchange_strong(found, wanted)) {
      count.fetch_add(1, std::memory_order_relaxed);
      return {&entry, true};
    }
    if (found == wanted) return {&entry, false};
  }
  return {nullptr, false};
}

// If there would be more entries than the cache has pages, there is no room: the list must not take more
// memory. Calls prepare(page, entry) for entries that were made.
template <class F>
NodeCache::FoundPages NodeCache::find(int rank, index_t offset, const Strided& shape, F&& prepare) {
  FoundPages found;
  index_t last = -1;
  for_each_part(shape, offset, [&](index_t number, index_t, index_t, index_t) {
    if (number == last || !found.room) return;
    last = number;
    const Claim claimed = claim(rank, number);
    found.room = claimed.entry != nullptr && std::ssize(found.entries) < slots_;
    if (claimed.is_new) prepare(number, *claimed.entry);
    found.entries.push_back(claimed.entry);
  });
  return found;
}

// Returns when a rank has filled the page; false if that failed.
bool NodeCache::wait(const Entry& entry) const {
  const std::atomic_ref<std::int32_t> state(const_cast<Entry&>(entry).state);
  std::int32_t now = empty;
  // The rank that fills the page may need this process to make progress.
  wait_until(node_, [&] {
    now = state.load(std::memory_order_acquire);
    return now == ready || now == failed;
  });
  return now == ready;
}

bool NodeCache::get(const Segment& from, int rank, index_t offset, const Strided& shape, std::byte* to,
                    const std::function<index_t()>& filled) {
  std::vector<Entry*> mine;
  auto finish = [&](State state) {
    for (Entry* entry : mine) std::atomic_ref(entry->state).store(state, std::memory_order_release);
  };
  FoundPages found;
  try {
    Request all;
    found = find(rank, offset, shape, [&](index_t number, Entry& entry) {
      try {
        mine.push_back(&entry);
      } catch (...) {  // others wait for the page
        std::atomic_ref(entry.state).store(failed, std::memory_order_release);
        throw;
      }
      const index_t begin = number * page, bytes = std::min(page, filled() - begin);
      all += from.get_async(rank, begin, Strided::contiguous(bytes), data(entry));
    });
    all.wait();
  } catch (...) {
    finish(failed);
    throw;
  }
  finish(ready);
  if (!found.room) return false;
  PageWalk walk(found);
  bool good = true;
  for_each_part(shape, offset, [&](index_t number, index_t within, index_t here, index_t bytes) {
    const Entry& entry = walk.at(number);
    good = good && wait(entry);
    if (good) std::memcpy(to + here, data(entry) + within, static_cast<std::size_t>(bytes));
  });
  return good;
}

bool NodeCache::accumulate(int rank, index_t offset, const Strided& shape, ElementKind kind, const void* alpha,
                           const std::byte* from) {
  // First reserve room for all parts: a fallback after some parts would add them twice.
  const FoundPages found = find(rank, offset, shape, [&](index_t, Entry& entry) {
    std::memset(data(entry), 0, static_cast<std::size_t>(page));
    entry.low = static_cast<std::int32_t>(page);
    entry.high = 0;
    std::atomic_ref(entry.state).store(ready, std::memory_order_release);
  });
  if (!found.room) return false;
  PageWalk walk(found);
  for_each_part(shape, offset, [&](index_t page_number, index_t within, index_t here, index_t bytes) {
    Entry& entry = walk.at(page_number);
    wait(entry);
    const index_t slot = number(entry);
    pages_.accumulate(host(slot), place(slot) + within, Strided::contiguous(bytes), kind, alpha, from + here);
    const auto low = static_cast<std::int32_t>(within), high = static_cast<std::int32_t>(within + bytes);
    const std::atomic_ref<std::int32_t> least(entry.low), most(entry.high);
    for (auto now = least.load(); low < now && !least.compare_exchange_weak(now, low);) {
    }
    for (auto now = most.load(); high > now && !most.compare_exchange_weak(now, high);) {
    }
  });
  return true;
}

void NodeCache::deliver(Segment& to, ElementKind kind) {
  node_.barrier();
  for (index_t slot = node_.rank(); slot < slots_; slot += members_) {
    const Entry& entry = entries()[slot];
    if (entry.key == 0 || entry.low >= entry.high) continue;
    const std::int64_t target = entry.key - 1;
    const auto rank = static_cast<int>(target >> 36);
    const index_t begin = (target & ((std::int64_t{1} << 36) - 1)) * page + entry.low;
    to.accumulate(rank, begin, Strided::contiguous(entry.high - entry.low), kind, Update::sum,
                  data(entry) + entry.low);
  }
  node_.barrier();
}

}  // namespace tessera::detail
