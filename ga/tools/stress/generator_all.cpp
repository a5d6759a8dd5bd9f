// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>

#include "generator_lines.hpp"

// Lines that all members of a group run together.
namespace tessera::stress {

void Generator::add_of_all(const Sketch& array) {
  if (array.is_record()) {
    Line& line =
        say(word({"write_local", "read_epoch", "write_epoch", "acc_all", "acc_all", "put_all"}), {array.name});
    line.set("seed", seed());
    finish_of_all(line);
    return;
  }
  Line& line = say(word({"write_local", "read_epoch", "acc_epoch", "write_epoch", "acc_all", "acc_all",
                         "put_all", "fetch_add_all", "locked_add_all"}),
                   {array.name});
  const std::string verb = line.verb;
  if (verb == "fetch_add_all" || verb == "locked_add_all") {
    line.set("at", some_position(array)).set("count", pick(1, 8));
    if (verb == "fetch_add_all") {
      line.set("value", pick(1, 3));
      if (chance(30)) line.set("threads", pick(2, 4));
    }
    return;
  }
  line.set("seed", seed());
  finish_of_all(line);
  if (verb == "put_all") line.set("notify", pick(0, 1));
  if (verb == "acc_all" && chance(30)) line.set("threads", pick(2, 4));
  if (verb == "read_epoch" || verb == "acc_epoch" || verb == "acc_all") line.set("count", pick(1, 6));
  if (verb.find("_epoch") != std::string::npos && verb != "write_epoch" && chance(20))
    line.set("cache", pick(0, 40000));
}

// Settings that lines of any element type have.
void Generator::finish_of_all(Line& line) {
  if (line.verb == "write_local") line.set("how", word({"each", "blocks", "whole"}));
  if (line.verb.find("_epoch") != std::string::npos && chance(30)) line.set("end", 0);
}

void Generator::add_update_ghosts(const Sketch& array) {
  const auto dimensions = static_cast<index_t>(array.extents.size()) - (array.is_record() ? 1 : 0);
  Line& line = say("update_ghosts", {array.name}).set("corners", pick(0, 1));
  if (chance(30)) {
    line.set("dimension", pick(0, dimensions - 1)).set("side", pick(0, 2));
  } else if (chance(40)) {
    line.set("how", word({"async", "test"}));
    if (chance(50)) line.set("seed", seed());
  } else {
    line.set("method", pick(0, 2));
  }
}

void Generator::add_of_group(const std::string& group) {
  const index_t choice = pick(0, 99);
  if (choice < 20) {
    say("heap", {group}).set("seed", seed()).set("count", pick(1, 4));
  } else if (choice < 40) {
    Line& line = say("replicated", {group});
    line.set("seed", seed())
        .set("type", word({"int32", "double", "complex_float"}))
        .set("extents", some_extents(2));
    line.set("op", word({"sum", "min", "max", "broadcast"})).set("node", pick(0, 3));
  } else if (choice < 55) {
    say("tasks", {group}).set("count", pick(0, 60)).set("chunk", pick(1, 5)).set("by_node", pick(0, 1));
  } else if (choice < 75) {
    say("segment", {group}).set("seed", seed()).set("count", pick(1, 4));
  } else if (choice < 85) {
    say("collectives", {group}).set("seed", seed()).set("count", pick(1, 4));
  } else if (choice < 95) {
    say(word({"scalars", "flags"}), {group}).set("seed", seed());
  } else {
    say("mutexes", {group}).set("seed", seed()).set("count", pick(1, 9));
  }
}

}  // namespace tessera::stress
