// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/runtime/flags.hpp>

#include "cases.hpp"

// Notifications.
namespace cases {
namespace {

LocalArray<double, 1> eight() { return LocalArray<double, 1>(Extents<1>{8}); }

// Both steps by hand.
void flush_notify_wait(Stage& at) {
  Flags flags(at.world, 1);
  if (at.rank == 0) put(at.line, 0, 8), at.line.flush(), flags.notify(1, 0);
  if (at.rank == 1) flags.wait(0), get(at.line, 0, 8);
}

// A notification completes no earlier put.
void notify_without_flush(Stage& at) {
  Flags flags(at.world, 1);
  if (at.rank == 0) put(at.line, 0, 8), flags.notify(1, 0);
  if (at.rank == 1) flags.wait(0), get(at.line, 0, 8);
}

// The flag does both steps.
void put_notify(Stage& at) {
  Flags flags(at.world, 1);
  if (at.rank == 0) at.line.put_notify({{0}, {8}}, eight(), flags.at(1, 0));
  if (at.rank == 1) flags.wait(0), get(at.line, 0, 8);
}

// The notification is for the second put only.
void put_notify_of_other_data(Stage& at) {
  Flags flags(at.world, 1);
  if (at.rank == 0) put(at.line, 0, 4), at.line.put_notify({{8}, {16}}, eight(), flags.at(1, 0));
  if (at.rank == 1) flags.wait(0), get(at.line, 0, 8);
}

// The same, where the second put goes to two ranks.
void put_notify_on_two_ranks_of_other_data(Stage& at) {
  Flags flags(at.world, 1);
  if (at.rank == 0) put(at.line, 16, 20), at.line.put_notify({{28}, {36}}, eight(), flags.at(1, 0));
  if (at.rank == 1) flags.wait(0), get(at.line, 16, 20);
}

// Flag 1 was raised before the put.
void wait_for_another_flag(Stage& at) {
  Flags flags(at.world, 2);
  if (at.rank == 0) flags.notify(1, 1), put(at.line, 0, 8), at.line.flush(), flags.notify(1, 0);
  if (at.rank == 1) flags.wait(1), get(at.line, 0, 8), flags.wait(0);
}

// The second put may come while rank 1 reads the first.
void put_notify_again_without_answer(Stage& at) {
  Flags flags(at.world, 1);
  if (at.rank == 0) {
    at.line.put_notify({{0}, {8}}, eight(), flags.at(1, 0));
    at.line.put_notify({{0}, {8}}, eight(), flags.at(1, 0));
  }
  if (at.rank == 1) flags.wait(0), get(at.line, 0, 8), flags.wait(0);
}

// Rank 1 says that it has read.
void put_notify_again_with_answer(Stage& at) {
  Flags flags(at.world, 2);
  if (at.rank == 0) {
    at.line.put_notify({{0}, {8}}, eight(), flags.at(1, 0));
    flags.wait(1);
    at.line.put_notify({{0}, {8}}, eight(), flags.at(1, 0));
  }
  if (at.rank == 1) flags.wait(0), get(at.line, 0, 8), flags.notify(0, 1), flags.wait(0), get(at.line, 0, 8);
}

// Rank 0 waits for as many as there are other ranks.
void notifications_of_all(Stage& at) {
  Flags flags(at.world, 1);
  const index_t mine = at.rank * per_rank;
  if (at.rank != 0) put(at.line, mine, mine + 8), at.line.flush(), flags.notify(0, 0);
  if (at.rank == 0) flags.wait(0, at.world.size() - 1), get(at.line, 0, at.world.size() * per_rank);
}

// Only the receiver of the notification knows that the data is there.
void put_notify_and_barrier(Stage& at) {
  Flags flags(at.world, 1);
  if (at.rank == 0) at.line.put_notify({{0}, {8}}, eight(), flags.at(1, 0));
  at.world.barrier();
  if (at.rank == 2) get(at.line, 0, 8);
  if (at.rank == 1) flags.wait(0);
}

// So does whoever hears of it from the receiver,
void put_notify_passed_on(Stage& at) {
  Flags flags(at.world, 1);
  if (at.rank == 0) at.line.put_notify({{0}, {8}}, eight(), flags.at(1, 0));
  if (at.rank == 1) flags.wait(0), send(at, 2);
  if (at.rank == 2) receive(at, 1), get(at.line, 0, 8);
}

// but not from the rank that has put it.
void put_notify_and_notify(Stage& at) {
  Flags flags(at.world, 1);
  if (at.rank == 0) at.line.put_notify({{0}, {8}}, eight(), flags.at(1, 0)), flags.notify(2, 0);
  if (at.rank == 1) flags.wait(0);
  if (at.rank == 2) flags.wait(0), get(at.line, 0, 8);
}

}  // namespace

std::span<const Case> flags() {
  static constexpr Case all[] = {
      {"flush-notify-wait", Verdict::right, 2, flush_notify_wait},
      {"notify-without-flush", Verdict::wrong, 2, notify_without_flush, "put by rank 0", "get by rank 1"},
      {"put-notify", Verdict::right, 2, put_notify},
      {"put-notify-of-other-data", Verdict::wrong, 2, put_notify_of_other_data, "put by rank 0",
       "get by rank 1"},
      {"put-notify-on-two-ranks-of-other-data", Verdict::wrong, 3, put_notify_on_two_ranks_of_other_data,
       "put by rank 0", "get by rank 1"},
      {"wait-for-another-flag", Verdict::wrong, 2, wait_for_another_flag, "put by rank 0", "get by rank 1"},
      {"put-notify-again-without-answer", Verdict::wrong, 2, put_notify_again_without_answer, "put by rank 0",
       "get by rank 1"},
      {"put-notify-again-with-answer", Verdict::right, 2, put_notify_again_with_answer},
      {"notifications-of-all", Verdict::right, 2, notifications_of_all},
      {"put-notify-and-barrier", Verdict::wrong, 3, put_notify_and_barrier, "put by rank 0", "get by rank 2"},
      {"put-notify-passed-on", Verdict::right, 3, put_notify_passed_on},
      {"put-notify-and-notify", Verdict::wrong, 3, put_notify_and_notify, "put by rank 0", "get by rank 2"},
  };
  return all;
}

}  // namespace cases
