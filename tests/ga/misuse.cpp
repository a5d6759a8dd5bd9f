// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <array>
#include <functional>

#include <tessera/tessera.hpp>

// Each part alone must not compile (tests/tools/does-not-compile). Without them the file compiles.
namespace {

using namespace tessera;

struct Pair {
  double a, b;
};

[[maybe_unused]] void misuse(Array<double, 2>& a, const Array<double, 2>& constant, Array<float, 2>& floats,
                             Array<double, 3>& cube, Array<Pair, 1>& pairs, View<double, 2> view) {
  auto reading = read_only(a);
  auto adding = accumulate_only(a);
  auto writing = disjoint_writes(a);
  reading.get(Patch<2>(), view);
  adding.acc(Patch<2>(), view);
  writing.put(Patch<2>(), view);
  // One value for all dimensions, or one for each.
  static_assert(ArrayOptions<3>{.ghosts = 2}.ghosts == ArrayOptions<3>{.ghosts = {2, 2, 2}}.ghosts);
  static_assert(ArrayOptions<3>{.periodic = true}.periodic[2] &&
                !ArrayOptions<1>{.periodic = {false}}.periodic[0]);
  Layout<1>::blocked({4}, 1).with_ghosts({1});
  Layout<2>::blocked({4, 4}, 1).with_ghosts(Extents<2>(1, 2));
  permute(cube, {1, 2, 0}, cube);
#if MISUSE == 1  // has no member named 'put'
  reading.put(Patch<2>(), view);
#elif MISUSE == 2   // has no member named 'acc'
  reading.acc(Patch<2>(), view);
#elif MISUSE == 3   // has no member named 'get'
  adding.get(Patch<2>(), view);
#elif MISUSE == 4   // has no member named 'store'
  adding.store({0, 0}, 1.0);
#elif MISUSE == 5   // has no member named 'acc'
  writing.acc(Patch<2>(), view);
#elif MISUSE == 6   // no matching function for call to 'accumulate_only
  accumulate_only(pairs);
#elif MISUSE == 7   // use of deleted function
  auto other = reading;
#elif MISUSE == 8   // no matching function for call to 'fill
  fill(constant, 1.0);
#elif MISUSE == 9   // no matching function
  constant.slice().put(view);
#elif MISUSE == 10  // no matching function for call to 'axpby
  axpby(1.0, a, 1.0, floats);
#elif MISUSE == 11  // no matching function
  pairs.acc(Patch<1>(), View<Pair, 1>());
#elif MISUSE == 12  // no matching function for call to 'copy
  copy(cube, a);
#elif MISUSE == 13  // no matching function
  cube.slice().transposed();
#elif MISUSE == 14  // no matching function for call to 'min_element
  min_element(pairs);
#elif MISUSE == 15  // use of deleted function
  Array<double, 2> second = a;
#elif MISUSE == 16  // constraint
  Array<Array<double, 1>, 1>* nested = nullptr;
  (void)sizeof(*nested);
#elif MISUSE == 17  // could not convert
  (void)ArrayOptions<3>{.ghosts = {1, 1}};
#elif MISUSE == 18  // explicit constructor
  (void)ArrayOptions<3>{.periodic = {true}};
#elif MISUSE == 19  // could not convert
  (void)ArrayOptions<2>{.ghosts = {1, 1, 1}};
#elif MISUSE == 20  // could not convert
  (void)ArrayOptions<2>{.periodic = {1, 1}};
#elif MISUSE == 21  // cannot convert
  Layout<3>::blocked({4, 4, 4}, 1).with_ghosts({1, 1});
#elif MISUSE == 22  // cannot convert
  cube.slice().permuted({1, 0});
#elif MISUSE == 23  // invalid initialization
  permute(cube, {2, 0}, cube);
#elif MISUSE == 24  // no match for call
  transform(a, [](double) {});
#elif MISUSE == 25  // no match for call
  transform(a, [](double&& x) { return x; });
#elif MISUSE == 26  // use of deleted function
  (void)ArrayOptions<3>{.ghosts = 1.5};
#elif MISUSE == 27  // use of deleted function
  (void)ArrayOptions<3>{.periodic = 1};
#elif MISUSE == 28  // begin with 0.0 instead of 0
  (void)reduce(a, 0, std::plus<>());
#elif MISUSE == 29  // begin with 0.0 instead of 0
  (void)tessera::transform_reduce(a, 0, std::plus<>(), [](double x) { return x; });
#endif
  (void)constant, (void)floats, (void)cube, (void)pairs;
}

}  // namespace
