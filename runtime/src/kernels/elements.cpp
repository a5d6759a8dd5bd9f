// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "kernels/elements.hpp"

#include <atomic>
#include <cstring>

#include <tessera/runtime/scalars.hpp>

namespace tessera::detail {
namespace {

template <class F>
auto with_integer(ElementKind kind, F&& f) {
  return kind == ElementKind::int32 ? f(std::int32_t{}) : f(std::int64_t{});
}

template <class T>
bool exchange_if(void* target, void* expected, const void* desired) noexcept {
  T old, wanted;
  std::memcpy(&old, target, sizeof old);
  std::memcpy(&wanted, expected, sizeof wanted);
  if (old == wanted) {
    std::memcpy(target, desired, sizeof old);
    return true;
  }
  std::memcpy(expected, &old, sizeof old);
  return false;
}

}  // namespace

bool compare_exchange_element(const Striped& stripes, std::byte* where, ElementKind kind, void* expected,
                              const void* desired) noexcept {
  StripeHolder holder(stripes.locks);
  holder.hold(stripes.of(where));
  return with_integer(kind, [&]<class T>(T) { return exchange_if<T>(where, expected, desired); });
}

template <IntegerElement T>
T apply(std::atomic_ref<T> scalar, Update update, T given) noexcept {
  switch (update) {
    case Update::sum:
      return scalar.fetch_add(given);
    case Update::replace:
      return scalar.exchange(given);
    case Update::bit_and:
      return scalar.fetch_and(given);
    case Update::bit_or:
      return scalar.fetch_or(given);
    case Update::bit_xor:
      return scalar.fetch_xor(given);
    case Update::min:
    case Update::max:
      break;
  }
  T old = scalar.load();
  while ((update == Update::min ? given < old : old < given) && !scalar.compare_exchange_weak(old, given)) {
  }
  return old;
}

template std::int32_t apply(std::atomic_ref<std::int32_t>, Update, std::int32_t) noexcept;
template std::int64_t apply(std::atomic_ref<std::int64_t>, Update, std::int64_t) noexcept;

void update_scalar(std::byte* where, ElementKind kind, Update update, const void* value,
                   void* result) noexcept {
  with_integer(kind, [&]<class T>(T) {
    T given;
    std::memcpy(&given, value, sizeof given);
    const T old = apply(std::atomic_ref(*reinterpret_cast<T*>(where)), update, given);
    std::memcpy(result, &old, sizeof old);
  });
}

bool compare_exchange_scalar(std::byte* where, ElementKind kind, void* expected, const void* desired) noexcept {
  return with_integer(kind, [&]<class T>(T) {
    T wanted, wish;
    std::memcpy(&wanted, expected, sizeof wanted);
    std::memcpy(&wish, desired, sizeof wish);
    const bool done = std::atomic_ref(*reinterpret_cast<T*>(where)).compare_exchange_strong(wanted, wish);
    std::memcpy(expected, &wanted, sizeof wanted);
    return done;
  });
}

void load_scalar(std::byte* where, ElementKind kind, void* value) noexcept {
  with_integer(kind, [&]<class T>(T) {
    const T found = std::atomic_ref(*reinterpret_cast<T*>(where)).load();
    std::memcpy(value, &found, sizeof found);
  });
}

}  // namespace tessera::detail
