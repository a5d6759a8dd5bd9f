// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/vector.hpp>

#include "mpi_test.hpp"
#include "transfer_model.hpp"

// Vector transfers whose runs do not overlap; test_vector_overlap.cpp has the others.
namespace {

using namespace tessera;
using namespace tessera::test;

constexpr std::array methods{VectorMethod::automatic, VectorMethod::conservative, VectorMethod::batched,
                             VectorMethod::direct};
// Each method, some of them in batches.
constexpr std::array ways{
    VectorOptions(VectorMethod::automatic),       VectorOptions(VectorMethod::automatic, 1),
    VectorOptions(VectorMethod::conservative, 2), VectorOptions(VectorMethod::batched),
    VectorOptions(VectorMethod::batched, 4),      VectorOptions(VectorMethod::direct),
    VectorOptions(VectorMethod::direct, 7)};
enum class Wait { at_once, later };

std::string to_string(const VectorOptions& way) {
  return tessera::to_string(way.method) + (", batches of " + std::to_string(way.batch));
}

// A small segment, a large one, and one of a group with the ranks in reverse order.
struct Segments {
  static constexpr std::array<index_t, 3> bytes{640, 80000, 1280};
  Segment small, large, reversed;
  std::array<Segment*, 3> list{&small, &large, &reversed};
  std::vector<SliceModel> models;

  Segments()
      : small(world(), bytes[0], "small"),
        large(world(), bytes[1], "large"),
        reversed(world().split(0, -world().rank()), bytes[2], "reversed") {
    for (std::size_t s = 0; s < list.size(); ++s) {
      zero(*list[s], bytes[s]);
      models.emplace_back(world().size(), bytes[s]);
    }
  }
  void sync() const {
    for (const Segment* segment : list) segment->sync();
  }
  // Compares this process's slices with the models.
  void compare(Comparison& compared, int round) const {
    for (std::size_t s = 0; s < list.size(); ++s)
      compare_bytes(compared, std::pair(round, list[s]->name()), models[s].slices[at(list[s]->group().rank())],
                    own_slice(*list[s], bytes[s]));
  }
};

// Runs at random places of all ranks and segments, and at random places of a local buffer. Half of the lists
// have runs of different lengths.
struct RandomVector {
  struct Run {
    std::size_t segment;
    int rank;
    index_t offset, local, length;
  };
  index_t run;
  std::vector<Run> runs;
  Bytes buffer;
  std::vector<Place> remote;
  std::vector<std::byte*> local;
  std::vector<index_t> lengths;

  RandomVector(Random& random, const Segments& segments, index_t length, index_t element, std::size_t most)
      : run(length) {
    for (std::size_t s = 0; s < segments.list.size(); ++s) {
      const index_t shift = element * pick(random, 0, run / element - 1), bytes = segments.bytes[s];
      const index_t cells = std::min<index_t>((bytes - shift) / run, 50), apart = pick(random, 1, 2);
      for (int rank = 0; rank < world().size(); ++rank) {
        for (index_t cell = 0; cell < cells / apart; ++cell)
          runs.push_back({s, rank, shift + cell * apart * run, 0, run});
      }
    }
    std::shuffle(runs.begin(), runs.end(), random);
    runs.resize(std::min(runs.size(), most));
    if (pick(random, 0, 3) == 0) {
      // In the order of memory, so that runs can be joined.
      std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) {
        return std::tie(a.segment, a.rank, a.offset) < std::tie(b.segment, b.rank, b.offset);
      });
    }
    const index_t gap = pick(random, 0, 1) * element;
    std::vector<index_t> places;
    for (std::size_t i = 0; i < runs.size(); ++i) places.push_back(static_cast<index_t>(i) * (run + gap));
    if (pick(random, 0, 1) == 1) std::shuffle(places.begin(), places.end(), random);
    buffer = random_bytes(random, static_cast<index_t>(runs.size()) * (run + gap));
    for (std::size_t i = 0; i < runs.size(); ++i) {
      runs[i].local = places[i];
      remote.push_back({segments.list[runs[i].segment], runs[i].rank, runs[i].offset});
      local.push_back(buffer.data() + places[i]);
    }
    if (pick(random, 0, 1) == 0) return;
    for (Run& one : runs) lengths.push_back(one.length = element * pick(random, 0, run / element));
  }
  Vector vector() const { return {.run = run, .remote = remote, .local = local, .lengths = lengths}; }
};

index_t any_run(Random& random, int round) {
  constexpr std::array<index_t, 4> usual{8, 4, 16, 1};
  return round < 4 ? usual[at(round)] : pick(random, 1, 40);
}

// One rank puts. Every rank checks its slice and gets other runs.
void check_put_and_get(const VectorOptions& way, Wait wait, std::uint64_t seed) {
  const Group& all = world();
  Segments segments;
  Random random(seed);
  Comparison compared;
  for (int round = 0; round < 7; ++round) {
    const auto writer = static_cast<int>(pick(random, 0, all.size() - 1));
    const RandomVector sent(random, segments, any_run(random, round), 1, 60);
    for (const auto& run : sent.runs)
      segments.models[run.segment].put(run.rank, run.offset, Strided::contiguous(run.length),
                                       sent.buffer.data() + run.local);
    if (writer == all.rank()) {
      if (wait == Wait::at_once) {
        put(sent.vector(), way);
      } else {
        Request request = put_async(sent.vector(), way);
        request.wait();
      }
    }
    segments.sync();
    segments.compare(compared, round);
    Random own(random() + static_cast<std::uint64_t>(all.rank()));
    const RandomVector found(own, segments, any_run(own, round), 1, 60);
    Bytes expected = found.buffer;  // gaps stay as they are
    for (const auto& run : found.runs)
      segments.models[run.segment].get(run.rank, run.offset, Strided::contiguous(run.length),
                                       expected.data() + run.local);
    if (wait == Wait::at_once) {
      get(found.vector(), way);
    } else {
      Request request = get_async(found.vector(), way);
      while (!request.test()) {
      }
    }
    compare_bytes(compared, std::pair("get"sv, round), expected, found.buffer);
    segments.sync();
  }
  EXPECT_TRUE(compared.equal()) << to_string(way);
}

TEST(Vector, random_runs_equal_a_model) {
  for (const VectorOptions& way : ways) {
    check_put_and_get(way, Wait::at_once, 1);
    check_put_and_get(way, Wait::later, 2);
  }
}

// All ranks update the same memory at once. The numbers are whole, so that any order gives the same sums.
template <class T>
void check_accumulate(const VectorOptions& way, Wait wait, std::uint64_t seed) {
  const Group& all = world();
  constexpr auto size = index_t{sizeof(T)};
  Segments segments;
  for (int rank = 0; rank < all.size(); ++rank) {
    Random random(seed + static_cast<std::uint64_t>(rank));
    for (int i = 0; i < 3; ++i) {
      RandomVector terms(random, segments, size * pick(random, 1, 3), size, 30);
      const T alpha = i == 0 ? number<T>(1, 0) : number<T>(pick(random, -2, 2), pick(random, -2, 2));
      for (std::size_t byte = 0; byte < terms.buffer.size(); byte += sizeof(T)) {
        const T x = number<T>(pick(random, -9, 9), pick(random, -9, 9));
        std::memcpy(terms.buffer.data() + byte, &x, sizeof(T));
      }
      for (const auto& run : terms.runs) {
        for_each_pair<T>(
            Strided::contiguous(run.length), segments.models[run.segment].place(run.rank, run.offset),
            terms.buffer.data() + run.local, [alpha](T old, T x) { return static_cast<T>(old + alpha * x); });
      }
      if (rank != all.rank()) continue;
      if (wait == Wait::at_once) {
        accumulate(terms.vector(), element_kind<T>(), &alpha, way);
      } else {
        Request request = accumulate_async(terms.vector(), element_kind<T>(), &alpha, way);
        request.wait();
      }
    }
  }
  segments.sync();
  Comparison compared;
  segments.compare(compared, 0);
  EXPECT_TRUE(compared.equal()) << to_string(element_kind<T>()) << " " << to_string(way);
  segments.sync();
}

TEST(Vector, random_sums_equal_a_serial_model) {
  for (const VectorOptions& way : ways) {
    check_accumulate<std::int32_t>(way, Wait::at_once, 20);
    check_accumulate<double>(way, Wait::later, 40);
    check_accumulate<std::complex<double>>(way, Wait::at_once, 60);
  }
}

// Runs that are packed and runs that travel alone, in turn.
TEST(Vector, short_and_long_runs_travel_in_one_list) {
  const Group& all = world();
  constexpr std::array<index_t, 8> lengths{8, 40'000, 0, 16, 9'000, 8, 300'000, 8'192};
  const index_t bytes = std::accumulate(lengths.begin(), lengths.end(), index_t{0});
  Segment segment(all, bytes, "lengths");
  Random random(77);
  const double two = 2;
  for (const VectorOptions& way : ways) {
    std::vector<double> values(at(bytes / 8)), found(values.size());
    for (double& x : values) x = static_cast<double>(pick(random, -1000, 1000));
    std::vector<Place> remote;
    std::vector<std::byte*> sent, received;
    for (index_t offset = 0, i = 0; i < static_cast<index_t>(lengths.size()); offset += lengths[at(i++)]) {
      remote.push_back({&segment, right(), offset});
      sent.push_back(reinterpret_cast<std::byte*>(values.data()) + offset);
      received.push_back(reinterpret_cast<std::byte*>(found.data()) + offset);
    }
    put({.remote = remote, .local = sent, .lengths = lengths}, way);
    accumulate({.remote = remote, .local = sent, .lengths = lengths}, ElementKind::float64, &two, way);
    get_async({.remote = remote, .local = received, .lengths = lengths}, way).wait();
    for (double& x : values) x *= 3;
    EXPECT_TRUE(found == values) << to_string(way);
    segment.sync();
  }
}

TEST(Vector, lists_of_no_run_and_of_one_run_are_moved) {
  const Group& all = world();
  Segment segment(all, 64, "few");
  zero(segment, 64);
  const double one = 1;
  const int right = (all.rank() + 1) % all.size(), left = (all.rank() + all.size() - 1) % all.size();
  for (const VectorOptions& way : ways) {
    const Vector none{.run = 8, .remote = {}, .local = {}};
    put(none, way);
    get(none, way);
    accumulate(none, ElementKind::float64, &one, way);
    EXPECT_TRUE(put_async(none, way).test());
    EXPECT_TRUE(get_async(none, way).test());
    EXPECT_TRUE(accumulate_async(none, ElementKind::float64, &one, way).test());
    const std::array<Place, 1> there{{{&segment, right, 24}}};
    double value = 10.0 + all.rank();
    const std::array<std::byte*, 1> here{reinterpret_cast<std::byte*>(&value)};
    const Vector single{.run = 8, .remote = there, .local = here};
    put(single, way);
    segment.sync();
    EXPECT_EQ(segment.load<double>(all.rank(), 24), 10.0 + left) << to_string(way);
    segment.sync();
    accumulate(single, ElementKind::float64, &value, way);
    value = 0;
    get(single, way);
    EXPECT_EQ(value, (10.0 + all.rank()) * (11.0 + all.rank())) << to_string(way);
    segment.sync();
  }
}

// Refused before anything is moved, by every kind of call.
TEST(Vector, bad_lists_throw_and_move_nothing) {
  const Group& all = world();
  Segment segment(all, 64, "untouched");
  zero(segment, 64);
  const double one = 1;
  std::vector<double> values{1, 2, 3};
  std::vector<std::byte*> local;
  for (double& x : values) local.push_back(reinterpret_cast<std::byte*>(&x));
  auto refuse = [&](const std::vector<Place>& remote, const std::vector<std::byte*>& here) {
    const Vector bad{.run = 8, .remote = remote, .local = here};
    for (const VectorMethod method : methods) {
      const auto text = message_of<UsageError>([&] { put(bad, method); });
      EXPECT_FALSE(text.empty());
      EXPECT_THROW(get(bad, method), UsageError);
      EXPECT_THROW(accumulate(bad, ElementKind::float64, &one, method), UsageError);
      EXPECT_THROW(put_async(bad, method).wait(), UsageError);
      EXPECT_THROW(get_async(bad, method).wait(), UsageError);
      EXPECT_THROW(accumulate_async(bad, ElementKind::float64, &one, method).wait(), UsageError);
    }
  };
  const Place good{&segment, all.rank(), 0}, more{&segment, all.size() - 1, 8 + 8 * (all.rank() % 6)};
  refuse({{nullptr, 0, 0}}, {local[0]});
  refuse({good, more}, local);
  refuse({good, more, good, more}, local);
  refuse({}, local);
  refuse({good}, {});
  const index_t bytes = segment.slice_bytes();
  for (const Place& bad : {Place{&segment, 0, bytes - 7}, Place{&segment, 0, -1}, Place{&segment, -1, 0},
                           Place{&segment, all.size(), 0}, Place{&segment, 0, index_t{1} << 62}}) {
    refuse({good, more, bad}, local);
    refuse({bad, good, more}, local);
  }
  EXPECT_THROW(put({.run = -8, .remote = std::vector{good}, .local = std::vector{local[0]}}), UsageError);
  const Vector fine{.run = 8, .remote = std::vector{good}, .local = std::vector{local[0]}};
  EXPECT_NE(message_of<UsageError>([&] {
              put(fine, {VectorMethod::batched, -1});
            }).find("-1"),
            std::string::npos);
  EXPECT_THROW(get_async(fine, {VectorMethod::automatic, std::numeric_limits<index_t>::min()}), UsageError);
  const std::vector<Place> two{good, more};
  const std::vector<std::byte*> two_local{local[0], local[1]};
  const std::vector<index_t> wrong[] = {{8}, {8, 8, 8}, {8, -8}, {8, bytes + 1}};
  for (const std::vector<index_t>& lengths : wrong)
    EXPECT_THROW(put({.remote = two, .local = two_local, .lengths = lengths}), UsageError);
  const std::vector<index_t> parts{8, 4};
  EXPECT_THROW(accumulate({.remote = two, .local = two_local, .lengths = parts}, ElementKind::float64, &one),
               UsageError);
  EXPECT_EQ(values, (std::vector<double>{1, 2, 3}));
  segment.sync();
  EXPECT_EQ(own_slice(segment, 64), Bytes(64));
  segment.sync();
}

TEST(Vector, lists_of_5000_runs_are_moved) {
  const Group& all = world();
  constexpr index_t count = 5000;
  Segment segment(all, count * 8, "many");
  zero(segment, count * 8);
  std::vector<std::int64_t> values(count), found(count, 0);
  std::vector<Place> remote;
  std::vector<std::byte*> sent, received;
  std::vector<index_t> order(count);
  std::iota(order.begin(), order.end(), index_t{0});
  Random random(5000);
  std::shuffle(order.begin(), order.end(), random);
  for (index_t i = 0; i < count; ++i) {
    values[at(i)] = 7 * i + 1;
    remote.push_back({&segment, static_cast<int>(i % all.size()), 8 * order[at(i)]});
    sent.push_back(reinterpret_cast<std::byte*>(&values[at(i)]));
    received.push_back(reinterpret_cast<std::byte*>(&found[at(i)]));
  }
  if (all.rank() == 0) put({.run = 8, .remote = remote, .local = sent});
  segment.sync();
  Comparison compared;
  for (index_t i = all.rank(); i < count; i += all.size())
    compared(i, 7 * i + 1, segment.load<std::int64_t>(all.rank(), 8 * order[at(i)]));
  EXPECT_TRUE(compared.equal());
  if (all.rank() == all.size() - 1) {
    get({.run = 8, .remote = remote, .local = received});
    EXPECT_EQ(found, values);
  }
  segment.sync();
}

}  // namespace
