// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>

#include <tessera/tessera.hpp>

namespace ccsd {

using tessera::index_t;

enum class Method : std::uint8_t { mp2, ccsd, ccsd_t };

/// The bytes of tensors on all ranks together: the most that are there at the same time in each part of a
/// calculation.
struct Memory {
  double transformation, amplitudes, triples;
  double most() const;
};

/// For so many atomic functions, and occupied and virtual orbitals. @local
Memory memory_of(Method method, index_t functions, index_t occupied, index_t virtuals);

/// Says what is missing if the ranks have not so many bytes; empty if they have. The same on every rank.
/// @collective
std::string what_is_missing(const tessera::Runtime& runtime, const Memory& memory);

}  // namespace ccsd
