// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cstdio>
#include <cstring>
#include <fstream>

#include "fuzz.hpp"
#include "hdf5_alone.hpp"
#include "hdf5_readers.hpp"

// Only sanitizers have it. libFuzzer would write a file about a crash of the process that tries HDF5 alone.
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

// An input says where bytes of a file are changed:
//   one byte: which file
//   then for each change three bytes: the place, in two bytes, and the new value
// HDF5 1.10 itself crashes over some damage, or never ends. Such a file is left out, after a process of its own
// has shown it.
namespace {

void be_quiet() {
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(nullptr);
  static_cast<void>(std::freopen("/dev/null", "w", stderr));
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto& world = tessera::fuzz::Hdf5World::instance();
  if (size == 0) return 0;
  std::string bytes = world.originals()[data[0] % world.originals().size()];
  for (std::size_t i = 1; i + 2 < size; i += 3)
    bytes[(256U * data[i] + data[i + 1]) % bytes.size()] = static_cast<char>(data[i + 2]);
  const auto write = [&] {
    std::ofstream(world.path(), std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  };
  write();
  if (!tessera::test::survives(world.path(), true, be_quiet)) return 0;
  write();
  world.use_file(data[size - 1]);
  return 0;
}
