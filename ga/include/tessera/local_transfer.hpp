// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <utility>

#include <tessera/runtime/request.hpp>
#include <tessera/view.hpp>

namespace tessera {

/// Local elements and a transfer that fills or sends them: the result of get_async(patch). A transfer must end
/// before its elements are destroyed. So the destructor and an assignment wait for it. Move-only: the elements
/// stay where they are in memory.
template <class T, std::size_t N>
class LocalTransfer {
 public:
  /// Without elements. @local
  LocalTransfer() = default;
  /// Elements that no transfer uses yet; `request` may be set later. @local
  explicit LocalTransfer(LocalArray<T, N>&& elements) : data(std::move(elements)) {}
  LocalTransfer(LocalTransfer&&) noexcept = default;
  LocalTransfer& operator=(LocalTransfer&& other) noexcept {
    request = {};  // waits
    data = std::move(other.data);
    request = std::move(other.request);
    return *this;
  }

  /// Returns when the elements may be used: a get has filled them, a put or acc no longer needs them.
  /// @onesided @throws as Request::wait
  void wait() { request.wait(); }
  /// Whether wait() would return at once. @onesided @throws as Request::wait
  bool test() { return request.test(); }

  LocalArray<T, N> data;
  Request request;  // destroyed before the elements
};

}  // namespace tessera
