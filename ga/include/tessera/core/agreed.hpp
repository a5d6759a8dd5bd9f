// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/runtime/group.hpp>

namespace tessera::detail {

/// How a step of a collective call ended on this process. Such a step calls user code, or may fail on some
/// members only. The members agree on the outcome before they throw.
class Outcome {
 public:
  /// Runs the step, and keeps what it throws. @local
  template <class Step>
  explicit Outcome(const Step& step) {
    try {
      step();
    } catch (...) {
      thrown_ = std::current_exception();
    }
  }
  /// Whether the step has thrown here. @local
  bool failed() const noexcept { return thrown_ != nullptr; }
  /// Throws on every member if the step has thrown on one. A member on which it has thrown rethrows its own
  /// exception. The other members throw an error that names the call, the lowest such rank and the message of
  /// its exception. This error has the class of that exception if it is one of Tessera's; else it is an Error.
  /// @collective
  void agree(const Group& group, std::string_view call) const;
  /// The same and Group::sync(), in one synchronisation of the members. @collective
  void agree_and_sync(const Group& group, std::string_view call) const;

 private:
  std::string problem(const Group& group, std::string_view call) const;
  void settle(std::string_view agreed) const;

  std::exception_ptr thrown_;
};

/// Runs a step. If it throws on one member, this function throws on all. The caller drops what the step made on
/// the other members. @collective @throws as Outcome::agree
template <class Step>
void agreed(const Group& group, std::string_view call, Step&& step) {
  Outcome(step).agree(group, call);
}

/// The same, and returns what make() returns.
template <class Make>
auto made_by_all(const Group& group, std::string_view call, Make&& make) {
  std::optional<decltype(make())> made;
  agreed(group, call, [&] { made.emplace(make()); });
  return std::move(*made);
}

}  // namespace tessera::detail
