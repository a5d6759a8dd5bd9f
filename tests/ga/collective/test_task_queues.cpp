// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <limits>
#include <numeric>
#include <thread>

#include <tessera/elementwise.hpp>
#include <tessera/task_queues.hpp>

#include "onesided_model.hpp"
#include "slice_model.hpp"

namespace {

using namespace tessera;
using namespace tessera::test;

std::uint64_t remote_atomics() {
  const Statistics made = runtime().statistics();
  return made.of(Path::agent, Operation::atomic).operations +
         made.of(Path::window, Operation::atomic).operations;
}

// Lengths of queues by rank, the same on every member.
std::vector<index_t> lengths(Random& random, int ranks, index_t most) {
  std::vector<index_t> all(static_cast<std::size_t>(ranks));
  for (index_t& length : all) length = pick(random, 0, 3) == 0 ? 0 : pick(random, 0, most);
  return all;
}

TEST(TaskQueues, each_task_is_given_out_once) {
  const Group& all = world();
  Random same(7), own(70 + static_cast<unsigned>(all.rank()));
  for (const index_t chunk : {index_t{1}, index_t{3}, index_t{1} << 62}) {
    for (const index_t most : {index_t{0}, index_t{3}, index_t{300}}) {
      auto expected = lengths(same, all.size(), most);
      TaskQueues queues(all, expected[at(all.rank())], {.chunk = chunk, .name = "taken"});
      for (int round = 0; round < 3; ++round) {
        if (round == 1) queues.reset();
        if (round == 2) {
          expected = lengths(same, all.size(), 2 * most);
          queues.reset(expected[at(all.rank())]);
        }
        const index_t count = std::accumulate(expected.begin(), expected.end(), index_t{0});
        EXPECT_EQ(queues.count(), count);
        EXPECT_EQ(queues.first(all.rank()),
                  std::accumulate(expected.begin(), expected.begin() + all.rank(), index_t{0}));
        EXPECT_EQ(queues.first(all.size()), count);
        Array<std::int32_t, 1> done(all, Extents<1>(count + 1), {.name = "done"});
        fill(done, 0);
        for_each_task(queues, [&](index_t task) {
          done.fetch_add({task}, 1);
          if (pick(own, 0, 20) == 0) std::this_thread::yield();
        });
        EXPECT_FALSE(queues.next());
        std::vector<std::int32_t> times(at(count + 1), 1);
        times.back() = 0;
        EXPECT_TRUE(has_contents(done, times)) << count << " tasks, chunks of " << chunk;
      }
      queues.close();
    }
  }
}

TEST(TaskQueues, own_tasks_come_first_and_need_no_network) {
  const Group& all = world();
  const index_t mine = 20 + 7 * all.rank();
  TaskQueues queues(all, mine, {.name = "own first"});
  all.sync();
  const std::uint64_t before = remote_atomics();
  for (index_t i = 0; i < mine; ++i) EXPECT_EQ(queues.next(), queues.first(all.rank()) + i);
  EXPECT_EQ(remote_atomics(), before);
  all.sync();
  EXPECT_FALSE(queues.next());
  all.sync();
}

TEST(TaskQueues, others_take_the_tasks_of_a_rank_that_takes_none) {
  const Group& all = world();
  if (all.size() == 1) return;
  constexpr index_t count = 1000;
  TaskQueues queues(all, all.rank() == 0 ? count : 0, {.name = "of rank 0"});
  all.sync();
  const std::uint64_t before = remote_atomics();
  index_t taken = 0;
  if (all.rank() != 0) for_each_task(queues, [&](index_t) { ++taken; });
  const auto draws = static_cast<std::int64_t>(remote_atomics() - before);
  EXPECT_EQ(all.all_reduce(taken, Reduce::sum), count);
  // A quarter at once is not many times.
  EXPECT_LT(draws, 150);
  all.sync();
}

// Computation is overlapped with fetching from whatever queue a task comes.
TEST(TaskQueues, communication_goes_on_behind_the_computation) {
  const Group& all = world();
  constexpr index_t block = 50;
  const index_t mine = all.rank() == 0 ? 31 : 3;
  TaskQueues queues(all, mine, {.name = "sums"});
  Array<double, 1> x(all, {queues.count() * block}, {.name = "x"});
  for_each_local(x, [](const Index<1>& i, double& e) { e = static_cast<double>(i[0] % 100); });
  x.sync();
  struct Input {
    LocalArray<double, 1> data;
    Request request;
    void wait() { request.wait(); }
  };
  double sum = 0;
  for_each_task(
      queues,
      [&](index_t task) {
        Input input{LocalArray<double, 1>(Extents<1>(block)), {}};
        input.request = x.get_async({{task * block}, {(task + 1) * block}}, input.data);
        return input;
      },
      [&](index_t, Input& input) { sum = std::accumulate(input.data.begin(), input.data.end(), sum); });
  double expected = 0;
  for (index_t i = 0; i < queues.count() * block; ++i) expected += static_cast<double>(i % 100);
  EXPECT_EQ(all.all_reduce(sum, Reduce::sum), expected);
  all.sync();
}

TEST(TaskQueues, queues_of_a_group_and_huge_ones) {
  const Group& all = world();
  const Group part = all.split(all.rank() % 2);
  TaskQueues of_part(part, 5, {.name = "of a part"});
  index_t taken = 0;
  while (of_part.next()) ++taken;
  EXPECT_EQ(part.all_reduce(taken, Reduce::sum), 5 * part.size());
  of_part.close();

  constexpr index_t most = std::numeric_limits<index_t>::max();
  for (const index_t chunk : {index_t{1}, most}) {
    TaskQueues huge(all, most / all.size(), {.chunk = chunk, .name = "huge"});
    for (index_t i = 0; i < 40; ++i) EXPECT_EQ(huge.next(), huge.first(all.rank()) + i);
    huge.close();
    TaskQueues of_last(all, all.rank() == all.size() - 1 ? most : 0, {.chunk = chunk, .name = "of the last"});
    std::optional<index_t> last;
    for (int i = 0; i < 40; ++i) {
      const auto task = of_last.next();
      if (!task) break;  // another member has taken all at once
      EXPECT_TRUE(!last || *task > *last);
      last = task;
    }
    of_last.close();
  }
}

TEST(TaskQueues, wrong_numbers_are_told_to_all) {
  const Group& all = world();
  const bool last = all.rank() == all.size() - 1;
  const auto text = message_of<UsageError>([&] { TaskQueues(all, last ? -2 : 1, {.name = "few"}); });
  EXPECT_NE(text.find("\"few\" cannot have -2 tasks of rank " + std::to_string(all.size() - 1)),
            std::string::npos)
      << text;
  EXPECT_THROW(TaskQueues(all, 1, {.chunk = 0}), UsageError);
  TaskQueues queues(all, 3, {.name = "three"});
  EXPECT_THROW(queues.reset(last ? -1 : 3), UsageError);
  if (all.size() > 1) {
    EXPECT_THROW(queues.reset(std::numeric_limits<index_t>::max()), UsageError);
  }
  EXPECT_THROW(queues.first(-1), UsageError);
  EXPECT_THROW(queues.first(all.size() + 1), UsageError);
  queues.close();
  EXPECT_THROW(queues.reset(), UsageError);
}

}  // namespace
