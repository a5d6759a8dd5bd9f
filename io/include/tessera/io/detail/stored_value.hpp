// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <tessera/core/array_core.hpp>

namespace tessera::io::detail {

/// A value of the program, without its type.
struct StoredValue {
  enum class Shape : std::uint8_t { single, list, text };
  Shape shape;
  tessera::detail::ElementType type;
  bool resizes;  // takes any number of elements
  std::function<std::span<const std::byte>()> bytes;
  std::function<void(std::span<const std::byte>)> assign;
};

template <class T, std::size_t N>
StoredValue stored_fixed(std::span<T, N> place, StoredValue::Shape shape) {
  return {shape,
          {element_kind<T>(), sizeof(T)},
          false,
          [place] { return std::as_bytes(std::span<const T>(place)); },
          [place](std::span<const std::byte> bytes) {
            if (!bytes.empty()) std::memcpy(place.data(), bytes.data(), bytes.size());
          }};
}

template <class List>
StoredValue stored_list(List& list, StoredValue::Shape shape) {
  using T = typename List::value_type;
  return {shape,
          {element_kind<T>(), sizeof(T)},
          true,
          [&list] { return std::as_bytes(std::span<const T>(list)); },
          [&list](std::span<const std::byte> bytes) {
            list.resize(bytes.size() / sizeof(T));
            if (!bytes.empty()) std::memcpy(list.data(), bytes.data(), bytes.size());
          }};
}

template <class T>
StoredValue stored(T& value) {
  return stored_fixed(std::span<T, 1>(&value, 1), StoredValue::Shape::single);
}
template <class T, std::size_t N>
StoredValue stored(std::array<T, N>& values) {
  return stored_fixed(std::span<T>(values), StoredValue::Shape::list);
}
template <class T>
StoredValue stored(std::vector<T>& values) {
  return stored_list(values, StoredValue::Shape::list);
}
inline StoredValue stored(std::string& text) { return stored_list(text, StoredValue::Shape::text); }

}  // namespace tessera::io::detail
