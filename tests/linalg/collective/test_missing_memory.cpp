// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <atomic>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>

#include <tessera/elementwise.hpp>
#include <tessera/linalg/linalg.hpp>

#include "test_matrix.hpp"

// One rank has too little memory for the blocks that a product needs. It has its exception, and the others have
// an error that names it. No rank waits for it, and the next product is right.
namespace {
// Requests of at least so many bytes fail.
std::atomic<std::size_t> limit{~std::size_t{0}};
}  // namespace

void* operator new(std::size_t size) {
  if (size >= limit) throw std::bad_alloc();
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return operator new(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace tessera::test {
namespace {

using linalg::contract;
using linalg::gemm;

void expect_told(const std::function<void()>& call) {
  const int failing = world().size() - 1;
  for (const bool fails : {true, false}) {
    bool is_bad_alloc = false;
    std::string message;
    if (fails && world().rank() == failing) limit = 4096;
    try {
      call();
    } catch (const std::bad_alloc&) {
      is_bad_alloc = true;
    } catch (const Error& error) {
      message = error.what();
    }
    limit = ~std::size_t{0};
    EXPECT_EQ(is_bad_alloc, fails && world().rank() == failing);
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

}  // namespace
}  // namespace tessera::test
