// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// probe N: prints how this process was started, and checks that there are N processes that reach one another.
#include <cstdlib>
#include <iostream>
#include <sstream>

#include <tessera/tessera.hpp>

namespace {

void require(bool condition, const char* what) {
  if (!condition) throw tessera::Error(std::string("a started program does not work: ") + what);
}

void check_communication(const tessera::Group& world) {
  const int me = world.rank(), size = world.size(), next = (me + 1) % size;
  tessera::Array<double, 1> a(world, tessera::Extents<1>(size), {.name = "probe"});
  tessera::LocalArray<double, 1> sent(tessera::Extents<1>(1)), received(tessera::Extents<1>(1));
  sent(0) = 100.0 + me;
  a.put({{next}, {next + 1}}, sent);
  a.sync();
  a.get({{me}, {me + 1}}, received);
  require(received(0) == 100.0 + (me + size - 1) % size, "get does not return what the neighbour has put");
  const int sum = world.all_reduce(me + 1, tessera::Reduce::sum);
  require(sum == size * (size + 1) / 2, "all_reduce does not sum over all ranks");
}

}  // namespace

int main(int argc, char** argv) {
  tessera::Runtime runtime(argc, argv);
  const tessera::Group& world = runtime.world();
  const int expected = argc == 2 ? std::atoi(argv[1]) : 1;
  std::ostringstream line;
  line << "rank " << world.rank() << " of " << world.size() << ", node " << world.node_of(world.rank())
       << " of " << world.node_count() << " (" << world.host() << "), threads "
       << to_string(runtime.thread_level()) << '\n';
  std::cout << line.str() << std::flush;
  if (world.size() != expected) {
    std::cerr << "there should be " << expected
              << " ranks: the launcher and the MPI library do not know each other\n";
    return 1;
  }
  check_communication(world);
  if (world.rank() == 0) std::cout << "all " << world.size() << " ranks reach one another\n";
  return 0;
}
