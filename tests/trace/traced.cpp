// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
// A program whose operations check_trace.py counts by its own formulas. The arguments are what it does, and a
// number of operations or seconds.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <tessera/runtime/phase.hpp>
#include <tessera/runtime/runtime.hpp>
#include <tessera/runtime/scalars.hpp>
#include <tessera/runtime/segment.hpp>

namespace {

using tessera::index_t;
using tessera::Phase;
using tessera::Segment;
using tessera::Strided;

// Quotes, a tag, a newline, a control character, UTF-8, and a byte that is not UTF-8.
constexpr std::string_view odd_name = "a\"b'</script><script>alert(1)</script>\n\x01\\\xc3\xa4\xff";

void nap(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

// Rank s makes (s + 1) (t + 2) puts, s + 2 gets and t + 1 accumulates to rank t, of 8 (t + 1) bytes each, and
// one atomic operation.
void operate(Segment& a, Segment& odd, double* values) {
  const int size = a.group().size(), s = a.group().rank();
  const double one = 1.0;
  for (int t = 0; t < size; ++t) {
    const Strided shape = Strided::contiguous(8 * (t + 1));
    for (int i = 0; i < (s + 1) * (t + 2); ++i) a.put(t, 0, shape, values);
    for (int i = 0; i < s + 2; ++i) odd.get(t, 0, shape, values);
    for (int i = 0; i < t + 1; ++i)
      odd.accumulate(t, 8 * size, shape, tessera::ElementKind::float64, &one, values);
    const std::int64_t more = 1;
    std::int64_t old = 0;
    a.fetch_op(t, 8 * size, tessera::ElementKind::int64, tessera::Update::sum, &more, &old);
  }
}

void counts(const tessera::Runtime& runtime) {
  const tessera::Group& world = runtime.world();
  std::vector<double> values(static_cast<std::size_t>(world.size()), 0.5);
  Segment a(world, 16 * world.size(), {.name = "a"});
  {
    Segment odd(world, 16 * world.size(), {.name = std::string(odd_name)});
    a.sync();
    {
      const Phase outer(runtime, "outer");
      nap(30);
      const Phase inner(world, odd_name);
      operate(a, odd, values.data());
      nap(20);
    }
    // In poll mode operations of others need this rank. Rank 0 comes last to the sync.
    world.barrier();
    if (world.rank() == 0) nap(200);
    a.sync();
    odd.close();
  }
  // A segment of the same name.
  Segment again(world, 64, {.name = "again"}), second(world, 64, {.name = "again"});
  again.sync();
  again.put(0, 0, Strided::contiguous(8), values.data());
  second.put(0, 0, Strided::contiguous(8), values.data());
  second.sync();
}

void many(const tessera::Runtime& runtime, int operations) {
  const tessera::Group& world = runtime.world();
  Segment a(world, 64, {.name = "a"});
  a.sync();
  const double value = 1.0;
  const auto begin = std::chrono::steady_clock::now();
  if (world.rank() == 0) {
    for (int i = 0; i < operations; ++i) {
      const Phase phase(world, "step");
      a.put(world.size() - 1, 0, Strided::contiguous(8), &value);
    }
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  a.sync();
  if (world.rank() == 0) std::printf("%.1f ns for each phase with a put\n", 1e9 * seconds.count() / operations);
}

}  // namespace

int main(int argc, char** argv) {
  const tessera::Runtime runtime(argc, argv);
  const std::string_view what = argc > 1 ? argv[1] : "counts";
  const int number = argc > 2 ? std::atoi(argv[2]) : 0;
  if (what == "many") {
    many(runtime, number);
  } else {
    counts(runtime);
    nap(1000 * number);
  }
  runtime.world().sync();
  if (runtime.world().rank() == 0) std::puts("the result");
}
