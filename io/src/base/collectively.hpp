// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>

#include <tessera/io/error.hpp>
#include <tessera/runtime/detail/fingerprint.hpp>
#include <tessera/runtime/group.hpp>

namespace tessera::io::detail {

enum class Source : std::uint8_t { file, hdf5 };

/// Throws on every rank if `problem` is not empty on one. The message is the problem of the lowest such rank,
/// between `context` and `consequence`. Its source decides the class of the error. @collective
void throw_on_all(const Group& group, const std::string& context, const std::string& problem, Source source,
                  const std::string& consequence);

/// Throws on every rank unless all make this call with the same arguments. @collective @throws UsageError
void require_agreement(const Group& group, const std::string& call, tessera::detail::Fingerprint arguments);

/// Runs a step in which every rank takes part. An error on one rank becomes an error on all. @collective
template <class Step>
void collectively(const Group& group, const std::string& context, Step&& step,
                  const std::string& consequence = {}) {
  std::string problem;
  Source source = Source::file;
  try {
    step();
  } catch (const Hdf5Error& error) {
    problem = error.what();
    source = Source::hdf5;
  } catch (const std::exception& error) {
    problem = error.what();
  }
  throw_on_all(group, context, problem, source, consequence);
}

}  // namespace tessera::io::detail
