// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/core/slice_core.hpp>
#include <tessera/detail/ghost_sides.hpp>

namespace tessera::detail {

/// An operand whose ghost cells are exchanged together with those of others.
struct HaloOperand {
  SliceCore slice;
  std::optional<Coordinates> low = {}, high = {};  // widths; nothing: as wide as the array's
  Corners corners = Corners::with;
  std::function<void()> finish = {};  // fills the cells that have no owner
  std::function<void()> check = {};   // throws if finish() would on this rank
};

/// The common exchange of the ghost cells of several operands, behind Halo.
class HaloCore {
 public:
  /// @collective @throws as Halo
  HaloCore(const std::vector<HaloOperand>& operands, std::string_view name);
  ~HaloCore();
  HaloCore(const HaloCore&) = delete;
  HaloCore& operator=(const HaloCore&) = delete;

  void update(GhostMethod method);
  void begin();
  bool test();
  void end();
  void accumulate();
  void close();

 private:
  struct Member {
    ArrayCore* array;
    LayoutCore layout;  // of the array when the halo was made
  };
  // The exchange, if it may begin now.
  Ghosts& ready(const char* call);
  void finish() const;

  std::string name_;
  std::vector<Member> members_;  // each array once, as several operands may be of one array
  std::vector<std::function<void()>> finish_;
  std::vector<Segment*> segments_;  // of the members
  std::unique_ptr<Ghosts> exchange_;
  std::string not_added_;  // why cells cannot be added, if they cannot
};

}  // namespace tessera::detail
