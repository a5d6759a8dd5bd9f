// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <chrono>
#include <limits>
#include <thread>

#include <tessera/elementwise.hpp>
#include <tessera/pairs.hpp>
#include <tessera/runtime/flags.hpp>
#include <tessera/runtime/mutexes.hpp>
#include <tessera/task_queues.hpp>
#include <tessera/tasks.hpp>

#include "onesided_model.hpp"
#include "slice_model.hpp"

namespace {

using namespace tessera;
using namespace tessera::test;

// Each task is drawn once, whatever the chunks and nodes. Every rank draws tasks in increasing order.
TEST(Tasks, each_task_is_given_out_once) {
  const Group& all = world();
  Random own(40 + static_cast<unsigned>(all.rank()));
  for (const index_t count : {index_t{0}, index_t{1}, index_t{7}, index_t{500}}) {
    for (const index_t chunk : {index_t{1}, index_t{3}, index_t{1000}, index_t{1} << 62}) {
      for (const bool by_node : {true, false}) {
        TaskCounter counter(all, count, {.chunk = chunk, .by_node = by_node, .name = "drawn"});
        Array<std::int32_t, 1> done(all, Extents<1>(count + 1), {.name = "done"});
        for (int round = 0; round < 2; ++round) {
          const index_t now = round == 0 ? count : count / 2;
          if (round == 1) counter.reset(now);
          EXPECT_EQ(counter.count(), now);
          fill(done, 0);
          index_t last = -1;
          bool in_order = true;
          while (const auto task = counter.next()) {
            in_order = in_order && *task > last && *task < now;
            last = *task;
            done.fetch_add({*task}, 1);
            if (pick(own, 0, 20) == 0) std::this_thread::yield();
          }
          EXPECT_FALSE(counter.next());
          EXPECT_TRUE(in_order);
          std::vector<std::int32_t> expected(static_cast<std::size_t>(count + 1), 0);
          std::fill_n(expected.begin(), now, 1);
          EXPECT_TRUE(has_contents(done, expected)) << count << " tasks in chunks of " << chunk;
        }
        counter.close();
      }
    }
  }
}

// Between nodes a draw takes tens of microseconds: a node draws for many tasks at once.
TEST(Tasks, nodes_draw_seldom) {
  const Group& all = world();
  constexpr index_t count = 5000;
  TaskCounter counter(all, count, {.name = "seldom drawn"});
  const auto remote = [] {
    const Statistics made = runtime().statistics();
    return made.of(Path::agent, Operation::atomic).operations +
           made.of(Path::window, Operation::atomic).operations;
  };
  all.sync();
  const std::uint64_t before = remote();
  index_t drawn = 0;
  for_each_task(counter, [&](index_t) { ++drawn; });
  const auto draws = static_cast<std::int64_t>(remote() - before);
  EXPECT_EQ(all.all_reduce(drawn, Reduce::sum), count);
  EXPECT_LT(all.all_reduce(draws, Reduce::sum), count / 5);
  all.sync();
}

TEST(Tasks, nobody_needs_a_rank_that_computes) {
  const Group& all = world();
  // Without a progress thread nothing answers for a rank that computes.
  if (all.size() == 1 || runtime().progress() == ProgressMode::poll) return;
  TaskCounter counter(all, 200, {.name = "one is busy"});
  Scalars<std::int64_t> drawn(all, 1, "drawn");
  all.sync();
  std::int64_t mine = 0;
  if (all.rank() == 0) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    volatile double x = 1;
    // Computes until all tasks are drawn, and only reads its own memory.
    const std::atomic_ref<std::int64_t> others(*drawn.address(0, 0));
    while (others.load() < 200 && std::chrono::steady_clock::now() < end) x = x * 1.0000001;
    EXPECT_EQ(others.load(), 200);
  } else {
    for_each_task(counter, [&](index_t) { ++mine; });
    drawn.fetch_add(0, 0, mine);
  }
  EXPECT_EQ(all.all_reduce(mine, Reduce::sum), 200);
  all.sync();
}

// y(i) += x(i)^2 in blocks. Blocks are fetched ahead, and results are sent during the next computation.
TEST(Tasks, communication_goes_on_behind_the_computation) {
  const Group& all = world();
  constexpr index_t blocks = 37, block = 50;
  Array<double, 1> x(all, {blocks * block}, {.name = "x"}), y(all, {blocks * block}, {.name = "y"});
  for_each_local(x, [](const Index<1>& i, double& e) { e = static_cast<double>(i[0] % 100); });
  fill(y, 1);
  x.sync();
  struct Input {
    LocalArray<double, 1> data;
    Request request;
    void wait() { request.wait(); }
  };
  struct Output {
    LocalArray<double, 1> data;
    Request request;  // waits when destroyed, before the data it reads
  };
  TaskCounter counter(all, blocks, {.name = "squares"});
  auto patch = [](index_t task) { return Patch<1>{{task * block}, {(task + 1) * block}}; };
  for (int round = 1; round <= 2; ++round) {
    for_each_task(
        counter,
        [&](index_t task) {
          Input input{LocalArray<double, 1>(Extents<1>(block)), {}};
          input.request = x.get_async(patch(task), input.data);
          return input;
        },
        [&](index_t task, Input& input) {
          Output output{std::move(input.data), {}};
          for (double& e : output.data) e *= e;
          output.request = y.acc_async(patch(task), output.data);
          return output;
        });
    counter.reset();
    y.sync();
    const auto found = contents(y);
    Comparison compared;
    for (index_t i = 0; i < blocks * block; ++i) {
      const auto e = static_cast<double>(i % 100);
      compared(i, 1 + round * e * e, found[at(i)]);
    }
    EXPECT_TRUE(compared.equal());
  }
  // A computation that sends nothing.
  index_t sum = 0;
  for_each_task(
      counter, [&](index_t) { return Input{}; }, [&](index_t task, Input&) { sum += task; });
  EXPECT_EQ(all.all_reduce(static_cast<std::int64_t>(sum), Reduce::sum), blocks * (blocks - 1) / 2);
  all.sync();
}

// Whatever the numbers, each task is drawn once, and then none. Of huge counts only a few are drawn.
TEST(Tasks, the_counter_never_passes_its_end) {
  const Group& all = world();
  constexpr index_t most = std::numeric_limits<index_t>::max();
  for (const bool by_node : {true, false}) {
    for (const index_t chunk :
         {index_t{1}, index_t{1} << 40, index_t{1} << 60, index_t{1} << 62, most - 1, most}) {
      for (const index_t count : {index_t{1} << 40, index_t{1} << 60, index_t{1} << 62, most - 1, most}) {
        if (chunk < (index_t{1} << 60) && count > (index_t{1} << 40)) continue;
        TaskCounter counter(all, count, {.chunk = chunk, .by_node = by_node, .name = "huge"});
        index_t last = -1;
        bool good = true;
        // One task of each chunk would be enough, but the rest of a chunk cannot be skipped.
        for (int i = 0; i < 40; ++i) {
          const auto task = counter.next();
          if (!task) break;
          good = good && *task > last && *task < count;
          last = *task;
        }
        EXPECT_TRUE(good) << count << " tasks in chunks of " << chunk;
        counter.close();
      }
    }
    // If draws after the end still added to the counter, these would be enough to wrap it.
    TaskCounter few(all, 5, {.chunk = index_t{1} << 62, .by_node = by_node, .name = "few"});
    index_t mine = 0;
    while (few.next()) ++mine;
    EXPECT_EQ(all.all_reduce(mine, Reduce::sum), 5);
    for (int i = 0; i < 1000; ++i) EXPECT_FALSE(few.next());
    few.reset();
    for (mine = 0; few.next();) ++mine;
    EXPECT_EQ(all.all_reduce(mine, Reduce::sum), 5);
    few.close();
  }
}

TEST(Tasks, wrong_counts_are_told) {
  EXPECT_NE(
      message_of<UsageError>([] { TaskCounter(world(), -1, {.name = "few"}); }).find("\"few\" cannot have -1"),
      std::string::npos);
  EXPECT_NE(message_of<UsageError>([] { TaskCounter(world(), 3, {.chunk = 0}); }).find("chunks of 0"),
            std::string::npos);
  TaskCounter counter(world(), 3);
  EXPECT_THROW(counter.reset(-3), UsageError);
}

TEST(Tasks, members_that_disagree_are_refused) {
  const Group& all = world();
  if (all.size() == 1) return;
  const int last = all.rank() == all.size() - 1 ? 1 : 0;
  EXPECT_THROW(TaskCounter(all, 3 + last), UsageError);
  EXPECT_THROW(TaskCounter(all, 3 - 4 * last), UsageError);
  EXPECT_THROW(TaskCounter(all, 3, {.chunk = 1 + last}), UsageError);
  EXPECT_THROW(TaskCounter(all, 3, {.chunk = 1 - last}), UsageError);
  EXPECT_THROW(TaskCounter(all, 3, {.by_node = last == 0}), UsageError);
  EXPECT_THROW(TaskQueues(all, 3, {.chunk = 1 + last}), UsageError);
  EXPECT_THROW(Flags(all, 2 + last), UsageError);
  EXPECT_THROW(Mutexes(all, 2 + last), UsageError);
  EXPECT_THROW(Mutexes(all, 2, last), UsageError);
  TaskCounter works(all, 3);
  works.close();
}

TEST(Tasks, counts_that_differ_between_ranks_are_told) {
  TaskCounter counter(world(), 3, {.name = "few"});
  EXPECT_THROW(counter.reset(-1), UsageError);
  if (world().size() == 1) return;
  EXPECT_THROW(counter.reset(world().rank() == 0 ? 3 : -1), UsageError);
  const auto text = message_of<UsageError>([&] { counter.reset(world().rank() == 0 ? 4 : 5); });
  EXPECT_NE(text.find("TaskCounter::reset of \"few\""), std::string::npos) << text;
  EXPECT_NE(text.find("5 tasks"), std::string::npos) << text;
  counter.reset(4);
  counter.close();
}

// Each pair is computed once, by whichever rank draws it, with and without data that is fetched ahead.
TEST(Tasks, each_pair_is_computed_once) {
  const Group& all = world();
  for (const index_t n : {index_t{0}, index_t{1}, index_t{12}}) {
    const Extents<2> dims(n + 1, n + 1);
    Array<std::int64_t, 2> values(all, dims, {.name = "values"}), done(all, dims, {.name = "done"});
    for_each_local(values, [](const Index<2>& at, std::int64_t& x) { x = 100 * at[0] + at[1]; });
    fill(done, 0);
    values.sync();
    const Pairs by_cost(n, Triangular{}, [](index_t i, index_t j) { return static_cast<double>(i * j); });
    TaskCounter counter(all, by_cost.count());
    const auto add = [&](index_t i, index_t j) { done.fetch_add({i, j}, 100 * i + j); };
    const auto expect_rounds = [&](int rounds) {
      done.sync();
      Comparison compared;
      for (index_t i = 0; i <= n; ++i) {
        for (index_t j = 0; j <= n; ++j)
          compared(Index<2>(i, j), i < n && j <= i ? rounds * (100 * i + j) : 0, done.load({i, j}));
      }
      EXPECT_TRUE(compared.equal());
      counter.reset();
    };
    for_each_pair(counter, n, Triangular{}, add);
    expect_rounds(1);
    for_each_pair(counter, by_cost, add);
    expect_rounds(2);
    for_each_pair(
        counter, by_cost,
        [&](index_t i, index_t j) {
          return values.get_async(Patch<2>::at({i, j}, {1, 1}));
        },
        [&](index_t i, index_t j, LocalTransfer<std::int64_t, 2>& fetched) {
          LocalTransfer<std::int64_t, 2> sent(std::move(fetched.data));
          sent.request = done.acc_async(Patch<2>::at({i, j}, {1, 1}), sent.data);
          return sent;
        });
    expect_rounds(3);
    EXPECT_THROW(for_each_pair(counter, n + 1, Square{}, add), UsageError);
    all.sync();
  }
}

}  // namespace
