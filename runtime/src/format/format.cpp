// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#define FMT_HEADER_ONLY 1
#include "format.hpp"

namespace tessera {

std::string formatted_arguments(fmt::string_view text, fmt::format_args arguments) {
  return fmt::vformat(text, arguments);
}

}  // namespace tessera
