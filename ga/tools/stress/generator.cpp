// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "generator.hpp"

#include <algorithm>

#include "any_array.hpp"
#include "generator_shapes.hpp"

namespace tessera::stress {

namespace {

// What the generator knows of an array: enough to make lines that mostly apply.
struct Sketch {
  std::string name, type, group;
  Numbers extents;
  bool has_ghosts = false, in_memory = false;
  bool is_record() const { return type == "record"; }  // the last extent is then of the members of a record
};

class Generator : private RandomShapes {
 public:
  Generator(index_t seed, int ranks) : RandomShapes(seed), ranks_(ranks) {
    sizes_.emplace_back("world", ranks);
  }
  Script operator()(index_t operations) {
    while (static_cast<index_t>(script_.size()) < operations) {
      if (arrays_.size() < 2 || (arrays_.size() < 6 && chance(12)))
        add_array();
      else
        add_line();
    }
    return std::move(script_);
  }

 private:
  Line& say(const std::string& verb, const std::vector<std::string>& names) {
    return script_.emplace_back(Line{verb, names, {}});
  }
  index_t seed() { return pick(1, 99999); }

  int size_of(const std::string& group) {
    for (const auto& [name, size] : sizes_)
      if (name == group) return size;
    return ranks_;
  }

  void add_group() {
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
  void add_array() {
    if (sizes_.size() < 3 && chance(30)) add_group();
    Sketch array{"a" + std::to_string(++named_), "", "", {}};
    if (!arrays_.empty() && chance(65)) {  // one that goes with another
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
      if (array.extents.size() > most_dimensions_of(array)) array.extents.pop_back();
    } else {
      array.type = word({"int32", "int64", "float", "double", "complex_float", "complex_double", "record"});
      array.group = one_of(sizes_).first;
      // Fewer dimensions are what most programs have.
      array.extents = some_extents(static_cast<std::size_t>(array.is_record() ? pick(1, most_record_dimensions)
                                                            : chance(70)      ? pick(1, 5)
                                                                              : pick(6, most_dimensions)));
    }
    describe(array);
    if (array.is_record()) array.extents.push_back(record_members);
    arrays_.push_back(array);
  }
  static std::size_t most_dimensions_of(const Sketch& array) {
    return array.is_record() ? most_record_dimensions : most_dimensions;
  }
  // The line that makes an array; what is not given yet is drawn.
  void describe(Sketch& array) {
    Line& line = say("array", {array.name}).set("type", array.type).set("extents", array.extents);
    if (array.group != "world") line.set("group", array.group);
    array.has_ghosts = !array.is_record() && chance(25);
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

  Numbers some_position(const Sketch& array) {
    Numbers at;
    for (const index_t extent : array.extents) at.push_back(pick(0, std::max<index_t>(extent - 1, 0)));
    return at;
  }
  void add_patch(Line& line, const Sketch& array, bool may_be_slice) {
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
    if (chance(15)) line.set("step", step);
    shuffle(order);
    if (chance(15)) line.set("order", order);
  }
  // A part of an array of given extents, if it has one.
  bool add_part(Line& line, const std::string& prefix, const Sketch& array, const Numbers& wanted) {
    Numbers extents = array.extents;
    if (extents.size() == wanted.size() + 1) {
      const auto d = static_cast<std::size_t>(pick(0, static_cast<index_t>(extents.size()) - 1));
      if (extents[d] == 0) return false;
      line.set(prefix + "fix", Numbers{static_cast<index_t>(d), pick(0, extents[d] - 1)});
      extents.erase(extents.begin() + static_cast<std::ptrdiff_t>(d));
    }
    if (extents.size() != wanted.size()) return false;
    if (extents == wanted && chance(40)) return true;
    Numbers order(wanted.size()), lo(order), hi(order), step(order);
    for (std::size_t d = 0; d < order.size(); ++d) order[d] = static_cast<index_t>(d);
    bool is_plain = true;
    for (int tries = 0; tries < 4; ++tries) {
      Numbers other = order;
      if (tries < 3 && chance(60)) shuffle(other);
      bool fits = true;
      for (std::size_t k = 0; k < wanted.size(); ++k)
        fits &= wanted[k] <= extents[static_cast<std::size_t>(other[k])];
      if (!fits) {
        if (tries == 3) return false;
        continue;
      }
      is_plain = other == order;
      order = other;
      break;
    }
    bool in_steps = false;
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      const auto d = static_cast<std::size_t>(order[k]);
      step[d] = wanted[k] > 0 && extents[d] / wanted[k] > 1 && chance(50) ? pick(1, extents[d] / wanted[k]) : 1;
      const index_t length = wanted[k] == 0 ? 0 : (wanted[k] - 1) * step[d] + 1;
      lo[d] = pick(0, extents[d] - length);
      hi[d] = lo[d] + length;
      in_steps |= step[d] > 1;
    }
    line.set(prefix + "lo", lo).set(prefix + "hi", hi);
    if (in_steps) line.set(prefix + "step", step);
    if (!is_plain) line.set(prefix + "order", order);
    return true;
  }
  void add_whole() {
    static const std::vector<std::pair<std::string, std::size_t>> all(whole_operations().begin(),
                                                                      whole_operations().end());
    const auto& [verb, operands] = one_of(all);
    Line line{verb, {}, {}};
    const Sketch& last = one_of(arrays_);
    if (last.is_record()) return;
    Numbers wanted = last.extents;
    if (wanted.size() > 1 && (chance(20) || verb == "scan" || verb == "sort"))
      wanted.erase(wanted.begin() + pick(0, static_cast<index_t>(wanted.size()) - 1));
    if (chance(50))
      for (index_t& extent : wanted) extent = chance(60) ? extent : pick(0, extent);
    static const char* const prefixes[] = {"x.", "y.", "z."};
    for (std::size_t k = 0; k < operands; ++k) {
      for (int tries = 0;; ++tries) {
        const Sketch& array = k + 1 == operands && tries < 4 ? last : one_of(arrays_);
        Line with = line;
        with.names.push_back(array.name);
        if (array.type == last.type && array.group == last.group &&
            add_part(with, prefixes[k], array, wanted)) {
          line = with;
          break;
        }
        if (tries > 12) return;
      }
    }
    if (verb == "reduce") line.set("op", word({"sum", "min", "max"}));
    if (verb == "scan") line.set("kind", pick(0, 1));
    const bool has_alpha = verb == "fill" || verb == "scale" || verb == "add_constant" || verb == "clamp" ||
                           verb == "enumerate" || verb.find("axpby") == 0;
    if (has_alpha) line.set("alpha", verb == "clamp" ? pick(-8, 0) : pick(-3, 3));
    if (verb == "clamp" || verb == "enumerate" || verb.find("axpby") == 0)
      line.set("beta", verb == "clamp" ? pick(0, 8) : pick(-2, 2));
    script_.push_back(line);
  }

  void add_multiply_sparse() {
    for (int tries = 0; tries < 6; ++tries) {
      const Sketch &x = one_of(arrays_), &y = one_of(arrays_);
      const std::size_t rank = x.extents.size();
      if (x.is_record() || x.type != y.type || x.group != y.group || rank > 2 || y.extents.size() != rank ||
          (rank == 2 && x.extents[1] != y.extents[1]))
        continue;
      say("multiply_sparse", {x.name, y.name}).set("seed", seed()).set("count", pick(0, 60));
      return;
    }
  }

  void add_line() {
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
  // What one member does.
  void add_of_one(const Sketch& array, index_t choice) {
    const std::vector<std::string> name{array.name};
    const index_t by = pick(0, size_of(array.group) - 1);
    if (choice < 27) {
      add_transfer(array);
    } else if (choice < 31) {
      Numbers lo, hi;
      const std::string verb = word({"put_periodic", "get_periodic", "acc_periodic"});
      for (const index_t extent : array.extents) {
        lo.push_back(pick(-extent - 1, extent));
        hi.push_back(lo.back() + pick(0, std::min<index_t>(extent, verb[0] == 'p' ? extent : extent + 2)));
      }
      say(verb, name).set("by", by).set("lo", lo).set("hi", hi).set("seed", seed());
    } else if (choice < 41 && array.in_memory) {
      add_batch(array);
    } else if (choice < 43) {
      say(word({"gather", "scatter", "scatter_acc"}), name)
          .set("by", by)
          .set("seed", seed())
          .set("count", pick(0, 40));
    } else if (choice < 50) {
      Line& line = say(word({"store", "load", "fetch_add", "exchange", "compare_exchange"}), name);
      line.set("by", by).set("at", some_position(array)).set("seed", seed());
      if (line.verb == "compare_exchange") line.set("same", pick(0, 1));
    } else if (choice < 51) {
      say("outside", name).set("by", by).set("dimension", pick(0, most_dimensions - 1));
    } else {
      Line& line = say(word({"flush", "wait"}), name);
      if (line.verb == "flush") line.set("by", by);
      if (line.verb == "flush" && chance(50)) line.set("rank", pick(0, size_of(array.group) - 1));
    }
  }
  void add_of_record(const Sketch& array) {
    const index_t by = pick(0, size_of(array.group) - 1), choice = pick(0, 99);
    if (choice < 75)
      add_transfer(array);
    else if (choice < 80)
      say("gather", {array.name}).set("by", by).set("seed", seed()).set("count", pick(0, 40));
    else if (choice < 90)
      say(word({"load", "store"}), {array.name})
          .set("by", by)
          .set("at", some_position(array))
          .set("seed", seed());
    else
      say(word({"flush", "wait"}), {array.name});
  }
  void add_transfer(const Sketch& array) {
    const std::string verb = word({"put", "get", "acc"});
    Line& line = say(verb, {array.name}).set("by", pick(0, size_of(array.group) - 1));
    if (verb != "get") line.set("seed", seed());
    if (verb == "acc" && chance(40)) line.set("alpha", pick(-2, 2));
    const bool is_extremum = verb == "acc" && !array.is_record() && chance(15);
    if (is_extremum) line.set("op", word({"min", "max"}));
    if (!is_extremum && chance(60)) line.set("how", word({"dense", "strided", "async", "async", "detached"}));
    if (verb == "get" && line.word("how") == "detached") line.set("how", "async");
    add_patch(line, array, !is_extremum && !array.is_record());
  }
  void add_batch(const Sketch& array) {
    std::vector<std::string> others;  // the array itself too
    for (const Sketch& one : arrays_)
      if (one.in_memory && one.group == array.group) others.push_back(one.name);
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
  void add_update_ghosts(const Sketch& array) {
    Line& line = say("update_ghosts", {array.name}).set("corners", pick(0, 1));
    if (chance(30))
      line.set("dimension", pick(0, static_cast<index_t>(array.extents.size()) - 1)).set("side", pick(0, 2));
    else if (chance(40))
      line.set("how", "async");
    else
      line.set("method", pick(0, 2));
  }
  void add_of_group(const std::string& group) {
    if (chance(30)) {
      say("heap", {group}).set("seed", seed()).set("count", pick(1, 8));
      return;
    }
    if (chance(40)) {
      Line& line = say("replicated", {group})
                       .set("seed", seed())
                       .set("type", word({"int32", "double", "complex_float"}));
      line.set("extents", some_extents(2)).set("op", word({"sum", "min", "max", "broadcast"}));
      line.set("node", pick(0, 3));
      return;
    }
    say("tasks", {group}).set("count", pick(0, 60)).set("chunk", pick(1, 5)).set("by_node", pick(0, 1));
  }
  // Of an array's layout, or the end of an array or a group.
  void add_change(const Sketch& array, index_t choice) {
    if (choice < 96) {
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
  void add_of_all(const Sketch& array) {
    if (array.is_record()) {
      say(word({"write_local", "read_epoch", "write_epoch", "acc_all", "acc_all", "put_all"}), {array.name})
          .set("seed", seed());
      return;
    }
    Line& line = say(word({"write_local", "read_epoch", "acc_epoch", "write_epoch", "acc_all", "acc_all",
                           "put_all", "fetch_add_all", "locked_add_all"}),
                     {array.name});
    const std::string verb = line.verb;
    if (verb == "fetch_add_all" || verb == "locked_add_all") {
      line.set("at", some_position(array)).set("count", pick(1, 8));
      if (verb == "fetch_add_all") line.set("value", pick(1, 3));
      return;
    }
    line.set("seed", seed());
    if (verb == "put_all") line.set("notify", pick(0, 1));
    if (verb == "read_epoch" || verb == "acc_epoch" || verb == "acc_all") line.set("count", pick(1, 6));
    if (verb.find("_epoch") != std::string::npos && verb != "write_epoch" && chance(20))
      line.set("cache", pick(0, 40000));
  }

  int ranks_;
  int named_ = 0;
  std::vector<std::pair<std::string, int>> sizes_;  // of the groups
  std::vector<Sketch> arrays_;
  Script script_;
};

}  // namespace

Script generate(index_t seed, index_t operations, int ranks) { return Generator(seed, ranks)(operations); }

}  // namespace tessera::stress
