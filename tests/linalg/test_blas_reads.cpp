// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <array>
#include <complex>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "blas_routines.hpp"
#include "guarded.hpp"

// Which routines of the BLAS in use touch memory beyond their operands. Each routine that Tessera, ScaLAPACK
// and LAPACK call is given operands that end before, and begin behind, a page that may not be touched.
namespace tessera::test {
namespace {

std::map<std::string, std::size_t> found;  // routine and operand -> largest room with which it touches the page

template <class T>
class Probe {
 public:
  template <class F>
  void operator()(const std::string& name, const std::array<int, 3>& elements, F&& call) {
    std::array<std::vector<T>, 3> expected = run(elements, call, true, 0);
    for (const std::size_t room : {0, 8, 16, 24, 32, 48, 64, 96, 128, 256}) {
      const auto results = run(elements, call, false, room);
      bool any = false;
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(std::memcmp(results[i].data(), expected[i].data(), results[i].size() * sizeof(T)), 0) << name;
        if (!operands_[i].was_touched()) continue;
        any = true;
        operands_[i].protect();
        auto& most = found[letter + name + " operand " + std::to_string(i)];
        most = std::max(most, room + 1);
      }
      if (!any) break;
    }
  }
  char letter = 's';

 private:
  template <class F>
  std::array<std::vector<T>, 3> run(const std::array<int, 3>& elements, F& call, bool begin, std::size_t room) {
    std::array<T*, 3> at;
    unsigned state = 12345;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto bytes = static_cast<std::size_t>(elements[i]) * sizeof(T);
      at[i] = reinterpret_cast<T*>(begin ? operands_[i].at_begin() : operands_[i].at_end(bytes, room));
      for (int e = 0; e < elements[i]; ++e) {
        state = state * 1103515245U + 12345U;
        at[i][e] = T(static_cast<decltype(std::abs(T{}))>(1 + (state >> 16 & 7)));
      }
    }
    call(at[0], at[1], at[2]);
    std::array<std::vector<T>, 3> results;
    for (std::size_t i = 0; i < 3; ++i) {
      if (begin && operands_[i].was_touched()) {
        found[letter + std::string("BEFORE")] = 1;
        operands_[i].protect();
      }
      results[i].assign(at[i], at[i] + elements[i]);
    }
    return results;
  }
  Guarded operands_[3]{Guarded(1 << 18), Guarded(1 << 18), Guarded(1 << 18)};
};

template <class T>
void probe_all(char letter) {
  Probe<T> probe;
  probe.letter = letter;
  using B = Blas<T>;
  const std::vector<int> sizes{1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13,
                               15, 16, 17, 20, 23, 24, 31, 32, 33, 40, 64, 65};
  const T alpha{2}, beta{1};
  for (const int m : sizes) {
    for (const int n : sizes) {
      for (const int extra : {0, 3}) {
        const int lda = m + extra, size_a = lda * (n - 1) + m;
        for (const int inc : {1, 2}) {
          const int xm = (m - 1) * inc + 1, xn = (n - 1) * inc + 1;
          for (const char op : {'N', 'T', 'C'}) {
            probe(std::string("gemv ") + op, {size_a, op == 'N' ? xn : xm, op == 'N' ? xm : xn},
                  [&](T* a, T* x, T* y) { B::gemv(&op, &m, &n, &alpha, a, &lda, x, &inc, &beta, y, &inc); });
          }
          probe("ger", {size_a, xm, xn},
                [&](T* a, T* x, T* y) { B::ger(&m, &n, &alpha, x, &inc, y, &inc, a, &lda); });
        }
      }
    }
  }
  for (const int n : sizes) {
    for (const int extra : {0, 3}) {
      const int lda = n + extra, size_a = lda * (n - 1) + n;
      for (const int inc : {1, 2}) {
        const int xn = (n - 1) * inc + 1;
        for (const char uplo : {'L', 'U'}) {
          probe(std::string("hemv ") + uplo, {size_a, xn, xn},
                [&](T* a, T* x, T* y) { B::hemv(&uplo, &n, &alpha, a, &lda, x, &inc, &beta, y, &inc); });
          probe(std::string("her ") + uplo, {size_a, xn, 0}, [&](T* a, T* x, T*) {
            const decltype(std::abs(T{})) r = 2;
            B::her(&uplo, &n, &r, x, &inc, a, &lda);
          });
          probe(std::string("her2 ") + uplo, {size_a, xn, xn},
                [&](T* a, T* x, T* y) { B::her2(&uplo, &n, &alpha, x, &inc, y, &inc, a, &lda); });
          for (const char op : {'N', 'T', 'C'}) {
            for (const char diag : {'N', 'U'}) {
              probe(std::string("trmv ") + uplo + op + diag, {size_a, xn, 0},
                    [&](T* a, T* x, T*) { B::trmv(&uplo, &op, &diag, &n, a, &lda, x, &inc); });
              probe(std::string("trsv ") + uplo + op + diag, {size_a, xn, 0},
                    [&](T* a, T* x, T*) { B::trsv(&uplo, &op, &diag, &n, a, &lda, x, &inc); });
            }
          }
        }
        probe("axpy", {xn, xn, 0}, [&](T* x, T* y, T*) { B::axpy(&n, &alpha, x, &inc, y, &inc); });
        probe("scal", {xn, 0, 0}, [&](T* x, T*, T*) { B::scal(&n, &alpha, x, &inc); });
        probe("copy", {xn, xn, 0}, [&](T* x, T* y, T*) { B::copy(&n, x, &inc, y, &inc); });
        probe("swap", {xn, xn, 0}, [&](T* x, T* y, T*) { B::swap(&n, x, &inc, y, &inc); });
      }
    }
  }
  const std::vector<int> few{1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16, 17, 33, 50};
  for (const int m : few) {
    for (const int n : few) {
      for (const int k : few) {
        for (const int extra : {0, 3}) {
          for (const char oa : {'N', 'T', 'C'}) {
            for (const char ob : {'N', 'T', 'C'}) {
              const int lda = (oa == 'N' ? m : k) + extra, ldb = (ob == 'N' ? k : n) + extra, ldc = m + extra;
              probe(std::string("gemm ") + oa + ob,
                    {oa == 'N' ? lda * (k - 1) + m : lda * (m - 1) + k,
                     ob == 'N' ? ldb * (n - 1) + k : ldb * (k - 1) + n, ldc * (n - 1) + m},
                    [&](T* a, T* b, T* c) {
                      B::gemm(&oa, &ob, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
                    });
            }
          }
        }
      }
      for (const int extra : {0, 3}) {
        const int ldb = m + extra, size_b = ldb * (n - 1) + m;
        for (const char side : {'L', 'R'}) {
          const int order = side == 'L' ? m : n, lda = order + extra, size_a = lda * (order - 1) + order;
          for (const char uplo : {'L', 'U'}) {
            probe(std::string("hemm ") + side + uplo, {size_a, size_b, size_b}, [&](T* a, T* b, T* c) {
              B::hemm(&side, &uplo, &m, &n, &alpha, a, &lda, b, &ldb, &beta, c, &ldb);
            });
            for (const char op : {'N', 'T', 'C'}) {
              const char diag = 'N';
              probe(std::string("trsm ") + side + uplo + op, {size_a, size_b, 0}, [&](T* a, T* b, T*) {
                B::trsm(&side, &uplo, &op, &diag, &m, &n, &alpha, a, &lda, b, &ldb);
              });
              probe(std::string("trmm ") + side + uplo + op, {size_a, size_b, 0}, [&](T* a, T* b, T*) {
                B::trmm(&side, &uplo, &op, &diag, &m, &n, &alpha, a, &lda, b, &ldb);
              });
            }
          }
        }
        // n is the order and m the inner extent.
        const int ldc = n + extra, size_c = ldc * (n - 1) + n;
        for (const char uplo : {'L', 'U'}) {
          for (const char op : {'N', 'C'}) {
            const int lda = (op == 'N' ? n : m) + extra,
                      size_a = op == 'N' ? lda * (m - 1) + n : lda * (n - 1) + m;
            const decltype(std::abs(T{})) r = 2;
            probe(std::string("herk ") + uplo + op, {size_a, 0, size_c},
                  [&](T* a, T*, T* c) { B::herk(&uplo, &op, &n, &m, &r, a, &lda, &r, c, &ldc); });
            probe(std::string("her2k ") + uplo + op, {size_a, size_a, size_c}, [&](T* a, T* b, T* c) {
              B::her2k(&uplo, &op, &n, &m, &alpha, a, &lda, b, &lda, &r, c, &ldc);
            });
          }
        }
      }
    }
  }
}

TEST(BlasReads, beyond) {
  probe_all<float>('s');
  probe_all<double>('d');
  probe_all<std::complex<float>>('c');
  probe_all<std::complex<double>>('z');
  for (const auto& [name, most] : found) std::cout << name << ": with room " << most - 1 << "\n";
}

}  // namespace
}  // namespace tessera::test
