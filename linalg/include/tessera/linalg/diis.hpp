// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/linalg/error.hpp>
#include <tessera/linalg/operand.hpp>

namespace tessera::linalg {

/// How iterations are combined; the same on every rank.
struct DiisOptions {
  /// The most iterations that are combined, at least 1. Each takes as much memory as its tensors and errors.
  int max_iterations = 8;
  std::string_view name = "DIIS";
};

namespace detail {

struct DiisPartCore {
  tessera::detail::SliceCore tensor, error;
};

/// The errors of successive iterations, as the differences of each to the next; the oldest first.
struct ErrorDifferences {
  std::vector<double> norms{};
  /// Scalar products of the differences, each divided by its norm.
  std::vector<std::vector<double>> cosines{};
  /// The same with the newest error.
  std::vector<double> products{};
};

/// What earlier iterations have left.
class DiisState {
 public:
  explicit DiisState(const DiisOptions& options);
  ~DiisState();
  DiisState(DiisState&&) noexcept;
  DiisState& operator=(DiisState&&) noexcept;
  double extrapolate(std::span<const DiisPartCore> parts);
  int iterations() const noexcept { return iterations_; }
  void restart() noexcept;
  void close();

 private:
  struct Kept;
  void require_same(std::span<const DiisPartCore> parts);
  void make_room(std::span<const DiisPartCore> parts);
  void keep(std::span<const DiisPartCore> parts);

  int max_iterations_, iterations_ = 0;
  std::string name_;
  // The oldest iteration is the first one. After them come those whose memory is free.
  std::vector<std::unique_ptr<Kept>> kept_;
  ErrorDifferences differences_;
};

}  // namespace detail

/// One tensor that is iterated, and its error: a residual that vanishes with convergence. The error may have
/// other extents. Refers to the arrays.
/// @local
template <MatrixElement T>
class DiisPart {
 public:
  template <WritableOperand Q, tessera::Operand E>
  requires std::is_same_v<value_t<Q>, T> && std::is_same_v<value_t<E>, T> DiisPart(Q&& tensor, const E& error)
      : core_{slice_of(tensor).core(), slice_of(error).core()} {}
  const detail::DiisPartCore& core() const noexcept { return core_; }

 private:
  detail::DiisPartCore core_;
};

/// Direct inversion in the iterative subspace (P. Pulay, Chem. Phys. Lett. 73, 393 (1980)): speeds up
/// iterations of one or several tensors of any dimensions and layouts. It keeps the last iterations, and finds
/// the combination of them whose errors have the least norm. Move-only.
template <MatrixElement T = double>
class Diis {
 public:
  /// Takes memory as iterations come. @local @throws UsageError unless max_iterations is positive
  explicit Diis(const DiisOptions& options = {}) : state_(options) {}

  /// Keeps the tensors and errors of an iteration, and replaces the tensors by the best combination:
  /// `diis.extrapolate({{t1, r1}, {t2, r2}})`. The errors stay. Errors that depend linearly on newer ones are
  /// left out. It returns the norm of this iteration's errors, as one vector. If this is below the smallest
  /// normal number of the type, nothing changes. The set of tensors is the same in each call. @collective
  /// @throws UsageError on every rank if tensors and errors have other extents than before or are not of one
  /// group, or if tensors overlap; LinalgError on every rank if the norm is NaN, or above a quarter of the
  /// largest number of the type
  double extrapolate(std::span<const DiisPart<T>> parts) {
    std::vector<detail::DiisPartCore> cores;
    cores.reserve(parts.size());
    for (const DiisPart<T>& part : parts) cores.push_back(part.core());
    return state_.extrapolate(cores);
  }
  double extrapolate(std::initializer_list<DiisPart<T>> parts) {
    return extrapolate(std::span(parts.begin(), parts.size()));
  }
  /// How many iterations are kept. @local
  int iterations() const noexcept { return state_.iterations(); }
  /// Forgets all iterations, and keeps their memory for new ones. @local
  void restart() noexcept { state_.restart(); }
  /// Frees the memory now. @collective
  void close() { state_.close(); }

 private:
  detail::DiisState state_;
};

}  // namespace tessera::linalg
