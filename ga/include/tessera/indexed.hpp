// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include <tessera/core/slice_core.hpp>

namespace tessera {

namespace detail {
/// @throws UsageError unless there is one letter for each dimension @local
void require_names(const SliceCore& slice, std::string_view names);
}  // namespace detail

/// An array or slice with a letter for the index of each dimension: `a("ik")`. Refers to the array. T is const
/// for one that is only read.
template <class T>
class Indexed {
 public:
  /// @local @throws UsageError unless there is one letter for each dimension
  Indexed(const detail::SliceCore& core, std::string_view names) : core_(core), names_(names) {
    detail::require_names(core_, names_);
  }
  Indexed(const Indexed&) = default;
  Indexed& operator=(const Indexed&) = default;
  Indexed(const Indexed<std::remove_const_t<T>>& other) requires(std::is_const_v<T>)
      : core_(other.core()), names_(other.names()) {}

  const detail::SliceCore& core() const noexcept { return core_; }
  const std::string& names() const noexcept { return names_; }

 private:
  detail::SliceCore core_;
  std::string names_;
};

}  // namespace tessera
