// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "fock.hpp"

#include <algorithm>
#include <array>

#include <libint2/engine.h>

namespace rhf {

using namespace tessera;

namespace {
constexpr long block_functions = 8;  // a task is then a few hundred microseconds to some milliseconds
}

FockBuilder::FockBuilder(const Group& group, const Basis& basis, double screening)
    : basis_(basis),
      screening_(screening),
      bounds_(schwarz_bounds(group, basis)),
      counter_(group, {1}, {.name = "task counter"}),
      two_electron_(group, {basis.size(), basis.size()}, {.name = "two-electron part"}),
      turned_(two_electron_.duplicate("two-electron part, transposed")),
      engine_(std::make_unique<libint2::Engine>(libint2::Operator::coulomb, max_primitives(basis),
                                                largest_momentum(basis), 0, 0.)) {
  make_blocks();
  make_tasks();
}

FockBuilder::~FockBuilder() = default;

void FockBuilder::make_blocks() {
  for (std::size_t s = 0; s < basis_.shells.size(); ++s) {
    const long end = basis_.first[s + 1];
    if (blocks_.empty() || end - blocks_.back().first > block_functions) {
      blocks_.push_back({s, s + 1, basis_.first[s], end});
    } else {
      blocks_.back().last_shell = s + 1;
      blocks_.back().last = end;
    }
  }
}

void FockBuilder::make_tasks() {
  auto work = [&](std::size_t block) {
    double sum = 0;
    for (std::size_t s = blocks_[block].first_shell; s < blocks_[block].last_shell; ++s) {
      sum += static_cast<double>(basis_.shells[s].nprim() * basis_.shells[s].size());
    }
    return sum;
  };
  for (std::size_t a = 0; a < blocks_.size(); ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      for (std::size_t c = 0; c <= a; ++c) {
        for (std::size_t d = 0; d <= c; ++d)
          tasks_.push_back({a, b, c, d, work(a) * work(b) * work(c) * work(d)});
      }
    }
  }
  // Large tasks come first: the last ones are small, so all ranks end at about the same time.
  std::stable_sort(tasks_.begin(), tasks_.end(), [](const Task& x, const Task& y) { return x.cost > y.cost; });
}

void FockBuilder::build(const Matrix& density, const Matrix& core, Matrix& fock) {
  fetched_.clear();
  largest_density_ = norm_inf(density);
  fill(counter_, 0);
  fill(two_electron_, 0.0);
  const auto count = static_cast<std::int64_t>(tasks_.size());
  for (auto task = counter_.fetch_add({0}, 1); task < count; task = counter_.fetch_add({0}, 1)) {
    run(tasks_[static_cast<std::size_t>(task)], density, two_electron_);
  }
  two_electron_.sync();
  // Each quartet was added once, in one of the triangles, with the weight of all its permutations. The mean of
  // the matrix and its transpose is the sum.
  transpose(two_electron_, turned_);
  copy(core, fock);
  axpby(0.5, two_electron_, 1, fock);
  axpby(0.5, turned_, 1, fock);
}

const LocalArray<double, 2>& FockBuilder::fetch(std::size_t row, std::size_t column, const Matrix& density) {
  const auto [found, is_new] = fetched_.try_emplace({row, column});
  if (is_new) {
    found->second =
        density.get({{blocks_[row].first, blocks_[column].first}, {blocks_[row].last, blocks_[column].last}});
  }
  return found->second;
}

void FockBuilder::run(const Task& task, const Matrix& density, Matrix& fock) {
  const std::array<std::size_t, 4> block{task.a, task.b, task.c, task.d};
  // The six patches that a quartet (1 2 | 3 4) touches: two Coulomb, four exchange.
  constexpr std::array<std::array<std::size_t, 2>, 6> pairs{{{0, 1}, {2, 3}, {0, 2}, {1, 3}, {0, 3}, {1, 2}}};
  std::array<const LocalArray<double, 2>*, 6> d{};
  std::array<LocalArray<double, 2>, 6> f;
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    d[p] = &fetch(block[pairs[p][0]], block[pairs[p][1]], density);
    f[p] = LocalArray<double, 2>(d[p]->extents());
  }
  const Block &a = blocks_[task.a], &b = blocks_[task.b], &c = blocks_[task.c], &e = blocks_[task.d];
  bool any = false;
  for (std::size_t s1 = a.first_shell; s1 < a.last_shell; ++s1) {
    for (std::size_t s2 = b.first_shell; s2 < std::min(b.last_shell, s1 + 1); ++s2) {
      for (std::size_t s3 = c.first_shell; s3 < std::min(c.last_shell, s1 + 1); ++s3) {
        const std::size_t end = s3 == s1 ? s2 + 1 : s3 + 1;
        for (std::size_t s4 = e.first_shell; s4 < std::min(e.last_shell, end); ++s4) {
          if (bounds_(s1, s2) * bounds_(s3, s4) * std::max(1.0, largest_density_) < screening_) continue;
          engine_->compute2<libint2::Operator::coulomb, libint2::BraKet::xx_xx, 0>(
              basis_.shells[s1], basis_.shells[s2], basis_.shells[s3], basis_.shells[s4]);
          const double* value = engine_->results()[0];
          if (value == nullptr) continue;
          any = true;
          const double weight = (s1 == s2 ? 1 : 2) * (s3 == s4 ? 1 : 2) * (s1 == s3 && s2 == s4 ? 1 : 2);
          const std::array<std::size_t, 4> shell{s1, s2, s3, s4};
          std::array<long, 4> at{}, size{};
          for (std::size_t k = 0; k < 4; ++k) {
            at[k] = basis_.first[shell[k]] - blocks_[block[k]].first;
            size[k] = basis_.first[shell[k] + 1] - basis_.first[shell[k]];
          }
          for (long i = at[0]; i < at[0] + size[0]; ++i) {
            for (long j = at[1]; j < at[1] + size[1]; ++j) {
              for (long k = at[2]; k < at[2] + size[2]; ++k) {
                for (long l = at[3]; l < at[3] + size[3]; ++l) {
                  const double v = weight * *value++;
                  f[0](i, j) += (*d[1])(k, l) * v;
                  f[1](k, l) += (*d[0])(i, j) * v;
                  f[2](i, k) -= 0.25 * (*d[3])(j, l) * v;
                  f[3](j, l) -= 0.25 * (*d[2])(i, k) * v;
                  f[4](i, l) -= 0.25 * (*d[5])(j, k) * v;
                  f[5](j, k) -= 0.25 * (*d[4])(i, l) * v;
                }
              }
            }
          }
        }
      }
    }
  }
  if (!any) return;
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const Block &rows = blocks_[block[pairs[p][0]]], &columns = blocks_[block[pairs[p][1]]];
    fock.acc({{rows.first, columns.first}, {rows.last, columns.last}}, f[p]);
  }
}

}  // namespace rhf
