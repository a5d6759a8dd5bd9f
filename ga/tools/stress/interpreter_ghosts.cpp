// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>

#include "interpreter.hpp"

// Ghost cells: copies of other ranks' elements around a rank's own block.
namespace tessera::stress::detail {

bool Run::update_ghosts(const Line& line) {
  Entry* entry = find(line.names[0]);
  if (entry == nullptr) return false;
  const Model& model = entry->model;
  const std::size_t dimensions = model.extents.size() - (model.is_record() ? 1 : 0);
  if (std::all_of(model.ghosts.begin(), model.ghosts.end(), [](index_t width) { return width == 0; }))
    return false;
  if (line.number("dimension", -1) >= static_cast<index_t>(dimensions)) return false;
  const std::string how = line.word("how");
  settle(*entry);
  if (entry->array)
    attempt([&] {
      if (how == "async" || how == "test") {
        entry->array->begin_update_ghosts(line);
        if (line.has("seed")) get_meanwhile(*entry, line);
        entry->array->end_update_ghosts(how == "test");
      } else {
        entry->array->update_ghosts(line);
      }
      check_ghosts(*entry, line);
    });
  barrier(*entry);
  return true;
}

// Elements may be read while an update is in progress: each member reads some.
void Run::get_meanwhile(Entry& entry, const Line& line) {
  const Part part = random_patch(line.number("seed") + my_number(entry), entry.model.extents);
  const auto chosen = entry.model.select(part);
  Values expected;
  for (const std::size_t place : chosen->at) expected.push_back(entry.model.values[place]);
  compare(entry, chosen->at, entry.array->get(part, "dense"), expected, "get while ghost cells are updated");
}

// Checks that the ghost cells that the line has filled equal their elements.
void Run::check_ghosts(Entry& entry, const Line& line) {
  const Model& model = entry.model;
  const index_t only = line.number("dimension", -1), side = line.number("side", 2);
  Part block;
  const Found cells = entry.array->with_ghosts(block);
  Found filled;
  for (std::size_t k = 0; k < cells.at.size(); ++k) {
    Numbers at = cells.at[k];
    int sides = 0;
    bool is_filled = true;
    for (std::size_t d = 0; d < at.size(); ++d) {
      const bool below = at[d] < block.lo[d], above = at[d] >= block.hi[d];
      sides += below || above ? 1 : 0;
      if (only == static_cast<index_t>(d)) is_filled &= (below && side != 1) || (above && side != 0);
      if (at[d] >= 0 && at[d] < model.extents[d]) continue;
      is_filled &= model.periodic[d];
      at[d] = (at[d] % model.extents[d] + model.extents[d]) % model.extents[d];
    }
    if (line.number("corners", 1) == 0 && sides > 1) is_filled = false;
    if (!is_filled && sides > 0) continue;
    filled.at.push_back(at);
    filled.values.push_back(cells.values[k]);
  }
  compare_found(entry, filled, "local_with_ghosts");
}

}  // namespace tessera::stress::detail
