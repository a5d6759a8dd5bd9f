// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "base/explain.hpp"

#include <new>
#include <system_error>

#include "format.hpp"

namespace tessera::detail {

std::string explain(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    return formatted(
        "memory of this process was refused ({}); raise its limits (ulimit -v, the control group's), or use "
        "more nodes, fewer ranks on each, or smaller arrays",
        error.what());
  }
  const auto* refused = dynamic_cast<const std::system_error*>(&error);
  if (refused != nullptr && refused->code() == std::errc::resource_unavailable_try_again) {
    return formatted(
        "a thread of this process was refused ({}); raise its limits (ulimit -u, ulimit -v, the control "
        "group's pids.max), or set TESSERA_PROGRESS=poll, which needs no thread",
        error.what());
  }
  return error.what();
}

std::string explain_current_exception() {
  const std::exception_ptr current = std::current_exception();
  if (!current) return "std::terminate was called";
  try {
    std::rethrow_exception(current);
  } catch (const std::exception& error) {
    return explain(error);
  } catch (...) {
    return "an exception that is not a std::exception left main";
  }
}

}  // namespace tessera::detail
