// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tessera/runtime/detail/fingerprint.hpp>
#include <tessera/runtime/group.hpp>

// What the names of indices say.
namespace tessera::linalg::detail {

/// The dimensions of c = a * b by what happens to their index. Those of `rows`, `columns`, `inner` and `fixed`
/// are in the same order in each list of a kind.
struct Contraction {
  /// In a and c: rows of the product.
  std::vector<int> rows_of_a, rows_of_c;
  /// In b and c: columns of the product.
  std::vector<int> columns_of_b, columns_of_c;
  /// In a and b: summed over.
  std::vector<int> inner_of_a, inner_of_b;
  /// In all three: one product for each position.
  std::vector<int> fixed_of_a, fixed_of_b, fixed_of_c;
};

/// Sorts the dimensions; rows, columns and fixed ones in the order of c, inner ones in the order of a. Each
/// name is once in an operand, and in at least two operands. @local @throws UsageError if c has a name that
/// neither factor has
Contraction contraction_of(std::string_view a, std::string_view b, std::string_view c);

/// The dimensions of an operand whose name is nowhere else: neither in `other` nor in `result`. @local
std::vector<int> lone_dimensions(std::string_view names, std::string_view other, std::string_view result);

/// A product by its letters, such as "ik * conj(kj)". @local
std::string product_text(std::string_view a, bool conjugate_a, std::string_view b, bool conjugate_b);

/// Compares the letters of a sum of products between ranks. Its terms have factors `a` and `b` with `names`.
/// @collective @throws UsageError on every rank of a build with checks if they differ
template <class Terms>
void require_same_letters(const Group& group, std::string_view c, const Terms& terms) {
  group.check_agreement([&] {
    std::string text(1, ' ');  // GCC 12 takes a sum of texts here to be endless, in a release
    text.append(c).append(" =");
    for (const auto& term : terms) {
      text += text.back() == '=' ? " " : " + ";
      text += product_text(term.a.names, term.a.is_conjugated, term.b.names, term.b.is_conjugated);
    }
    return tessera::detail::CollectiveCall{
        "contract", tessera::detail::Fingerprint().add(std::string_view(text)).value(), text};
  });
}

/// @throws UsageError if a name is twice in the names of a result, with `what` as the start of the message
/// @local
void require_different(std::string_view names, const std::string& what);

}  // namespace tessera::linalg::detail
