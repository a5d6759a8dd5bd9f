// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/scalars.hpp>
#include <tessera/runtime/segment.hpp>

#include "mpi_test.hpp"
#include "transfer_model.hpp"

// Accumulating in every domain of atomicity, and the choice of the domain.
namespace {

using namespace tessera;
using namespace tessera::test;

// Whole numbers of both signs, and infinities where there are any.
template <class T>
T any_number(Random& random) {
  if constexpr (std::numeric_limits<T>::has_infinity) {
    const index_t special = pick(random, 0, 19);
    if (special < 2)
      return special == 0 ? std::numeric_limits<T>::infinity() : -std::numeric_limits<T>::infinity();
  }
  return number<T>(pick(random, -5000, 5000), 0);
}

// All ranks update the same memory at once. The minimum and the maximum do not depend on the order.
template <class T>
void check_min_and_max(Domain domain, std::uint64_t seed) {
  const Group& all = world();
  constexpr index_t count = 90;
  constexpr auto size = index_t{sizeof(T)};
  Segment low(all, count * size, {.name = "low", .domain = domain});
  Segment high(all, count * size, {.name = "high", .domain = domain});
  zero(low, count * size);
  zero(high, count * size);
  SliceModel least(all.size(), count * size), greatest(all.size(), count * size);
  for (int rank = 0; rank < all.size(); ++rank) {
    Random random(seed + static_cast<std::uint64_t>(rank));
    for (int i = 0; i < 15; ++i) {
      const auto owner = static_cast<int>(pick(random, 0, all.size() - 1));
      const RandomTransfer t(random, count * size, size);
      std::vector<T> data(at(t.local_bytes / size));
      for (T& x : data) x = any_number<T>(random);
      const auto* from = reinterpret_cast<const std::byte*>(data.data()) + t.local_begin;
      for_each_pair<T>(t.shape, least.place(owner, t.offset), from,
                       [](T old, T x) { return updated(Update::min, old, x); });
      for_each_pair<T>(t.shape, greatest.place(owner, t.offset), from,
                       [](T old, T x) { return updated(Update::max, old, x); });
      if (rank != all.rank()) continue;
      low.accumulate(owner, t.offset, t.shape, element_kind<T>(), Update::min, from);
      high.accumulate(owner, t.offset, t.shape, element_kind<T>(), Update::max, from);
    }
  }
  low.sync();
  high.sync();
  EXPECT_TRUE(same_bytes(least.slices[at(all.rank())], own_slice(low, count * size)))
      << to_string(element_kind<T>());
  EXPECT_TRUE(same_bytes(greatest.slices[at(all.rank())], own_slice(high, count * size)))
      << to_string(element_kind<T>());
  all.sync();
}

TEST(Accumulate, minima_and_maxima_do_not_depend_on_the_order_of_ranks) {
  for (const Domain& domain : domains()) {
    check_min_and_max<std::int32_t>(domain, 10);
    check_min_and_max<std::int64_t>(domain, 20);
    check_min_and_max<float>(domain, 30);
    check_min_and_max<double>(domain, 40);
  }
}

// A NaN of either operand stays, by accumulate and by fetch_op. MPI's operators do not promise that.
template <class T>
void check_min_and_max_of_nan() {
  const Group& all = world();
  const int owner = all.size() / 2, giver = all.size() - 1;
  constexpr index_t count = 37, size = sizeof(T);
  const T nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
  for (const Update update : {Update::min, Update::max}) {
    Segment segment(all, count * size, {.name = "nan", .domain = AtomicDomain::cpu});
    const auto place = [&](index_t i) { return i * size; };
    std::vector<T> given(count, update == Update::min ? T{-1} : T{3}), old(count, T{2});
    for (index_t i = 0; i < count; i += 3) given[at(i)] = nan;
    for (index_t i = 1; i < count; i += 3) old[at(i)] = nan;
    given[2] = old[5] = update == Update::min ? -infinity : infinity;
    if (all.rank() == owner) segment.put(owner, 0, Strided::contiguous(count * size), old.data());
    segment.sync();
    const auto kind = element_kind<T>();
    const index_t half = count / 2;
    if (all.rank() == giver) {
      segment.accumulate(owner, 0, Strided::contiguous(half * size), kind, update, given.data());
      for (index_t i = half; i < count; ++i) {
        T before{};
        segment.fetch_op(owner, place(i), kind, update, &given[at(i)], &before);
      }
    }
    segment.sync();
    for (index_t i = 0; i < count; ++i) {
      const T result = segment.load<T>(owner, place(i));
      const bool has_nan = std::isnan(given[at(i)]) || std::isnan(old[at(i)]);
      EXPECT_EQ(std::isnan(result), has_nan) << to_string(update) << " of element " << i;
      if (has_nan) continue;
      EXPECT_EQ(result, i == 5 ? old[5] : given[at(i)]) << to_string(update) << " of element " << i;
    }
    segment.sync();
  }
}

TEST(Accumulate, a_nan_wins_in_least_and_greatest) {
  check_min_and_max_of_nan<float>();
  check_min_and_max_of_nan<double>();
}

// Infinite parts are multiplied by a real factor as numbers of their own: infinity times 0 would be NaN.
template <class T>
void check_infinite_parts(Domain domain) {
  const Group& all = world();
  using Complex = std::complex<T>;
  const T infinity = std::numeric_limits<T>::infinity();
  const std::vector<Complex> given{{0, infinity}, {1, -infinity}, {infinity, 0}, {-infinity, 2}, {3, 4}};
  const auto bytes = static_cast<index_t>(given.size() * sizeof(Complex));
  Segment segment(all, bytes, {.name = "infinite", .domain = domain});
  zero(segment, bytes);
  const Complex two{2, 0};
  const int right = (all.rank() + 1) % all.size();
  segment.accumulate(right, 0, Strided::contiguous(bytes), element_kind<Complex>(), &two, given.data());
  segment.sync();
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto found = segment.load<Complex>(all.rank(), static_cast<index_t>(i * sizeof(Complex)));
    EXPECT_EQ(found, Complex(2 * given[i].real(), 2 * given[i].imag())) << i;
  }
  segment.sync();
}

TEST(Accumulate, infinite_parts_keep_to_themselves) {
  for (const Domain domain : domains()) {
    check_infinite_parts<float>(domain);
    check_infinite_parts<double>(domain);
  }
}

// Sums with and without a factor, by update and element by element, of every kind.
template <class T>
void check_sums(Domain domain, std::uint64_t seed) {
  const Group& all = world();
  constexpr index_t count = 60;
  constexpr auto size = index_t{sizeof(T)};
  constexpr ElementKind kind = element_kind<T>();
  Segment segment(all, count * size, {.name = "sums", .domain = domain});
  zero(segment, count * size);
  SliceModel model(all.size(), count * size);
  for (int rank = 0; rank < all.size(); ++rank) {
    Random random(seed + static_cast<std::uint64_t>(rank));
    for (int i = 0; i < 15; ++i) {
      const auto owner = static_cast<int>(pick(random, 0, all.size() - 1));
      const RandomTransfer t(random, count * size, size);
      const bool by_update = i % 3 == 0;
      const T alpha = by_update ? number<T>(1, 0) : number<T>(pick(random, -2, 3), pick(random, -2, 2));
      std::vector<T> data(at(t.local_bytes / size));
      for (T& x : data) x = number<T>(pick(random, -9, 9), pick(random, -9, 9));
      const auto* from = reinterpret_cast<const std::byte*>(data.data()) + t.local_begin;
      for_each_pair<T>(t.shape, model.place(owner, t.offset), from,
                       [alpha](T old, T x) { return static_cast<T>(old + alpha * x); });
      if (rank != all.rank()) continue;
      if (by_update) {
        segment.accumulate(owner, t.offset, t.shape, kind, Update::sum, from);
      } else {
        Request request = segment.accumulate_async(owner, t.offset, t.shape, kind, &alpha, from);
        if (i % 3 == 1) request.wait();
      }
    }
  }
  segment.sync();
  EXPECT_TRUE(same_bytes(model.slices[at(all.rank())], own_slice(segment, count * size))) << to_string(kind);
  segment.sync();
}

TEST(Accumulate, sums_of_every_kind_equal_a_serial_model) {
  for (const Domain& domain : domains()) {
    check_sums<std::int32_t>(domain, 110);
    check_sums<std::int64_t>(domain, 120);
    check_sums<float>(domain, 130);
    check_sums<double>(domain, 140);
    check_sums<std::complex<float>>(domain, 150);
    check_sums<std::complex<double>>(domain, 160);
  }
}

// All ranks update patches that begin and end in different lock stripes. A stripe is 64 KiB.
TEST(Accumulate, patches_across_lock_stripes_lose_no_update) {
  const Group& all = world();
  constexpr index_t count = 40000, rows = 50;
  const int rounds = times(all, 10, 3), owner = all.size() / 2;
  for (const Domain& domain : domains()) {
    Segment segment(all, 2 * count * 8, {.name = "large", .domain = domain});
    zero(segment, 2 * count * 8);
    const std::vector<double> data(count, 0.5);
    const Strided shape{.run = count / rows * 8,
                        .levels = 1,
                        .count = {rows},
                        .remote_stride = {2 * count / rows * 8},
                        .local_stride = {count / rows * 8}};
    for (int i = 0; i < rounds; ++i) {
      segment.accumulate(owner, 800 * (i % 3), Strided::contiguous(count * 8), ElementKind::float64,
                         Update::sum, data.data());
      segment.accumulate(owner, 0, shape, ElementKind::float64, Update::sum, data.data());
    }
    segment.sync();
    std::vector<double> found(2 * count), expected(2 * count, 0);
    for (index_t i = 0; i < rounds; ++i) {
      for (index_t k = 0; k < count; ++k) {
        expected[at(100 * (i % 3) + k)] += 0.5 * all.size();
        expected[at(k / (count / rows) * (2 * count / rows) + k % (count / rows))] += 0.5 * all.size();
      }
    }
    segment.get(owner, 0, Strided::contiguous(2 * count * 8), found.data());
    EXPECT_EQ(found, expected);
    segment.sync();
  }
}

TEST(Accumulate, undefined_updates_throw) {
  const Group& all = world();
  for (const Domain& domain : domains()) {
    Segment segment(all, 64, {.name = "refusing", .domain = domain});
    zero(segment, 64);
    const std::complex<double> data(1, 1);
    auto refuse = [&](ElementKind kind, Update update) {
      const auto text = message_of<UsageError>(
          [&] { segment.accumulate(all.size() - 1, 0, Strided::contiguous(16), kind, update, &data); });
      EXPECT_NE(text.find(to_string(update)), std::string::npos) << text;
      if (!is_defined(update, kind)) {
        EXPECT_NE(text.find(to_string(kind)), std::string::npos) << text;
      }
    };
    for (const auto kind :
         {ElementKind::int32, ElementKind::int64, ElementKind::float32, ElementKind::float64}) {
      for (const auto update : {Update::bit_and, Update::bit_or, Update::bit_xor, Update::replace})
        refuse(kind, update);
    }
    for (const auto kind : {ElementKind::complex64, ElementKind::complex128, ElementKind::bytes}) {
      for (const auto update : {Update::min, Update::max}) refuse(kind, update);
    }
    segment.sync();
    EXPECT_EQ(own_slice(segment, 64), Bytes(64));
    segment.sync();
  }
}

TEST(AtomicDomain, is_the_chosen_one_or_the_segment_is_refused) {
  const Group& all = world();
  EXPECT_EQ(Segment(all, 64, "usual").domain(), AtomicDomain::cpu);
  EXPECT_EQ(Segment(all, 100000, "usual and large").domain(), AtomicDomain::cpu);
  for (const index_t bytes : {64, 100000}) {
    EXPECT_EQ(Segment(all, bytes, {.name = "cpu", .domain = AtomicDomain::cpu}).domain(), AtomicDomain::cpu);
    const SegmentOptions by_mpi{.name = "forced", .domain = AtomicDomain::mpi};
    if (has_windows() || all.node_count() == 1) {
      Segment forced(all, bytes, by_mpi);
      EXPECT_EQ(forced.domain(), all.node_count() == 1 ? AtomicDomain::cpu : AtomicDomain::mpi);
    } else {
      const auto text = message_of<WindowError>([&] { Segment(all, bytes, by_mpi); });
      EXPECT_NE(text.find("no usable one-sided window"), std::string::npos) << text;
    }
  }
  // A group on one node has no use for MPI.
  const Group alone = all.split(all.rank());
  EXPECT_EQ(Segment(alone, 64, {.name = "alone", .domain = AtomicDomain::mpi}).domain(), AtomicDomain::cpu);
  EXPECT_EQ(Segment(all.node(), 64, {.name = "node", .domain = AtomicDomain::mpi}).domain(), AtomicDomain::cpu);
  all.sync();
}

// The target looks at its own memory and never calls MPI.
TEST(AtomicDomain, updates_on_a_node_need_no_call_of_their_target) {
  const Group& node = world().node();
  Segment segment(node, 64, {.name = "updated", .domain = AtomicDomain::mpi});
  zero(segment, 64);
  Scalars<std::int64_t> done(node, 1, "done");
  const int target = node.size() - 1;
  if (node.rank() == 0) {
    const std::int64_t one = 1;
    std::int64_t old = 0;
    segment.accumulate(target, 0, Strided::contiguous(8), ElementKind::int64, Update::sum, &one);
    segment.flush();
    segment.fetch_add(target, 0, ElementKind::int64, &one, &old);
    EXPECT_EQ(old, 1);
    done.store(target, 0, 1);
  }
  if (node.rank() == target) {
    while (done.load(target, 0) == 0) {
    }
  }
  segment.sync();
  world().sync();
}

TEST(AtomicDomain, must_be_the_same_everywhere) {
  const Group& all = world();
  if (all.size() == 1) return;
  const bool odd = all.rank() == all.size() - 1;
  EXPECT_THROW(Segment(all, 64, {.domain = odd ? AtomicDomain::mpi : AtomicDomain::cpu}), UsageError);
  EXPECT_THROW(Segment(all, 64, {.domain = odd ? Domain(AtomicDomain::mpi) : Domain()}), UsageError);
  Segment works(all, 64, "works");
  works.sync();
}

// Segments of both domains are next to each other in memory and do not disturb each other.
TEST(AtomicDomain, segments_of_both_domains_do_not_disturb_each_other) {
  const Group& all = world();
  if (domains().size() == 1) return;
  Segment cpu(all, 64, {.name = "cpu", .domain = AtomicDomain::cpu});
  Segment mpi(all, 64, {.name = "mpi", .domain = AtomicDomain::mpi});
  zero(cpu, 64);
  zero(mpi, 64);
  const std::int64_t one = 1;
  for (int i = 0; i < 100; ++i) {
    std::int64_t old = 0;
    cpu.fetch_add(0, 8, ElementKind::int64, &one, &old);
    mpi.fetch_add(0, 8, ElementKind::int64, &one, &old);
    mpi.accumulate(0, 8, Strided::contiguous(8), ElementKind::int64, Update::sum, &one);
    cpu.accumulate(0, 8, Strided::contiguous(8), ElementKind::int64, Update::sum, &one);
  }
  all.sync();
  EXPECT_EQ(cpu.load<std::int64_t>(0, 8), 200 * all.size());
  EXPECT_EQ(mpi.load<std::int64_t>(0, 8), 200 * all.size());
  all.sync();
}

// Runs over more stripes than a process remembers as held by others. They begin inside one stripe and end
// inside another.
TEST(Accumulate, very_long_runs_are_exact_under_contention) {
  const Group& all = world();
  constexpr index_t count = (index_t{34} << 17) + 1000, begin = 8 * 777;
  Segment segment(all, all.rank() == 0 ? begin + count * 8 : 0, "long");
  if (all.rank() == 0) std::memset(segment.address(0), 0, at(begin + count * 8));
  segment.sync();
  std::vector<double> mine(at(count));
  for (index_t i = 0; i < count; ++i) mine[at(i)] = static_cast<double>((all.rank() + 1) * (1 + i % 1001));
  const double two = 2;
  for (int round = 0; round < times(all, 2, 1); ++round)
    segment.accumulate(0, begin, Strided::contiguous(count * 8), ElementKind::float64, &two, mine.data());
  segment.sync();
  if (all.rank() == 0) {
    const double all_ranks = times(all, 2, 1) * all.size() * (all.size() + 1);
    Comparison compared;
    for (index_t i = 0; i < count; ++i) {
      double found = 0;
      std::memcpy(&found, segment.address(0) + begin + i * 8, 8);
      compared(i, all_ranks * static_cast<double>(1 + i % 1001), found);
    }
    EXPECT_TRUE(compared.equal());
  }
  segment.sync();
}

}  // namespace
