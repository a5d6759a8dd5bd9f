// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "fuzz.hpp"
#include "hdf5_readers.hpp"
#include "hdf5_recipe.hpp"

// An input is a recipe for a file that HDF5 writes. So the file is sound, and what it has is odd.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto& world = tessera::fuzz::Hdf5World::instance();
  std::filesystem::remove(world.path());
  tessera::fuzz::Recipe recipe(data, size);
  tessera::fuzz::make_hdf5_file(recipe, world.path(), world.directory(), world.originals());
  world.use_file(size > 0 ? data[size - 1] : 0);  // far from what makes the file
  return 0;
}
