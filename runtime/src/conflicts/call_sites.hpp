// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace tessera::detail::conflicts {

/// The number of a call stack in this process.
using Site = std::uint32_t;

/// The call stacks of accesses. A stack that was seen before is found without unwinding: the return addresses
/// lie in memory at the same places, so a comparison of a few words finds it.
class CallSites {
 public:
  /// The stack of the caller. One thread at a time. @local
  Site here();
  /// "main at fock.cpp:118": the first place outside Tessera. @local
  const std::string& text(Site site);

 private:
  static constexpr std::size_t most_frames = 40;
  struct Frame {
    void* const* slot;  // where its return address is stored
    void* place;        // the return address
  };
  struct Stack {
    std::vector<Frame> frames;  // innermost first
    Site site = 0;
    bool is_in_memory() const noexcept;
  };
  using Stacks = std::vector<Stack>;
  Stacks& stacks_of(const void* frame);
  Site new_stack(Stacks& known, const void* caller);
  Site number_of(const std::vector<void*>& places);

  std::unordered_map<const void*, Stacks> by_frame_;  // by the address of the innermost frame
  struct RecentFrame {
    const void* frame = nullptr;
    Stacks* stacks = nullptr;
  };
  std::array<RecentFrame, 16> recent_;
  std::vector<std::vector<void*>> sites_;
  std::unordered_map<std::string, Site> numbers_;  // by the bytes of the places
  std::unordered_map<Site, std::string> texts_;
};

}  // namespace tessera::detail::conflicts
