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

/// A transfer that may still be under way. On a node it is done when the call returns. Between nodes it goes on
/// until wait(), test() or a flush of its segment finds it done. Any number may be outstanding: if there are
/// too many, the runtime completes old ones itself. Move-only.
class [[nodiscard]] Request {
 public:
  /// A request that is done. @local
  Request() = default;
  /// Waits for the transfer. Aborts the job if it cannot wait, as on a thread that may not call MPI. Otherwise
  /// the transfer could write to memory that is about to be freed. @onesided
  ~Request();
  Request(Request&&) noexcept = default;
  Request& operator=(Request&& other) noexcept;

  /// Returns when the local memory of the transfer may be used: a get has filled it, a put or accumulate no
  /// longer needs it. @onesided
  /// @completion local; done at the target after flush.
  void wait();
  /// Whether wait() would return at once. The call also makes progress on the transfer. @onesided @throws as
  /// wait
  bool test();
  /// Gives up the request. The next flush or sync of its segment or array completes the transfer; the local
  /// memory must live until then. @local
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
