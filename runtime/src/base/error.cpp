// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/runtime/error.hpp>

namespace tessera {
namespace {
thread_local std::string last_message;
}

Error::Error(const std::string& message) : std::runtime_error(message) { last_message = message; }

const std::string& detail::last_error() noexcept { return last_message; }

}  // namespace tessera
