// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <memory>

#include <tessera/detail/ghost_updates.hpp>

namespace tessera {

/// An update of ghost cells that is under way. Move-only.
class [[nodiscard]] GhostUpdate {
 public:
  explicit GhostUpdate(detail::ArrayCore& array) : array_(&array) {}
  /// Waits.
  ~GhostUpdate() = default;
  GhostUpdate(GhostUpdate&&) noexcept = default;
  GhostUpdate& operator=(GhostUpdate&&) noexcept = default;

  /// Returns when this rank's ghost cells are filled and its elements may be changed. @collective
  void wait() {
    if (auto* array = array_.release()) detail::end_update_ghosts(*array);
  }
  /// Makes progress with the update, and returns whether wait() would return at once. @onesided
  bool test() {
    if (!array_ || detail::test_update_ghosts(*array_)) return array_.release(), true;
    return false;
  }

 private:
  struct EndUpdate {
    // An error here shows up in later calls too.
    void operator()(detail::ArrayCore* array) const noexcept {
      try {
        detail::end_update_ghosts(*array);
      } catch (...) {
      }
    }
  };
  std::unique_ptr<detail::ArrayCore, EndUpdate> array_;
};

}  // namespace tessera
