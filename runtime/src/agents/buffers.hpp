// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "agents/messages.hpp"

namespace tessera::detail {

/// At most `most` buffers of so many bytes each, allocated when first needed.
class Buffers {
 public:
  Buffers(std::size_t most, index_t bytes) : most_(most), bytes_(bytes) {}
  /// Null if all are in use. @local
  std::byte* take() {
    if (free_.empty()) {
      if (all_.size() == most_) return nullptr;
      free_.push_back(all_.emplace_back(new std::byte[static_cast<std::size_t>(bytes_)]).get());
    }
    std::byte* buffer = free_.back();
    free_.pop_back();
    return buffer;
  }
  void give_back(std::byte* buffer) { free_.push_back(buffer); }

 private:
  std::size_t most_;
  index_t bytes_;
  std::vector<std::unique_ptr<std::byte[]>> all_;
  std::vector<std::byte*> free_;
};

}  // namespace tessera::detail
