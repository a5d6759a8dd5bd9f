// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "base/collectively.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

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

void require_agreement(const Group& group, const std::string& call, tessera::detail::Fingerprint arguments) {
  const std::uint64_t mine = arguments.add(std::string_view(call)).value();
  group.check_agreement(call, mine);  // names the other call, in builds with TESSERA_CHECKS
  std::array<std::int64_t, 2> least{static_cast<std::int64_t>(mine), static_cast<std::int64_t>(~mine)};
  group.all_reduce(std::span(least), Reduce::min);
  if (least[0] == ~least[1]) return;
  throw UsageError(printable(
      call + ": ranks do not pass the same arguments; all of them have to, as in every collective call"));
}

}  // namespace tessera::io::detail
