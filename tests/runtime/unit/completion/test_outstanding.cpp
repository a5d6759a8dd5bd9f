// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "completion/outstanding.hpp"

// The queue of transfers in flight. The transfers here move nothing, and each is done after some polls.
namespace {

using namespace tessera;
using tessera::detail::Outstanding;
using tessera::detail::Pending;

// The completed transfers in order, one letter each.
using Story = std::string;

struct Kind {
  int looks = 1;     // polls until it is done
  index_t kept = 0;  // bytes
  bool moves = true;
  bool fails = false;  // instead of being done
};

class Counted : public Pending::Stage {
 public:
  Counted(Story& story, char name, const Kind& kind) : story_(story), name_(name), kind_(kind) {}
  bool advance() override {
    if (--kind_.looks > 0) return false;
    if (kind_.fails) throw std::runtime_error(std::string(1, name_) + " failed");
    story_ += name_;
    return true;
  }
  index_t kept() const noexcept override { return kind_.kept; }
  bool needs_moving() const noexcept override { return kind_.moves; }

 private:
  Story& story_;
  char name_;
  Kind kind_;
};

// Waits as Progress does, and records its calls.
class Attendant : public Outstanding::Attendant {
 public:
  void wait_for(int agent, const std::function<bool()>& done) override {
    agents.push_back(agent);
    while (!done()) {
    }
  }
  void look_after() noexcept override { ++looked_after; }
  void poll() override { ++polls; }

  std::vector<int> agents;
  int looked_after = 0, polls = 0;
};

class OutstandingTest : public testing::Test {
 protected:
  std::shared_ptr<Pending> transfer(char name, const Kind& kind = {}, int agent = -1) {
    auto pending = std::make_shared<Pending>();
    pending->add(std::make_unique<Counted>(story, name, kind));
    if (agent >= 0) pending->needs_agent(agent);
    return pending;
  }
  Request begin(char name, const Kind& kind = {}, int agent = -1) {
    return queue.launch(transfer(name, kind, agent));
  }

  Story story;
  detail::Threads threads{ThreadLevel::funneled};
  Outstanding queue{threads};
};

TEST_F(OutstandingTest, is_empty_until_something_is_under_way_and_when_it_is_done) {
  EXPECT_TRUE(queue.is_empty());
  EXPECT_FALSE(queue.advance_all());
  Request request = begin('a', {.looks = 2});
  EXPECT_FALSE(queue.is_empty());
  EXPECT_FALSE(request.test());
  EXPECT_TRUE(request.test());
  EXPECT_TRUE(queue.is_empty());
  EXPECT_EQ(story, "a");
}

TEST_F(OutstandingTest, what_has_nothing_to_wait_for_is_never_under_way) {
  Request request = queue.launch(std::make_shared<Pending>());
  EXPECT_TRUE(queue.is_empty());
  EXPECT_TRUE(request.test());
}

TEST_F(OutstandingTest, all_move_on_and_those_that_are_done_leave) {
  Request a = begin('a', {.looks = 3}), b = begin('b'), c = begin('c', {.looks = 2}), d = begin('d');
  EXPECT_TRUE(queue.advance_all());
  EXPECT_EQ(story, "bd");
  EXPECT_TRUE(queue.advance_all());
  EXPECT_EQ(story, "bdc");
  EXPECT_TRUE(queue.advance_all());
  EXPECT_EQ(story, "bdca");
  EXPECT_TRUE(queue.is_empty());
  EXPECT_FALSE(queue.advance_all());
}

TEST_F(OutstandingTest, one_is_waited_for_alone) {
  Request a = begin('a', {.looks = 5}), b = begin('b', {.looks = 5});
  b.wait();
  EXPECT_EQ(story, "b");
  EXPECT_FALSE(queue.is_empty());
  a.wait();
  EXPECT_EQ(story, "ba");
}

TEST_F(OutstandingTest, the_oldest_are_completed_where_there_are_too_many) {
  std::vector<Request> all;
  for (int i = 0; i < 64; ++i) all.push_back(begin(static_cast<char>('A' + i % 26), {.looks = 100}));
  EXPECT_EQ(story, "");
  Request one_more = begin('z', {.looks = 100});
  EXPECT_EQ(story, "A");
  Request two_more = begin('y', {.looks = 100});
  EXPECT_EQ(story, "AB");
  wait_all(all);
}

TEST_F(OutstandingTest, the_oldest_are_completed_where_they_keep_too_much_memory) {
  constexpr index_t megabyte = index_t{1} << 20;
  Request a = begin('a', {.looks = 9, .kept = 20 * megabyte}),
          b = begin('b', {.looks = 9, .kept = 12 * megabyte});
  EXPECT_EQ(story, "");
  Request c = begin('c', {.looks = 9, .kept = 1});
  EXPECT_EQ(story, "a");
  // A transfer that is too large by itself goes alone.
  Request d = begin('d', {.looks = 9, .kept = 100 * megabyte});
  EXPECT_EQ(story, "abc");
}

TEST_F(OutstandingTest, those_that_are_asked_for_are_completed_in_their_order) {
  const auto a = transfer('a', {.looks = 3}), b = transfer('b', {.looks = 3}), c = transfer('c', {.looks = 3});
  Request first = queue.launch(a), second = queue.launch(b), third = queue.launch(c);
  queue.complete_if([&](const Pending& one) { return &one == c.get() || &one == a.get(); });
  EXPECT_EQ(story, "ac");
  EXPECT_TRUE(a->is_done());
  EXPECT_FALSE(b->is_done());
  queue.complete_if([](const Pending&) { return true; });
  EXPECT_EQ(story, "acb");
}

TEST_F(OutstandingTest, one_that_fails_tells_it_once_and_leaves_the_others) {
  Request bad = begin('x', {.looks = 2, .fails = true}), good = begin('a', {.looks = 4});
  EXPECT_THROW(bad.wait(), std::runtime_error);
  EXPECT_NO_THROW(bad.wait());
  EXPECT_FALSE(queue.is_empty());
  good.wait();
  EXPECT_TRUE(queue.is_empty());
  EXPECT_EQ(story, "a");
}

TEST_F(OutstandingTest, an_attendant_waits_looks_after_what_does_not_move_by_itself_and_polls) {
  Attendant attendant;
  queue.attend(&attendant);
  Request a = begin('a', {.moves = false}, 7);
  EXPECT_EQ(attendant.looked_after, 0);
  EXPECT_FALSE(queue.has_moving());
  Request b = begin('b', {.looks = 3});
  EXPECT_EQ(attendant.looked_after, 1);
  EXPECT_TRUE(queue.has_moving());
  a.wait();
  b.wait();
  EXPECT_EQ(attendant.agents, (std::vector<int>{7, -1}));
  EXPECT_FALSE(queue.has_moving());
  Request c = begin('c', {.looks = 2});
  EXPECT_FALSE(c.test());
  EXPECT_EQ(attendant.polls, 1);
  c.wait();
  EXPECT_EQ(story, "abc");
}

// A transfer may have to wait for room. The wait advances all transfers, which must not advance it again.
TEST_F(OutstandingTest, a_transfer_that_moves_all_on_is_not_moved_on_by_itself) {
  class Nested : public Pending::Stage {
   public:
    explicit Nested(Outstanding& queue) : queue_(queue) {}
    bool advance() override {
      EXPECT_FALSE(std::exchange(inside_, true));
      queue_.advance_all();
      inside_ = false;
      return true;
    }

   private:
    Outstanding& queue_;
    bool inside_ = false;
  };
  auto nested = std::make_shared<Pending>();
  nested->add(std::make_unique<Nested>(queue));
  Request other = begin('a'), request = queue.launch(nested);
  request.wait();
  EXPECT_EQ(story, "a");
  EXPECT_TRUE(other.test());
}

TEST_F(OutstandingTest, what_is_abandoned_is_done) {
  Request a = begin('a', {.looks = 1000000});
  queue.abandon();
  EXPECT_TRUE(a.test());
  EXPECT_EQ(story, "");
}

TEST_F(OutstandingTest, requests_of_several_transfers_are_done_with_the_last) {
  Request all = begin('a', {.looks = 2});
  all += begin('b');
  all += Request();
  EXPECT_FALSE(all.test());
  EXPECT_EQ(story, "b");
  EXPECT_TRUE(all.test());
  EXPECT_EQ(story, "ba");
}

}  // namespace
