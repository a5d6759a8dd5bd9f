// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <chrono>
#include <cstdint>

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "agents/rest.hpp"

namespace {

using namespace std::chrono_literals;
using tessera::detail::Doorbell;
using tessera::detail::EventSets;
using tessera::detail::Rest;

// An epoll set like MPI's, and an event in it.
class Set {
 public:
  Set() {
    epoll_event what{};
    what.events = EPOLLIN;
    EXPECT_EQ(epoll_ctl(set_, EPOLL_CTL_ADD, event_, &what), 0);
  }
  ~Set() {
    close(set_);
    close(event_);
  }
  int descriptor() const { return set_; }
  int event() const { return event_; }
  void signal() const { EXPECT_EQ(eventfd_write(event_, 1), 0); }
  void clear() const {
    eventfd_t count;
    EXPECT_EQ(eventfd_read(event_, &count), 0);
  }

 private:
  int set_ = epoll_create1(EPOLL_CLOEXEC), event_ = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
};

template <class F>
auto time_of(F&& f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::steady_clock::now() - begin;
}

TEST(EventSets, are_the_epoll_sets_of_the_process) {
  const Set set;
  const EventSets sets;
  EXPECT_EQ(std::ranges::count(sets.descriptors(), set.descriptor()), 1);
  EXPECT_EQ(std::ranges::count(sets.descriptors(), set.event()), 0);
}

// Here only lower bounds of times can be relied on.
TEST(Rest, sleeps_through_when_events_have_come_and_no_longer_when_one_has_not) {
  constexpr auto trust = 1ms;
  const Set set;
  Doorbell bell;
  Rest rest(bell, true);
  set.signal();
  rest.nap();
  rest.worked();
  EXPECT_FALSE(rest.lingers(true)) << "the core is needed, and an event would come";
  set.clear();
  EXPECT_GE(time_of([&] { rest.nap(); }), trust);
  rest.worked();  // without an event, after the long sleep
  auto shortest = trust + 0ns;
  for (int tries = 0; tries < 1000 && shortest >= trust; ++tries) {
    rest.worked();
    shortest = std::min<std::chrono::nanoseconds>(shortest, time_of([&] { rest.nap(); }));
  }
  EXPECT_LT(shortest, trust);
}

TEST(Rest, is_a_rest_although_a_set_stays_readable) {
  const Set set;
  set.signal();
  Doorbell bell;
  Rest rest(bell, true);
  rest.nap();
  rest.worked();  // it is trusted from now on
  // Every fifth nap at least sleeps: 10, 20, 40, 80, 160, then 200 us.
  EXPECT_GE(time_of([&] {
              for (int i = 0; i < 100; ++i) rest.nap();
            }),
            3ms);
}

TEST(Rest, lingers_after_work_where_cores_suffice) {
  Doorbell bell;
  Rest crowded(bell, true);
  EXPECT_FALSE(crowded.lingers(false));
  bool lingered = false;
  for (int tries = 0; tries < 1000 && !lingered; ++tries) {
    Rest rest(bell, false);
    rest.worked();
    lingered = rest.lingers(false);
  }
  EXPECT_TRUE(lingered);
}

}  // namespace
