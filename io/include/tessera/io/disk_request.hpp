// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <memory>

namespace tessera::io {

namespace detail {
class DiskTransfer;
class IndependentTransfer;
enum class DiskDirection : std::uint8_t { write, read };
}  // namespace detail

/// A section that all ranks are reading or writing together. Move-only.
class [[nodiscard]] DiskRequest {
 public:
  DiskRequest();
  explicit DiskRequest(std::unique_ptr<detail::DiskTransfer> transfer);
  /// Waits for this process's part on disk and communicates nothing, as does an assignment to the request.
  /// Other processes may not have written their parts, and data that was read is dropped. Call wait() first. If
  /// a write has failed, the array's next sync(), flush() or close() reports the error.
  ~DiskRequest();
  DiskRequest(DiskRequest&&) noexcept;
  DiskRequest& operator=(DiskRequest&&) noexcept;

  /// Returns when the transfer is complete. A written section can then be read by all; a section that was read
  /// is in the array and visible to all. A second call does nothing. @collective @throws IoError on every rank
  void wait();
  /// Whether this process's part on disk is done, so that wait() need not wait for it. @local
  bool test() const;

 private:
  std::unique_ptr<detail::DiskTransfer> transfer_;
};

/// A section that this rank alone is reading to, or writing from, its local memory. Move-only. It may outlive
/// its array.
class [[nodiscard]] IndependentDiskRequest {
 public:
  /// A request that is done. @local
  IndependentDiskRequest();
  explicit IndependentDiskRequest(std::unique_ptr<detail::IndependentTransfer> transfer);
  /// Waits for the transfer, as does an assignment to the request. If a write has failed and wait() was not
  /// called, the array's next sync(), flush() or close() reports the error. @local
  ~IndependentDiskRequest();
  IndependentDiskRequest(IndependentDiskRequest&&) noexcept;
  IndependentDiskRequest& operator=(IndependentDiskRequest&&) noexcept;

  /// Returns when the local memory may be used again. Data that was read is there; data that was written is as
  /// visible as after DiskArray::write. A second call does nothing. @onesided
  /// @throws IoError on this rank if the system refused; part of the section may then have been moved
  void wait();
  /// Whether wait() would return at once. @local
  bool test() const;

 private:
  std::unique_ptr<detail::IndependentTransfer> transfer_;
};

}  // namespace tessera::io
