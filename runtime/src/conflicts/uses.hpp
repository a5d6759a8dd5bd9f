// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "conflicts/unseen.hpp"

namespace tessera::detail::conflicts {

/// The uses of this process of what may order processes unseen. Memory for them is bounded: of too many, some
/// are not told apart any more, so that more pairs of accesses may be ordered by them.
class Uses {
 public:
  /// @local
  void add(Means means, int process, const UseTime& now);
  /// A call of MPI whose order the clocks do not follow. `lasts`: also of what comes later. @local
  void add_call(const std::string& call, bool lasts, int process, const UseTime& now);
  /// All uses, with the texts of their means. @local
  std::vector<UnseenUse> all(const std::function<std::string(const Means&)>& text_of) const;
  /// Forgets all but what lasts. @local
  void forget();
  void clear();

 private:
  using Key = std::pair<Means, std::uint64_t>;  // with a stamp
  UnseenUse& add_to(Means means, int process, const UseTime& now);
  void join_all();

  std::map<Key, UnseenUse> uses_;
  std::map<Key, UnseenUse>::iterator recent_ = uses_.end();
  std::vector<std::string> calls_;  // their names
  bool are_joined_ = false;         // each means has one use, whatever its stamp
};

}  // namespace tessera::detail::conflicts
