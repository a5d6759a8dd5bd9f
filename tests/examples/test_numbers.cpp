// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "numbers.hpp"

#include <gtest/gtest.h>

namespace {

enum class Method { mp2 = 3, ccsd_t = 7 };

// The message for a word; empty if the word is right.
std::string refusal(const CLI::Validator& check, std::string word) { return check(word); }

TEST(Numbers, that_cannot_be_are_refused) {
  for (const char* word : {"nan", "-nan", "NaN", "inf", "-inf", "1e999", "", "one", "1x", "1,5", "-1"}) {
    EXPECT_EQ(refusal(numbers::positive(), word), "\"" + std::string(word) + "\" is no positive number");
    EXPECT_NE(refusal(numbers::not_negative(), word), "") << word;
  }
  EXPECT_NE(refusal(numbers::positive(), "0"), "");
  EXPECT_EQ(refusal(numbers::not_negative(), "0"), "");
  for (const char* word : {"1", "1e-300", "0.5", "1e300"}) EXPECT_EQ(refusal(numbers::positive(), word), "");
}

TEST(Numbers, names_become_enumerators) {
  Method method = Method::mp2;
  CLI::App app;
  const std::map<std::string, Method> names{{"mp2", Method::mp2}, {"ccsd(t)", Method::ccsd_t}};
  app.add_option("--method", method)->transform(numbers::enumerator(names));
  app.parse("--method CCSD(T)");
  EXPECT_EQ(method, Method::ccsd_t);
  for (const char* word : {"cc3", "7", ""})
    EXPECT_EQ(refusal(numbers::enumerator(names), word),
              "\"" + std::string(word) + "\" is none of ccsd(t), mp2");
}

}  // namespace
