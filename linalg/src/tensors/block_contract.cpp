// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/linalg/block_contract.hpp>

#include <algorithm>
#include <complex>
#include <memory>
#include <unordered_map>
#include <utility>

#include <tessera/core/operand_walk.hpp>
#include <tessera/core/operations.hpp>
#include <tessera/runtime/phase.hpp>

#include "format.hpp"
#include "products/distributed_product.hpp"
#include "scalapack/scalapack_matrix.hpp"
#include "tensors/block_map.hpp"
#include "tensors/block_panels.hpp"
#include "tensors/block_symmetry.hpp"
#include "tensors/contraction.hpp"
#include "tensors/inner_exchanges.hpp"
#include "tensors/result_block.hpp"

namespace tessera::linalg::detail {
namespace {

using tessera::detail::Outcome;

using Starts = std::vector<index_t>;

std::string description_of(const BlockTensorCore& tensor) {
  return "block tensor \"" + tensor.map().name() + "\"";
}

// A dense dimension that no block tensor has, in blocks. Those of all such dimensions of a factor together have
// a length that BLAS multiplies fast, and take little memory.
Starts starts_of(index_t extent, std::size_t dimensions) {
  const index_t length = dimensions == 1 ? 256 : dimensions == 2 ? 64 : dimensions == 3 ? 16 : 8;
  Starts starts(1, 0);
  while (starts.back() < extent) starts.push_back(std::min(extent, starts.back() + length));
  return starts;
}

// How the dimension of each letter is cut. Dense tensors are cut as block tensors are.
class Cuts {
 public:
  void add(const BlockTensorCore& tensor, const std::string& names) {
    for (std::size_t d = 0; d < names.size(); ++d) {
      const Starts& starts = tensor.map().starts(d);
      const auto [place, is_new] = cuts_.try_emplace(names[d], Cut{starts, description_of(tensor), names});
      if (is_new || place->second.starts == starts) continue;
      throw UsageError(
          formatted("contract: index '{}' is cut into other blocks in \"{}\" of {} than in \"{}\" of {}",
                    names[d], names, description_of(tensor), place->second.names, place->second.owner));
    }
  }
  // If no block tensor has a letter, it is in two dense factors.
  void add(const TensorView& tensor, const std::string& names) {
    for (const char name : names) {
      if (!cuts_.contains(name)) of_dense_alone_ += name;
    }
    for (std::size_t d = 0; d < names.size(); ++d) {
      const index_t extent = tensor.extents()[d];
      const auto [place, is_new] = cuts_.try_emplace(
          names[d], Cut{starts_of(extent, of_dense_alone_.size()), tensor.description(), names});
      if (is_new || place->second.starts.back() == extent) continue;
      throw UsageError(formatted("contract: index '{}' has {} values in \"{}\" of {}, but {} in \"{}\" of {}",
                                 names[d], extent, names, tensor.description(), place->second.starts.back(),
                                 place->second.names, place->second.owner));
    }
  }
  const Starts& of(char name) const { return cuts_.at(name).starts; }

 private:
  struct Cut {
    Starts starts;
    std::string owner, names;
  };
  std::unordered_map<char, Cut> cuts_;
  std::string of_dense_alone_;
};

struct GivenFactor {
  const BlockFactorCore& core;
  std::optional<TensorView> dense;

  explicit GivenFactor(const BlockFactorCore& factor) : core(factor) {
    if (core.dense)
      dense = std::visit([](const auto& tensor) { return TensorView(tensor); }, core.dense->tensor);
  }
  bool is_source() const { return dense && dense->stored() == nullptr; }
  SliceCore stored() const { return dense ? *dense->stored() : SliceCore(core.blocks->elements()); }
  std::string description() const { return dense ? dense->description() : description_of(*core.blocks); }
  // The number of products in each element of a result with these names.
  index_t summed(const std::string& result) const {
    const Coordinates extents = dense ? dense->extents() : core.blocks->extents();
    index_t all = 1;
    for (std::size_t d = 0; d < core.names.size(); ++d)
      if (result.find(core.names[d]) == std::string::npos) all *= extents[d];
    return all;
  }
  index_t size() const { return dense ? dense->size() : core.blocks->elements().layout().size(); }
};

void require_two_of_each(const GivenFactor& a, const GivenFactor& b, const BlockTensorCore& c,
                         const std::string& c_names) {
  const std::string &x = a.core.names, &y = b.core.names, all = x + y + c_names;
  for (const char name : all) {
    const auto count = [name](const std::string& names) {
      return std::count(names.begin(), names.end(), name);
    };
    if (count(all) == 2 && count(x) < 2 && count(y) < 2 && count(c_names) < 2) continue;
    throw UsageError(
        formatted("contract: index '{}' must be once in exactly two of \"{}\" of {}, \"{}\" of {} and "
                  "\"{}\" of {}, if one of them is a block tensor",
                  name, x, a.description(), y, b.description(), c_names, description_of(c)));
  }
}

// Numbers the places of blocks along some dimensions, of which the last varies fastest.
class Places {
 public:
  Places(const std::vector<Starts>& starts, const std::vector<int>& dimensions) : dimensions_(dimensions) {
    for (const int d : dimensions_) counts_.push_back(std::ssize(starts[static_cast<std::size_t>(d)]) - 1);
  }
  index_t number(const Coordinates& at) const {
    index_t number = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i)
      number = number * counts_[i] + at[static_cast<std::size_t>(dimensions_[i])];
    return number;
  }
  void set(Coordinates& at, index_t number) const {
    for (std::size_t i = counts_.size(); i-- > 0; number /= counts_[i])
      at[static_cast<std::size_t>(dimensions_[i])] = number % counts_[i];
  }
  index_t count() const {
    index_t all = 1;
    for (const index_t count : counts_) all *= count;
    return all;
  }

 private:
  std::vector<int> dimensions_;
  std::vector<index_t> counts_;
};

// For each place of a factor's outer dimensions, the places of its inner dimensions at which there are blocks
// that are wanted.
class Rows {
 public:
  template <class Wants>
  Rows(const BlockFactor& factor, const Places& outer, const Places& inner, Wants&& wants) {
    if (factor.blocks == nullptr) {
      for (index_t i = 0; i < inner.count(); ++i) all_.push_back(i);
      return;
    }
    const BlockMap& map = factor.blocks->map();
    for (const BlockMap::Block& block : map.blocks())
      map.for_each_place(block, [&](const Coordinates& at) {
        if (wants(at)) rows_[outer.number(at)].push_back(inner.number(at));
      });
    for (auto& [row, list] : rows_) std::sort(list.begin(), list.end());
  }
  const std::vector<index_t>& of(index_t outer) const {
    const auto place = rows_.find(outer);
    return place == rows_.end() ? all_ : place->second;
  }

 private:
  std::unordered_map<index_t, std::vector<index_t>> rows_;
  std::vector<index_t> all_;  // of a dense factor; empty for a block tensor
};

// The inner dimensions in the order of the larger factor, which is then more often read in place.
void order_inner(Contraction& kinds, bool as_b) {
  if (!as_b) return;
  std::vector<std::pair<int, int>> pairs;
  for (std::size_t i = 0; i < kinds.inner_of_a.size(); ++i)
    pairs.emplace_back(kinds.inner_of_b[i], kinds.inner_of_a[i]);
  std::sort(pairs.begin(), pairs.end());
  for (std::size_t i = 0; i < pairs.size(); ++i) std::tie(kinds.inner_of_b[i], kinds.inner_of_a[i]) = pairs[i];
}

BlockFactor cut(const GivenFactor& factor, const Cuts& cuts) {
  BlockFactor all{
      factor.core.blocks ? &*factor.core.blocks : nullptr, factor.dense, {}, factor.core.is_conjugated};
  for (const char name : factor.core.names) all.starts.push_back(cuts.of(name));
  return all;
}

// One term: c = alpha * a * b + beta * c, for the blocks that this process owns. @onesided
template <class T>
class Term {
 public:
  Term(const GivenFactor& a, const GivenFactor& b, const BlockTensorCore& c, const std::string& c_names,
       const Cuts& cuts)
      : kinds_(ordered(a, b, c_names)),
        c_(c),
        left_(cut(a, cuts)),
        right_(cut(b, cuts)),
        inner_of_a_(left_.starts, kinds_.inner_of_a),
        inner_of_b_(right_.starts, kinds_.inner_of_b),
        exchanges_(map_of(left_), map_of(right_), kinds_),
        lefts_(left_, Places(left_.starts, kinds_.rows_of_a), inner_of_a_,
               [this](const Coordinates& at) { return exchanges_.stand_for_all(at); }),
        rights_(right_, Places(right_.starts, kinds_.columns_of_b), inner_of_b_,
                [](const Coordinates&) { return true; }),
        left_panels_(left_, kinds_.rows_of_a, kinds_.inner_of_a),
        right_panels_(right_, kinds_.columns_of_b, kinds_.inner_of_b) {}

  // While one product is computed, the factors of the next one are fetched, also if it is of another block.
  void add(T alpha, T beta) {
    find_own_blocks();
    std::optional<OwnBlock> block = next_block(beta);
    std::optional<Product> next;
    if (block) next.emplace(begin(block->at, block->inner.front()));
    while (block) {
      ResultBlock<T> result(c_.map(), block->at, block->data, kinds_);
      std::optional<OwnBlock> following;
      for (std::size_t i = 0; i < block->inner.size(); ++i) {
        const Product now = *std::exchange(next, std::nullopt);
        now.left->wait(), now.right->wait();
        if (i + 1 < block->inner.size()) {
          next.emplace(begin(block->at, block->inner[i + 1]));
        } else if ((following = next_block(beta))) {
          next.emplace(begin(following->at, following->inner.front()));
        }
        result.add(alpha * static_cast<Real<T>>(now.images), *now.left, *now.right, now.inner, beta);
      }
      result.end(beta);
      block = std::move(following);
    }
  }

 private:
  struct Product {
    std::shared_ptr<BlockPanel<T>> left, right;
    index_t inner;
    index_t images;  // how many equal products it stands for
  };
  // A block of the result, with the places of the inner dimensions of its products.
  struct OwnBlock {
    Coordinates at;
    T* data;
    std::vector<index_t> inner;
  };
  void find_own_blocks() {
    c_.for_each_own_block([&](const Coordinates& at, void* data) {
      own_blocks_.push_back({at, static_cast<T*>(data), {}});
    });
  }
  // The next block that has products. Blocks without products are multiplied by beta.
  std::optional<OwnBlock> next_block(T beta) {
    for (; begun_ < own_blocks_.size(); ++begun_) {
      OwnBlock block = own_blocks_[begun_];
      block.inner = common(block.at);
      if (!block.inner.empty()) return ++begun_, block;
      ResultBlock<T>(c_.map(), block.at, block.data, kinds_).end(beta);
    }
    return std::nullopt;
  }
  static const BlockMap* map_of(const BlockFactor& factor) {
    return factor.blocks == nullptr ? nullptr : &factor.blocks->map();
  }
  static Contraction ordered(const GivenFactor& a, const GivenFactor& b, const std::string& c_names) {
    Contraction kinds = contraction_of(a.core.names, b.core.names, c_names);
    order_inner(kinds, b.size() > a.size());
    return kinds;
  }
  // The places of the inner dimensions at which both factors have blocks, one of those with equal products.
  std::vector<index_t> common(const Coordinates& at) const {
    const Places rows(left_.starts, kinds_.rows_of_a), columns(right_.starts, kinds_.columns_of_b);
    const auto &left = lefts_.of(rows.number(of_factor(at, kinds_.rows_of_a, kinds_.rows_of_c))),
               &right = rights_.of(columns.number(of_factor(at, kinds_.columns_of_b, kinds_.columns_of_c)));
    std::vector<index_t> both;
    std::set_intersection(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(both));
    return both;
  }
  static Coordinates of_factor(const Coordinates& at, const std::vector<int>& dimensions,
                               const std::vector<int>& of_c) {
    Coordinates place{};
    for (std::size_t i = 0; i < of_c.size(); ++i)
      place[static_cast<std::size_t>(dimensions[i])] = at[static_cast<std::size_t>(of_c[i])];
    return place;
  }
  Product begin(const Coordinates& at, index_t inner) {
    Coordinates left = of_factor(at, kinds_.rows_of_a, kinds_.rows_of_c),
                right = of_factor(at, kinds_.columns_of_b, kinds_.columns_of_c);
    inner_of_a_.set(left, inner);
    inner_of_b_.set(right, inner);
    index_t length = 1;
    for (const int d : kinds_.inner_of_a)
      length *= left_.length(static_cast<std::size_t>(d), left[static_cast<std::size_t>(d)]);
    return {left_panels_.get(left), right_panels_.get(right), length, exchanges_.images(left)};
  }

  Contraction kinds_;
  const BlockTensorCore& c_;
  BlockFactor left_, right_;
  Places inner_of_a_, inner_of_b_;
  InnerExchanges exchanges_;
  Rows lefts_, rights_;
  BlockPanels<T> left_panels_, right_panels_;
  std::vector<OwnBlock> own_blocks_;
  std::size_t begun_ = 0;  // how many of these
};

}  // namespace

void require_names(const BlockTensorCore& tensor, std::string_view names) {
  if (tensor.map().rank() == names.size()) return;
  throw UsageError(
      formatted("{} has {} dimensions, but \"{}\" has {} letters; give one letter for each dimension",
                description_of(tensor), tensor.map().rank(), names, names.size()));
}

void contract(std::span<const BlockTermCore> terms, const void* beta, const BlockTensorCore& c,
              const std::string& c_names) {
  const SliceCore result(c.elements());
  const Phase phase(result.array().group(), "contract");
  std::vector<SliceCore> stored{result};
  std::vector<std::pair<GivenFactor, GivenFactor>> factors;
  for (const BlockTermCore& term : terms) {
    const auto& [a, b] = factors.emplace_back(GivenFactor(term.a), GivenFactor(term.b));
    for (const GivenFactor* factor : {&a, &b})
      if (!factor->is_source()) stored.push_back(factor->stored());
  }
  tessera::detail::begin_operation("contract", stored, tessera::detail::Shapes::any);
  require_same_letters(result.array().group(), c_names, terms);
  std::vector<Cuts> cuts;
  for (const auto& [a, b] : factors) {
    require_two_of_each(a, b, c, c_names);
    Cuts& letters = cuts.emplace_back();
    letters.add(c, c_names);
    for (const GivenFactor* factor : {&a, &b})
      if (factor->core.blocks) letters.add(*factor->core.blocks, factor->core.names);
    for (const GivenFactor* factor : {&a, &b}) {
      if (factor->dense) letters.add(*factor->dense, factor->core.names);
      if (!factor->is_source() && factor->stored().may_overlap(result)) {
        throw UsageError(formatted("contract: the result {} is also a factor", description_of(c)));
      }
    }
  }
  with_scalar("contract", result, [&]<class T>(T) {
    T old = *static_cast<const T*>(beta);
    SymmetryCheck check(c);
    check.start_from<T>(std::abs(old));
    if (terms.empty()) old == T{0} ? tessera::detail::fill(result, &old) : tessera::detail::scale(result, &old);
    const Outcome outcome([&] {
      for (std::size_t i = 0; i < terms.size(); ++i) {
        const T alpha = *static_cast<const T*>(terms[i].alpha);
        if (alpha == T{0}) {
          multiply_own_elements(result, old);
          old = T{1};
          continue;
        }
        Term<T>(factors[i].first, factors[i].second, c, c_names, cuts[i]).add(alpha, old);
        old = T{1};
      }
    });
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const auto& [a, b] = factors[i];
      const T alpha = *static_cast<const T*>(terms[i].alpha);
      if (alpha == T{0}) continue;
      a.is_source() || b.is_source() ? check.give_up()
                                     : check.add(std::abs(alpha), a.summed(c_names), a.stored(), b.stored());
    }
    tessera::detail::end_operation("contract", result, outcome);
    check.template require<T>();
  });
}

}  // namespace tessera::linalg::detail
