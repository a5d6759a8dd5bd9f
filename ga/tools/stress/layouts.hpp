// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <array>
#include <string>

#include <tessera/array.hpp>
#include <tessera/layout.hpp>

#include "model.hpp"

namespace tessera::stress {

/// Extents, Index or DimensionOrder of a list. @throws std::invalid_argument if it has another length
template <class To>
To to(const Numbers& numbers) {
  To result;
  const auto size = static_cast<std::size_t>(std::distance(result.begin(), result.end()));
  if (numbers.size() != size) throw std::invalid_argument("a list of another length than there are dimensions");
  for (std::size_t d = 0; d < size; ++d)
    result[d] = static_cast<std::remove_cvref_t<decltype(result[d])>>(numbers[d]);
  return result;
}
template <class Some>
Numbers from(const Some& some) {
  return {some.begin(), some.end()};
}

/// The layout that a line describes, for a group of `ranks`.
template <std::size_t N>
Layout<N> make_layout(const Line& line, const Extents<N>& dims, int ranks) {
  const std::string kind = line.word("layout", "blocked");
  std::vector<int> on;
  for (const index_t member : line.numbers("on")) on.push_back(static_cast<int>(member));
  const int parts = on.empty() ? ranks : static_cast<int>(on.size());
  const auto starts = [&] {
    std::array<std::vector<index_t>, N> all;
    for (std::size_t d = 0; d < N; ++d) all[d] = line.numbers("starts" + std::to_string(d));
    return all;
  };
  const auto grid = [&] {
    return ProcessGrid<N>{to<Extents<N>>(line.numbers("grid")),
                          line.has("column") ? GridOrder::column_major : GridOrder::row_major};
  };
  const auto plain = [&]() -> Layout<N> {
    if (kind == "irregular") return Layout<N>::irregular(dims, starts(), parts);
    if (kind == "block_cyclic")
      return Layout<N>::block_cyclic(dims, to<Extents<N>>(line.numbers("block")), grid(), parts);
    if (kind == "tiled" && line.has("starts0")) return Layout<N>::tiled(dims, starts(), grid(), parts);
    if (kind == "tiled") return Layout<N>::tiled(dims, to<Extents<N>>(line.numbers("block")), grid(), parts);
    if (kind == "of_blocks") {
      const Numbers cuts = line.numbers("cuts"), owners = line.numbers("owners");
      std::vector<OwnedPatch<N>> blocks;
      for (std::size_t k = 0; k < cuts.size() && k < owners.size(); ++k) {
        Patch<N> patch = Patch<N>::whole(dims);
        patch.lo[0] = cuts[k];
        if (k + 1 < cuts.size()) patch.hi[0] = cuts[k + 1];
        if (!patch.empty()) blocks.push_back({static_cast<int>(owners[k]) % parts, patch});
      }
      return Layout<N>::of_blocks(dims, blocks, parts);
    }
    if (kind != "blocked") throw std::invalid_argument("there is no layout \"" + kind + "\"");
    BlockedOptions<N> options;
    if (line.has("grid")) options.grid = to<Extents<N>>(line.numbers("grid"));
    if (line.has("min_block")) options.min_block = to<Extents<N>>(line.numbers("min_block"));
    return Layout<N>::blocked(dims, parts, options);
  };
  Layout<N> layout = plain();
  if (line.has("storage"))
    layout = layout.with_storage(line.word("storage") == "column" ? StorageOrder::column_major
                                                                  : StorageOrder::row_major);
  return on.empty() ? layout : layout.on_ranks(on, ranks);
}

/// The other options of an array that a line gives.
template <std::size_t N>
ArrayOptions<N> options_of(const Line& line, const std::string& name) {
  ArrayOptions<N> options{.name = name};
  if (line.word("domain") == "mpi") options.domain = AtomicDomain::mpi;
  const Numbers ghosts = line.numbers("ghosts"), periodic = line.numbers("periodic");
  for (std::size_t d = 0; d < N; ++d) {
    if (d < ghosts.size()) options.ghosts[d] = ghosts[d];
    if (d < periodic.size()) options.periodic[d] = periodic[d] != 0;
  }
  return options;
}

}  // namespace tessera::stress
