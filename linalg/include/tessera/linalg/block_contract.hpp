// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/linalg/block_tensor.hpp>
#include <tessera/linalg/contract.hpp>

namespace tessera::linalg {

namespace detail {

/// A factor with run-time rank and element type: a block tensor, or a dense tensor.
struct BlockFactorCore {
  std::optional<BlockTensorCore> blocks;
  std::optional<FactorCore> dense;
  std::string names;
  bool is_conjugated = false;
};
struct BlockTermCore {
  const void* alpha;
  BlockFactorCore a, b;
};
void require_names(const BlockTensorCore& tensor, std::string_view names);
void contract(std::span<const BlockTermCore> terms, const void* beta, const BlockTensorCore& c,
              const std::string& c_names);

}  // namespace detail

/// A block tensor with a letter for the index of each dimension: `a("ijab")`. Shares the tensor. T is const for
/// one that is only read. @local
template <class T>
class IndexedBlocks {
 public:
  /// @throws UsageError unless there is one letter for each dimension
  IndexedBlocks(const detail::BlockTensorCore& core, std::string_view names) : core_(core), names_(names) {
    detail::require_names(core_, names_);
  }
  IndexedBlocks(const IndexedBlocks&) = default;
  IndexedBlocks(const IndexedBlocks<std::remove_const_t<T>>& other) requires(std::is_const_v<T>)
      : core_(other.core()), names_(other.names()) {}
  const detail::BlockTensorCore& core() const noexcept { return core_; }
  const std::string& names() const noexcept { return names_; }

 private:
  detail::BlockTensorCore core_;
  std::string names_;
};

/// A factor of a contraction into a block tensor: a block tensor, or whatever is a TensorOperand. @local
template <MatrixElement T>
class BlockOperand {
 public:
  BlockOperand(const IndexedBlocks<T>& tensor) : core_{tensor.core(), {}, tensor.names()} {}
  BlockOperand(const IndexedBlocks<const T>& tensor) : core_{tensor.core(), {}, tensor.names()} {}
  BlockOperand(const TensorOperand<T>& tensor)
      : core_{{}, tensor.core(), tensor.core().names, tensor.core().is_conjugated} {}
  BlockOperand(const Indexed<T>& tensor) : BlockOperand(TensorOperand<T>(tensor)) {}
  BlockOperand(const Indexed<const T>& tensor) : BlockOperand(TensorOperand<T>(tensor)) {}
  BlockOperand conjugated() const {
    BlockOperand other = *this;
    other.core_.is_conjugated = !core_.is_conjugated;
    return other;
  }
  const detail::BlockFactorCore& core() const noexcept { return core_; }

 private:
  detail::BlockFactorCore core_;
};

/// The conjugate of a block tensor, as an operand; the tensor itself for real elements. @local
template <class T>
BlockOperand<std::remove_const_t<T>> conj(const IndexedBlocks<T>& tensor) {
  return BlockOperand<std::remove_const_t<T>>(tensor).conjugated();
}

/// One term of a sum of contractions: alpha * a * b. Shares block tensors, and refers to arrays. @local
template <MatrixElement T>
struct BlockTerm {
  T alpha;
  BlockOperand<T> a, b;
};

/// The same as contract() of dense tensors, with a block tensor as the result. Only stored blocks of c are
/// computed, each by its owner, from the blocks of the factors that are not absent. Every letter is in exactly
/// two of the three tensors.
///
/// A block of a block tensor is read in place if it lies on this node as a matrix. Other blocks, and those of
/// dense factors, are copied or fetched into order. Meanwhile the block before is multiplied, if it belongs to
/// the same block of c. Some 32 MiB of each factor are kept for the next products.
///
/// The sum of the terms must have the symmetries of c: only one of the blocks that are images of each other is
/// computed. Blocks on the diagonals of symmetric dimensions show whether it has. What the old elements of c
/// lack of symmetry is left to them. @collective
/// @throws UsageError on every rank if blocks of a letter differ, a letter is not in two tensors, or c is also
/// a factor
/// @throws LinalgError on every rank if a block on a diagonal does not have the symmetry
/// @throws as contract() if a source throws, or there is too little memory
template <MatrixElement T>
void contract(std::span<const BlockTerm<T>> terms, std::type_identity_t<T> beta, const IndexedBlocks<T>& c) {
  std::vector<detail::BlockTermCore> cores;
  cores.reserve(terms.size());
  for (const BlockTerm<T>& term : terms) cores.push_back({&term.alpha, term.a.core(), term.b.core()});
  detail::contract(cores, &beta, c.core(), c.names());
}
/// The same for a list in braces. @collective @throws as above
template <MatrixElement T>
void contract(const std::vector<BlockTerm<T>>& terms, std::type_identity_t<T> beta, const IndexedBlocks<T>& c) {
  contract(std::span(terms), beta, c);
}
/// The same with one term: c = alpha * a * b + beta * c. @collective @throws as above
template <MatrixElement T>
void contract(std::type_identity_t<T> alpha, const std::type_identity_t<BlockOperand<T>>& a,
              const std::type_identity_t<BlockOperand<T>>& b, std::type_identity_t<T> beta,
              const IndexedBlocks<T>& c) {
  const BlockTerm<T> term{alpha, a, b};
  contract(std::span(&term, 1), beta, c);
}

template <MatrixElement T, std::size_t N>
IndexedBlocks<T> BlockTensor<T, N>::operator()(std::string_view indices) {
  return {core_, indices};
}
template <MatrixElement T, std::size_t N>
IndexedBlocks<const T> BlockTensor<T, N>::operator()(std::string_view indices) const {
  return {core_, indices};
}

}  // namespace tessera::linalg
