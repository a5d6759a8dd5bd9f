// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <set>

#include "segment_trial.hpp"

// Operations on single words of a segment, on parts of it, and on lists of places.
namespace tessera::stress {

void SegmentTrial::update(Draws& draws) {
  static constexpr Update updates[] = {Update::sum,     Update::replace, Update::min,    Update::max,
                                       Update::bit_and, Update::bit_or,  Update::bit_xor};
  const int rank = static_cast<int>(draws.below(group_.size()));
  Words& slice = slices_[static_cast<std::size_t>(rank)];
  const index_t at = draws.below(static_cast<index_t>(slice.size()));
  const Update update = updates[draws.below(7)];
  const std::int64_t value = draws.below(99) - 49;
  if (in_flight_.count({rank, at}) != 0) settle();
  std::int64_t& here = slice[static_cast<std::size_t>(at)];
  const std::int64_t before = here;
  here = static_cast<std::int64_t>(
      updated(update, static_cast<double>(before), static_cast<double>(value)).real());
  if (!acts()) return;
  std::int64_t found = 0;
  segment_.fetch_op(rank, at * word, kind, update, &value, &found);
  check({found}, {before});
}

void SegmentTrial::exchange(Draws& draws) {
  const int rank = static_cast<int>(draws.below(group_.size()));
  Words& slice = slices_[static_cast<std::size_t>(rank)];
  const index_t at = draws.below(static_cast<index_t>(slice.size()));
  const bool is_same = draws.one_in(2);
  const std::int64_t desired = draws.below(99);
  if (in_flight_.count({rank, at}) != 0) settle();
  std::int64_t& here = slice[static_cast<std::size_t>(at)];
  const std::int64_t before = here;
  if (is_same) here = desired;
  if (!acts()) return;
  std::int64_t expected = is_same ? before : before + 1;
  const bool has_set = segment_.compare_exchange(rank, at * word, kind, &expected, &desired);
  check({expected, static_cast<std::int64_t>(has_set)}, {before, static_cast<std::int64_t>(is_same)});
}

void SegmentTrial::load_and_store(Draws& draws) {
  const int rank = static_cast<int>(draws.below(group_.size()));
  Words& slice = slices_[static_cast<std::size_t>(rank)];
  const index_t at = draws.below(static_cast<index_t>(slice.size()));
  const std::int64_t value = draws.below(999);
  if (in_flight_.count({rank, at}) != 0) settle();
  std::int64_t& here = slice[static_cast<std::size_t>(at)];
  if (acts()) {
    check({segment_.load<std::int64_t>(rank, at * word)}, {here});
    segment_.store(rank, at * word, value);
  }
  here = value;
}

// Accumulates through a separate segment, which all members make of a part of this one.
void SegmentTrial::by_part(Draws& draws) {
  settle();
  const index_t begin = 2 * draws.below(5), size = 1 + draws.below(16 - begin);
  const int rank = static_cast<int>(draws.below(group_.size()));
  const index_t at = draws.below(size);
  const std::int64_t alpha = draws.below(9) - 4, one = 1;
  Segment part = segment_.part(begin * word, size * word, "a part");
  std::int64_t& here = slices_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(begin + at)];
  here += alpha;
  if (acts()) part.accumulate(rank, at * word, Strided::contiguous(word), kind, &alpha, &one);
  part.sync();
  if (draws.one_in(2)) part.close();
}

void SegmentTrial::by_list(Draws& draws) {
  settle();
  const auto method = static_cast<VectorMethod>(draws.below(4));
  const bool may_overlap = method == VectorMethod::automatic || method == VectorMethod::conservative;
  const VectorOptions options(method, draws.below(4));
  const index_t run = 1 + draws.below(3), action = draws.below(3);
  const std::int64_t alpha = draws.below(5) - 2;
  const bool waits = !draws.one_in(3);
  std::set<std::pair<int, index_t>> taken;
  std::vector<Place> places;
  Numbers at;
  for (index_t k = draws.below(30); k > 0; --k) {
    const int rank = static_cast<int>(draws.below(group_.size()));
    const auto size = static_cast<index_t>(slices_[static_cast<std::size_t>(rank)].size());
    const index_t here = may_overlap ? draws.below(size - run + 1) : run * draws.below(size / run);
    if (!may_overlap && !taken.emplace(rank, here).second) continue;
    places.push_back({&segment_, rank, here * word});
    at.push_back(here);
  }
  Words memory = some_words(draws, run * static_cast<index_t>(places.size())), expected;
  std::vector<std::byte*> local;
  for (std::size_t k = 0; k < places.size(); ++k) {
    Words& slice = slices_[static_cast<std::size_t>(places[k].rank)];
    local.push_back(reinterpret_cast<std::byte*>(memory.data() + k * static_cast<std::size_t>(run)));
    for (index_t i = 0; i < run; ++i) {
      std::int64_t& here = slice[static_cast<std::size_t>(at[k] + i)];
      const std::int64_t value = memory[k * static_cast<std::size_t>(run) + static_cast<std::size_t>(i)];
      expected.push_back(here);
      if (action == 0) here = value;
      if (action == 2) here += alpha * value;
    }
  }
  if (!acts()) return;
  const Vector vector{run * word, places, local};
  if (waits) {
    if (action == 0) tessera::put(vector, options);
    if (action == 1) tessera::get(vector, options);
    if (action == 2) tessera::accumulate(vector, kind, &alpha, options);
  } else {
    Request request = action == 0   ? put_async(vector, options)
                      : action == 1 ? get_async(vector, options)
                                    : accumulate_async(vector, kind, &alpha, options);
    request.wait();
  }
  if (action == 1) check(memory, expected);
}

}  // namespace tessera::stress
