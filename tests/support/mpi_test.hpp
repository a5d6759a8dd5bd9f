// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <gtest/gtest.h>

#include <tessera/runtime/runtime.hpp>

namespace tessera::test {

/// The runtime that the tests' main has started. @local
const Runtime& runtime();

/// All ranks of the test. @local
const Group& world();

/// Whether a condition holds on every rank. @collective
bool on_all(bool condition);

/// What an exception says when `action` throws one of type `E`; a failure of the test if it throws another or
/// none.
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

/// Leaves the test on every rank unless the condition holds on every rank. (A plain ASSERT leaves it on one,
/// and the others wait for ever.) @collective
#define TESSERA_ASSERT_ALL(condition) \
  ASSERT_TRUE(tessera::test::on_all(condition)) << #condition << " on some rank"
