// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "base/progress.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <unistd.h>

#include "format.hpp"
#include "printable.hpp"

namespace tessera::io::detail {

Progress::Progress(const Group& group, std::string_view label, index_t total)
    : label_(printable(label)), total_(total), from_(Clock::now()) {
  const char* set = std::getenv("TESSERA_IO_PROGRESS");
  const std::string_view wish = set == nullptr ? "" : set;
  is_on_ = group.rank() == 0 && total > 0 && wish != "off" && (wish == "on" || isatty(STDERR_FILENO) == 1);
  if (wish != "on") from_ += std::chrono::seconds(1);
}

Progress::~Progress() {
  if (shown_ >= 0) std::fputc('\n', stderr);
}

void Progress::advance(index_t amount) {
  done_ += amount;
  if (!is_on_ || Clock::now() < from_) return;
  const int percent = static_cast<int>(100 * static_cast<double>(done_) / static_cast<double>(total_));
  if (percent == shown_) return;
  shown_ = percent;
  std::fprintf(stderr, "\r%s", formatted("{}: {} %", label_, percent).c_str());
  std::fflush(stderr);
}

}  // namespace tessera::io::detail
