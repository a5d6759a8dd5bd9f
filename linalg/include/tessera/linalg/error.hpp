// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>

#include <tessera/runtime/error.hpp>

namespace tessera::linalg {

/// A matrix routine failed on the numbers it was given (singular, not positive definite, no convergence). It is
/// thrown on every rank. @local
class LinalgError : public Error {
 public:
  LinalgError(const std::string& message, std::string routine, int info)
      : Error(message), routine_(std::move(routine)), info_(info) {}
  /// The routine that failed: ScaLAPACK's, such as "p?potrf", or Tessera's own. @local
  const std::string& routine() const noexcept { return routine_; }
  /// The info that this routine returned. @local
  int info() const noexcept { return info_; }

 private:
  std::string routine_;
  int info_;
};

}  // namespace tessera::linalg
