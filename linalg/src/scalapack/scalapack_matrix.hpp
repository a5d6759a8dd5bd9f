// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include <tessera/core/operations.hpp>
#include <tessera/linalg/backend.hpp>
#include <tessera/linalg/blocking.hpp>
#include <tessera/runtime/detail/with_number.hpp>

#include "scalapack/scalapack.hpp"

namespace tessera::linalg::detail {

using tessera::detail::ArrayCore;
using tessera::detail::LayoutCore;
using tessera::detail::SliceCore;

/// One block size and one process grid for all operands of a call.
struct BlockGrid {
  int block, rows, columns;
  GridOrder order;

  /// The blocks and grid that `blocking` asks for. If it asks for none, they are those of `preferred` if
  /// ScaLAPACK can work on it in place. Otherwise the grid is a near-square one of the whole group, and blocks
  /// are at most 64, so that every process has work. @collective @throws UsageError on every rank if the
  /// blocking is impossible
  static BlockGrid choose(std::string_view routine, const SliceCore& preferred, index_t largest_extent,
                          const Blocking& blocking);
  LayoutCore layout(const index_t* dims, int ranks) const;
};

enum class Contents { keep, discard };  // whether the routine needs what the array holds

/// An operand in a layout for ScaLAPACK. It is the array itself if the operand is a whole array whose layout
/// fits the target, else a block-cyclic copy.
class ScalapackMatrix {
 public:
  enum class Use { in_place, copy };
  /// @collective
  ScalapackMatrix(const SliceCore& matrix, const BlockGrid& target, const scalapack::Grid& grid,
                  Contents contents, Use use);
  /// Copies the result back, if it is not there already. @collective
  void store(const SliceCore& matrix);

  template <class T>
  T* data() const {
    static T nothing[1];
    void* local = used().local_data();
    return local == nullptr ? nothing : static_cast<T*>(local);
  }
  const scalapack::Descriptor& descriptor() const noexcept { return descriptor_; }
  /// The matrix that ScaLAPACK works on. @local
  SliceCore matrix() const { return used(); }
  /// The number of elements of the process that has the most. @local
  index_t max_local() const noexcept { return max_local_; }
  /// The number of pivots of this rank's rows that exchange two rows; each is counted on one rank. @local
  index_t exchanges(std::span<const int> pivots) const;

 private:
  const ArrayCore& used() const noexcept { return copy_ ? *copy_ : *original_; }

  std::optional<ArrayCore> copy_;
  const ArrayCore* original_;
  index_t max_local_ = 0;
  scalapack::Descriptor descriptor_;
};

/// @throws UsageError if the elements are members of structures, which do not lie side by side. @local
void require_no_members(std::string_view routine, const SliceCore& matrix);
/// Calls f with a value of the C++ type of a scalar kind. @throws UsageError for others, and as above.
template <class F>
void with_scalar(std::string_view routine, const SliceCore& matrix, F&& f) {
  require_no_members(routine, matrix);
  const ArrayCore& array = matrix.array();
  const ElementKind kind = array.type().kind;
  if (kind == ElementKind::bytes || kind == ElementKind::int32 || kind == ElementKind::int64) {
    throw UsageError(std::string(routine) + ": array \"" + array.name() + "\" is of " +
                     to_string(array.type()) +
                     "; matrix routines work on float, double and their complex types");
  }
  warn_of_backend(array.group());
  tessera::detail::with_number(kind, [&]<class T>(T zero) {
    if constexpr (!std::is_integral_v<T>) f(zero);
  });
}

template <class T>
T conjugate(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return x;
  else
    return std::conj(x);
}

/// `matrix "S"`, or a description of the slice. @local
std::string described(const SliceCore& matrix);
/// The info of a routine, the same on every rank: the largest, or the least if one is negative. @collective
int agree_on_info(const SliceCore& matrix, int info);
[[noreturn]] void throw_bad_shapes(std::string_view routine, std::initializer_list<const SliceCore*> matrices);

}  // namespace tessera::linalg::detail
