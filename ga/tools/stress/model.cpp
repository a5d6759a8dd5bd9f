// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "model.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::stress {

Part part_of(const Line& line, const std::string& prefix) {
  return {line.numbers(prefix + "lo"), line.numbers(prefix + "hi"), line.numbers(prefix + "step"),
          line.numbers(prefix + "order"), line.numbers(prefix + "fix")};
}

std::size_t count(const Numbers& extents) {
  std::size_t product = 1;
  for (const index_t extent : extents) product *= static_cast<std::size_t>(extent);
  return product;
}

std::vector<Numbers> positions(const Numbers& extents) {
  std::vector<Numbers> all;
  const std::size_t size = count(extents);
  Numbers at(extents.size(), 0);
  for (std::size_t k = 0; k < size; ++k) {
    all.push_back(at);
    for (std::size_t d = extents.size(); d-- > 0;) {
      if (++at[d] < extents[d]) break;
      at[d] = 0;
    }
  }
  return all;
}

std::optional<std::size_t> Model::place(const Numbers& at) const {
  if (at.size() != extents.size()) return {};
  std::size_t place = 0;
  for (std::size_t d = 0; d < at.size(); ++d) {
    if (at[d] < 0 || at[d] >= extents[d]) return {};
    place = place * static_cast<std::size_t>(extents[d]) + static_cast<std::size_t>(at[d]);
  }
  return place;
}

Numbers Model::position(std::size_t place) const {
  Numbers at(extents.size());
  for (std::size_t d = extents.size(); d-- > 0;) {
    at[d] = static_cast<index_t>(place) % extents[d];
    place /= static_cast<std::size_t>(extents[d]);
  }
  return at;
}

std::optional<Selection> Model::select(const Part& part) const {
  Numbers dims = extents;
  std::size_t fixed = dims.size();
  if (!part.fix.empty()) {
    if (part.fix.size() != 2 || dims.size() < 2 || part.fix[0] < 0 ||
        part.fix[0] >= static_cast<index_t>(dims.size()))
      return {};
    fixed = static_cast<std::size_t>(part.fix[0]);
    if (part.fix[1] < 0 || part.fix[1] >= dims[fixed]) return {};
    dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(fixed));
  }
  const std::size_t rank = dims.size();
  for (const Numbers* given : {&part.lo, &part.hi, &part.step, &part.order})
    if (!given->empty() && given->size() != rank) return {};
  Numbers lo(rank, 0), step(rank, 1), order(rank), steps_along(rank);
  for (std::size_t d = 0; d < rank; ++d) {
    if (!part.lo.empty()) lo[d] = part.lo[d];
    const index_t hi = part.hi.empty() ? dims[d] : part.hi[d];
    if (!part.step.empty()) step[d] = part.step[d];
    if (lo[d] < 0 || hi < lo[d] || hi > dims[d] || step[d] < 1) return {};
    steps_along[d] = (hi - lo[d] + step[d] - 1) / step[d];
    order[d] = part.order.empty() ? static_cast<index_t>(d) : part.order[d];
  }
  Numbers sorted = order;
  std::sort(sorted.begin(), sorted.end());
  Selection chosen;
  for (std::size_t d = 0; d < rank; ++d) {
    if (sorted[d] != static_cast<index_t>(d)) return {};
    chosen.extents.push_back(steps_along[static_cast<std::size_t>(order[d])]);
  }
  for (const Numbers& k : positions(chosen.extents)) {
    Numbers at(rank);
    for (std::size_t d = 0; d < rank; ++d) {
      const auto along = static_cast<std::size_t>(order[d]);
      at[along] = lo[along] + k[d] * step[along];
    }
    if (fixed < extents.size()) at.insert(at.begin() + static_cast<std::ptrdiff_t>(fixed), part.fix[1]);
    chosen.at.push_back(*place(at));
  }
  return chosen;
}

std::optional<Selection> Model::select_periodic(const Part& part) const {
  const std::size_t rank = extents.size();
  if (values.empty() || part.lo.size() != rank || part.hi.size() != rank) return {};
  Selection chosen;
  for (std::size_t d = 0; d < rank; ++d) {
    if (part.hi[d] < part.lo[d]) return {};
    chosen.extents.push_back(part.hi[d] - part.lo[d]);
  }
  for (Numbers at : positions(chosen.extents)) {
    for (std::size_t d = 0; d < rank; ++d)
      at[d] = ((at[d] + part.lo[d]) % extents[d] + extents[d]) % extents[d];
    chosen.at.push_back(*place(at));
  }
  return chosen;
}

bool Model::conflicts(const Places& at, int member, std::uint8_t use) const {
  return std::any_of(at.begin(), at.end(), [&](std::size_t k) {
    if ((uses[k] & travels) != 0) return true;
    if (author[k] == nobody || author[k] == member) return false;
    const auto both = static_cast<unsigned>(uses[k] | use);
    return both != reads && both != adds && both != lessens && both != raises;
  });
}

void Model::use(const Places& at, int member, std::uint8_t use) {
  for (const std::size_t k : at) {
    author[k] = author[k] == nobody || author[k] == member ? member : several;
    uses[k] = static_cast<std::uint8_t>(uses[k] | use);
  }
}

void Model::settle() {
  author.assign(values.size(), nobody);
  uses.assign(values.size(), 0);
}

std::uint64_t random_bits(index_t seed, std::size_t k) {
  // SplitMix64 (Steele, Lea, Flood 2014).
  std::uint64_t z = static_cast<std::uint64_t>(seed) * 0xD1B54A32D192ED03U + (k + 1) * 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

index_t random_below(index_t seed, std::size_t k, index_t end) {
  return static_cast<index_t>(random_bits(seed, k) % static_cast<std::uint64_t>(std::max<index_t>(end, 1)));
}

Values random_values(index_t seed, std::size_t count, bool is_complex) {
  Values values(count);
  for (std::size_t k = 0; k < count; ++k) {
    const auto re = static_cast<double>(random_below(seed, 2 * k, 19) - 9);
    values[k] = {re, is_complex ? static_cast<double>(random_below(seed, 2 * k + 1, 9) - 4) : 0};
  }
  return values;
}

Part random_patch(index_t seed, const Numbers& extents) {
  Part patch;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const index_t a = random_below(seed, 2 * d, extents[d] + 1),
                  b = random_below(seed, 2 * d + 1, extents[d] + 1);
    patch.lo.push_back(std::min(a, b));
    patch.hi.push_back(std::max(a, b));
  }
  return patch;
}

Part slab(const Numbers& extents, int member, int members) {
  Part patch{Numbers(extents.size(), 0), extents, {}, {}, {}};
  patch.lo[0] = extents[0] * member / members;
  patch.hi[0] = extents[0] * (member + 1) / members;
  return patch;
}

std::vector<SparseElement> sparse_elements(const Line& line, int member, index_t rows, index_t columns,
                                           bool is_complex) {
  std::vector<SparseElement> all;
  if (rows == 0 || columns == 0) return all;
  const index_t seed = line.number("seed") * 100 + member;
  const auto size = static_cast<std::size_t>(line.number("count", 1));
  const Values values = random_values(seed + 1, size, is_complex);
  for (std::size_t k = 0; k < size; ++k) {
    const index_t row = random_below(seed, 2 * k, rows), column = random_below(seed, 2 * k + 1, columns);
    // Near the diagonal and anywhere.
    all.push_back({row, k % 3 == 0 ? column : std::min(columns - 1, row + column % 2), values[k]});
  }
  return all;
}

Numbers sparse_rows(const Line& line, index_t rows) {
  constexpr index_t most = 8;
  Numbers all;
  const index_t first = random_below(line.number("seed"), 0, rows);
  for (index_t k = 0; k < std::min(rows, most); ++k) all.push_back((first + k) % rows);
  return all;
}

Values marks_of(const Line& line, std::size_t count) {
  const index_t seed = line.number("seed"), one_in = 1 + random_below(seed, count, 8);
  Values marks(count);
  for (std::size_t k = 0; k < count; ++k)
    if (random_below(seed, k, one_in) == 0) marks[k] = static_cast<double>(k % 3) - 3;
  return marks;
}

Values keys_of(const Line& line, std::size_t count) {
  return random_values(line.number("seed") + 2, count, false);
}

Values bins_of(const Line& line, index_t bins) {
  const index_t seed = line.number("seed");
  Values keys(bins == 0 ? 0 : static_cast<std::size_t>(line.number("count", 1)));
  for (std::size_t k = 0; k < keys.size(); ++k) keys[k] = static_cast<double>(random_below(seed, k, bins));
  return keys;
}

bool has_update(const Model& model, Update update) {
  if (update == Update::sum || update == Update::replace) return true;
  if (update == Update::min || update == Update::max) return !model.is_complex() && !model.is_record();
  return model.is_integer();
}

Number updated(Update update, const Number& before, const Number& value) {
  const auto a = static_cast<std::int64_t>(before.real()), b = static_cast<std::int64_t>(value.real());
  switch (update) {
    case Update::sum:
      return before + value;
    case Update::min:
      return std::min(before.real(), value.real());
    case Update::max:
      return std::max(before.real(), value.real());
    case Update::bit_and:
      return static_cast<double>(a & b);
    case Update::bit_or:
      return static_cast<double>(a | b);
    case Update::bit_xor:
      return static_cast<double>(a ^ b);
    default:
      return value;
  }
}

bool is_exact(const Values& values) {
  constexpr double most = 1 << 20;
  return std::all_of(values.begin(), values.end(), [](const Number& value) {
    return std::abs(value.real()) <= most && std::abs(value.imag()) <= most &&
           value.real() == std::floor(value.real()) && value.imag() == std::floor(value.imag());
  });
}

Number product(const Number& x, const Number& y) {
  return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}

std::optional<Effect> written(const Values& values, const Values& result) {
  if (!is_exact(values)) return {};
  return Effect{values, result, false};
}

}  // namespace tessera::stress
