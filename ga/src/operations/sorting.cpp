// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <cmath>
#include <vector>

#include <tessera/core/operations.hpp>
#include <tessera/detail/patch_transfers.hpp>
#include <tessera/layout.hpp>

#include "base/at.hpp"
#include "base/dispatch.hpp"
#include "base/made_in_memory.hpp"
#include "base/patch_text.hpp"
#include "base/vector_share.hpp"
#include "format.hpp"

namespace tessera::detail {
namespace {

// A key and where it came from. No two items are equal, so equal keys keep their order and are shared out
// evenly.
template <class T>
struct Item {
  T key;
  index_t from;

  friend bool operator<(const Item& a, const Item& b) noexcept {
    if constexpr (std::is_floating_point_v<T>) {
      // NaN after all others.
      if (std::isnan(a.key) || std::isnan(b.key)) {
        if (std::isnan(a.key) != std::isnan(b.key)) return std::isnan(b.key);
        return a.from < b.from;
      }
    }
    return a.key < b.key || (!(b.key < a.key) && a.from < b.from);
  }
};

// An array with `each` elements on each rank.
ArrayCore table(const Group& group, index_t each, ElementType type, std::string_view name) {
  std::vector<index_t> starts;
  for (int r = 0; r < group.size(); ++r) starts.push_back(r * each);
  const index_t dims = each * group.size();
  return {group, make_irregular(1, &dims, &starts, group.size()), type, {.name = name}};
}

template <class T>
std::vector<T> all_of(const ArrayCore& array) {
  std::vector<T> elements(static_cast<std::size_t>(array.layout().size()));
  const index_t extent = array.layout().size(), stride = 1;
  get(array, Box{{0}, {extent}}, {elements.data(), &extent, &stride});
  return elements;
}

// The parts of sorted runs that fall to each rank. They are chosen by samples of all runs at even distances.
// Each rank gets at most about twice its share (Shi and Schaeffer, Parallel sorting by regular sampling, JPDC
// 1992).
template <class T>
class SampleSort {
 public:
  SampleSort(const Group& group, const std::vector<Item<T>>& run)
      : group_(group),
        ranks_(group.size()),
        samples_(table(group, ranks_, item_type(), "samples of a sort")),
        bounds_(table(group, ranks_ + 1, {ElementKind::int64, 8}, "bounds of a sort")) {
    const auto n = run.size();
    auto* mine = static_cast<Item<T>*>(samples_.local_data());
    for (int s = 0; s < ranks_; ++s) mine[s] = n == 0 ? Item<T>{T{}, -1} : run[n * at(s) / at(ranks_)];
    samples_.sync();
    auto all = all_of<Item<T>>(samples_);
    std::erase_if(all, [](const Item<T>& sample) { return sample.from < 0; });
    std::sort(all.begin(), all.end());
    auto* bound = static_cast<index_t*>(bounds_.local_data());
    bound[0] = 0;
    for (int r = 1; r < ranks_; ++r) {
      const bool none = all.empty();
      bound[r] =
          none ? 0
               : std::lower_bound(run.begin(), run.end(), all[all.size() * at(r) / at(ranks_)]) - run.begin();
    }
    bound[ranks_] = static_cast<index_t>(n);
    bounds_.sync();
    all_bounds_ = all_of<index_t>(bounds_);
    bounds_.sync();
  }
  void close() {
    samples_.close();
    bounds_.close();
  }

  index_t bound(int rank, int part) const { return all_bounds_[at(rank) * at(ranks_ + 1) + at(part)]; }
  // Where a part begins in the result.
  index_t begin(int part) const {
    index_t sum = 0;
    for (int r = 0; r < ranks_; ++r) sum += bound(r, part);
    return sum;
  }
  static ElementType item_type() { return {ElementKind::bytes, sizeof(Item<T>)}; }

 private:
  Group group_;
  int ranks_;
  ArrayCore samples_, bounds_;
  std::vector<index_t> all_bounds_;
};

// This rank's part of all runs, in order.
template <class T>
std::vector<Item<T>> merged(const SampleSort<T>& parts, const ArrayCore& runs, index_t extent) {
  const Group& group = runs.group();
  const int me = group.rank();
  std::vector<Item<T>> items(static_cast<std::size_t>(parts.begin(me + 1) - parts.begin(me)));
  std::vector<std::size_t> ends{0};
  Request all;
  for (int r = 0; r < group.size(); ++r) {
    const index_t first = VectorShare(extent, r, group.size()).lo, lo = parts.bound(r, me),
                  count = parts.bound(r, me + 1) - lo;
    const index_t stride = 1;
    all +=
        get_async(runs, Box{{first + lo}, {first + lo + count}}, {items.data() + ends.back(), &count, &stride});
    ends.push_back(ends.back() + static_cast<std::size_t>(count));
  }
  all.wait();
  auto place = [&](std::size_t end) { return items.begin() + static_cast<std::ptrdiff_t>(ends[end]); };
  // Merge neighbouring runs, then pairs of them, and so on.
  const std::size_t n = ends.size() - 1;
  for (std::size_t width = 1; width < n; width *= 2) {
    for (std::size_t i = 0; i + width < n; i += 2 * width)
      std::inplace_merge(place(i), place(i + width), place(std::min(i + 2 * width, n)));
  }
  return items;
}

}  // namespace

void sort(const SliceCore& keys, const SliceCore* values) {
  const Group& group = keys.array().group();
  begin_operation("sort", {keys, values == nullptr ? keys : *values}, Shapes::equal, Types::any);
  if (keys.rank() != 1)
    throw UsageError(formatted("sort: {} has {} dimensions, not 1", keys.description(), keys.rank()));
  if (values != nullptr) require_apart("sort", *values, std::span(&keys, 1));
  const index_t extent = keys.extents()[0];
  const VectorShare share(keys);
  with_kind(keys.type().kind, "sort", [&]<class T>(T) {
    if constexpr (!std::is_arithmetic_v<T>) {
      throw UsageError(formatted("sort: complex numbers ({}) have no order", keys.description()));
    } else {
      std::vector<index_t> starts;
      for (int r = 0; r < group.size(); ++r) starts.push_back(VectorShare(extent, r, group.size()).lo);
      ArrayCore runs(group, make_irregular(1, &extent, &starts, group.size()), SampleSort<T>::item_type(),
                     {.name = "runs of a sort"});
      const auto run = made_in_memory(group, "sort", [&] {
        std::vector<Item<T>> own;
        own.reserve(static_cast<std::size_t>(share.size()));
        for (T key : share.get<T>(keys)) own.push_back({key, share.lo + static_cast<index_t>(own.size())});
        std::sort(own.begin(), own.end());
        return own;
      });
      std::copy(run.begin(), run.end(), static_cast<Item<T>*>(runs.local_data()));
      SampleSort<T> parts(group, run);
      std::vector<std::byte> moved;
      // When all have agreed, no rank reads any more.
      const auto sorted = made_in_memory(group, "sort", [&] {
        const auto items = merged(parts, runs, extent);
        std::vector<T> own(items.size());
        std::transform(items.begin(), items.end(), own.begin(), [](const Item<T>& item) { return item.key; });
        if (values != nullptr) {
          std::vector<index_t> from(items.size());
          std::transform(items.begin(), items.end(), from.begin(),
                         [](const Item<T>& item) { return item.from; });
          moved.resize(items.size() * static_cast<std::size_t>(values->type().size));
          values->gather(from, moved.data());
        }
        return own;
      });
      const index_t begin = parts.begin(group.rank()), count = static_cast<index_t>(sorted.size()), stride = 1;
      const Box place{{begin}, {begin + count}};
      keys.put(place, {sorted.data(), &count, &stride});
      if (values != nullptr) values->put(place, {moved.data(), &count, &stride});
      end_operation(keys);
      parts.close();
      runs.close();
    }
  });
}

void bin(const SliceCore& keys, const SliceCore& counts) {
  begin_operation("bin", {keys, counts}, Shapes::any, Types::any);
  if (keys.rank() != 1 || counts.rank() != 1)
    throw UsageError(
        formatted("bin: {} and {} are not both vectors", keys.description(), counts.description()));
  const ElementKind kind = counts.type().kind;
  if (kind != ElementKind::int64)
    throw UsageError(formatted("bin: {} holds {}, not int64", counts.description(), to_string(counts.type())));
  const Group& group = keys.array().group();
  const VectorShare share(keys);
  const index_t bins = counts.extents()[0];
  with_kind(keys.type().kind, "bin", [&]<class T>(T) {
    if constexpr (!std::is_integral_v<T>) {
      throw UsageError(formatted("bin: the keys in {} are not integers", keys.description()));
    } else {
      const auto found = made_in_memory(group, "bin", [&] {
        auto own = share.get<T>(keys);
        std::sort(own.begin(), own.end());
        return own;
      });
      const bool good = found.empty() || (found.front() >= 0 && static_cast<index_t>(found.back()) < bins);
      const std::string problem = good ? ""
                                       : formatted("bin: key {} of {} is none of the {} bins of {}",
                                                   found.front() < 0 ? found.front() : found.back(),
                                                   keys.description(), bins, counts.description());
      if (const auto told = group.agree(problem); !told.empty()) throw UsageError(told);
      // One accumulate for each stretch of bins that are all in use, or nearly so.
      constexpr index_t widest_gap = 64, longest = index_t{1} << 16;
      const std::int64_t one = 1;
      std::vector<std::int64_t> stretch;
      for (auto next = found.begin(); next != found.end();) {
        const auto first = static_cast<index_t>(*next);
        stretch.clear();
        while (next != found.end() &&
               static_cast<index_t>(*next) - first <
                   std::min(static_cast<index_t>(stretch.size()) + widest_gap, longest)) {
          const auto place = static_cast<std::size_t>(static_cast<index_t>(*next++) - first);
          if (place >= stretch.size()) stretch.resize(place + 1, 0);
          ++stretch[place];
        }
        const index_t extent = static_cast<index_t>(stretch.size()), stride = 1;
        counts.accumulate({{first}, {first + extent}}, {stretch.data(), &extent, &stride}, &one);
      }
    }
  });
  end_operation(counts);
}

}  // namespace tessera::detail
