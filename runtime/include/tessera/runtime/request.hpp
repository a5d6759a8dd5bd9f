// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <memory>
#include <span>
#include <vector>

namespace tessera {

namespace detail {
class Outstanding;
class Pending;
}  // namespace detail

/// A transfer that may still be under way. On a node it is done when the call returns; between nodes it goes on
/// until wait(), test() or a flush of its segment finds it done. Any number may be outstanding: the runtime
/// completes old ones itself where it would have to keep too many. Move-only.
class [[nodiscard]] Request {
 public:
  /// A request that is done. @local
  Request() = default;
  /// Waits for the transfer; aborts the job where it cannot, as on a thread that may not call MPI: memory that
  /// goes must not be written to. @onesided
  ~Request();
  Request(Request&&) noexcept = default;
  Request& operator=(Request&& other) noexcept;

  /// Returns when the local memory of the transfer may be used: a get has filled it, a put or accumulate needs
  /// it no more. @onesided
  /// @throws MpiError if the transfer failed. @completion local; done at the target after flush.
  void wait();
  /// Whether wait() would return at once; keeps the transfer going. @onesided @throws as wait
  bool test();
  /// Gives the request up: its transfer is completed by the next flush or sync of its segment or array, and the
  /// local memory must live until then. @local
  void detach() && noexcept;

  /// Joins two requests into one. @local
  Request& operator+=(Request&& other);

 private:
  friend class detail::Outstanding;
  std::vector<std::shared_ptr<detail::Pending>> parts_;
};

/// Waits for all of them. @onesided @throws as Request::wait
void wait_all(std::span<Request> requests);

}  // namespace tessera
