// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "problem.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>

namespace tessera::benchmark::mg {
namespace {

// Linear congruences modulo 2^46, as the specification wants them (NAS-95-020, section 2.3).
constexpr std::uint64_t seed = 314159265, multiplier = 1220703125, mask = (std::uint64_t{1} << 46) - 1;

struct Number {
  std::uint64_t value;
  index_t place;
};

// The ten numbers that come first in an order.
template <class Before>
class FirstTen {
 public:
  void offer(const Number& number) {
    const auto before = [](const Number& a, const Number& b) { return Before{}(a.value, b.value); };
    if (numbers_.size() == 10 && !before(number, numbers_.back())) return;
    numbers_.insert(std::upper_bound(numbers_.begin(), numbers_.end(), number, before), number);
    if (numbers_.size() > 10) numbers_.pop_back();
  }
  const std::vector<Number>& numbers() const noexcept { return numbers_; }

 private:
  std::vector<Number> numbers_;
};

}  // namespace

const std::array<Problem, 4>& problems() noexcept {
  static constexpr std::array<double, 3> small{-3.0 / 8, 1.0 / 32, -1.0 / 64};
  static constexpr std::array<double, 3> large{-3.0 / 17, 1.0 / 33, -1.0 / 61};
  static constexpr std::array<Problem, 4> all{{{"S", 5, 4, small, 0.5307707005734e-04},
                                               {"W", 7, 4, small, 0.6467329375339e-05},
                                               {"A", 8, 4, small, 0.2433365309069e-05},
                                               {"B", 8, 20, large, 0.1800564401355e-05}}};
  return all;
}

std::vector<Charge> charges(const Problem& problem) {
  const index_t n = problem.points();
  FirstTen<std::greater<>> largest;
  FirstTen<std::less<>> smallest;
  std::uint64_t value = seed;
  for (index_t place = 0; place < n * n * n; ++place) {
    value = value * multiplier & mask;  // the overflow of 64 bits changes none of the 46
    largest.offer({value, place});
    smallest.offer({value, place});
  }
  std::vector<Charge> all;
  const auto add = [&](const std::vector<Number>& numbers, double charge) {
    for (const Number& number : numbers)
      all.push_back({{number.place / (n * n), number.place / n % n, number.place % n}, charge});
  };
  add(largest.numbers(), 1.0);
  add(smallest.numbers(), -1.0);
  return all;
}

}  // namespace tessera::benchmark::mg
