// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <utility>

namespace tessera::detail {

/// Sole owner of a foreign handle (MPI, HDF5, a file descriptor, a mapping). Traits name the type `Handle`, a
/// static `null()` and a static `free(Handle) noexcept`. @local
template <class Traits>
class UniqueHandle {
 public:
  using Handle = typename Traits::Handle;

  UniqueHandle() noexcept = default;
  explicit UniqueHandle(Handle handle) noexcept : handle_(handle) {}
  UniqueHandle(UniqueHandle&& other) noexcept : handle_(other.release()) {}
  UniqueHandle& operator=(UniqueHandle&& other) noexcept {
    // Taking the handle out first makes self-assignment harmless: it comes back unchanged.
    Handle taken = other.release();
    reset(taken);
    return *this;
  }
  ~UniqueHandle() { reset(); }

  Handle get() const noexcept { return handle_; }
  explicit operator bool() const noexcept { return handle_ != Traits::null(); }
  Handle release() noexcept { return std::exchange(handle_, Traits::null()); }
  void reset(Handle handle = Traits::null()) noexcept {
    Handle old = std::exchange(handle_, handle);
    if (old != Traits::null()) Traits::free(old);
  }

 private:
  Handle handle_ = Traits::null();
};

}  // namespace tessera::detail
