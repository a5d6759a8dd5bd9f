// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <span>
#include <string_view>

#include <mpi.h>

#include <tessera/tessera.hpp>

// Small programs, right and wrong ones, for the checker of conflicts. Each has a function of its own, which is
// the call site in a report. Ranks that a case does not name only take part in its collective calls.
namespace cases {

using namespace tessera;

using Line = Array<double, 1>;
using Plane = Array<double, 2>;

/// What each case has, made anew: arrays with the name of the case.
struct Stage {
  const Group& world;
  int rank;
  Line& line;  // 16 elements on each rank
  MPI_Comm comm;
};

enum class Verdict {
  right,
  wrong,
  unknown  // an order may be there that no checker can see
};

struct Case {
  std::string_view name;
  Verdict verdict;
  int ranks;  // the least number of ranks
  void (*run)(Stage&);
  // Of a wrong case: the two accesses, as the report names them.
  std::string_view first = {}, second = {};
};

constexpr index_t per_rank = 16;

// Inline even without optimisation, so that each case is a call site of its own.
#define CASE_INLINE [[gnu::always_inline]] inline

CASE_INLINE void put(Line& line, index_t lo, index_t hi) {
  const LocalArray<double, 1> values(Extents<1>{hi - lo});
  line.put({{lo}, {hi}}, values);
}
CASE_INLINE void get(const Line& line, index_t lo, index_t hi) {
  LocalArray<double, 1> values(Extents<1>{hi - lo});
  line.get({{lo}, {hi}}, values);
}
CASE_INLINE void acc(Line& line, index_t lo, index_t hi) {
  const LocalArray<double, 1> values(Extents<1>{hi - lo});
  line.acc({{lo}, {hi}}, values);
}
CASE_INLINE void put(Plane& plane, const Patch<2>& patch) {
  const LocalArray<double, 2> values(patch.extents());
  plane.put(patch, values);
}
CASE_INLINE void get(const Plane& plane, const Patch<2>& patch) {
  LocalArray<double, 2> values(patch.extents());
  plane.get(patch, values);
}
CASE_INLINE void write_own(Line& line) {
  auto mine = line.local();
  for (index_t i = 0; i < mine.size(); ++i) mine.data()[i] = 2.0;
}
CASE_INLINE double read_own(const Line& line) {
  const auto mine = line.local();
  return mine.data()[0];
}

/// A message without data, from one rank to another.
CASE_INLINE void send(const Stage& at, int to, int tag = 0) { MPI_Send(nullptr, 0, MPI_INT, to, tag, at.comm); }
CASE_INLINE void receive(const Stage& at, int from, int tag = 0) {
  MPI_Recv(nullptr, 0, MPI_INT, from, tag, at.comm, MPI_STATUS_IGNORE);
}

// The cases by topic.
std::span<const Case> accumulates();
std::span<const Case> batches();
std::span<const Case> buffers();
std::span<const Case> chains();
std::span<const Case> collective_calls();
std::span<const Case> epochs();
std::span<const Case> flags();
std::span<const Case> ghosts();
std::span<const Case> groups();
std::span<const Case> local_accesses();
std::span<const Case> messages();
std::span<const Case> mutexes();
std::span<const Case> nonblocking();
std::span<const Case> patches();
std::span<const Case> puts_and_gets();
std::span<const Case> unsynchronised();

}  // namespace cases
