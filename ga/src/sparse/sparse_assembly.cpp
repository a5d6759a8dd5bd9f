// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "sparse/sparse_assembly.hpp"

#include <numeric>

namespace tessera::detail {

Layout<1> counted(const Group& group, index_t mine) {
  const auto counts = group.all_gather(mine);
  std::vector<index_t> starts(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), starts.begin(), index_t{0});
  return Layout<1>::irregular(Extents<1>(starts.back() + counts.back()), {starts}, group.size());
}

Layout<1> balanced(const Group& group, const Layout<1>& from, std::span<const index_t> begins) {
  const int ranks = group.size();
  const auto rows = std::ssize(begins) - 1;
  const auto work = group.all_gather(begins.back() + rows);
  const auto mine = work.begin() + group.rank();
  const auto before = std::accumulate(work.begin(), mine, index_t{0}),
             all = std::accumulate(mine, work.end(), before);
  // A part begins behind the rows whose middle is before the part's share of the work.
  std::vector<index_t> starts(at(ranks), 0);
  index_t i = 0;
  for (int part = 1; part < ranks; ++part) {
    const auto share = static_cast<index_t>(static_cast<double>(all) * part / ranks);
    const auto middle_doubled = [&] { return 2 * before + begins[at(i)] + begins[at(i + 1)] + 2 * i + 1; };
    while (i < rows && middle_doubled() < 2 * share) ++i;
    starts[at(part)] = i;
  }
  group.all_reduce(std::span(starts), Reduce::sum);
  return Layout<1>::irregular(from.dims(), {starts}, ranks);
}

}  // namespace tessera::detail
