// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>

#include <malloc.h>

#include <tessera/elementwise.hpp>
#include <tessera/linalg/linalg.hpp>
#include <tessera/scan.hpp>
#include <tessera/sparse.hpp>

#include "test_matrix.hpp"

// One rank has too little memory for the blocks that a product needs. It has its exception, and the others have
// an error that names it. No rank waits for it, and the next product is right.
namespace {
// Requests of at least so many bytes fail.
std::atomic<std::size_t> limit{~std::size_t{0}};
// The bytes in use, of requests of at least 4 KiB, and the most that they have been.
std::atomic<std::int64_t> in_use{0}, peak{0};

std::int64_t counted(void* memory) noexcept {
  const auto bytes = static_cast<std::int64_t>(malloc_usable_size(memory));
  return bytes >= 4096 ? bytes : 0;
}
}  // namespace

void* operator new(std::size_t size) {
  if (size >= limit) throw std::bad_alloc();
  void* const memory = std::malloc(size > 0 ? size : 1);
  if (memory == nullptr) throw std::bad_alloc();
  const std::int64_t now = in_use += counted(memory);
  for (std::int64_t most = peak; most < now && !peak.compare_exchange_weak(most, now);) continue;
  return memory;
}
void* operator new[](std::size_t size) { return operator new(size); }
void operator delete(void* memory) noexcept {
  in_use -= counted(memory);
  std::free(memory);
}
void operator delete[](void* memory) noexcept { operator delete(memory); }
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }
void operator delete[](void* memory, std::size_t) noexcept { operator delete(memory); }

namespace tessera::test {
namespace {

using linalg::contract;
using linalg::gemm;

void expect_told(const std::function<void()>& call) {
  const int failing = world().size() - 1;
  for (const bool fails : {true, false}) {
    // Between nodes the agent of the rank may lack memory, too, which ends the job.
    if (fails && world().node_count() > 1) continue;
    bool is_own = false;
    std::string message;
    if (fails && world().rank() == failing) limit = 4096;
    try {
      call();
    } catch (const std::bad_alloc&) {
      is_own = true;
    } catch (const Error& error) {
      message = error.what();
      is_own = message.find("failed") == std::string::npos;
    }
    limit = ~std::size_t{0};
    EXPECT_EQ(is_own, fails && world().rank() == failing);
    EXPECT_EQ(message.find("rank " + std::to_string(failing)) != std::string::npos,
              fails && world().rank() != failing)
        << message;
  }
}

TEST(MissingMemory, of_one_rank_is_told_on_all) {
  const index_t n = 64;
  // Blocks in an order that BLAS cannot read, so that every product needs memory.
  const Layout<2> tiles = Layout<2>::tiled({n, n}, {3, 5}, {{1, world().size()}}, world().size());
  Array<double, 2> a(world(), tiles, {.name = "a"}), b(world(), tiles, {.name = "b"}),
      c(world(), tiles, {.name = "c"});
  Array<double, 4> t(world(), {8, 8, 8, 8}, {.name = "t"}), u(world(), {8, 8, 8, 8}, {.name = "u"}),
      v(world(), {8, 8, 8, 8}, {.name = "v"});
  Array<double, 1> x(world(), {4096}, {.name = "x"}), y(world(), {64}, {.name = "y"});
  Array<double, 2> wide(world(), {64, 4096}, {.name = "wide"});
  fill(a, 1.0), fill(b, 2.0), fill(t, 1.0), fill(u, 2.0), fill(x, 1.0), fill(wide, 0.5);
  expect_told([&] { gemm(1, a, b, 0, c); });
  EXPECT_EQ(contents(c), std::vector<double>(at(n * n), 128.0));
  expect_told([&] { linalg::syrk(1, a, 0, c); });
  EXPECT_EQ(contents(c), std::vector<double>(at(n * n), 64.0));
  expect_told([&] { contract(1, t("iajb"), u("kbla"), 0, v("ijkl")); });
  EXPECT_EQ(contents(v), std::vector<double>(4096, 128.0));
  // Not even the lists of blocks fit, and sums are split between the ranks.
  Array<double, 2> thin(world(),
                        Layout<2>::block_cyclic({4, 4000}, {1, 7}, {{1, world().size()}}, world().size()),
                        {.name = "thin"}),
      few(world(), {4, 4}, {.name = "few"});
  fill(thin, 1.0);
  expect_told([&] { gemm(1, thin, linalg::transpose(thin), 0, few); });
  EXPECT_EQ(contents(few), std::vector<double>(16, 4000.0));
  expect_told([&] { contract(1, thin("ik"), thin("jk"), 0, few("ij")); });
  EXPECT_EQ(contents(few), std::vector<double>(16, 4000.0));
  expect_told([&] { linalg::gemv(1, wide, x, 0, y); });
  EXPECT_EQ(contents(y), std::vector<double>(64, 2048.0));
}

TEST(MissingMemory, of_one_rank_is_told_by_sparse_products_and_copies) {
  const index_t n = 4096;
  std::vector<Triplet<double>> triplets;
  for (index_t i = world().rank(); i < n; i += world().size()) {
    triplets.push_back({i, i, 2.0});
    triplets.push_back({i, (i + 1) % n, 1.0});
  }
  SparseMatrix<double> matrix(world(), n, n, triplets);
  // Vectors that do not lie as the matrix does.
  const Layout<1> elsewhere = Layout<1>::block_cyclic({n}, {100}, {{world().size()}});
  Array<double, 1> x(world(), elsewhere), y(world(), elsewhere), z(world(), {n});
  fill(x, 1.0), fill(y, 0.0), fill(z, 1.0);
  const std::vector<double> threes(at(n), 3.0);
  expect_told([&] { matrix.multiply(x, z); });
  EXPECT_EQ(contents(z), threes);
  expect_told([&] { matrix.multiply(x, y); });
  EXPECT_EQ(contents(y), threes);
  expect_told([&] { matrix.multiply_transposed(1.0, x, 0.0, y); });
  EXPECT_EQ(contents(y), threes);
  expect_told([&] { matrix.get_diagonal(y); });
  EXPECT_EQ(contents(y), std::vector<double>(at(n), 2.0));
  Array<double, 2> b(world(), {n, 3}), c(world(), {n, 3});
  fill(b, 1.0), fill(c, 0.0);
  expect_told([&] { matrix.multiply(b, c); });
  EXPECT_EQ(contents(c), std::vector<double>(at(3 * n), 3.0));
  Array<double, 2> square(world(), {96, 96}, {.name = "square"});
  fill(square, 5.0);
  expect_told([&] { copy(square.slice({{0, 0}, {95, 96}}), square.slice({{1, 0}, {96, 96}})); });
  expect_told([&] { symmetrise(square); });
  EXPECT_EQ(contents(square), std::vector<double>(96 * 96, 5.0));
}

TEST(MissingMemory, of_one_rank_is_told_by_scans_and_sorts) {
  const index_t n = 8192;
  Array<double, 1> x(world(), {n}, {.name = "x"}), y(world(), {n}, {.name = "y"});
  Array<std::int64_t, 1> keys(world(), {n}, {.name = "keys"}), counts(world(), {n}, {.name = "counts"});
  const auto reset = [&] {
    fill(x, 1.0), fill(y, 0.0), fill(counts, 0);
    for_each_local(keys, [&](const Index<1>& at, std::int64_t& key) { key = (at[0] * 5) % n; });
    keys.sync();
  };
  reset();
  expect_told([&] { scan(x, y); });
  EXPECT_EQ(y.load({n - 1}), static_cast<double>(n));
  expect_told([&] { segmented_scan(x, keys, y); });
  EXPECT_EQ(y.load({n - 1}), 1.0);
  expect_told([&] { spread(x, keys, y); });
  expect_told([&] { EXPECT_EQ(pack(x, keys, y), n - 1); });
  expect_told([&] { EXPECT_EQ(unpack(y, keys, x), n - 1); });
  expect_told([&] { sort(keys, x); });
  EXPECT_EQ(keys.load({n - 1}), n - 1);
  expect_told([&] { bin(keys, counts); });
  EXPECT_EQ(counts.load({n - 1}), 1);
  reset();
  Array<double, 2> a(world(), {n, 2}, {.name = "a"});
  fill(a, 1.0);
  expect_told([&] { EXPECT_EQ(matrix_norm(a, MatrixNorm::row_sum), 2.0); });
  world().sync();
}

// What contract_memory() says against what the call takes. Between nodes, messages take memory too, so what is
// said is only the least.
template <class C>
void expect_memory(index_t said, bool is_exact, const C& call) {
  // Lists of blocks and steps, pages of temporaries, and what is too small to be counted.
  constexpr index_t lists = 96 << 10;
  const std::int64_t before = in_use;
  const index_t stored_before = runtime().memory_in_use();
  peak = before;
  runtime().reset_memory_peak();
  call();
  const index_t temporaries = runtime().memory_peak() - stored_before;
  const index_t taken = peak - before + temporaries;
  EXPECT_GE(said + lists, temporaries);
  if (is_exact) {
    EXPECT_GE(taken + lists, said);
  }
  if (world().node_count() == 1) {
    EXPECT_LE(taken, said + lists);
  }
}

template <std::size_t N>
void fill_with_ones(const View<double, N>& view) {
  for_each_point(Patch<N>::at({}, view.extents()), [&](auto... at) { view(at...) = 1.0; });
}

// Sums over several letters of one factor need few ones.
TEST(ContractSteps, of_sums_over_one_factor_take_little_memory) {
  const auto of_ones = [](const Patch<3>&, const View<double, 3>& into) { fill_with_ones(into); };
  const linalg::TensorSource<double, 3> large({2, 1500, 2000}, of_ones);
  Array<double, 1> b(world(), {2}), c(world(), {2});
  fill(b, 1.0);
  const index_t before = runtime().memory_in_use();
  runtime().reset_memory_peak();
  contract(1.0, large("ijk"), b("i"), 0.0, c("i"));
  EXPECT_LE(runtime().memory_peak() - before, index_t{256} << 10);
  EXPECT_EQ(contents(c), std::vector<double>(2, 3.0e6));
}

// Many letters that no block tensor has: the panels of both factors stay small.
TEST(BlockContractMemory, is_small_for_dense_factors_that_are_large) {
  const auto of_ones = [](const Patch<4>&, const View<double, 4>& into) { fill_with_ones(into); };
  const linalg::TensorSource<double, 4> t({8, 8, 120, 120}, of_ones, "t"), w({80, 8, 120, 120}, of_ones, "w");
  linalg::BlockTensor<double, 2> c(world(), {std::vector<index_t>{8}, std::vector<index_t>{80}}, {.name = "c"});
  const std::int64_t before = in_use;
  peak = before;
  contract(1.0, t("imef"), w("amef"), 0.0, c("ia"));
  EXPECT_LE(peak - before, std::int64_t{48} << 20);  // w has 70 MiB
  EXPECT_EQ(reduce(c.elements(), Reduce::min), 8.0 * 120 * 120);
  EXPECT_EQ(reduce(c.elements(), Reduce::max), 8.0 * 120 * 120);
}

// A disk or a function is asked for large pieces, if few outer letters make them narrow.
TEST(ContractSteps, are_long_for_narrow_factors) {
  index_t calls = 0;
  const linalg::TensorSource<double, 2> source({2, 400000}, [&](const Patch<2>&, const View<double, 2>& into) {
    ++calls;
    fill_with_ones(into);
  });
  Array<double, 1> b(world(), {400000}), c(world(), {2});
  fill(b, 1.0);
  contract(1.0, source("ik"), b("k"), 0.0, c("i"));
  EXPECT_LE(calls, 32);
  EXPECT_EQ(contents(c), std::vector<double>(2, 400000.0));
}

TEST(ContractMemory, is_what_the_call_takes) {
  const index_t n = 300;
  const int ranks = world().size();
  const Layout<2> tiles = Layout<2>::tiled({n, n}, {30, 50}, {{1, ranks}}, ranks);
  Array<double, 2> a(world(), tiles), b(world(), {n, n}), c(world(), tiles), d(world(), {n, n});
  fill(a, 1.0), fill(b, 2.0);
  const auto expect = [](auto&& x, auto&& y, auto&& result, bool is_exact) {
    expect_memory(linalg::contract_memory(x, y, result), is_exact, [&] { contract(1, x, y, 0, result); });
  };
  expect(a("ik"), b("kj"), c("ij"), true);
  EXPECT_EQ(contents(c), std::vector<double>(at(n * n), 600.0));
  expect(a("ik"), a("jk"), d("ij"), true);
  expect(b("ik"), b("kj"), d("ij"), true);
  expect(b("ki"), a("jk"), c("ji"), true);
  // Letters in all three; sums and diagonals that come first.
  Array<double, 4> t(world(), {40, 20, 30, 16}), u(world(), {40, 16, 30, 20}), v(world(), {40, 20, 20, 30});
  fill(t, 1.0), fill(u, 2.0);
  expect(t("aijk"), u("akjl"), v("ailj"), true);
  Array<double, 3> w(world(), {40, 20, 20});
  expect(t("aijk"), u("akjl"), w("ail"), true);
  Array<double, 2> x(world(), {40, 300}), y(world(), {20, 300});
  fill(x, 1.0);
  expect(t("aijk"), x("al"), y("il"), false);
  Array<double, 1> z(world(), {300});
  expect(b("kk"), a("kj"), z("j"), false);
  EXPECT_EQ(contents(z), std::vector<double>(300, 600.0));
  // Several terms, of which one is not computed; sources; all letters in all three.
  const std::vector<linalg::ContractionTerm<double>> terms{
      {1.0, a("ik"), b("kj")}, {0.0, b("kk"), a("ij")}, {-1.0, b("ik"), a("jk")}};
  expect_memory(linalg::contract_memory(terms, c("ij")), true, [&] { contract(terms, 0, c("ij")); });
  EXPECT_EQ(linalg::contract_memory({{1.0, a("ik"), b("kj")}, {-1.0, b("ik"), a("jk")}}, c("ij")),
            linalg::contract_memory(terms, c("ij")));
  const linalg::TensorSource<double, 2> ones(
      {n, n}, [](const Patch<2>&, const View<double, 2>& into) { fill_with_ones(into); });
  expect(ones("ik"), b("kj"), d("ij"), true);
  const index_t own = d.layout().local_size(world().rank()) * index_t{sizeof(double)};
  EXPECT_EQ(linalg::contract_memory(ones("ij"), b("ij"), d("ij")), own);
  // Each rank computes a part of all sums.
  Array<double, 2> thin(world(), Layout<2>::block_cyclic({100, 4000}, {10, 70}, {{1, ranks}}, ranks)),
      few(world(), {100, 100});
  fill(thin, 1.0);
  expect(thin("ik"), thin("jk"), few("ij"), true);
  EXPECT_EQ(contents(few), std::vector<double>(10000, 4000.0));
  EXPECT_THROW(linalg::contract_memory(a("ik"), x("kj"), y("ij")), UsageError);
  a.close();
  EXPECT_THROW(linalg::contract_memory(a("ik"), b("kj"), d("ij")), UsageError);
}

}  // namespace
}  // namespace tessera::test
