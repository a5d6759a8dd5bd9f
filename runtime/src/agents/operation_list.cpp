// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "agents/operation_list.hpp"

#include <array>
#include <utility>

#include "kernels/elements.hpp"
#include "kernels/striped_accumulate.hpp"

namespace tessera::detail {

void OperationList::begin(const RunGroup& group, index_t position) {
  if (used_ == 0) low_ = high_ = position;
  finished();
  if (std::find(regions_.begin(), regions_.end(), group.region) == regions_.end())
    regions_.push_back(group.region);
  writes_ |= group.verb != Verb::get;
  const auto gap = static_cast<std::size_t>(padding(bytes()));
  grow(gap + sizeof group);
  last_ = group;
  longest_ = std::max(longest_, group.spacing());
  last_.count = 0;
  last_at_ = used_ + gap;
  used_ = last_at_ + sizeof last_;
}

void OperationList::grow(std::size_t bytes) {
  constexpr std::size_t least = 4096;
  if (data_.size() - used_ < bytes) data_.resize(std::max(2 * data_.size() + bytes, least));
}

void OperationList::expect(void* result) {
  results_.push_back({result, last_.run});
  answer_ += last_.run;
}

const std::byte* OperationList::finished() noexcept {
  if (used_ > 0) std::memcpy(data_.data() + last_at_, &last_, sizeof last_);
  return data_.data();
}

KeptVector<std::byte> OperationList::take() {
  finished();
  data_.resize(used_);
  KeptVector<std::byte> data = std::exchange(data_, {});
  clear();
  return data;
}

void OperationList::clear() noexcept {
  used_ = 0;
  results_.clear();
  regions_.clear();
  writes_ = false;
  answer_ = longest_ = 0;
}

namespace {

// Prefetches the places ahead. They are scattered, and waiting for one after the other would take most of the
// time.
template <class Run>
const std::byte* for_each_in_group(const ExposedRegions& regions, const RunGroup& group, const Exposed& memory,
                                   const std::byte* data, Run&& run) {
  constexpr index_t ahead = 16;
  const auto position_in = [](const std::byte* from) {
    index_t position;
    std::memcpy(&position, from, sizeof position);
    return position;
  };
  const index_t spacing = group.spacing(), last = memory.bytes - group.run;
  for (index_t i = 0; i < group.count; ++i, data += spacing) {
    const index_t position = position_in(data);
    if (position < 0 || position > last) regions.at(group.region, position, position + group.run);  // throws
    if (i + ahead < group.count) __builtin_prefetch(memory.base + position_in(data + ahead * spacing), 1);
    run(memory.base + position, data + sizeof position);
  }
  return data;
}

}  // namespace

void run_operations(const ExposedRegions& regions, const LockStripes& locks,
                    std::span<const std::byte> operations, std::byte* results) {
  const std::byte *data = operations.data(), *const end = data + operations.size();
  while (data < end) {
    RunGroup group;
    std::memcpy(&group, data, sizeof group);
    data += sizeof group;
    const Exposed memory = regions.at(group.region, 0, 0);
    const Striped stripes{locks, memory.base, memory.salt};
    const auto run = [&](auto&& what) { data = for_each_in_group(regions, group, memory, data, what); };
    if (group.verb == Verb::put && group.run == sizeof(double)) {
      run([](std::byte* where, const std::byte* from) { std::memcpy(where, from, sizeof(double)); });
    } else if (group.verb == Verb::put) {
      run([&](std::byte* where, const std::byte* from) { copy_run(where, from, group.run); });
    } else if (group.verb == Verb::get) {
      run([&](const std::byte* where, const std::byte*) {
        copy_run(results, where, group.run);
        results += group.run;
      });
    } else if (group.verb == Verb::accumulate) {
      StripedAccumulate adder(stripes, {Verb::accumulate, group.kind, group.update, group.value.data()});
      run([&](std::byte* where, const std::byte* from) { adder.run(where, from, group.run); });
    } else if (group.fetches) {
      run([&](std::byte* where, const std::byte* operand) {
        update_element(stripes, where, group.kind, group.update, operand, results);
        results += group.run;
      });
    } else {
      std::array<std::byte, 16> unwanted;
      run([&](std::byte* where, const std::byte* operand) {
        update_element(stripes, where, group.kind, group.update, operand, unwanted.data());
      });
    }
    data += padding(data - operations.data());
  }
}

}  // namespace tessera::detail
