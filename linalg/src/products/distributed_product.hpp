// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/core/agreed.hpp>

#include "products/product_queue.hpp"
#include "products/split_sums.hpp"

namespace tessera::linalg::detail {

/// What has been computed.
struct Computed {
  /// Of the result.
  Tiles tiles{};
  /// Whether processes have added parts of sums to the results of others. Then no process may read its results
  /// before all have synchronised.
  bool in_parts = false;
};

/// A sum of products, which go to one result; each may fuse its dimensions to another matrix. A process
/// computes the part of the result that it owns, and fetches for a product while it multiplies that before. For
/// products whose part is too small for the data that it needs, it instead computes a part of the sums of all
/// of the result.
template <class T>
class DistributedSum {
 public:
  /// `routine` names the call in messages.
  explicit DistributedSum(std::string_view routine) : routine_(routine) {}
  bool empty() const noexcept { return terms_.empty(); }
  /// Adds a product. @local
  void add(ProductFactors<T> factors, FusedMatrix c) { terms_.push_back({std::move(factors), std::move(c)}); }
  /// c = the products + beta * c, in the tiles of c that `computed` asks for; their part may be `alternate` or
  /// `all`; all, if there are several products. It says which have been computed. The outcome may differ
  /// between ranks, which agree on it when they end the operation. There is at least one product, and none
  /// afterwards. @collective; the result is not yet visible to other ranks
  /// @throws on every rank if it cannot be prepared on one
  tessera::detail::Outcome run(T beta, Computed& computed);

 private:
  struct Summand {
    ProductFactors<T> factors;
    FusedMatrix c;
  };
  std::string routine_;
  std::vector<Summand> terms_;
};

/// The sum of one product. @collective
template <class T>
tessera::detail::Outcome distributed_product(std::string_view routine, const ProductFactors<T>& factors,
                                             const FusedMatrix& c, T beta, Computed& computed);

/// Multiplies the elements that this rank owns; a factor of zero clears NaN, too. @onesided
template <class T>
void multiply_own_elements(const tessera::detail::SliceCore& c, T factor);

/// Adds to a queue what computes only this process's own part of c. @local
template <class T>
void add_own_part(ProductQueue<T>& queue, const std::shared_ptr<const LocalProduct<T>>& product,
                  const FusedMatrix& c, T beta, const Tiles& tiles);

/// The most bytes that this process needs to compute its part of all sums. @local
template <class T>
index_t part_of_sums_memory(const std::shared_ptr<const LocalProduct<T>>& product, const FusedMatrix& c,
                            const Split& split);
/// The most that it needs in either way, for factors of any layouts and k inner indices. @local
template <class T>
index_t most_memory(const FusedMatrix& c, index_t k);

}  // namespace tessera::linalg::detail
