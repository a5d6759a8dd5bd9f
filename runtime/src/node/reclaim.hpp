// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include <tessera/runtime/types.hpp>

namespace tessera::detail {

/// An object that all members of a group release together: a segment, a child group. Dropping it only marks it;
/// it is freed when all members have dropped it (ReclaimList).
class Collective {
 public:
  virtual ~Collective() = default;
  /// Completes this process's operations on it, so that it can be freed once all agree. @local
  virtual void quiesce() = 0;
  /// Frees it; every member is in the same call. @collective
  virtual void release() noexcept = 0;
  /// Marks it: the owner no longer needs it. Makes no MPI call. @local
  void drop() noexcept {
    dropped_ = true;
    if (news_) *news_ = true;
  }

 private:
  friend class ReclaimList;
  std::atomic<bool> dropped_{false};
  bool settled_ = false;                     // see ReclaimList
  std::shared_ptr<std::atomic<bool>> news_;  // of the list that holds it
};

/// The collective objects of a group, in the order of their creation, which is the same on every member. The
/// members agree on the objects that all have dropped. The smallest number of dropped objects travels with an
/// all-reduce that the collective calls do anyway. Only if it is not zero, a second all-reduce compares the
/// lists.
///
/// Other threads drop objects at any time. So the members agree on the objects that each has *settled*: seen as
/// dropped, and completed its operations on, at one time. An object dropped after that waits for the next call.
class ReclaimList {
 public:
  void add(std::shared_ptr<Collective> object);
  /// Completes this member's operations on everything. @local
  void quiesce_all();
  /// Settles the objects dropped so far; returns how many are settled now. @local
  index_t settle();
  /// The settled objects as bits, 64 objects a word. @local
  std::vector<std::int64_t> marks() const;
  /// Releases the objects marked, newest first. @collective
  void release(const std::vector<std::int64_t>& agreed) noexcept;
  /// Releases one object. @collective
  void release(const Collective& object) noexcept;
  /// Releases everything, newest first. @collective
  void release_all() noexcept;

 private:
  void release_at(std::size_t position) noexcept;

  std::vector<std::shared_ptr<Collective>> alive_;
  index_t settled_ = 0;
  std::shared_ptr<std::atomic<bool>> news_ =
      std::make_shared<std::atomic<bool>>(false);  // something was dropped
};

}  // namespace tessera::detail
