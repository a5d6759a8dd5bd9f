// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <array>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include <dlfcn.h>
#include <malloc.h>

#include <tessera/linalg/backend.hpp>

#include "blas_routines.hpp"
#include "comparison.hpp"
#include "guarded.hpp"
#include "mpi_test.hpp"

// PBLAS allocates its copies of operands with this function.
extern "C" char* PB_Cmalloc(int);

// Finds the routines of the BLAS in use that access memory beyond their operands. Each routine that Tessera,
// ScaLAPACK and LAPACK call gets operands that end before a guard page, and operands that begin behind one.
namespace tessera::test {
namespace {

constexpr std::size_t room = 64;  // bytes behind every operand that Tessera hands over

// The routines that overrun an operand, such as zgemv. For a new kind of overrun, with the operand.
std::set<std::string> found;

template <class T>
class Probe {
 public:
  explicit Probe(char letter) : letter_(letter) {}

  template <class F>
  void operator()(const std::string& name, const std::array<int, 3>& elements, F&& call) {
    const auto expected = run(elements, call, Place::begin, room);
    note(name, " before operand ", true);
    const auto with_room = run(elements, call, Place::end, room);
    EXPECT_EQ(note(name, " far behind operand ", true), 0);
    const auto without = run(elements, call, Place::end, 0);
    note(name, " behind operand ", false);
    for (std::size_t i = 0; i < 3; ++i) {
      for (const auto& results : {with_room, without}) {
        Comparison compared;
        for (std::size_t e = 0; e < results[i].size(); ++e) {
          const bool is_same = std::isnan(std::abs(results[i][e])) == std::isnan(std::abs(expected[i][e]));
          compared.check(is_same, e, expected[i][e], results[i][e]);
        }
        EXPECT_TRUE(compared.equal()) << letter_ << name << " depends on what is behind operand " << i;
      }
    }
  }

 private:
  enum class Place { begin, end };
  template <class F>
  std::array<std::vector<T>, 3> run(const std::array<int, 3>& elements, F& call, Place place,
                                    std::size_t behind) {
    std::array<T*, 3> at{};
    unsigned state = 12345;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto bytes = static_cast<std::size_t>(elements[i]) * sizeof(T);
      at[i] = reinterpret_cast<T*>(place == Place::begin ? operands_[i].at_begin()
                                                         : operands_[i].at_end(bytes, behind));
      for (int e = 0; e < elements[i]; ++e) {
        state = state * 1103515245U + 12345U;
        at[i][e] = T(static_cast<decltype(std::abs(T{}))>(1 + (state >> 16U & 7U)));
      }
    }
    call(at[0], at[1], at[2]);
    std::array<std::vector<T>, 3> results;
    for (std::size_t i = 0; i < 3; ++i) results[i].assign(at[i], at[i] + elements[i]);
    return results;
  }
  // Returns how many operands were overrun. If `is_new_kind`, no BLAS is known to overrun in this way.
  int note(const std::string& name, const char* where, bool is_new_kind) {
    std::string routine = name.substr(0, name.find(' '));
    if (std::is_floating_point_v<T> && routine.starts_with("he")) routine.replace(0, 2, "sy");
    int touched = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      if (!operands_[i].was_touched()) continue;
      operands_[i].protect();
      ++touched;
      found.insert(letter_ + (is_new_kind ? name + where + std::to_string(i) : routine));
    }
    return touched;
  }

  char letter_;
  Guarded operands_[3]{Guarded(1 << 18), Guarded(1 << 18), Guarded(1 << 18)};
};

const std::vector<int> sizes{1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13,
                             15, 16, 17, 20, 23, 24, 31, 32, 33, 40, 64, 65};
const std::vector<int> few_sizes{1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16, 17, 33, 50};
template <class T>
constexpr T alpha{2};
template <class T>
constexpr T beta{1};
template <class T>
using Magnitude = decltype(std::abs(T{}));
template <class T>
constexpr Magnitude<T> factor{2};

// Matrices with vectors.
template <class T>
void probe_matrix_vector(Probe<T>& probe, int m, int n, int extra, int inc) {
  using B = Blas<T>;
  const int lda = m + extra, size_a = lda * (n - 1) + m, xm = (m - 1) * inc + 1, xn = (n - 1) * inc + 1;
  for (const char op : {'N', 'T', 'C'}) {
    probe(std::string("gemv ") + op, {size_a, op == 'N' ? xn : xm, op == 'N' ? xm : xn},
          [&](T* a, T* x, T* y) { B::gemv(&op, &m, &n, &alpha<T>, a, &lda, x, &inc, &beta<T>, y, &inc); });
  }
  probe("ger", {size_a, xm, xn},
        [&](T* a, T* x, T* y) { B::ger(&m, &n, &alpha<T>, x, &inc, y, &inc, a, &lda); });
}
// Symmetric and triangular matrices with vectors.
template <class T>
void probe_triangle_vector(Probe<T>& probe, int n, int extra, int inc) {
  using B = Blas<T>;
  const int lda = n + extra, size_a = lda * (n - 1) + n, xn = (n - 1) * inc + 1;
  for (const char uplo : {'L', 'U'}) {
    probe(std::string("hemv ") + uplo, {size_a, xn, xn},
          [&](T* a, T* x, T* y) { B::hemv(&uplo, &n, &alpha<T>, a, &lda, x, &inc, &beta<T>, y, &inc); });
    probe(std::string("her ") + uplo, {size_a, xn, 0},
          [&](T* a, T* x, T*) { B::her(&uplo, &n, &factor<T>, x, &inc, a, &lda); });
    probe(std::string("her2 ") + uplo, {size_a, xn, xn},
          [&](T* a, T* x, T* y) { B::her2(&uplo, &n, &alpha<T>, x, &inc, y, &inc, a, &lda); });
    for (const char op : {'N', 'T', 'C'}) {
      for (const char diag : {'N', 'U'}) {
        probe(std::string("trmv ") + uplo + op + diag, {size_a, xn, 0},
              [&](T* a, T* x, T*) { B::trmv(&uplo, &op, &diag, &n, a, &lda, x, &inc); });
        probe(std::string("trsv ") + uplo + op + diag, {size_a, xn, 0},
              [&](T* a, T* x, T*) { B::trsv(&uplo, &op, &diag, &n, a, &lda, x, &inc); });
      }
    }
  }
}
template <class T>
void probe_vectors(Probe<T>& probe, int n, int inc) {
  using B = Blas<T>;
  const int xn = (n - 1) * inc + 1;
  probe("axpy", {xn, xn, 0}, [&](T* x, T* y, T*) { B::axpy(&n, &alpha<T>, x, &inc, y, &inc); });
  probe("scal", {xn, 0, 0}, [&](T* x, T*, T*) { B::scal(&n, &alpha<T>, x, &inc); });
  probe("copy", {xn, xn, 0}, [&](T* x, T* y, T*) { B::copy(&n, x, &inc, y, &inc); });
  probe("swap", {xn, xn, 0}, [&](T* x, T* y, T*) { B::swap(&n, x, &inc, y, &inc); });
}
template <class T>
void probe_gemm(Probe<T>& probe, int m, int n, int k, int extra) {
  for (const char oa : {'N', 'T', 'C'}) {
    for (const char ob : {'N', 'T', 'C'}) {
      const int lda = (oa == 'N' ? m : k) + extra, ldb = (ob == 'N' ? k : n) + extra, ldc = m + extra;
      probe(std::string("gemm ") + oa + ob,
            {oa == 'N' ? lda * (k - 1) + m : lda * (m - 1) + k,
             ob == 'N' ? ldb * (n - 1) + k : ldb * (k - 1) + n, ldc * (n - 1) + m},
            [&](T* a, T* b, T* c) {
              Blas<T>::gemm(&oa, &ob, &m, &n, &k, &alpha<T>, a, &lda, b, &ldb, &beta<T>, c, &ldc);
            });
    }
  }
}
// Symmetric and triangular matrices with matrices.
template <class T>
void probe_triangle_matrix(Probe<T>& probe, int m, int n, int extra) {
  using B = Blas<T>;
  const int ldb = m + extra, size_b = ldb * (n - 1) + m;
  for (const char side : {'L', 'R'}) {
    const int order = side == 'L' ? m : n, lda = order + extra, size_a = lda * (order - 1) + order;
    for (const char uplo : {'L', 'U'}) {
      probe(std::string("hemm ") + side + uplo, {size_a, size_b, size_b}, [&](T* a, T* b, T* c) {
        B::hemm(&side, &uplo, &m, &n, &alpha<T>, a, &lda, b, &ldb, &beta<T>, c, &ldb);
      });
      for (const char op : {'N', 'T', 'C'}) {
        const char diag = 'N';
        probe(std::string("trsm ") + side + uplo + op, {size_a, size_b, 0},
              [&](T* a, T* b, T*) { B::trsm(&side, &uplo, &op, &diag, &m, &n, &alpha<T>, a, &lda, b, &ldb); });
        probe(std::string("trmm ") + side + uplo + op, {size_a, size_b, 0},
              [&](T* a, T* b, T*) { B::trmm(&side, &uplo, &op, &diag, &m, &n, &alpha<T>, a, &lda, b, &ldb); });
      }
    }
  }
}
template <class T>
void probe_symmetric_update(Probe<T>& probe, int order, int inner, int extra) {
  using B = Blas<T>;
  const int ldc = order + extra, size_c = ldc * (order - 1) + order;
  for (const char uplo : {'L', 'U'}) {
    for (const char op : {'N', 'C'}) {
      const int lda = (op == 'N' ? order : inner) + extra,
                size_a = op == 'N' ? lda * (inner - 1) + order : lda * (order - 1) + inner;
      probe(std::string("herk ") + uplo + op, {size_a, 0, size_c}, [&](T* a, T*, T* c) {
        B::herk(&uplo, &op, &order, &inner, &factor<T>, a, &lda, &factor<T>, c, &ldc);
      });
      probe(std::string("her2k ") + uplo + op, {size_a, size_a, size_c}, [&](T* a, T* b, T* c) {
        B::her2k(&uplo, &op, &order, &inner, &alpha<T>, a, &lda, b, &lda, &factor<T>, c, &ldc);
      });
    }
  }
}

template <class T>
void probe_all(char letter) {
  Probe<T> probe(letter);
  for (const int m : sizes) {
    for (const int n : sizes) {
      for (const int extra : {0, 3}) {
        for (const int inc : {1, 2}) probe_matrix_vector(probe, m, n, extra, inc);
      }
    }
  }
  for (const int n : sizes) {
    for (const int extra : {0, 3}) {
      for (const int inc : {1, 2}) {
        probe_triangle_vector(probe, n, extra, inc);
        probe_vectors(probe, n, inc);
      }
    }
  }
  for (const int m : few_sizes) {
    for (const int n : few_sizes) {
      for (const int k : few_sizes) {
        for (const int extra : {0, 3}) probe_gemm(probe, m, n, k, extra);
      }
      for (const int extra : {0, 3}) {
        probe_triangle_matrix(probe, m, n, extra);
        probe_symmetric_update(probe, n, m, extra);
      }
    }
  }
}

TEST(BlasReads, go_beyond_operands_only_where_the_report_says_so) {
  probe_all<float>('s');
  probe_all<double>('d');
  probe_all<std::complex<float>>('c');
  probe_all<std::complex<double>>('z');
  const auto report = linalg::backend_report(world());
  std::string all;
  for (const std::string& defect : report.defects) all += defect;
  for (const std::string& routine : found) {
    EXPECT_NE(all.find(routine), std::string::npos)
        << routine << " of " << report.text()
        << "touches more than its operands, which backend_report() has to say";
  }
  RecordProperty("found", std::to_string(found.size()));
}

TEST(BlasReads, have_room_behind_the_copies_of_pblas) {
  for (const int bytes : {1, 40, 4096, 1 << 20}) {
    char* copy = PB_Cmalloc(bytes);
    EXPECT_GE(malloc_usable_size(copy), static_cast<std::size_t>(bytes) + room);
    std::free(copy);
  }
  EXPECT_EQ(PB_Cmalloc(0), nullptr);
  // ScaLAPACK finds the same function.
  EXPECT_EQ(dlsym(RTLD_DEFAULT, "PB_Cmalloc"), reinterpret_cast<void*>(&PB_Cmalloc));
}

}  // namespace
}  // namespace tessera::test
