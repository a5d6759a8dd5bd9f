// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "mpi/mpi_process.hpp"

#include <algorithm>
#include <vector>

#include "mpi/mpi.hpp"

namespace tessera::detail::mpi {
namespace {

// Two libraries of one program may have a Runtime each.
class All : public Idle {
 public:
  std::vector<Idle*> list;
  void begin() noexcept override {
    for (Idle* one : list) one->begin();
  }
  void serve() override {
    for (Idle* one : list) one->serve();
  }
  void end() noexcept override {
    for (Idle* one : list) one->end();
  }
  bool is_needed() const noexcept override {
    return std::any_of(list.begin(), list.end(), [](const Idle* one) { return one->is_needed(); });
  }
} all;
Idle* idle = nullptr;  // null where there is none

void choose_idle() noexcept {
  idle = all.list.empty() ? nullptr : all.list.size() == 1 ? all.list.front() : &all;
}

}  // namespace

std::recursive_mutex& mutex() noexcept {
  static std::recursive_mutex the_one;
  return the_one;
}

bool is_serving() noexcept { return idle != nullptr; }

void while_waiting_serve(Idle& one) {
  all.list.push_back(&one);
  choose_idle();
}

void serve_no_more(Idle& one) noexcept {
  std::erase(all.list, &one);
  choose_idle();
}

void serve_others(const Idle& than) {
  if (idle != &all) return;
  for (Idle* one : all.list) {
    if (one != &than && one->is_needed()) one->serve();
  }
}

bool has_to_serve() noexcept { return idle != nullptr && idle->is_needed(); }
void wait_turn(MPI_Comm comm) { has_to_serve() ? idle->serve() : progress(comm); }

Serving::Serving() : all_(*idle) { all_.begin(); }
Serving::~Serving() { all_.end(); }

}  // namespace tessera::detail::mpi
