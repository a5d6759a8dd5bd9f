// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "fuzz.hpp"
#include "hdf5_readers.hpp"
#include "hdf5_recipe.hpp"

namespace {

using tessera::fuzz::Hdf5World;

void make_and_use(const std::uint8_t* data, std::size_t size, unsigned use, unsigned way) {
  auto& world = Hdf5World::instance();
  std::filesystem::remove(world.path());
  tessera::fuzz::Recipe recipe(data, size);
  tessera::fuzz::make_hdf5_file(recipe, world.path(), world.directory(), world.originals());
  world.use_file(Hdf5World::Use{use}, way);
}

}  // namespace

// An input is a recipe for a file that HDF5 writes. So the file is sound, and what it has is odd. Its last
// byte, far from what makes the file, says what is done with it. A replay does all there is.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr auto& ways = Hdf5World::ways;
#ifdef TESSERA_FUZZ_REPLAY
  for (unsigned use = 0; use < ways.size(); ++use) {
    for (unsigned way = 0; way < ways[use]; ++way) make_and_use(data, size, use, way);
  }
#else
  const unsigned last = size > 0 ? data[size - 1] : 0, use = last % ways.size();
  make_and_use(data, size, use, last / ways.size() % ways[use]);
#endif
  return 0;
}
