// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>

#include <tessera/elementwise.hpp>
#include <tessera/replicated.hpp>
#include <tessera/runtime/batch.hpp>
#include <tessera/runtime/heap.hpp>

#include "elements.hpp"
#include "interpreter.hpp"
#include "layouts.hpp"

// Other things that a group can share: sparse matrices, replicated arrays and heaps. Each is made, used and
// closed in one line.
namespace tessera::stress::detail {

// y = 2 A x, of vectors or of matrices; the values of A are doubled in place on the way.
bool Run::multiply_sparse(const Line& line) {
  Entry *x = find(line.names[0]), *y = find(line.names[1]);
  if (x == nullptr || y == nullptr || x->group != y->group || x->model.type != y->model.type) return false;
  const std::size_t rank = x->model.extents.size();
  if (rank > 2 || y->model.extents.size() != rank) return false;
  // If MPI has no atomic domain, arrays that ask for it are null on their members too.
  if ((x->array == nullptr) != (y->array == nullptr)) return false;
  if (rank == 2 && x->model.extents[1] != y->model.extents[1]) return false;
  const index_t rows = y->model.extents[0], columns = x->model.extents[0];
  const std::size_t width = rank == 2 ? static_cast<std::size_t>(x->model.extents[1]) : 1;
  std::map<std::pair<index_t, index_t>, Number> matrix;
  for (int member = 0; member < x->members(); ++member)
    for (const SparseElement& one : sparse_elements(line, member, rows, columns, x->model.is_complex()))
      matrix[{one.row, one.column}] += one.value;
  Values product(y->model.values.size()), expected{static_cast<double>(matrix.size())};
  double size = 0;  // of all products: as long as it is exact, the order does not matter
  for (const auto& [at, value] : matrix) {
    const auto row = static_cast<std::size_t>(at.first), column = static_cast<std::size_t>(at.second);
    for (std::size_t j = 0; j < width; ++j) {
      const Number& factor = x->model.values[column * width + j];
      product[row * width + j] += 2.0 * value * factor;
      size += 2 * std::abs(value) * std::abs(factor);
    }
  }
  const auto expect_row = [&](index_t row, double times) {
    for (auto next = matrix.lower_bound({row, 0}); next != matrix.end() && next->first.first == row; ++next) {
      expected.push_back(static_cast<double>(next->first.second));
      expected.push_back(times * next->second);
    }
  };
  for (const index_t row : sparse_rows(line, rows)) expect_row(row, 1);
  for (index_t k = 0; k < std::min(rows, columns); ++k) {
    const auto found = matrix.find({k, k});
    expected.push_back(found == matrix.end() ? Number(0) : found->second);
  }
  if (rows > 0) expect_row(sparse_rows(line, rows).front(), 2);
  if (!is_exact(product) || size > (1 << 22)) return false;
  for (Entry* entry : {x, y}) collect(*entry);
  if (x->array)
    attempt([&] {
      const std::vector<Operand> operands{{x->array.get(), {}, rank}, {y->array.get(), {}, rank}};
      compare_values(compute(x->model.type, rank, line, operands), expected,
                     "rows and the diagonal of the sparse matrix");
    });
  y->model.values = product;
  for (Entry* entry : {x, y})
    if (!entry->has_detached) entry->model.settle();
  return true;
}

namespace {

struct Addition {
  Part patch;
  Values values;
};
Addition addition_of(const Line& line, int member, const Numbers& extents, bool is_complex) {
  const index_t seed = line.number("seed") * 100 + member;
  Addition one{random_patch(seed, extents), {}};
  Numbers sizes;
  for (std::size_t d = 0; d < extents.size(); ++d) sizes.push_back(one.patch.hi[d] - one.patch.lo[d]);
  one.values = random_values(seed + 1, count(sizes), is_complex);
  return one;
}

// The contents of this node's copy at the end, after each member of the group has added to the copy of its
// node.
template <class T>
Values run_replicated(const Group& group, const Line& line) {
  const Numbers extents = line.numbers("extents");
  Replicated<T, 2> copies(group, to<Extents<2>>(extents));
  Array<T, 2>& copy = copies.copy();
  tessera::fill(copy, T{});
  const Addition mine = addition_of(line, group.rank(), extents, !std::is_arithmetic_v<T>);
  const Patch<2> patch{to<Index<2>>(mine.patch.lo), to<Index<2>>(mine.patch.hi)};
  LocalArray<T, 2> values(patch.extents());
  std::transform(mine.values.begin(), mine.values.end(), values.begin(), element<T>);
  copy.acc(patch, values);
  const std::string op = line.word("op", "sum");
  if (op == "broadcast")
    copies.broadcast(static_cast<int>(std::abs(line.number("node")) % group.node_count()));
  else
    copies.merge(op == "min" ? Reduce::min : op == "max" ? Reduce::max : Reduce::sum);
  Values found;
  for (const T& value : copy.get(Patch<2>::whole(copy.dims()))) found.push_back(number(value));
  copies.close();
  return found;
}

}  // namespace

bool Run::replicated(const Line& line) {
  const auto found = groups_.find(line.names[0]);
  Model model;
  model.type = line.word("type", "double");
  model.extents = line.numbers("extents");
  const std::string op = line.word("op", "sum");
  if (found == groups_.end() || model.extents.size() != 2) return false;
  if (model.is_complex() && (op == "min" || op == "max")) return false;
  const Group& group = found->second.group;
  if (!group) return true;
  std::vector<Values> copies(static_cast<std::size_t>(group.node_count()), Values(count(model.extents)));
  for (int member = 0; member < group.size(); ++member) {
    const Addition one = addition_of(line, member, model.extents, model.is_complex());
    Values& copy = copies[static_cast<std::size_t>(group.node_of(member))];
    const auto chosen = model.select(one.patch);
    for (std::size_t k = 0; k < chosen->at.size(); ++k) copy[chosen->at[k]] += one.values[k];
  }
  Values expected =
      copies[op == "broadcast" ? static_cast<std::size_t>(std::abs(line.number("node"))) % copies.size() : 0];
  for (std::size_t node = 1; node < copies.size() && op != "broadcast"; ++node)
    for (std::size_t k = 0; k < expected.size(); ++k) {
      const double here = expected[k].real(), other = copies[node][k].real();
      if (op == "sum") expected[k] += copies[node][k];
      if (op == "min") expected[k] = std::min(here, other);
      if (op == "max") expected[k] = std::max(here, other);
    }
  attempt([&] {
    const Values values = model.type == "int32" ? run_replicated<std::int32_t>(group, line)
                          : model.is_complex()  ? run_replicated<std::complex<float>>(group, line)
                                                : run_replicated<double>(group, line);
    compare_values(values, expected, "the merged copies");
  });
  return true;
}

namespace {

// A heap from which all members allocate, and the expected contents of each block.
class HeapTrial {
 public:
  HeapTrial(const Group& group, index_t seed, index_t rounds)
      : group_(group), seed_(seed), heap_(group, (rounds + 1) * max_words * word), room_(heap_.available()) {}

  // Each member allocates a block, another member fills it, and each member adds to some block.
  void round() {
    ++round_;
    allocate();
    for (int member = 0; member < group_.size(); ++member) {
      Block& block = blocks_[member].back();
      const Values values = random_values(seed(member), block.values.size(), false);
      for (std::size_t k = 0; k < values.size(); ++k) block.values[k] = element<std::int64_t>(values[k]);
      if ((member + round_) % group_.size() == group_.rank())
        heap_.segment().put(block.pointer.rank, block.pointer.offset, shape(block), block.values.data());
    }
    heap_.segment().sync();
    add();
    heap_.segment().sync();
  }
  // Found and expected, of all blocks.
  std::pair<Values, Values> look() const {
    std::pair<Values, Values> both;
    for (const auto& [member, blocks] : blocks_)
      for (const Block& block : blocks) {
        std::vector<std::int64_t> found(block.values.size());
        heap_.segment().get(block.pointer.rank, block.pointer.offset, shape(block), found.data());
        for (const std::int64_t value : found) both.first.push_back(number(value));
        for (const std::int64_t value : block.values) both.second.push_back(number(value));
      }
    return both;
  }
  void give_back() {
    group_.barrier();  // others may still look
    for (auto& [member, blocks] : blocks_) {
      if (random_below(seed(member), 5, 2) == 0) continue;
      const auto block = blocks.begin() + static_cast<std::ptrdiff_t>(pick(member, blocks.size()));
      if (member == group_.rank()) heap_.deallocate(block->pointer);
      blocks.erase(block);
    }
  }
  // Frees all blocks, and returns whether all room is available again.
  bool end() {
    group_.barrier();
    for (const Block& block : blocks_[group_.rank()]) heap_.deallocate(block.pointer);
    const bool is_all = heap_.available() == room_;
    heap_.close();
    return is_all;
  }

 private:
  static constexpr index_t max_words = 48, word = 8;
  struct Block {
    HeapPointer pointer;
    std::vector<std::int64_t> values;
  };
  static Strided shape(const Block& block) {
    return Strided::contiguous(static_cast<index_t>(block.values.size()) * word);
  }
  index_t seed(int member) const { return (seed_ * 100 + round_) * 100 + member; }
  std::size_t pick(int member, std::size_t end) const {
    return static_cast<std::size_t>(random_below(seed(member), 1, static_cast<index_t>(end)));
  }
  void allocate() {
    const auto words = [&](int member) { return 1 + random_below(seed(member), 0, max_words); };
    const auto pointers = group_.all_gather(heap_.allocate(words(group_.rank()) * word));
    for (int member = 0; member < group_.size(); ++member)
      blocks_[member].push_back({pointers[static_cast<std::size_t>(member)],
                                 std::vector<std::int64_t>(static_cast<std::size_t>(words(member)))});
  }
  void add() {
    Batch batch;
    for (int member = 0; member < group_.size(); ++member) {
      auto& blocks = blocks_[static_cast<int>(pick(member, static_cast<std::size_t>(group_.size())))];
      Block& block = blocks[pick(member, blocks.size())];
      const std::vector<std::int64_t> ones(block.values.size(), 1);
      const std::int64_t alpha = member + 1;
      for (std::int64_t& value : block.values) value += alpha;
      if (member != group_.rank()) continue;
      const auto [rank, offset] = block.pointer;
      if (round_ % 2 == 0)
        batch.accumulate(heap_.segment(), rank, offset, ElementKind::int64, &alpha, ones.data(),
                         shape(block).run);
      else
        heap_.segment().accumulate(rank, offset, shape(block), ElementKind::int64, &alpha, ones.data());
    }
    batch.send();
  }

  const Group& group_;
  index_t seed_;
  Heap heap_;
  index_t room_;
  int round_ = 0;
  std::map<int, std::vector<Block>> blocks_;  // of each member
};

}  // namespace

bool Run::heap(const Line& line) {
  const auto found = groups_.find(line.names[0]);
  if (found == groups_.end()) return false;
  if (!found->second.group) return true;
  attempt([&] {
    const index_t rounds = line.number("count", 1);
    HeapTrial trial(found->second.group, line.number("seed"), rounds);
    for (index_t k = 0; k < rounds; ++k) {
      trial.round();
      const auto [values, expected] = trial.look();
      compare_values(values, expected, "blocks of the heap");
      trial.give_back();
    }
    if (!trial.end()) fail("the heap has less room when all blocks are given back");
  });
  return true;
}

}  // namespace tessera::stress::detail
