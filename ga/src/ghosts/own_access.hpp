// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <optional>

#include <tessera/runtime/detail/unchecked.hpp>
#include <tessera/runtime/segment.hpp>

namespace tessera::detail {

/// A use of this rank's slice. To the checker of conflicts it is a local access, which is over when it returns.
class OwnAccess {
 public:
  OwnAccess(const Segment& segment, index_t offset, const Strided& shape, Segment::LocalUse use)
      : segment_(segment) {
    if (segment.face().checked == 0) return;
    access_ = segment.begin_local_access(segment.group().rank(), offset, shape, use);
    unchecked_.emplace();
  }
  OwnAccess(const OwnAccess&) = delete;
  OwnAccess& operator=(const OwnAccess&) = delete;
  ~OwnAccess() { segment_.end_local_access(access_); }

 private:
  const Segment& segment_;
  std::uint64_t access_ = 0;
  std::optional<Unchecked> unchecked_;
};

}  // namespace tessera::detail
