// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <memory>

#include <tessera/detail/array_core.hpp>
#include <tessera/view.hpp>

namespace tessera {

/// A scope of direct access to the elements that a rank owns, from Array::local(). It sees this process's
/// earlier operations and what others had made visible; when it is released its own writes can be seen by
/// others after the next synchronisation. Move-only. @local
template <class T, std::size_t N>
class [[nodiscard]] LocalAccess {
 public:
  LocalAccess(const detail::ArrayCore& array, const View<T, N>& view) : array_(&array), view_(view) {
    array.order_local_access();
  }

  /// The elements; zero-based, local. @local
  const View<T, N>& view() const noexcept { return view_; }
  operator View<T, N>() const noexcept { return view_; }
  template <std::integral... I>
  requires(sizeof...(I) == N) T& operator()(I... i) const { return view_(i...); }
  T& operator[](const Index<N>& at) const { return view_[at]; }
  const Extents<N>& extents() const noexcept { return view_.extents(); }
  index_t extent(std::size_t d) const { return view_.extent(d); }
  index_t size() const noexcept { return view_.size(); }
  T* data() const noexcept { return view_.data_handle(); }

  /// Ends the access; the destructor does so too. @local
  void release() { array_.reset(); }

 private:
  struct End {
    // A fence of memory at most: it cannot wait for others, and has nothing to report that a later call would
    // not.
    void operator()(const detail::ArrayCore* array) const noexcept {
      try {
        array->order_local_access();
      } catch (...) {
      }
    }
  };
  std::unique_ptr<const detail::ArrayCore, End> array_;
  View<T, N> view_;
};

}  // namespace tessera
