// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tessera::test {

/// Expects that the message contains all of these words and is one line. @local
inline void expect_words(const std::string& message, const std::vector<std::string>& words) {
  for (const auto& word : words)
    EXPECT_NE(message.find(word), std::string::npos) << word << " is not in: " << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

}  // namespace tessera::test
