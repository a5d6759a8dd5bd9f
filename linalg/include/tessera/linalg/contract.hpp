// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <span>
#include <vector>

#include <tessera/linalg/error.hpp>
#include <tessera/linalg/operand.hpp>

namespace tessera::linalg {

/// A tensor that a contraction reads: `a("ijab")` of an array or slice, or conj() of it. Refers to the array.
/// @local
template <MatrixElement T>
class TensorOperand {
 public:
  TensorOperand(const Indexed<T>& tensor) : TensorOperand(Indexed<const T>(tensor), false) {}
  TensorOperand(const Indexed<const T>& tensor) : TensorOperand(tensor, false) {}
  TensorOperand(const Indexed<const T>& tensor, bool conjugated) : tensor_(tensor), conjugated_(conjugated) {}
  const Indexed<const T>& tensor() const noexcept { return tensor_; }
  bool is_conjugated() const noexcept { return conjugated_; }

 private:
  Indexed<const T> tensor_;
  bool conjugated_;
};

/// The conjugate of a tensor, as an operand; the tensor itself for real elements. @local
template <class T>
TensorOperand<std::remove_const_t<T>> conj(const Indexed<T>& tensor) {
  return {tensor, true};
}

/// One term of a sum of contractions: alpha * a * b. Refers to the arrays. @local
template <MatrixElement T>
struct ContractionTerm {
  T alpha;
  TensorOperand<T> a, b;
};

namespace detail {
struct TermCore {
  const void* alpha;
  tessera::detail::SliceCore a, b;
  std::string_view a_names, b_names;
  bool conjugate_a, conjugate_b;
};
void contract(std::span<const TermCore> terms, const void* beta, const tessera::detail::SliceCore& c,
              std::string_view c_names);
}  // namespace detail

/// c = the sum of the terms + beta * c, where each letter is an index (Einstein's convention): a letter that is
/// in c takes all its values in turn, and one that is not in c is summed over. A letter may be in one factor or
/// in both; twice in a factor, it is a diagonal or a trace. Operands are arrays and slices of any layouts and
/// of up to 8 dimensions, of one group and type. If beta == 0, the old c is never read.
///
/// It works as gemm(): each process computes what it owns of c by products of matrices, whose rows, columns and
/// inner dimensions are fused. Blocks are read in place where their dimensions lie in memory in that order,
/// otherwise parts of at most 64 MiB are fetched while the part before is multiplied. So no tensor is permuted
/// as a whole. A result whose dimensions do not lie as a matrix is computed in parts of 64 MiB. A letter in
/// both factors and in c takes one product for each of its values. Sums over letters of one factor alone, and
/// diagonals, need a temporary array of what is left. @collective
/// @throws UsageError on every rank if extents of a letter differ, c has a letter twice or one that no factor
/// has, or c overlaps a factor
template <MatrixElement T>
void contract(std::span<const ContractionTerm<T>> terms, std::type_identity_t<T> beta, const Indexed<T>& c) {
  std::vector<detail::TermCore> cores;
  cores.reserve(terms.size());
  for (const ContractionTerm<T>& term : terms) {
    cores.push_back({&term.alpha, term.a.tensor().core(), term.b.tensor().core(), term.a.tensor().names(),
                     term.b.tensor().names(), term.a.is_conjugated(), term.b.is_conjugated()});
  }
  detail::contract(cores, &beta, c.core(), c.names());
}
/// The same for a list in braces. @collective @throws as above
template <MatrixElement T>
void contract(const std::vector<ContractionTerm<T>>& terms, std::type_identity_t<T> beta, const Indexed<T>& c) {
  contract(std::span(terms), beta, c);
}
/// The same with one term: c = alpha * a * b + beta * c. @collective @throws as above
template <MatrixElement T>
void contract(std::type_identity_t<T> alpha, const std::type_identity_t<TensorOperand<T>>& a,
              const std::type_identity_t<TensorOperand<T>>& b, std::type_identity_t<T> beta,
              const Indexed<T>& c) {
  const ContractionTerm<T> term{alpha, a, b};
  contract(std::span(&term, 1), beta, c);
}

}  // namespace tessera::linalg
