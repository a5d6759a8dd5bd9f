// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "base/collectively.hpp"

#include "printable.hpp"

namespace tessera::io::detail {

void throw_on_all(const Group& group, const std::string& context, const std::string& problem, Source source,
                  const std::string& consequence) {
  const std::string agreed = group.agree(problem);
  if (agreed.empty()) return;
  // The lowest rank with a problem also decides the class of the error, by the least (rank, source) pair.
  const index_t mine =
      problem.empty() ? 2 * index_t{group.size()} : 2 * index_t{group.rank()} + (source == Source::hdf5);
  const bool from_hdf5 = group.all_reduce(mine, Reduce::min) % 2 == 1;
  // The message contains names and texts of files.
  const std::string message = printable(context + ": " + agreed + consequence);
  if (from_hdf5) throw Hdf5Error(message);
  throw IoError(message);
}

}  // namespace tessera::io::detail
