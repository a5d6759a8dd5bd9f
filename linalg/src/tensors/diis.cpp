// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/linalg/diis.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <deque>
#include <limits>
#include <utility>

#include <tessera/core/operand_walk.hpp>
#include <tessera/core/operations.hpp>
#include <tessera/layout.hpp>

#include "format.hpp"
#include "scalapack/scalapack_matrix.hpp"
#include "tensors/diis_weights.hpp"

namespace tessera::linalg::detail {

using tessera::detail::ElementRun;

// The tensors of one iteration. The newest iteration has its errors; the others have the difference to the
// errors of the next one, divided by its norm. So no product overflows.
struct DiisState::Kept {
  std::deque<ArrayCore> tensors, errors;
};

namespace {

// An array for the elements of a slice, which lie where those of the slice do if it is a whole array.
ArrayCore array_for(const SliceCore& slice, std::string_view name) {
  const ArrayCore& array = slice.array();
  const tessera::detail::Coordinates none{};
  const tessera::detail::Periodic periodic{};
  const bool is_alike = slice.is_whole() && !array.layout().has_ghosts();
  return {array.group(),
          is_alike ? array.layout()
                   : tessera::detail::make_blocked(slice.rank(), slice.extents().data(), array.group().size(),
                                                   none.data(), nullptr, periodic.data()),
          slice.type(), tessera::detail::CoreOptions{.name = name}};
}

// x = first * x + the sum of weights * others.
template <class T>
void combine(const SliceCore& x, Real<T> first, std::span<const SliceCore> others,
             std::span<const Real<T>> weights) {
  constexpr index_t block = 2048;  // elements that stay in the nearest cache
  tessera::detail::for_each_run(x, others, [&](const ElementRun& run) {
    for (index_t begin = 0; begin < run.count; begin += block) {
      const index_t end = std::min(run.count, begin + block);
      const auto sum = [&](auto stride) {
        T* const to = static_cast<T*>(run.data[0]);
        for (index_t i = begin; i < end; ++i) to[i * stride(0)] *= first;
        for (std::size_t k = 0; k < others.size(); ++k) {
          const T* const from = static_cast<const T*>(run.data[k + 1]);
          const Real<T> weight = weights[k];
          for (index_t i = begin; i < end; ++i) to[i * stride(0)] += weight * from[i * stride(k + 1)];
        }
      };
      if (run.is_dense(others.size() + 1))
        sum([](std::size_t) { return std::integral_constant<index_t, 1>(); });
      else
        sum([&](std::size_t k) { return run.strides[k]; });
    }
  });
  tessera::detail::end_operation(x);
}

// The real part of the scalar product of two sets of tensors.
double product(std::deque<ArrayCore>& x, const std::deque<ArrayCore>& y) {
  double sum = 0;
  for (std::size_t part = 0; part < x.size(); ++part) {
    tessera::detail::begin_operation("DIIS", {x[part], y[part]});
    sum += std::real(tessera::detail::own_dot(x[part], y[part]));
  }
  return x.empty() ? sum : x.front().group().all_reduce(sum, Reduce::sum);
}

double norm_of(std::span<const SliceCore> errors) {
  double norm = 0;
  for (const SliceCore& error : errors)
    norm = std::hypot(norm, tessera::detail::norm(error, tessera::detail::Norm::two));
  return norm;
}

// errors = (next - errors) / norm, and returns the norm. The difference is zero if it cannot be divided by it.
double turn_to_difference(std::deque<ArrayCore>& errors, const std::deque<ArrayCore>& next) {
  for (std::size_t part = 0; part < errors.size(); ++part) {
    with_scalar("DIIS", errors[part], [&]<class T>(T) {
      const T plus{1}, minus{-1};
      tessera::detail::axpby(&plus, next[part], &minus, errors[part], errors[part]);
    });
  }
  double norm = norm_of(std::vector<SliceCore>(errors.begin(), errors.end()));
  for (const SliceCore error : errors) {
    with_scalar("DIIS", error, [&]<class T>(T zero) {
      if (!(norm >= static_cast<double>(std::numeric_limits<Real<T>>::min()))) norm = 0;
      const T factor(static_cast<Real<T>>(1 / norm));
      norm == 0 ? tessera::detail::fill(error, &zero) : tessera::detail::scale(error, &factor);
    });
  }
  return norm;
}

}  // namespace

DiisState::DiisState(const DiisOptions& options)
    : max_iterations_(options.max_iterations), name_(options.name) {
  if (max_iterations_ < 1)
    throw UsageError(formatted("{}: max_iterations is {}; it must be at least 1", name_, max_iterations_));
}
DiisState::~DiisState() = default;
DiisState::DiisState(DiisState&& other) noexcept
    : max_iterations_(other.max_iterations_),
      iterations_(std::exchange(other.iterations_, 0)),
      name_(other.name_),
      kept_(std::move(other.kept_)),
      differences_(std::exchange(other.differences_, {})) {}
DiisState& DiisState::operator=(DiisState&& other) noexcept {
  std::swap(max_iterations_, other.max_iterations_);
  std::swap(iterations_, other.iterations_);
  std::swap(name_, other.name_);
  std::swap(kept_, other.kept_);
  std::swap(differences_, other.differences_);
  return *this;
}

void DiisState::restart() noexcept {
  iterations_ = 0;
  differences_ = {};
}

void DiisState::close() {
  restart();
  for (const auto& kept : kept_) {
    for (ArrayCore& array : kept->tensors) array.close();
    for (ArrayCore& array : kept->errors) array.close();
  }
  kept_.clear();
}

void DiisState::require_same(std::span<const DiisPartCore> parts) {
  if (parts.empty()) throw UsageError(formatted("{}: no tensors", name_));
  std::vector<SliceCore> all;
  for (const DiisPartCore& part : parts) all.insert(all.end(), {part.tensor, part.error});
  if (!kept_.empty()) all.emplace_back(kept_.front()->tensors.front());
  tessera::detail::begin_operation(name_, all, tessera::detail::Shapes::any);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!parts[i].tensor.may_overlap(parts[j].tensor)) continue;
      throw UsageError(formatted("{}: {} and {} overlap; give each tensor once", name_,
                                 parts[j].tensor.description(), parts[i].tensor.description()));
    }
  }
  if (kept_.empty()) return;
  const auto is_alike = [](const ArrayCore& before, const SliceCore& now) {
    const SliceCore kept(before);
    return kept.rank() == now.rank() && kept.extents() == now.extents() && kept.type() == now.type();
  };
  const Kept& first = *kept_.front();
  bool is_same = first.tensors.size() == parts.size();
  for (std::size_t i = 0; is_same && i < parts.size(); ++i)
    is_same = is_alike(first.tensors[i], parts[i].tensor) && is_alike(first.errors[i], parts[i].error);
  if (!is_same) {
    throw UsageError(
        formatted("{}: the tensors are not those of earlier iterations; close() it before others", name_));
  }
}

// For one more iteration; forgets the oldest if there are enough.
void DiisState::make_room(std::span<const DiisPartCore> parts) {
  auto& [norms, cosines, products] = differences_;
  if (iterations_ == max_iterations_) {
    if (!norms.empty()) {
      norms.erase(norms.begin());
      cosines.erase(cosines.begin());
      for (auto& row : cosines) row.erase(row.begin());
    }
    std::rotate(kept_.begin(), kept_.begin() + 1, kept_.end());
    --iterations_;
  } else if (std::ssize(kept_) == iterations_) {
    auto fresh = std::make_unique<Kept>();
    for (const auto& [tensor, error] : parts) {
      fresh->tensors.push_back(array_for(tensor, name_ + ": kept tensor"));
      fresh->errors.push_back(array_for(error, name_ + ": kept error"));
    }
    kept_.push_back(std::move(fresh));
  }
}

// As the newest iteration.
void DiisState::keep(std::span<const DiisPartCore> parts) {
  make_room(parts);
  auto& [norms, cosines, products] = differences_;
  const auto newest = static_cast<std::size_t>(iterations_);
  const Kept& kept = *kept_[newest];
  for (std::size_t part = 0; part < parts.size(); ++part) {
    tessera::detail::copy(parts[part].tensor, kept.tensors[part]);
    tessera::detail::copy(parts[part].error, kept.errors[part]);
  }
  ++iterations_;
  products.clear();
  if (newest == 0) return;
  Kept& before = *kept_[newest - 1];
  norms.push_back(turn_to_difference(before.errors, kept.errors));
  auto& row = cosines.emplace_back();
  for (std::size_t i = 0; i < newest; ++i) {
    row.push_back(product(kept_[i]->errors, before.errors));
    if (i + 1 < newest) cosines[i].push_back(row.back());
    products.push_back(product(kept_[i]->errors, kept.errors));
  }
}

double DiisState::extrapolate(std::span<const DiisPartCore> parts) {
  require_same(parts);
  std::vector<SliceCore> errors;
  for (const DiisPartCore& part : parts) errors.push_back(part.error);
  const double norm = norm_of(errors);
  with_scalar(name_, parts.front().error, [&]<class T>(T) {
    using R = Real<T>;
    // Differences of errors, and their scalar products with errors, then do not overflow.
    constexpr double most = static_cast<double>(std::numeric_limits<R>::max()) / 4;
    if (!(norm <= most)) {
      throw LinalgError(
          formatted("{}: the norm of the errors is {}, and must be at most {}; look for NaN and infinity in {}",
                    name_, norm, most, parts.front().error.description()),
          name_, 1);
    }
    if (norm < static_cast<double>(std::numeric_limits<R>::min())) return;
    keep(parts);
    const auto newest = static_cast<std::size_t>(iterations_ - 1);
    std::vector<double> weights =
        diis_weights(differences_, norm, 100 * static_cast<double>(std::numeric_limits<R>::epsilon()));
    // Processors of several kinds may round differently.
    parts.front().tensor.array().group().broadcast(std::span(weights), 0);
    for (std::size_t part = 0; part < parts.size(); ++part) {
      std::vector<SliceCore> others;
      std::vector<R> of_others;
      auto first = static_cast<R>(weights[newest]);
      const auto add = [&] {
        combine<T>(parts[part].tensor, first, others, of_others);
        others.clear(), of_others.clear(), first = 1;
      };
      for (std::size_t i = 0; i < newest; ++i) {
        if (weights[i] == 0) continue;
        if (others.size() == tessera::detail::max_sources) add();
        others.push_back(kept_[i]->tensors[part]);
        of_others.push_back(static_cast<R>(weights[i]));
      }
      if (!others.empty() || first != R{1}) add();
    }
  });
  return norm;
}

}  // namespace tessera::linalg::detail
