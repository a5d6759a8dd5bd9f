// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Operations on each element of arrays, against plain loops over the same memory.
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include <tessera/array.hpp>
#include <tessera/elementwise.hpp>
#include <tessera/reductions.hpp>

#include "loops.hpp"
#include "sections.hpp"

namespace tessera::benchmark::arrays {
namespace {

constexpr const char* section = "elementwise: on this much of an array at each rank";

// Four arrays of the same layout, and this rank's part of each.
struct Arrays {
  Array<double, 1> x, y, z, w;
  std::array<std::span<double>, 4> local;

  Arrays(const Group& world, index_t count)
      : x(world, Extents<1>(count * world.size()), {.name = "x"}),
        y(x.duplicate("y")),
        z(x.duplicate("z")),
        w(x.duplicate("w")) {
    std::size_t next = 0;
    for (Array<double, 1>* array : {&x, &y, &z, &w}) {
      const auto part = array->local();
      local[next++] = {part.data(), static_cast<std::size_t>(part.size())};
    }
  }
  // Values that stay about the same, however often they are operated on.
  void reset() {
    for (std::size_t k = 0; k < local.size(); ++k) {
      for (std::size_t i = 0; i < local[k].size(); ++i)
        local[k][i] = 0.25 + 0.125 * static_cast<double>((i + k) % 5);
    }
    x.sync();
  }
  void close() {
    for (Array<double, 1>* array : {&w, &z, &y, &x}) array->close();
  }
};

struct Operation {
  std::string name;
  int operands;                 // arrays that are read, plus arrays that are written
  std::function<double()> own;  // returns the result, or 0
  std::function<double()> loop;
};

bool close_to(double a, double b) { return std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b)); }

// Checks our operation on all ranks against the loop on each: the elements, and the sum of the loops' results.
void check(const Group& world, Arrays& arrays, const Operation& operation, bool squared) {
  arrays.reset();
  const double result = operation.own();
  std::array<std::vector<double>, 4> ours;
  for (std::size_t k = 0; k < ours.size(); ++k) ours[k].assign(arrays.local[k].begin(), arrays.local[k].end());
  world.barrier();
  arrays.reset();
  double expected = world.all_reduce(operation.loop(), Reduce::sum);
  if (squared) expected = std::sqrt(expected);
  bool right = close_to(result, expected);
  for (std::size_t k = 0; k < ours.size(); ++k)
    right = right && std::ranges::equal(ours[k], arrays.local[k], close_to);
  require_everywhere(world, right, operation.name);
}

void measure(Session& session, index_t bytes) {
  const Group& world = session.world();
  const index_t count = bytes / element;
  Arrays a(world, count);
  double *const x = a.local[0].data(), *const y = a.local[1].data(), *const z = a.local[2].data(),
                *const w = a.local[3].data();
  const auto with = [](auto call) {
    return [call] {
      call();
      return 0.0;
    };
  };
  const auto one = [](double u) { return 1.0 - u; };
  const auto two = [](double u, double v) { return 0.5 * u + v; };
  const auto three = [](double u, double v, double t) { return u * v + t; };
  const Operation operations[] = {
      {"fill", 1, with([&] { fill(a.x, 0.5); }), with([=] { loops::fill(x, 0.5, count); })},
      {"scale", 2, with([&] { scale(a.x, -1.0); }), with([=] { loops::scale(x, -1.0, count); })},
      {"axpby", 3, with([&] { axpby(0.5, a.x, 0.5, a.y); }),
       with([=] { loops::axpby(0.5, x, 0.5, y, count); })},
      {"multiply", 3, with([&] { multiply(a.x, a.y, a.z); }), with([=] { loops::multiply(x, y, z, count); })},
      {"transform in place", 2, with([&] { transform(a.x, one); }), with([=] { loops::flip(x, count); })},
      {"transform of one to another", 2, with([&] { transform(a.x, a.y, one); }),
       with([=] { loops::flip(x, y, count); })},
      {"transform of two to a third", 3, with([&] { transform(a.x, a.y, a.z, two); }),
       with([=] { loops::combine(x, y, z, count); })},
      {"transform of three to a fourth", 4, with([&] { transform(a.x, a.y, a.z, a.w, three); }),
       with([=] { loops::combine(x, y, z, w, count); })},
      {"dot", 2, [&] { return dot(a.x, a.y); }, [=] { return loops::dot(x, y, count); }},
      {"norm2", 1, [&] { return norm2(a.x); }, [=] { return loops::dot(x, x, count); }},
  };
  const Others others = waiting(world);
  for (const Operation& operation : operations) {
    check(world, a, operation, operation.name == "norm2");
    double result = 0.0;
    session.compare({.section = section,
                     .name = operation.name + ", " + format_bytes(bytes),
                     .routine = repeat([&] { result = operation.own(), keep(&result); }),
                     .bytes = static_cast<double>(operation.operands * bytes * world.size()),
                     .clock = Clock::joint,
                     .others = others},
                    {{"a plain loop", repeat([&] { result = operation.loop(), keep(&result); }),
                      Target{Goal::at_least, 0.9}}});
  }
  a.close();
}

}  // namespace

void elementwise(Session& session, const Place&) {
  if (!session.wants(section)) return;
  std::vector<index_t> sizes{8 * mib, 64 * mib, 256 * mib};
  if (session.is_quick()) sizes = {mib};
  for (const index_t bytes : sizes) measure(session, bytes);
}

}  // namespace tessera::benchmark::arrays
