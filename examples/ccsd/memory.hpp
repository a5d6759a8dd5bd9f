// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include <tessera/tessera.hpp>

namespace ccsd {

enum class Method : std::uint8_t { mp2, ccsd, ccsd_t };

/// The bytes of tensors and tiles on all ranks together: the most that are there at the same time in each part
/// of a calculation. If a rank has more virtual orbitals than another, all count as if they had as many.
struct Memory {
  double transformation, amplitudes, triples;
  /// What the transformation may take for parts of tensors that are in files: no more than amplitudes take
  /// later.
  double part;
  /// The bytes of files.
  double files = 0;
  double most() const;
};

/// A number of bytes with a unit that suits it. @local
std::string size_text(double bytes);

/// What a calculation is for.
struct Size {
  Method method;
  tessera::index_t functions, occupied, virtuals;
  int ranks;
  int diis;         // iterations that are combined
  bool on_disk;     // the largest tensors are in files
  bool checkpoint;  // which copies the amplitudes
};

/// @local
Memory memory_of(const Size& size);

/// Says what is missing if the ranks have not so many bytes, with advice; empty if they have. The same on every
/// rank. @collective
std::string what_is_missing(const tessera::Runtime& runtime, const Memory& memory, const std::string& advice);
/// The same for files in a directory. @collective
std::string what_is_missing(const tessera::Group& group, const Memory& memory,
                            const std::filesystem::path& directory);

}  // namespace ccsd
