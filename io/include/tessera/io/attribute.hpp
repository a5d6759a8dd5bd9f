// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <tessera/io/error.hpp>
#include <tessera/runtime/types.hpp>

namespace tessera::io {

/// The types that an attribute can hold: int32, int64, float32, float64 and strings.
template <class T>
concept AttributeElement = RealElement<T> || std::is_same_v<T, std::string>;

/// The value of an attribute of a dataset or file: a number, a string, or a list of either. Copies are
/// independent. @local
class AttributeValue {
 public:
  using Values = std::variant<std::vector<std::int32_t>, std::vector<std::int64_t>, std::vector<float>,
                              std::vector<double>, std::vector<std::string>>;

  template <RealElement T>
  AttributeValue(T number) : values_(std::vector<Stored<T>>{static_cast<Stored<T>>(number)}) {}
  AttributeValue(std::string text) : values_(std::vector<std::string>{std::move(text)}) {}
  AttributeValue(const char* text) : AttributeValue(std::string(text)) {}
  template <AttributeElement T>
  AttributeValue(const std::vector<T>& list)
      : values_(std::vector<Stored<T>>(list.begin(), list.end())), is_scalar_(false) {}

  const Values& values() const noexcept { return values_; }
  /// Whether it is a single value, not a list. A list may also hold just one value. @local
  bool is_scalar() const noexcept { return is_scalar_; }
  /// Converts the value or values to T. @local @throws IoError if a value does not fit T, or if strings would
  /// have to become numbers or the reverse. as() also throws unless there is exactly one value
  template <AttributeElement T>
  T as() const;
  template <AttributeElement T>
  std::vector<T> as_list() const;

 private:
  // Files do not distinguish long from long long.
  template <class T>
  using Stored = std::conditional_t<!std::is_integral_v<T>, T,
                                    std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>>;
  template <class T, class U>
  static T converted(const U& value);

  Values values_;
  bool is_scalar_ = true;
};

template <class T, class U>
T AttributeValue::converted(const U& value) {
  if constexpr (std::is_same_v<T, U>)
    return value;
  else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<U, std::string>)
    throw IoError(std::is_same_v<T, std::string> ? "the attribute holds numbers, but a string was expected"
                                                 : "the attribute holds strings, but numbers were expected");
  else if constexpr (std::is_integral_v<T> && std::is_integral_v<U>) {
    if (!std::in_range<T>(value))
      throw IoError("the attribute holds " + std::to_string(value) + ", which does not fit the type asked for");
    return static_cast<T>(value);
  } else if constexpr (std::is_integral_v<T>) {
    throw IoError("the attribute holds floating-point numbers, but integers were expected");
  } else {
    // Rounding is allowed; a finite double that overflows float is an error.
    if constexpr (std::is_same_v<T, float> && std::is_same_v<U, double>) {
      if (std::isfinite(value) && !std::isfinite(static_cast<float>(value)))
        throw IoError("the attribute holds " + std::to_string(value) +
                      ", which does not fit the type asked for");
    }
    return static_cast<T>(value);
  }
}

template <AttributeElement T>
std::vector<T> AttributeValue::as_list() const {
  return std::visit(
      [](const auto& values) {
        std::vector<T> list;
        for (const auto& value : values) list.push_back(converted<T>(value));
        return list;
      },
      values_);
}

template <AttributeElement T>
T AttributeValue::as() const {
  const auto list = as_list<T>();
  if (list.size() != 1)
    throw IoError("the attribute holds " + std::to_string(list.size()) + " values, but one was expected");
  return list.front();
}

}  // namespace tessera::io
