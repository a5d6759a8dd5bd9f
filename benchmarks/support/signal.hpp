// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <vector>

#include <tessera/runtime/segment.hpp>

#include "measure.hpp"

namespace tessera::benchmark {

/// Tells ranks that compute, and make no calls, that something has happened. Each rank is told by one other
/// rank.
/// @collective to make and close
class Signal {
 public:
  explicit Signal(const Group& world);

  /// Makes is_told() of a rank true once more. @onesided
  void tell(int rank);
  /// True once for each tell() of one rank; makes no calls. @local
  bool is_told() noexcept;
  const Group& group() const noexcept { return words_.group(); }
  void close() { words_.close(); }

 private:
  Segment words_;                   // how often each rank was told
  std::vector<std::int64_t> told_;  // the same, by this rank
  std::int64_t heard_ = 0;
};

/// The other ranks compute without any call, until rank 0 has made its calls and tells them. Then they wait in
/// Group::barrier. Needs agents that do not poll, or a single node. @local
Others computing(Signal& signal);

}  // namespace tessera::benchmark
