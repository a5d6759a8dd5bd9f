// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "generator.hpp"

#include <algorithm>

#include "generator_lines.hpp"

namespace tessera::stress {

Generator::Generator(index_t seed, int ranks) : RandomShapes(seed), ranks_(ranks) {
  sizes_.emplace_back("world", ranks);
}

Script Generator::operator()(index_t operations) {
  while (static_cast<index_t>(script_.size()) < operations) {
    if (arrays_.size() < 2 || (arrays_.size() < 6 && chance(12)))
      add_array();
    else
      add_line();
  }
  return std::move(script_);
}

int Generator::size_of(const std::string& group) {
  for (const auto& [name, size] : sizes_)
    if (name == group) return size;
  return ranks_;
}

void Generator::add_group() {
  Numbers ranks;
  for (int rank = 0; rank < ranks_; ++rank)
    if (chance(60)) ranks.push_back(rank);
  if (ranks.empty()) return;
  shuffle(ranks);
  const std::string name = "g" + std::to_string(++named_);
  sizes_.emplace_back(name, static_cast<int>(ranks.size()));
  Line& line = say("group", {name}).set("ranks", ranks).set("by", word({"include", "form", "split"}));
  if (line.word("by") == "form") line.set("tag", pick(0, 9));
}

void Generator::add_array() {
  if (sizes_.size() < 3 && chance(30)) add_group();
  Sketch array{"a" + std::to_string(++named_), "", "", {}};
  if (!arrays_.empty() && chance(65)) {  // one that fits another
    const Sketch& other = one_of(arrays_);
    array.type = other.type;
    array.group = other.group;
    array.extents = other.extents;
    if (array.is_record()) array.extents.pop_back();
    if (chance(10)) {
      say("duplicate", {other.name, array.name});
      array.extents = other.extents;
      array.has_ghosts = other.has_ghosts;
      arrays_.push_back(array);
      return;
    }
    if (chance(25)) array.extents = some_extents(array.extents.size());
    if (chance(15)) array.extents.push_back(pick(1, 3));
    if (array.extents.size() > max_dimensions_of_type(array.type)) array.extents.pop_back();
  } else {
    array.type = word({"int32", "int64", "float", "double", "complex_float", "complex_double", "record"});
    array.group = one_of(sizes_).first;
    // Most programs have fewer dimensions.
    const auto most = static_cast<index_t>(max_dimensions_of_type(array.type));
    array.extents = some_extents(
        static_cast<std::size_t>(most < 6 || chance(60) ? pick(1, std::min<index_t>(most, 5)) : pick(6, most)));
  }
  describe(array);
  if (array.is_record()) array.extents.push_back(record_members);
  arrays_.push_back(array);
}

// Adds the line that makes an array; settings that are not given yet are drawn.
void Generator::describe(Sketch& array) {
  Line& line = say("array", {array.name}).set("type", array.type).set("extents", array.extents);
  if (array.group != "world") line.set("group", array.group);
  array.has_ghosts = chance(25);
  const std::size_t rank = array.extents.size();
  if (array.has_ghosts) {
    Numbers ghosts, periodic;
    for (std::size_t d = 0; d < rank; ++d) {
      ghosts.push_back(pick(0, rank > 5 ? 1 : 2));
      periodic.push_back(pick(0, 1));
    }
    line.set("ghosts", ghosts).set("periodic", periodic);
  }
  if (chance(8)) line.set("domain", "mpi");
  if (chance(30)) line.set("fill", pick(-9, 9));
  array.in_memory = !array.is_record() && chance(40);
  if (array.in_memory) line.set("memory", 16 * pick(0, 5));
  add_layout(line, array.extents, size_of(array.group), array.has_ghosts);
}

void Generator::add_line() {
  const Sketch array = one_of(arrays_);
  const index_t choice = pick(0, 99);
  if (choice < 54 && array.is_record())
    add_of_record(array);
  else if (choice < 54)
    add_of_one(array, choice);
  else if (choice < 60)
    say("sync", {array.name}).set("check", chance(30) ? -1 : pick(0, 5));
  else if (choice < 75)
    add_whole();
  else if (choice < 77)
    add_multiply_sparse();
  else if (choice < 81 && array.has_ghosts)
    add_update_ghosts(array);
  else if (choice < 90)
    add_of_all(array);
  else if (choice < 94)
    add_of_group(one_of(sizes_).first);
  else
    add_change(array, choice);
}

// Changes an array's layout, or ends an array or a group.
void Generator::add_change(const Sketch& array, index_t choice) {
  if (choice == 94 && chance(50)) {
    say("move", {array.name});
  } else if (choice < 96) {
    Line& line = say("redistribute", {array.name});
    const auto members = array.is_record() ? 1 : 0;
    add_layout(line, Numbers(array.extents.begin(), array.extents.end() - members), size_of(array.group),
               array.has_ghosts);
    for (Sketch& one : arrays_)
      if (one.name == array.name) one.in_memory = false;
  } else if (choice < 99 || sizes_.size() == 1) {
    say(word({"close", "drop"}), {array.name});
    std::erase_if(arrays_, [&](const Sketch& one) { return one.name == array.name; });
  } else {
    const std::string group = sizes_.back().first;
    say("close", {group});
    sizes_.pop_back();
    std::erase_if(arrays_, [&](const Sketch& one) { return one.group == group; });
  }
}

Script generate(index_t seed, index_t operations, int ranks) { return Generator(seed, ranks)(operations); }

}  // namespace tessera::stress
