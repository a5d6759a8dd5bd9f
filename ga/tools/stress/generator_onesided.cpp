// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>

#include "generator_lines.hpp"

// Lines that one member of a group runs.
namespace tessera::stress {

void Generator::add_of_one(const Sketch& array, index_t choice) {
  const std::vector<std::string> name{array.name};
  const index_t by = pick(0, size_of(array.group) - 1);
  if (choice < 27) {
    add_transfer(array);
  } else if (choice < 31) {
    add_periodic(array, word({"put_periodic", "get_periodic", "acc_periodic"}));
  } else if (choice < (array.in_memory ? 41 : 34)) {
    add_batch(array);
  } else if (choice < 43) {
    say(word({"gather", "scatter", "scatter_acc"}), name)
        .set("by", by)
        .set("seed", seed())
        .set("count", pick(0, 40))
        .set("method", pick(0, 3));
  } else if (choice < 50) {
    Line& line = say(word({"store", "load", "fetch_add", "exchange", "compare_exchange", "fetch_op"}), name);
    if (line.verb == "fetch_op")
      line.set("op", array.is_integer() ? word({"min", "max", "bit_and", "bit_or", "bit_xor"})
                                        : word({"min", "max"}));
    line.set("by", by).set("at", some_position(array)).set("seed", seed());
    if (line.verb == "compare_exchange") line.set("same", pick(0, 1));
  } else if (choice < 51) {
    say("outside", name).set("by", by).set("dimension", pick(0, max_dimensions - 1));
  } else {
    Line& line = say(word({"flush", "wait"}), name);
    if (line.verb == "flush") line.set("by", by);
    if (line.verb == "wait") line.set("how", word({"each", "test", "together"}));
    if (line.verb == "flush" && chance(50)) line.set("rank", pick(0, size_of(array.group) - 1));
  }
}

void Generator::add_of_record(const Sketch& array) {
  const index_t by = pick(0, size_of(array.group) - 1), choice = pick(0, 99);
  if (choice < 62) {
    add_transfer(array);
  } else if (choice < 70) {
    add_periodic(array, word({"put_periodic", "get_periodic"}));
  } else if (choice < 82) {
    Line& line = say(word({"gather", "scatter"}), {array.name});
    line.set("by", by)
        .set("seed", seed())
        .set("count", pick(0, 40))
        .set("method", pick(0, 3))
        .set("batch", pick(0, 5));
  } else if (choice < 92) {
    say(word({"load", "store"}), {array.name})
        .set("by", by)
        .set("at", some_position(array))
        .set("seed", seed());
  } else if (choice < 96) {
    say("wait", {array.name}).set("how", word({"each", "test", "together"}));
  } else {
    say("flush", {array.name}).set("by", by);
  }
}

void Generator::add_periodic(const Sketch& array, const std::string& verb) {
  Numbers lo, hi;
  for (const index_t extent : array.extents) {
    lo.push_back(pick(-extent - 1, extent));
    hi.push_back(lo.back() + pick(0, std::min<index_t>(extent, verb[0] == 'p' ? extent : extent + 2)));
  }
  if (array.is_record()) {
    lo.back() = 0;
    hi.back() = record_members;
  }
  Line& line = say(verb, {array.name}).set("by", pick(0, size_of(array.group) - 1));
  line.set("lo", lo).set("hi", hi).set("seed", seed());
}

void Generator::add_transfer(const Sketch& array) {
  const std::string verb = word({"put", "get", "acc"});
  Line& line = say(verb, {array.name}).set("by", pick(0, size_of(array.group) - 1));
  if (verb != "get") line.set("seed", seed());
  if (verb == "acc" && chance(40)) line.set("alpha", pick(-2, 2));
  const bool is_extremum = verb == "acc" && !array.is_record() && chance(15);
  if (is_extremum) line.set("op", word({"min", "max"}));
  if (!is_extremum && chance(60))
    line.set("how", word({"dense", "strided", "reversed", "registered", "async", "async", "detached"}));
  if (verb == "get" && line.word("how") == "detached") line.set("how", "async");
  add_patch(line, array, !is_extremum && !(array.is_record() && verb == "acc"));
}

void Generator::add_patch(Line& line, const Sketch& array, bool may_be_slice) {
  Numbers lo, hi, step, order;
  const bool is_flat = array.extents.size() < 6;  // else patches would mostly have a single element
  for (std::size_t d = 0; d < array.extents.size(); ++d) {
    const index_t a = is_flat || chance(40) ? pick(0, array.extents[d]) : 0,
                  b = chance(is_flat ? 15 : 60) ? array.extents[d] : pick(0, array.extents[d]);
    lo.push_back(std::min(a, b));
    hi.push_back(std::max(a, b) == lo.back() && chance(80) ? std::min(lo.back() + 1, array.extents[d])
                                                           : std::max(a, b));
    step.push_back(pick(1, 3));
    order.push_back(static_cast<index_t>(d));
  }
  line.set("lo", lo).set("hi", hi);
  if (!may_be_slice) return;
  const bool in_steps = chance(15), is_turned = chance(15);
  if (array.is_record()) {
    order.pop_back();
    step.back() = 1;
  }
  shuffle(order);
  if (array.is_record()) {  // only whole records can be in steps or turned
    order.push_back(static_cast<index_t>(order.size()));
    if (in_steps || is_turned || chance(30)) {
      lo.back() = 0;
      hi.back() = record_members;
      line.set("lo", lo).set("hi", hi);
    }
  }
  if (in_steps) line.set("step", step);
  if (is_turned) line.set("order", order);
}

void Generator::add_batch(const Sketch& array) {
  std::vector<std::string> others;  // the array itself too
  for (const Sketch& one : arrays_)
    if (!one.is_record() && one.group == array.group) others.push_back(one.name);
  if (chance(25)) {
    say("batch_all", {array.name}).set("seed", seed()).set("count", pick(1, 12));
    return;
  }
  say("batch", {array.name, one_of(others)})
      .set("by", pick(0, size_of(array.group) - 1))
      .set("seed", seed())
      .set("count", chance(20) ? pick(60, 400) : pick(0, 30))
      .set("how", word({"send", "async", "drop"}));
}

Numbers Generator::some_position(const Sketch& array) {
  Numbers at;
  for (const index_t extent : array.extents) at.push_back(pick(0, std::max<index_t>(extent - 1, 0)));
  return at;
}

}  // namespace tessera::stress
