// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "factorisation.hpp"

#include <algorithm>

#include "compute.hpp"

namespace tessera::benchmark::lu {
namespace {

class Factorisation {
 public:
  explicit Factorisation(Matrix& matrix) : matrix_(matrix), own_(matrix.own()), elements_(matrix.open()) {}

  double run(Prefetch prefetch) {
    const std::vector<Step>& steps = own_.steps();
    const bool ahead = prefetch == Prefetch::yes;
    for (std::size_t s = 0; s < steps.size(); ++s) {
      const Step& step = steps[s];
      if (!ahead || s == 0) make(step);
      left_ = wait(Part::left, step);
      upper_ = wait(Part::upper, step);
      rest_ = own_.local({step.end, step.end});
      if (ahead && s + 1 < steps.size()) {
        update_ahead(steps[s + 1]);
      } else {
        update(rest_, all());
      }
    }
    communicate([&] { matrix_.close(); });
    return seconds_;
  }

 private:
  template <class F>
  void communicate(F&& f) {
    const double begin = now();
    f();
    seconds_ += now() - begin;
  }
  ConstBlock wait(Part part, const Step& step) {
    ConstBlock found;
    communicate([&] { found = matrix_.wait(part, step); });
    return found;
  }
  void publish(Part part, const Step& step) {
    communicate([&] { matrix_.publish(part, step); });
  }
  Block piece(Part part, const Step& step) const { return lu::piece(own_, elements_, part, step); }

  // Factors the block on the diagonal, and divides the panels by its factors.
  void make(const Step& step) {
    const bool has_rows = own_.has_rows_of(step), has_columns = own_.has_columns_of(step);
    if (!has_rows && !has_columns) return;
    if (has_rows && has_columns) {
      lu::factor(piece(Part::diagonal, step));
      publish(Part::diagonal, step);
    }
    const ConstBlock diagonal = wait(Part::diagonal, step);
    if (has_columns) {
      divide_by_upper(diagonal, piece(Part::left, step));
      publish(Part::left, step);
    }
    if (has_rows) {
      divide_by_lower(diagonal, piece(Part::upper, step));
      publish(Part::upper, step);
    }
  }

  // How many rows and columns this rank has: where its elements end.
  Index<2> all() const { return {own_.rows().count(), own_.columns().count()}; }

  // Subtracts the product of the panels from this rank's rows and columns from `lo` to `hi`.
  void update(const Index<2>& lo, const Index<2>& hi) {
    const index_t width = left_.extent(1);
    subtract_product(left_.subview({{lo[0] - rest_[0], 0}, {hi[0] - rest_[0], width}}),
                     upper_.subview({{0, lo[1] - rest_[1]}, {width, hi[1] - rest_[1]}}),
                     elements_.subview({lo, hi}));
  }

  // First updates and makes the panels of the next step. They travel during the update of all others.
  void update_ahead(const Step& next) {
    constexpr index_t columns_between_looks = 256;
    const Index<2> behind = own_.local({next.end, next.end}), end = all();
    update(rest_, {end[0], behind[1]});
    update({rest_[0], behind[1]}, {behind[0], end[1]});
    make(next);
    communicate([&] { matrix_.prefetch(next); });
    for (index_t j = behind[1]; j < end[1]; j += columns_between_looks) {
      update({behind[0], j}, {end[0], std::min(end[1], j + columns_between_looks)});
      communicate([&] { matrix_.progress(); });
    }
  }

  Matrix& matrix_;
  const Ownership& own_;
  Block elements_;
  ConstBlock left_, upper_;  // of the present step
  Index<2> rest_;            // this rank's first row and column behind the step
  double seconds_ = 0;
};

}  // namespace

double factor(Matrix& matrix, Prefetch prefetch) { return Factorisation(matrix).run(prefetch); }

}  // namespace tessera::benchmark::lu
