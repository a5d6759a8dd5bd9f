// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Both ranks put into each other's memory and wait for each other's notification, as in a halo exchange.
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <mpi.h>

#include <tessera/runtime/flags.hpp>

#include "compute.hpp"
#include "mpi_peer.hpp"
#include "sections.hpp"
#include "transfers.hpp"

namespace tessera::benchmark::network {
namespace {

using mpi_peer::check;

constexpr const char* section = "exchange: put_notify of both ranks at once";

class Exchange {
 public:
  Exchange(const Group& world, index_t bytes)
      : world_(world),
        bytes_(bytes),
        landing_(world, bytes, "landing place"),
        flags_(world, 1, "data that has come"),
        sent_(static_cast<std::size_t>(bytes), static_cast<std::byte>(1 + world.rank())),
        received_(sent_.size()) {}

  template <class Meanwhile>
  void by_notification(Meanwhile&& meanwhile) {
    put_notify(landing_, other(), 0, Strided::contiguous(bytes_), sent_.data(), flags_.at(other(), 0));
    meanwhile();
    flags_.wait(0);
  }
  template <class Meanwhile>
  void by_messages(Meanwhile&& meanwhile) {
    constexpr int tag = 3;
    MPI_Request requests[2];
    const int count = static_cast<int>(bytes_);
    check(MPI_Irecv(received_.data(), count, MPI_BYTE, other(), tag, world_.mpi_comm(), &requests[0]),
          "MPI_Irecv");
    check(MPI_Isend(sent_.data(), count, MPI_BYTE, other(), tag, world_.mpi_comm(), &requests[1]), "MPI_Isend");
    meanwhile();
    check(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), "MPI_Waitall");
  }
  void require_right() {
    by_notification([] {});
    by_messages([] {});
    const auto expected = static_cast<std::byte>(1 + other());
    const auto is_right = [expected](std::byte value) { return value == expected; };
    const std::byte* const landed = landing_.address(world_.rank());
    require_everywhere(
        world_, std::all_of(landed, landed + bytes_, is_right) && std::ranges::all_of(received_, is_right),
        std::string(section) + ": wrong bytes");
    world_.barrier();
  }

 private:
  int other() const { return 1 - world_.rank(); }

  const Group& world_;
  index_t bytes_;
  Segment landing_;
  Flags flags_;
  std::vector<std::byte> sent_, received_;
};

// What the ranks do beside an exchange. Each time is longer than an agent takes its process for one that waits.
struct Work {
  const char* name;
  double before, meanwhile;  // seconds
};
constexpr Work works[] = {{"", 0, 0},
                          {", both compute 300 us before", 300e-6, 0},
                          {", both compute 1 ms between put and wait", 0, 1e-3}};

struct Steps {
  index_t before, meanwhile;
};

// The seconds that an exchange takes besides the computations, by the rank for which it takes longest.
template <class F>
double seconds(const Group& world, const Steps& steps, index_t count, F&& exchange) {
  world.barrier();
  double inside = 0;
  for (index_t i = 0; i < count; ++i) {
    compute(steps.before);
    const double begin = now();
    double computed = 0;
    exchange([&] {
      const double start = now();
      compute(steps.meanwhile);
      computed = now() - start;
    });
    inside += now() - begin - computed;
  }
  return world.all_reduce(inside / static_cast<double>(count), Reduce::max);
}

}  // namespace

// By hand, as a comparison cannot leave out the computation in between.
void exchange(Session& session, Ends& ends) {
  if (!session.wants(section)) return;
  const Group& world = ends.world();
  const bool quick = session.is_quick();
  for (const index_t bytes : {index_t{256}, 4 * kib, 64 * kib, 128 * kib, 256 * kib, mib}) {
    Exchange both(world, bytes);
    both.require_right();
    for (const Work& work : works) {
      const Steps steps{steps_of(work.before), steps_of(work.meanwhile)};
      const index_t count = quick ? 3 : 50;
      const auto own = [&] {
        return seconds(world, steps, count, [&](const auto& meanwhile) { both.by_notification(meanwhile); });
      };
      const auto by_hand = [&] {
        return seconds(world, steps, count, [&](const auto& meanwhile) { both.by_messages(meanwhile); });
      };
      std::vector<double> owns, hands;
      for (int pair = 0; pair < (quick ? 4 : 62); ++pair) {
        if (pair % 2 == 0) owns.push_back(own());
        hands.push_back(by_hand());
        if (pair % 2 != 0) owns.push_back(own());
      }
      std::vector<double> controls = neighbour_ratios(owns);
      for (const double ratio : neighbour_ratios(hands)) controls.push_back(ratio);
      session.add({.section = section,
                   .name = format_bytes(bytes) + work.name,
                   .reference = "MPI_Irecv, MPI_Isend, MPI_Waitall",
                   .measured = {.time = median_estimate(owns),
                                .reference = median_estimate(hands),
                                .ratio = median_estimate(quotients(hands, owns)),
                                .control = median_estimate(controls)},
                   .bytes = static_cast<double>(bytes),
                   .target = Target{Goal::at_least, 0.95}});
    }
  }
}

}  // namespace tessera::benchmark::network
