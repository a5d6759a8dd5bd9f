// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>
#include <vector>

#include "conflicts/recorder.hpp"

namespace tessera::detail::conflicts {

/// Two accesses without an order, found at the owner of what they touch.
struct Found {
  Access first, second;
  std::vector<ByteRange> where;  // in the slice of the root segment
  std::string first_site, second_site;
  std::string unseen;  // what may order them, which the checker cannot see
};

/// The name of the segment in which the accesses meet. @local
std::string segment_name_of(const Found& found);
/// The report of a conflict. @local
std::string report(const Found& found);
std::string report(const BufferConflict& found, int rank, const std::string& first_site,
                   const std::string& second_site);

}  // namespace tessera::detail::conflicts
