// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <vector>

#include <tessera/linalg/eigh.hpp>

namespace tessera::linalg::detail {

/// Solves a problem in single precision by way of double precision, and rounds the results. @collective
/// @throws as eigh
std::vector<float> eigh_in_double(const tessera::detail::SliceCore& a, const tessera::detail::SliceCore* b,
                                  const EighOptions& options, const MakeVectors& make_vectors);

}  // namespace tessera::linalg::detail
