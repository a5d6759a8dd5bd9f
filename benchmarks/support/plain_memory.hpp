// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <utility>

namespace tessera::benchmark {

/// Memory of a program by hand, set to 0. It begins at a cache line. Large memory is in huge pages where the
/// system has them, as arrays are: sizes of pages are not what is compared. Move-only.
class PlainMemory {
 public:
  PlainMemory() = default;
  /// @throws std::bad_alloc
  explicit PlainMemory(std::size_t doubles);
  double* data() noexcept { return memory_.get(); }
  const double* data() const noexcept { return memory_.get(); }
  std::size_t size() const noexcept { return size_; }
  void clear() noexcept;

 private:
  struct Free {
    void operator()(double* memory) const noexcept { std::free(memory); }
  };
  std::size_t size_ = 0;
  std::unique_ptr<double[], Free> memory_;
};

}  // namespace tessera::benchmark
