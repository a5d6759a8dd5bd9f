// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <mutex>
#include <numeric>

#include <tessera/runtime/flags.hpp>
#include <tessera/runtime/mutexes.hpp>
#include <tessera/runtime/scalars.hpp>
#include <tessera/tasks.hpp>

#include "interpreter.hpp"
#include "segment_trial.hpp"

// Shared objects of a group below arrays: segments, atomic integers, flags, mutexes and tasks. Each is made,
// used and closed in one line.
namespace tessera::stress::detail {

bool Run::segment(const Line& line) {
  return with_group(line, [&](const Group& group) {
    SegmentTrial trial(group, line.number("seed"));
    for (index_t k = 0; k < line.number("count", 1); ++k) k % 3 == 2 ? trial.round_of_all(k) : trial.round(k);
    Values found, expected(line.verb == options_.broken ? 1 : 0);
    for (const auto& [one, other] : trial.wrong()) {
      found.emplace_back(static_cast<double>(one));
      expected.emplace_back(static_cast<double>(other));
    }
    compare_values(found, expected, "words of a segment");
    trial.close();
  });
}

namespace {

// First all members update scalars by operations whose order does not matter. Then each member in turn tries
// the other operations.
template <class T>
std::pair<Values, Values> run_scalars(const Group& group, index_t seed) {
  static constexpr Update updates[] = {Update::sum,     Update::min,    Update::max,
                                       Update::bit_and, Update::bit_or, Update::bit_xor};
  constexpr index_t count = 6;
  Scalars<T> scalars(group, count);
  std::pair<Values, Values> both;
  const auto expect = [&](double found, double expected) {
    both.first.emplace_back(found);
    both.second.emplace_back(expected);
  };
  std::map<std::pair<int, index_t>, double> after;
  for (int member = 0; member < group.size(); ++member) {
    Draws draws(seed * 100 + member);
    for (int k = 0; k < 20; ++k) {
      const int rank = static_cast<int>(draws.below(group.size()));
      const index_t i = draws.below(count), value = draws.below(99) - 49;
      double& here = after[{rank, i}];
      here = updated(updates[i], here, static_cast<double>(value)).real();
      if (member == group.rank()) scalars.fetch_op(rank, i, updates[i], static_cast<T>(value));
    }
  }
  group.barrier();
  for (int rank = 0; rank < group.size(); ++rank)
    for (index_t i = 0; i < count; ++i) expect(static_cast<double>(scalars.load(rank, i)), after[{rank, i}]);
  group.barrier();
  for (int member = 0; member < group.size(); ++member) {
    Draws draws(seed * 100 + 50 + member);
    for (int k = 0; k < 3 && member == group.rank(); ++k) {
      const int rank = static_cast<int>(draws.below(group.size()));
      const index_t i = draws.below(count);
      const T before = scalars.load(rank, i);
      expect(static_cast<double>(scalars.exchange(rank, i, 7)), static_cast<double>(before));
      T wanted = 8;
      expect(scalars.compare_exchange(rank, i, wanted, 9) ? 1 : 0, 0);
      expect(static_cast<double>(wanted), 7);
      expect(scalars.compare_exchange(rank, i, wanted, 9) ? 1 : 0, 1);
      expect(static_cast<double>(scalars.fetch_add(rank, i, 3)), 9);
      if (const T* address = scalars.address(rank, i)) expect(static_cast<double>(*address), 12);
      scalars.store(rank, i, before);
      expect(static_cast<double>(scalars.load(rank, i)), static_cast<double>(before));
    }
    group.barrier();
  }
  scalars.close();
  return both;
}

}  // namespace

bool Run::scalars(const Line& line) {
  return with_group(line, [&](const Group& group) {
    const index_t seed = line.number("seed");
    const auto [found, expected] =
        seed % 2 == 0 ? run_scalars<std::int32_t>(group, seed) : run_scalars<std::int64_t>(group, seed);
    compare_values(found, expected, "scalars");
  });
}

// Every member notifies flags of others, with and without data, and waits for its own by one of several ways.
bool Run::flags(const Line& line) {
  return with_group(line, [&](const Group& group) {
    constexpr index_t count = 3, word = 8;
    const index_t seed = line.number("seed"), members = group.size(), me = group.rank();
    const auto sent = [&](index_t from, index_t to, index_t i) {
      return random_below(seed * 100 + from, static_cast<std::size_t>(to * count + i), 4);
    };
    Flags flags(group, count);
    Segment data(group, members * count * word, "data of flags");
    group.sync();
    for (index_t k = 0; k < members; ++k) {
      const index_t to = (me + k) % members;
      for (index_t i = 0; i < count; ++i)
        for (index_t n = 0; n < sent(me, to, i); ++n) {
          const std::int64_t value = 100 * me + 10 * i + n;
          if (i == 0)
            flags.notify(static_cast<int>(to), i);
          else
            put_notify(data, static_cast<int>(to), (me * count + i) * word, Strided::contiguous(word), &value,
                       flags.at(static_cast<int>(to), i));
        }
    }
    std::vector<index_t> left(count), open;
    for (index_t i = 0; i < count; ++i) {
      for (index_t from = 0; from < members; ++from) left[static_cast<std::size_t>(i)] += sent(from, me, i);
      const std::int64_t all = left[static_cast<std::size_t>(i)];
      if (seed % 3 == 0) flags.wait(i, all);
      if (seed % 3 == 1)
        while (!flags.test(i, all)) {
        }
      if (seed % 3 == 2 && all > 0) open.push_back(i);
    }
    while (!open.empty()) {
      const index_t i = flags.wait_any(open);
      if (--left[static_cast<std::size_t>(i)] == 0) std::erase(open, i);
    }
    Values found, expected;
    for (index_t from = 0; from < members; ++from)
      for (index_t i = 1; i < count; ++i) {
        if (sent(from, me, i) == 0) continue;
        found.emplace_back(
            static_cast<double>(data.load<std::int64_t>(static_cast<int>(me), (from * count + i) * word)));
        expected.emplace_back(static_cast<double>(100 * from + 10 * i + sent(from, me, i) - 1));
      }
    group.barrier();
    for (index_t i = 0; i < count; ++i) {
      found.emplace_back(flags.test(i) ? 1 : 0);
      expected.emplace_back(0);
    }
    compare_values(found, expected, "what came with flags");
    data.close();
    flags.close();
  });
}

// Every member adds to plain words under mutexes, taken by one of several ways.
bool Run::mutexes(const Line& line) {
  return with_group(line, [&](const Group& group) {
    constexpr index_t count = 3, word = 8;
    const index_t seed = line.number("seed"), times = line.number("count", 1);
    Mutexes mutexes(group, count, static_cast<int>(random_below(seed, 0, group.size())));
    Segment words(group, count * word, "words under mutexes");
    const auto home = [&](index_t i) {
      return static_cast<int>(random_below(seed, static_cast<std::size_t>(1 + i), group.size()));
    };
    const auto add = [&](index_t i) {
      words.store<std::int64_t>(home(i), i * word, words.load<std::int64_t>(home(i), i * word) + 1);
    };
    for (index_t i = 0; i < count; ++i)
      if (group.rank() == home(i)) words.store<std::int64_t>(home(i), i * word, 0);
    words.sync();
    for (index_t k = 0; k < times; ++k) {
      const index_t i = (k + group.rank()) % count;
      if (k % 3 == 0) {
        while (!mutexes.try_lock(i)) {
        }
        add(i);
        mutexes.unlock(i);
      } else if (k % 3 == 1) {
        auto mutex = mutexes[i];
        const std::scoped_lock lock(mutex);
        add(i);
      } else {
        mutexes.lock(i);
        add(i);
        mutexes.unlock(i);
      }
    }
    words.sync();
    Values found, expected;
    for (index_t i = 0; i < count; ++i) {
      index_t all = 0;
      for (int member = 0; member < group.size(); ++member)
        for (index_t k = 0; k < times; ++k) all += (k + member) % count == i ? 1 : 0;
      found.emplace_back(static_cast<double>(words.load<std::int64_t>(home(i), i * word)));
      expected.emplace_back(static_cast<double>(all));
    }
    compare_values(found, expected, "words under mutexes");
    words.close();
    mutexes.close();
  });
}

namespace {

constexpr index_t word = 8;

// The input of a task: a word in flight.
class Ahead {
 public:
  Ahead(const Segment& words) : value_(std::make_unique<std::int64_t>(0)) {
    request_ = words.get_async(0, 0, Strided::contiguous(word), value_.get());
  }
  void wait() { request_.wait(); }
  std::int64_t value() const { return *value_; }

 private:
  std::unique_ptr<std::int64_t> value_;  // outlives the request
  Request request_;
};

}  // namespace

// All tasks once; then one task of half as many; then all of this half, with communication overlapped by
// computation.
bool Run::tasks(const Line& line) {
  return with_group(line, [&](const Group& group) {
    const index_t all = line.number("count");
    TaskCounter counter(group, all,
                        {.chunk = line.number("chunk", 1), .by_node = line.number("by_node", 1) != 0});
    std::vector<index_t> drawn(static_cast<std::size_t>(all));
    index_t last = -1;
    const auto draw = [&](index_t task) {
      if (task <= last || task >= counter.count())
        return fail("task " + std::to_string(task) + " after " + std::to_string(last));
      last = task;
      ++drawn[static_cast<std::size_t>(task)];
    };
    for_each_task(counter, draw);
    counter.reset(all / 2);
    counter.next();
    counter.reset();
    last = -1;
    const std::int64_t one = 1;
    Segment words(group, 2 * word, "words of tasks");  // one that tasks read, and one that they add to
    if (group.rank() == 0) words.store<std::int64_t>(0, 0, 5), words.store<std::int64_t>(0, word, 0);
    words.sync();
    for_each_task(
        counter, [&](index_t) { return Ahead(words); },
        [&](index_t task, Ahead& ahead) {
          draw(task);
          if (ahead.value() != 5) fail("a task finds " + std::to_string(ahead.value()) + " instead of 5");
          return words.accumulate_async(0, word, Strided::contiguous(word), ElementKind::int64, &one, &one);
        });
    words.sync();
    group.all_reduce(std::span(drawn), Reduce::sum);
    Values expected(drawn.size(), 1);
    std::fill_n(expected.begin(), all / 2, 2);
    expected.emplace_back(static_cast<double>(all / 2));
    drawn.push_back(words.load<std::int64_t>(0, word));
    compare_values(Values(drawn.begin(), drawn.end()), expected, "how often tasks were given out");
    words.close();
    counter.close();
  });
}

}  // namespace tessera::stress::detail
