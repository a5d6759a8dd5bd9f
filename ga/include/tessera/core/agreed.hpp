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

/// How a step of a collective call ended on this process: a step that calls something of the user's, or may
/// fail on some members alone. The members agree about it before they throw.
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
  /// Throws on every member if the step has on one: its own exception where it has, elsewhere an error that
  /// names the call, the lowest such rank and what its exception says; of the class of that if it is Tessera's,
  /// else an Error. @collective
  void agree(const Group& group, std::string_view call) const;
  /// The same, and Group::sync(), in one meeting of the members. @collective
  void agree_and_sync(const Group& group, std::string_view call) const;

 private:
  std::string problem(const Group& group, std::string_view call) const;
  void settle(std::string_view agreed) const;

  std::exception_ptr thrown_;
};

/// Runs a step; if it throws on one member, this does on all. What was made on the others is for the caller to
/// drop. @collective @throws as Outcome::agree
template <class Step>
void agreed(const Group& group, std::string_view call, Step&& step) {
  Outcome(step).agree(group, call);
}

/// The same for what make() returns.
template <class Make>
auto made_by_all(const Group& group, std::string_view call, Make&& make) {
  std::optional<decltype(make())> made;
  agreed(group, call, [&] { made.emplace(make()); });
  return std::move(*made);
}

}  // namespace tessera::detail
