// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <stdexcept>
#include <string>

namespace tessera {

/// The base of everything Tessera throws; what() is one sentence with the names and values involved. A failed
/// call of MPI is no exception: it ends the job with a message, as nothing can be relied on after it. @local
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message);
};

/// The caller passed an invalid argument: a patch outside its array, a view of another shape, ...
class UsageError : public Error {
 public:
  using Error::Error;
};

/// There is not enough memory. For a segment, it is thrown on every rank of the group.
class MemoryError : public Error {
 public:
  using Error::Error;
};

/// MPI offers no usable one-sided window between the nodes of a group; thrown on every rank of the group.
class WindowError : public Error {
 public:
  using Error::Error;
};

/// An internal invariant of Tessera did not hold: a defect of the library.
class LogicError : public Error {
 public:
  using Error::Error;
};

namespace detail {
/// The message of the last Error that this thread constructed, for a Runtime that is destroyed by unwinding.
/// @local
const std::string& last_error() noexcept;
}  // namespace detail

}  // namespace tessera
