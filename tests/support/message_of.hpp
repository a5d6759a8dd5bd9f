// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <exception>
#include <string>

#include <gtest/gtest.h>

namespace tessera::test {

/// The message of the exception of type `E` that `action` throws. If it throws another or none, the test fails.
/// @local
template <class E, class Action>
std::string message_of(Action&& action) {
  try {
    action();
  } catch (const E& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "an exception of another type: " << error.what();
    return {};
  }
  ADD_FAILURE() << "no exception";
  return {};
}

}  // namespace tessera::test
