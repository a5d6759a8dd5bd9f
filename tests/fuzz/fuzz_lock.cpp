// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "base/process_name.hpp"
#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = tessera::fuzz::text_of(data, size);
  const auto holder = tessera::io::detail::ProcessName::parse(text);
  if (!holder) return 0;
  tessera::fuzz::require(holder->text() == text, "a lock has one text");
  tessera::fuzz::require(holder->pid >= 0, "a process has a number");
  (void)holder->may_live();
  return 0;
}
