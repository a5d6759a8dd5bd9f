// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <tessera/linalg/error.hpp>
#include <tessera/linalg/operand.hpp>
#include <tessera/linalg/tensor_source.hpp>

namespace tessera::linalg {

namespace detail {
/// A factor with run-time rank and element type: a slice or a source, the names of its indices, and whether its
/// conjugate is meant.
struct FactorCore {
  std::variant<tessera::detail::SliceCore, std::shared_ptr<const SourceCore>> tensor;
  std::string names;
  bool is_conjugated = false;
};
/// @throws UsageError unless there is one letter for each dimension @local
void require_names(const SourceCore& source, std::string_view names);
}  // namespace detail

/// A tensor that a contraction reads: `a("ijab")` of an array, slice or TensorSource, or conj() of it. Refers
/// to the array, and shares the source. @local
template <MatrixElement T>
class TensorOperand {
 public:
  TensorOperand(const Indexed<T>& tensor) : core_{tensor.core(), tensor.names()} {}
  TensorOperand(const Indexed<const T>& tensor) : core_{tensor.core(), tensor.names()} {}
  /// @throws UsageError unless there is one letter for each dimension
  TensorOperand(std::shared_ptr<const detail::SourceCore> source, std::string_view names)
      : core_{source, std::string(names)} {
    detail::require_names(*source, names);
  }
  TensorOperand conjugated() const {
    TensorOperand other = *this;
    other.core_.is_conjugated = !core_.is_conjugated;
    return other;
  }
  const detail::FactorCore& core() const noexcept { return core_; }

 private:
  detail::FactorCore core_;
};

/// The conjugate of a tensor, as an operand; the tensor itself for real elements. @local
template <class T>
TensorOperand<std::remove_const_t<T>> conj(const Indexed<T>& tensor) {
  return TensorOperand<std::remove_const_t<T>>(tensor).conjugated();
}
template <class T>
TensorOperand<T> conj(const TensorOperand<T>& tensor) {
  return tensor.conjugated();
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
  FactorCore a, b;
};
void contract(std::span<const TermCore> terms, const void* beta, const tessera::detail::SliceCore& c,
              std::string_view c_names);
index_t contract_memory(std::span<const TermCore> terms, const tessera::detail::SliceCore& c,
                        std::string_view c_names);
template <MatrixElement T>
std::vector<TermCore> cores_of(std::span<const ContractionTerm<T>> terms) {
  std::vector<TermCore> cores;
  cores.reserve(terms.size());
  for (const ContractionTerm<T>& term : terms) cores.push_back({&term.alpha, term.a.core(), term.b.core()});
  return cores;
}
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
/// diagonals, need a temporary array of what is left. If all letters are in all three, a source needs one of
/// the size of c. @collective
/// @throws UsageError on every rank if extents of a letter differ, c has a letter twice or one that no factor
/// has, or c overlaps a factor
/// @throws on every rank if a source throws on one, or one has too little memory. That rank gets its exception,
/// the others an Error that names the rank. Then c has no defined elements.
template <MatrixElement T>
void contract(std::span<const ContractionTerm<T>> terms, std::type_identity_t<T> beta, const Indexed<T>& c) {
  detail::contract(detail::cores_of(terms), &beta, c.core(), c.names());
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

/// How many bytes this process needs in contract() of these terms, beside the tensors, until it returns. The
/// number is exact unless sums over letters of one factor, or diagonals, come first; then it is an estimate. It
/// leaves out what a source needs itself, messages between nodes, lists of blocks, and buffers of a few MiB
/// where elements are multiplied one by one. @local @throws UsageError as contract()
template <MatrixElement T>
index_t contract_memory(std::span<const ContractionTerm<T>> terms, const Indexed<T>& c) {
  return detail::contract_memory(detail::cores_of(terms), c.core(), c.names());
}
/// The same for a list in braces. @local @throws as above
template <MatrixElement T>
index_t contract_memory(const std::vector<ContractionTerm<T>>& terms, const Indexed<T>& c) {
  return contract_memory(std::span(terms), c);
}
/// The same for c = a * b. @local @throws as above
template <MatrixElement T>
index_t contract_memory(const std::type_identity_t<TensorOperand<T>>& a,
                        const std::type_identity_t<TensorOperand<T>>& b, const Indexed<T>& c) {
  const ContractionTerm<T> term{T{1}, a, b};
  return contract_memory(std::span(&term, 1), c);
}

}  // namespace tessera::linalg
