// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <compare>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "any_array.hpp"

namespace tessera::stress {

struct RunOptions {
  std::string broken;  // the verb after which the model is falsified
  bool verbose = false;
  index_t threads = 1;  // of each rank, at most; more than 1 needs ThreadLevel::multiple
  const Runtime* runtime = nullptr;
};

/// How a script went: the same on every rank.
struct Outcome {
  index_t line = -1;  // the first that went wrong, from 0; -1 if none
  std::string message;
  index_t operations = 0, skipped = 0;
  bool is_right() const { return line < 0; }
};

/// Runs a script on all ranks, and also on a model, of which each rank has all. Any script is well defined. A
/// line that cannot apply (because its array does not exist, say) is skipped. A line whose result earlier lines
/// leave open begins with a synchronisation. @collective
Outcome run(const Group& world, const Script& script, const RunOptions& options);

namespace detail {

/// A group, and its members as ranks of the world. On ranks that are not members, the group is empty.
struct Members {
  Group group;
  std::vector<int> ranks;
};

/// Where an element lies in the segment of its array.
struct Cell {
  index_t rank, number;  // among those that the rank stores
  std::size_t place;
  auto operator<=>(const Cell&) const = default;
};

/// An array and what it should hold.
struct Entry {
  std::string name, group;
  Model model;
  std::vector<int> ranks;
  bool is_atomic_by_mpi = false, has_detached = false;
  std::vector<Cell> stored;                        // in the order of memory, once a batch has asked for it
  std::vector<char> reaches;                       // of each member: whether it can name that segment
  std::unique_ptr<AnyArray> array;                 // null on ranks that are not members
  std::vector<std::pair<Places, Values>> awaited;  // by this rank's gets that do not wait
  int members() const { return static_cast<int>(ranks.size()); }
};

/// A script that is being run.
class Run {
 public:
  Run(const Group& world, const RunOptions& options);
  Outcome operator()(const Script& script);

 private:
  using Handler = bool (Run::*)(const Line&);  // whether the line applied
  static const std::map<std::string, Handler>& handlers();

  // Groups and arrays.
  bool make_group(const Line& line);
  bool close(const Line& line);
  bool make_array(const Line& line);
  bool duplicate(const Line& line);
  bool redistribute(const Line& line);
  bool move(const Line& line);
  // One-sided operations.
  bool put(const Line& line);
  bool get(const Line& line);
  bool accumulate(const Line& line);
  bool periodic(const Line& line);
  bool list(const Line& line);
  bool one_element(const Line& line);
  bool outside(const Line& line);
  bool wait(const Line& line);
  bool flush(const Line& line);
  bool batch(const Line& line);
  // Operations of all members.
  bool sync(const Line& line);
  bool write_local(const Line& line);
  bool update_ghosts(const Line& line);
  bool read_epoch(const Line& line);
  bool accumulate_all(const Line& line);
  bool put_all(const Line& line);
  bool fetch_add_all(const Line& line);
  bool locked_add_all(const Line& line);
  bool batch_all(const Line& line);
  bool tasks(const Line& line);
  bool replicated(const Line& line);
  bool heap(const Line& line);
  bool segment(const Line& line);
  bool scalars(const Line& line);
  bool flags(const Line& line);
  bool mutexes(const Line& line);
  bool collectives(const Line& line);
  bool multiply_sparse(const Line& line);
  bool whole(const Line& line);

  bool suits(const Line& line);
  Entry* find(const std::string& name);
  Entry& add(const std::string& name, Entry&& entry, const Line& line);
  void remove(const std::string& name, bool closes);
  void fill(Entry& entry, index_t value);
  int author(const Entry& entry, const Line& line) const;
  // How many threads of each rank run a line.
  index_t threads_of(const Line& line) const;
  bool is_me(const Entry& entry, int member) const;
  int my_number(const Entry& entry) const;
  // Whether an array has cells that batches can work on; finds them if need be.
  bool has_cells(Entry& entry);
  void check_ghosts(Entry& entry, const Line& line);
  void get_meanwhile(Entry& entry, const Line& line);
  Values drawn(const Entry& entry, Values found, std::size_t size);
  // Calls f(group) on the members of the group that a line names; returns whether there is such a group.
  template <class F>
  bool with_group(const Line& line, F&& f) {
    const auto found = groups_.find(line.names[0]);
    if (found == groups_.end()) return false;
    if (found->second.group) attempt([&] { f(found->second.group); });
    return true;
  }
  // Synchronises first if a use of elements needs it, and records the use.
  void prepare(Entry& entry, const Places& at, int member, std::uint8_t use);
  void collect(Entry& entry, const std::string& how = {});
  void settle(Entry& entry);
  void check(Entry& entry, index_t way);
  void barrier(const Entry& entry);

  template <class F>
  void attempt(F&& f) {
    try {
      f();
    } catch (const std::exception& error) {
      fail(std::string("error: ") + error.what());
    }
  }
  void fail(const std::string& message);
  void compare(const Entry& entry, const Places& at, const Values& found, Values expected,
               const std::string& by);
  // The same for values that belong to no array.
  void compare_values(const Values& found, Values expected, const std::string& by);
  void compare_found(const Entry& entry, const Found& found, const std::string& by);
  void agree();
  void end();

  const Group& world_;
  const RunOptions& options_;
  std::map<std::string, Members> groups_;
  std::map<std::string, Entry> arrays_;
  const Line* line_ = nullptr;
  index_t number_ = 0;
  bool has_failed_ = false;  // known to all ranks; what only this rank knows is in outcome_
  Outcome outcome_;
};

}  // namespace detail
}  // namespace tessera::stress
