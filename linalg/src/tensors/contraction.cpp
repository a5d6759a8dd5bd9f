// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "tensors/contraction.hpp"

#include <tessera/runtime/error.hpp>

#include "format.hpp"

namespace tessera::linalg::detail {
namespace {

// -1 if the name is not there.
int place_of(char name, std::string_view names) {
  const auto place = names.find(name);
  return place == std::string_view::npos ? -1 : static_cast<int>(place);
}

}  // namespace

Contraction contraction_of(std::string_view a, std::string_view b, std::string_view c) {
  Contraction all;
  for (std::size_t d = 0; d < c.size(); ++d) {
    const int in_a = place_of(c[d], a), in_b = place_of(c[d], b), in_c = static_cast<int>(d);
    if (in_a >= 0 && in_b >= 0) {
      all.fixed_of_a.push_back(in_a), all.fixed_of_b.push_back(in_b), all.fixed_of_c.push_back(in_c);
    } else if (in_a >= 0) {
      all.rows_of_a.push_back(in_a), all.rows_of_c.push_back(in_c);
    } else if (in_b >= 0) {
      all.columns_of_b.push_back(in_b), all.columns_of_c.push_back(in_c);
    } else {
      throw UsageError("contract: index '" + std::string(1, c[d]) + "' of the result \"" + std::string(c) +
                       "\" is in neither factor (\"" + std::string(a) + "\", \"" + std::string(b) + "\")");
    }
  }
  for (std::size_t d = 0; d < a.size(); ++d) {
    const int in_b = place_of(a[d], b);
    if (in_b < 0 || place_of(a[d], c) >= 0) continue;
    all.inner_of_a.push_back(static_cast<int>(d)), all.inner_of_b.push_back(in_b);
  }
  return all;
}

std::vector<int> lone_dimensions(std::string_view names, std::string_view other, std::string_view result) {
  std::vector<int> lone;
  for (std::size_t d = 0; d < names.size(); ++d)
    if (place_of(names[d], other) < 0 && place_of(names[d], result) < 0) lone.push_back(static_cast<int>(d));
  return lone;
}

std::string product_text(std::string_view a, bool conjugate_a, std::string_view b, bool conjugate_b) {
  const auto factor = [](std::string_view names, bool is_conjugated) {
    return is_conjugated ? formatted("conj({})", names) : std::string(names);
  };
  return formatted("{} * {}", factor(a, conjugate_a), factor(b, conjugate_b));
}

void require_different(std::string_view names, const std::string& what) {
  for (std::size_t d = 0; d < names.size(); ++d) {
    if (names.find(names[d], d + 1) == std::string_view::npos) continue;
    throw UsageError(what + ": index '" + std::string(1, names[d]) + "' is twice in \"" + std::string(names) +
                     "\"");
  }
}

}  // namespace tessera::linalg::detail
