// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "shrink.hpp"

#include <algorithm>

namespace tessera::stress {

Script shrink(Script script, const std::function<bool(const Script&)>& fails) {
  std::size_t piece = std::max<std::size_t>(script.size() / 2, 1);
  for (;;) {
    bool is_shorter = false;
    // From the end: later lines depend on many others, and few lines depend on them.
    for (std::size_t end = script.size(); end > 0;) {
      const std::size_t begin = end > piece ? end - piece : 0;
      Script rest(script.begin(), script.begin() + static_cast<std::ptrdiff_t>(begin));
      rest.insert(rest.end(), script.begin() + static_cast<std::ptrdiff_t>(end), script.end());
      if (fails(rest)) {
        script = std::move(rest);
        is_shorter = true;
      }
      end = begin;
    }
    if (piece == 1 && !is_shorter) return script;
    if (piece > 1) piece /= 2;
  }
}

}  // namespace tessera::stress
