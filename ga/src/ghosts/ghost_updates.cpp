// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/detail/ghost_updates.hpp>
#include <tessera/runtime/phase.hpp>

#include "ghosts/ghosts.hpp"

#include "format.hpp"

namespace tessera::detail {
namespace {

Ghosts& ghosts_of(const ArrayCore& array, const char* call) {
  array.require_open();
  if (array.ghosts() == nullptr)
    throw UsageError(
        formatted("{}: array \"{}\" has no ghost cells; give it ArrayOptions::ghosts", call, array.name()));
  if (array.ghosts()->is_under_way()) {
    throw UsageError(formatted("{}: another update of the ghost cells of array \"{}\" has not been waited for",
                               call, array.name()));
  }
  return *array.ghosts();
}

// The segment of a single array, as Ghosts takes it.
struct Elements {
  Segment* const list[1];
  explicit Elements(ArrayCore& array) : list{&array.segment()} {}
};

}  // namespace

void update_ghosts(ArrayCore& array, const GhostSides& what, GhostMethod method) {
  const Phase phase(array.group(), "ghost update");
  Ghosts& cells = ghosts_of(array, "update_ghosts");
  array.end_epoch();
  cells.update(Elements(array).list, what, method);
}

void begin_update_ghosts(ArrayCore& array, const GhostSides& what) {
  const Phase phase(array.group(), "ghost update");
  Ghosts& cells = ghosts_of(array, "update_ghosts_async");
  array.end_epoch();
  cells.begin(Elements(array).list, what);
}

void end_update_ghosts(ArrayCore& array) {
  const Phase phase(array.group(), "ghost update");
  array.ghosts()->end(Elements(array).list);
}

bool test_update_ghosts(ArrayCore& array) { return array.ghosts()->test(Elements(array).list); }

}  // namespace tessera::detail
