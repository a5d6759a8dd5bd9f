// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "conflicts/accesses.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <string_view>
#include <type_traits>

namespace tessera::detail::conflicts {

const char* to_string(Act act) noexcept {
  constexpr const char* names[] = {"put",
                                   "get",
                                   "accumulate",
                                   "fetch_op",
                                   "compare_exchange",
                                   "local access for reading",
                                   "local access for writing"};
  return names[static_cast<std::size_t>(act)];
}

void Access::extend(const ByteRange& all) noexcept {
  const bool is_first = ranges.empty() && shapes.empty();
  bounds = is_first ? all : ByteRange{std::min(bounds.low, all.low), std::max(bounds.high, all.high)};
}

void Access::add(const Footprint& where) {
  if (where.levels == 0) return add(where.bounds());
  extend(where.bounds());
  if (!shapes.empty() && shapes.back() == where) return;
  shapes.push_back(where);
  tidy_sometimes();
}

void Access::add(const ByteRange& range) {
  extend(range);
  if (!ranges.empty() && ranges.back().low <= range.low && range.low <= ranges.back().high) {
    ranges.back().high = std::max(ranges.back().high, range.high);
    return;
  }
  // Few ranges are kept as they are; granules take more room than a few.
  constexpr std::size_t few = 32;
  if (ranges.size() >= few && granules.add(range)) return;
  ranges.push_back(range);
  tidy_sometimes();
}

void Access::add(const Access& other) {
  for (const ByteRange& range : other.ranges) add(range);
  for (const Footprint& shape : other.shapes) add(shape);
  granules.add(other.granules);
  extend(other.bounds);
}

void Access::tidy_sometimes() {
  if (ranges.size() + shapes.size() < tidy_at) return;
  tidy();
  tidy_at = std::max<std::size_t>(64, 2 * (ranges.size() + shapes.size()));
}

void Access::tidy() {
  unite(ranges);
  std::sort(shapes.begin(), shapes.end());
  shapes.erase(std::unique(shapes.begin(), shapes.end()), shapes.end());
}

void Access::compress() {
  if (!granules.is_empty()) {
    const std::vector<ByteRange> taken = granules.take();
    ranges.insert(ranges.end(), taken.begin(), taken.end());
  }
  tidy();
}

index_t Access::bytes_of_memory() const noexcept {
  return static_cast<index_t>(sizeof(Access) + ranges.capacity() * sizeof(ByteRange) +
                              shapes.capacity() * sizeof(Footprint)) +
         granules.bytes_of_memory();
}

bool is_complete_for(const Access& access, const order::VectorClock& clock) noexcept {
  return (access.completed != 0 && access.completed <= clock[static_cast<std::size_t>(access.author)]) ||
         (access.notice != 0 && access.notice <= order::notice_of(clock, access.author));
}

bool is_before(const Access& a, const Access& b) noexcept { return is_complete_for(a, *b.seen); }

bool may_conflict(const Access& a, const Access& b) noexcept {
  if (a.author == b.author || !need_order(effect_of(a.act), effect_of(b.act))) return false;
  if (is_before(a, b) || is_before(b, a)) return false;
  return std::none_of(a.mutexes.begin(), a.mutexes.end(), [&](const order::HeldMutex& mutex) {
    return std::binary_search(b.mutexes.begin(), b.mutexes.end(), mutex);
  });
}

bool find_common(const Access& a, const Access& b, std::size_t most, std::vector<ByteRange>& where) {
  const ByteRange in{std::max(a.bounds.low, b.bounds.low), std::min(a.bounds.high, b.bounds.high)};
  where.clear();
  if (in.low < in.high) where = common_runs({a.ranges, a.shapes}, {b.ranges, b.shapes}, in, most);
  return !where.empty();
}

namespace {

template <class T>
void write(std::string& text, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  text.append(reinterpret_cast<const char*>(&value), sizeof value);
}
template <class T>
void write(std::string& text, const std::vector<T>& values) {
  write(text, values.size());
  text.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

template <class T>
void read(std::string_view& text, T& value) {
  std::memcpy(&value, text.data(), sizeof value);
  text.remove_prefix(sizeof value);
}
template <class T>
void read(std::string_view& text, std::vector<T>& values) {
  std::size_t count = 0;
  read(text, count);
  values.resize(count);
  if (count > 0) std::memcpy(values.data(), text.data(), count * sizeof(T));
  text.remove_prefix(count * sizeof(T));
}

}  // namespace

std::string packed(const std::vector<std::shared_ptr<Access>>& accesses) {
  std::string text;
  std::map<const void*, std::size_t> clocks;  // written before
  write(text, accesses.size());
  for (const auto& one : accesses) {
    write(text, one->segment);
    write(text, one->target);
    write(text, one->author);
    write(text, one->act);
    write(text, one->site);
    write(text, one->is_async);
    write(text, one->is_in_batch);
    write(text, one->begun);
    write(text, one->completed);
    write(text, one->notice);
    write(text, one->last_begun);
    write(text, one->first_completed);
    const auto [clock, is_new] = clocks.emplace(one->seen.get(), clocks.size());
    write(text, clock->second);
    if (is_new) write(text, *one->seen);
    write(text, one->mutexes);
    write(text, one->ranges);
    write(text, one->shapes);
    write(text, one->bounds);
  }
  return text;
}

std::vector<Access> unpacked(const std::string& all) {
  std::string_view text = all;
  std::vector<Access> accesses;
  if (text.empty()) return accesses;
  std::vector<std::shared_ptr<const order::VectorClock>> clocks;
  std::size_t count = 0;
  read(text, count);
  accesses.resize(count);
  for (Access& one : accesses) {
    read(text, one.segment);
    read(text, one.target);
    read(text, one.author);
    read(text, one.act);
    read(text, one.site);
    read(text, one.is_async);
    read(text, one.is_in_batch);
    read(text, one.begun);
    read(text, one.completed);
    read(text, one.notice);
    read(text, one.last_begun);
    read(text, one.first_completed);
    std::size_t clock = 0;
    read(text, clock);
    if (clock == clocks.size()) {
      order::VectorClock seen;
      read(text, seen);
      clocks.push_back(std::make_shared<const order::VectorClock>(std::move(seen)));
    }
    one.seen = clocks[clock];
    read(text, one.mutexes);
    read(text, one.ranges);
    read(text, one.shapes);
    read(text, one.bounds);
  }
  return accesses;
}

}  // namespace tessera::detail::conflicts
