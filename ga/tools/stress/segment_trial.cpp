// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "segment_trial.hpp"

#include <algorithm>

namespace tessera::stress {

namespace {

index_t words_of(index_t seed, int member) { return 16 + random_below(seed + member, 0, 80); }

std::int64_t combined(Update update, std::int64_t before, std::int64_t value) {
  return static_cast<std::int64_t>(
      updated(update, static_cast<double>(before), static_cast<double>(value)).real());
}

}  // namespace

SegmentTrial::SegmentTrial(const Group& group, index_t seed)
    : group_(group),
      seed_(seed),
      segment_(group, words_of(seed, group.rank()) * word,
               SegmentOptions{.name = "of a trial",
                              .method = static_cast<TransferMethod>(random_below(seed, 9, 4))}) {
  for (int member = 0; member < group.size(); ++member)
    slices_.emplace_back(static_cast<std::size_t>(words_of(seed, member)), member);
  const Words& mine = slices_[static_cast<std::size_t>(group.rank())];
  segment_.order_local_access();
  std::copy(mine.begin(), mine.end(), reinterpret_cast<std::int64_t*>(segment_.address(group.rank())));
  segment_.order_local_access();
  segment_.sync();
}

void SegmentTrial::round(index_t number) {
  Draws draws(seed_ * 100 + number);
  author_ = static_cast<int>(draws.below(group_.size()));
  for (index_t k = draws.below(24); k >= 0; --k) one(draws);
  settle();
  look();
}

void SegmentTrial::round_of_all(index_t number) {
  for (author_ = 0; author_ < group_.size(); ++author_) {
    Draws draws(seed_ * 100 + number + 1000 * author_);
    for (int k = 0; k < 6; ++k) accumulate(draws);
    settle();
  }
  look();
}

void SegmentTrial::one(Draws& draws) {
  using Step = void (SegmentTrial::*)(Draws&);
  static constexpr Step steps[] = {
      &SegmentTrial::put,     &SegmentTrial::get,     &SegmentTrial::accumulate,
      &SegmentTrial::combine, &SegmentTrial::update,  &SegmentTrial::exchange,
      &SegmentTrial::by_part, &SegmentTrial::by_list, &SegmentTrial::load_and_store,
      &SegmentTrial::put_own};
  (this->*steps[draws.below(10)])(draws);
  if (draws.one_in(8)) settle();
  const int flushed = static_cast<int>(draws.below(4 * group_.size()));
  if (acts() && flushed < group_.size()) segment_.flush(flushed);
}

SegmentTrial::Words SegmentTrial::some_words(Draws& draws, index_t count) {
  Words words(static_cast<std::size_t>(count));
  for (std::int64_t& one : words) one = draws.below(199) - 99;
  return words;
}

SegmentTrial::Target SegmentTrial::some_target(Draws& draws) {
  Target target{static_cast<int>(draws.below(group_.size())), 0, {}};
  const auto size = static_cast<index_t>(slices_[static_cast<std::size_t>(target.rank)].size());
  target.shape = random_shape(draws, size);
  target.begin = draws.below(size - target.shape.remote_size + 1);
  return target;
}

std::int64_t& SegmentTrial::model(const Target& target, std::size_t k) {
  return slices_[static_cast<std::size_t>(target.rank)]
                [static_cast<std::size_t>(target.begin + target.shape.remote[k])];
}

// Waits for the transfers in flight if one of them uses words of the target.
void SegmentTrial::touch(const Target& target) {
  for (const index_t at : target.shape.remote)
    if (in_flight_.count({target.rank, target.begin + at}) != 0) return settle();
}

void SegmentTrial::settle() {
  if (waiting_.size() > 2) {
    Request all;
    for (const auto& one : waiting_) all += std::move(one->request);
    all.wait();
  }
  for (const auto& one : waiting_) {
    one->request.wait();
    Words found;
    for (const index_t at : one->target.shape.local) found.push_back(one->memory[static_cast<std::size_t>(at)]);
    if (!one->expected.empty()) check(found, one->expected);
  }
  waiting_.clear();
  in_flight_.clear();
}

void SegmentTrial::check(const Words& found, const Words& expected) {
  for (std::size_t k = 0; k < expected.size(); ++k)
    if (found[k] != expected[k]) wrong_.emplace_back(found[k], expected[k]);
}

void SegmentTrial::put(Draws& draws) {
  const Target target = some_target(draws);
  const Words from = some_words(draws, target.shape.local_size);
  const bool waits = !draws.one_in(3);
  touch(target);
  for (std::size_t k = 0; k < target.shape.remote.size(); ++k)
    model(target, k) = from[static_cast<std::size_t>(target.shape.local[k])];
  const index_t offset = (target.begin + target.shape.remote_first) * word;
  if (!waits)
    for (const index_t at : target.shape.remote) in_flight_.emplace(target.rank, target.begin + at);
  if (!acts()) return;
  if (waits)
    return segment_.put(target.rank, offset, target.shape.strided, from.data() + target.shape.local_first);
  auto& one = *waiting_.emplace_back(std::make_unique<Waiting>(Waiting{from, {}, {}, target}));
  one.request = segment_.put_async(target.rank, offset, target.shape.strided,
                                   one.memory.data() + target.shape.local_first);
}

// Puts from this member's own slice, which may also be the target.
void SegmentTrial::put_own(Draws& draws) {
  const Target target = some_target(draws);
  settle();
  const Words own = slices_[static_cast<std::size_t>(author_)];
  const auto size = static_cast<index_t>(own.size());
  if (target.shape.local_size > size) return;
  const index_t begin = draws.below(size - target.shape.local_size + 1);
  for (std::size_t k = 0; k < target.shape.remote.size(); ++k)
    model(target, k) = own[static_cast<std::size_t>(begin + target.shape.local[k])];
  if (!acts()) return;
  segment_.put(target.rank, (target.begin + target.shape.remote_first) * word, target.shape.strided,
               segment_.address(author_) + (begin + target.shape.local_first) * word);
}

void SegmentTrial::get(Draws& draws) {
  const Target target = some_target(draws);
  const bool waits = !draws.one_in(3);
  touch(target);
  Words expected;
  for (std::size_t k = 0; k < target.shape.remote.size(); ++k) expected.push_back(model(target, k));
  const index_t offset = (target.begin + target.shape.remote_first) * word;
  if (!waits)
    for (const index_t at : target.shape.remote) in_flight_.emplace(target.rank, target.begin + at);
  if (!acts()) return;
  auto one = std::make_unique<Waiting>(
      Waiting{Words(static_cast<std::size_t>(target.shape.local_size)), {}, expected, target});
  std::int64_t* into = one->memory.data() + target.shape.local_first;
  if (!waits) {
    one->request = segment_.get_async(target.rank, offset, target.shape.strided, into);
    waiting_.push_back(std::move(one));
    return;
  }
  segment_.get(target.rank, offset, target.shape.strided, into);
  Words found;
  for (const index_t at : target.shape.local) found.push_back(one->memory[static_cast<std::size_t>(at)]);
  check(found, expected);
}

void SegmentTrial::accumulate(Draws& draws) {
  const Target target = some_target(draws);
  const Words from = some_words(draws, target.shape.local_size);
  const std::int64_t alpha = draws.below(5) - 2;
  const bool waits = !draws.one_in(3);
  touch(target);
  for (std::size_t k = 0; k < target.shape.remote.size(); ++k)
    model(target, k) += alpha * from[static_cast<std::size_t>(target.shape.local[k])];
  const index_t offset = (target.begin + target.shape.remote_first) * word;
  if (!waits)
    for (const index_t at : target.shape.remote) in_flight_.emplace(target.rank, target.begin + at);
  if (!acts()) return;
  if (waits)
    return segment_.accumulate(target.rank, offset, target.shape.strided, kind, &alpha,
                               from.data() + target.shape.local_first);
  auto& one = *waiting_.emplace_back(std::make_unique<Waiting>(Waiting{from, {}, {}, target}));
  one.request = segment_.accumulate_async(target.rank, offset, target.shape.strided, kind, &alpha,
                                          one.memory.data() + target.shape.local_first);
}

void SegmentTrial::combine(Draws& draws) {
  static constexpr Update updates[] = {Update::sum, Update::min, Update::max};
  const Target target = some_target(draws);
  const Words from = some_words(draws, target.shape.local_size);
  const Update update = updates[draws.below(3)];
  touch(target);
  for (std::size_t k = 0; k < target.shape.remote.size(); ++k)
    model(target, k) =
        combined(update, model(target, k), from[static_cast<std::size_t>(target.shape.local[k])]);
  if (acts())
    segment_.accumulate(target.rank, (target.begin + target.shape.remote_first) * word, target.shape.strided,
                        kind, update, from.data() + target.shape.local_first);
}

void SegmentTrial::look() {
  segment_.sync();
  for (int member = 0; member < group_.size(); ++member) {
    const Words& expected = slices_[static_cast<std::size_t>(member)];
    Words found(expected.size());
    segment_.get(member, 0, Strided::contiguous(static_cast<index_t>(found.size()) * word), found.data());
    check(found, expected);
  }
  group_.barrier();
}

}  // namespace tessera::stress
