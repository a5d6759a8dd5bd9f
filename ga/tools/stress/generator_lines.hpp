// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "any_array.hpp"
#include "generator_shapes.hpp"

namespace tessera::stress {

/// What the generator knows of an array: enough to make lines that mostly apply.
struct Sketch {
  std::string name, type, group;
  Numbers extents;
  bool has_ghosts = false, in_memory = false;
  bool is_record() const { return type == "record"; }  // the last extent is then the number of members
  bool is_integer() const { return type.find("int") == 0; }
};

/// Makes the lines of a script.
class Generator : private RandomShapes {
 public:
  Generator(index_t seed, int ranks);
  Script operator()(index_t operations);

 private:
  Line& say(const std::string& verb, const std::vector<std::string>& names) {
    return script_.emplace_back(Line{verb, names, {}});
  }
  index_t seed() { return pick(1, 99999); }
  int size_of(const std::string& group);

  void add_line();
  // Lines that make or change groups and arrays.
  void add_group();
  void add_array();
  // Adds the line that makes an array; settings that are not given yet are drawn.
  void describe(Sketch& array);
  // Changes an array's layout, or ends an array or a group.
  void add_change(const Sketch& array, index_t choice);
  // Lines of one member.
  void add_of_one(const Sketch& array, index_t choice);
  void add_of_record(const Sketch& array);
  void add_periodic(const Sketch& array, const std::string& verb);
  void add_transfer(const Sketch& array);
  void add_patch(Line& line, const Sketch& array, bool may_be_slice);
  void add_batch(const Sketch& array);
  Numbers some_position(const Sketch& array);
  // Lines of all members.
  void add_of_all(const Sketch& array);
  void finish_of_all(Line& line);
  void add_update_ghosts(const Sketch& array);
  void add_of_group(const std::string& group);
  // Lines of whole arrays.
  // add_part adds a part of an array with the wanted extents, if it has one. Extents of records are without
  // their members.
  bool add_part(Line& line, const std::string& prefix, const Sketch& array, const Numbers& wanted);
  // The extents of a verb's operands that go with those of the last one; returns whether there are such.
  bool add_extents(const std::string& verb, std::vector<Numbers>& wanted);
  bool add_operand(Line& line, const Sketch& like, const Numbers& extents);
  void add_settings(Line& line, bool is_integer);
  void add_whole();
  void add_multiply_sparse();

  int ranks_;
  int named_ = 0;
  std::vector<std::pair<std::string, int>> sizes_;  // of the groups
  std::vector<Sketch> arrays_;
  Script script_;
};

}  // namespace tessera::stress
