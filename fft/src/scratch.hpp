// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace tessera::fft {

/// Uninitialised local memory, aligned to a cache line. Move-only. @local
class Scratch {
 public:
  Scratch() = default;
  /// @throws std::bad_alloc
  explicit Scratch(std::size_t bytes)
      : size_(bytes), data_(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{alignment}))) {}
  std::byte* data() const noexcept { return data_.get(); }
  std::size_t size() const noexcept { return size_; }
  /// Makes room for some bytes, whose values are unspecified then. @throws std::bad_alloc
  void reserve(std::size_t bytes) {
    if (bytes > size_) *this = Scratch(bytes);
  }

 private:
  static constexpr std::size_t alignment = 64;
  struct Delete {
    void operator()(std::byte* data) const noexcept { ::operator delete (data, std::align_val_t{alignment}); }
  };
  std::size_t size_ = 0;
  std::unique_ptr<std::byte, Delete> data_;
};

}  // namespace tessera::fft
