// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/core/agreed.hpp>

#include <tessera/runtime/error.hpp>

#include "format.hpp"

namespace tessera::detail {
namespace {

// The members agree on a text, whose first letter is the class of the error.
enum Class : char { usage = 'U', memory = 'M', window = 'W', logic = 'L', other = 'E' };

std::pair<Class, std::string> described(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const UsageError& error) {
    return {usage, error.what()};
  } catch (const MemoryError& error) {
    return {memory, error.what()};
  } catch (const WindowError& error) {
    return {window, error.what()};
  } catch (const LogicError& error) {
    return {logic, error.what()};
  } catch (const std::exception& error) {
    return {other, error.what()};
  } catch (...) {
    return {other, "an exception that is no std::exception"};
  }
}

}  // namespace

std::string Outcome::problem(const Group& group, std::string_view call) const {
  if (!failed()) return {};
  const auto [kind, words] = described(thrown_);
  return formatted("{}{}: rank {} failed: {}", static_cast<char>(kind), call, group.rank(), words);
}

void Outcome::settle(std::string_view agreed) const {
  if (failed()) std::rethrow_exception(thrown_);
  if (agreed.empty()) return;
  const std::string message(agreed.substr(1));
  switch (agreed.front()) {
    case usage:
      throw UsageError(message);
    case memory:
      throw MemoryError(message);
    case window:
      throw WindowError(message);
    case logic:
      throw LogicError(message);
    default:
      throw Error(message);
  }
}

void Outcome::agree(const Group& group, std::string_view call) const {
  settle(group.agree(problem(group, call)));
}

void Outcome::agree_and_sync(const Group& group, std::string_view call) const {
  settle(group.sync_and_agree(problem(group, call)));
}

}  // namespace tessera::detail
