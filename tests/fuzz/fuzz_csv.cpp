// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/io/error.hpp>

#include "fuzz.hpp"
#include "probes/sample_file.hpp"
#include "scratch_file.hpp"

// The first byte is the time from which samples are dropped; the rest is the file.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tessera::io;
  using tessera::fuzz::accepts;
  using tessera::fuzz::require;
  if (size == 0) return 0;
  static const tessera::fuzz::ScratchFile scratch;
  static const detail::ProbeColumns columns{{.rank = 1, .positions = {{0}, {1}}, .names = {"a", "b"}}, {"u"}};
  scratch.write(tessera::fuzz::text_of(data + 1, size - 1));
  const auto file = detail::csv_samples(scratch.path(), columns);
  const double time = data[0];
  if (!accepts<IoError>([&] { file->check(); })) return 0;
  tessera::index_t left = 0;
  const auto cut = [&] { left = file->cut(time, {tessera::ElementKind::float64, 8}); };
  if (!accepts<IoError>(cut)) return 0;
  const std::string kept = scratch.bytes();
  require(left >= 0 && kept.ends_with('\n'), "whole lines are left");
  const auto before = left;
  require(accepts<IoError>([&] { file->check(); }) && accepts<IoError>(cut), "a file that was cut can be cut");
  require(left == before && scratch.bytes() == kept, "cutting again drops nothing");
  return 0;
}
