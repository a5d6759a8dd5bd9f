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

/// Where the accesses meet: `array "a", patch [0:5, 2:4) of rank 1`. @local
std::string place_of(const Found& found);
/// The report of a conflict. @local
std::string report(const Found& found, const std::string& place);
std::string report(const BufferConflict& found, int rank, const std::string& first_site,
                   const std::string& second_site);

/// "put of rank 0" or "put_async of rank 0". @local
std::string name_of(const Access& access);

}  // namespace tessera::detail::conflicts
