// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>

#include <tessera/runtime/error.hpp>

#include "interpreter.hpp"

// Groups and arrays: how they come and go.
namespace tessera::stress::detail {

bool Run::make_group(const Line& line) {
  const std::string& name = line.names[0];
  std::vector<int> ranks;
  for (const index_t rank : line.numbers("ranks"))
    if (rank >= 0 && rank < world_.size() && std::find(ranks.begin(), ranks.end(), rank) == ranks.end())
      ranks.push_back(static_cast<int>(rank));
  if (ranks.empty() || groups_.count(name) != 0) return false;
  const bool is_member = std::find(ranks.begin(), ranks.end(), world_.rank()) != ranks.end();
  const std::string by = line.word("by", "include");
  Members& members = groups_[name];
  if (by == "split") std::sort(ranks.begin(), ranks.end());
  members.ranks = ranks;
  if (by == "form") {
    if (is_member) members.group = world_.form(ranks, static_cast<int>(line.number("tag")));
  } else if (by == "split") {
    members.group = world_.split(is_member ? 0 : Group::no_color);
  } else {
    members.group = world_.include(ranks);
  }
  return true;
}

void Run::remove(const std::string& name, bool closes) {
  Entry& entry = arrays_.at(name);
  collect(entry);
  if (entry.array)
    attempt([&] {
      if (closes)
        entry.array->close();
      else
        entry.array->sync();  // a detached transfer needs its memory till then
    });
  arrays_.erase(name);
}

// Closes an array, or a group with all its arrays. For "drop" of an array, only its destructor is called.
bool Run::close(const Line& line) {
  const std::string& name = line.names[0];
  if (find(name) != nullptr) {
    remove(name, line.verb == "close");
    return true;
  }
  const auto group = groups_.find(name);
  if (group == groups_.end() || name == "world") return false;
  for (auto& [other, entry] : arrays_)
    if (entry.group == name) collect(entry);
  if (group->second.group) attempt([&] { group->second.group.close(); });
  std::erase_if(arrays_, [&](const auto& array) { return array.second.group == name; });
  groups_.erase(group);
  return true;
}

void Run::fill(Entry& entry, index_t value) {
  const Line filling = Line{"fill", {entry.name}, {}}.set("alpha", value);
  if (entry.array && entry.model.is_record()) {
    entry.array->write_local([&](const Numbers&) { return static_cast<double>(value); }, "each");
    entry.array->sync();
  } else if (entry.array) {
    compute(entry.model.type, entry.model.extents.size(), filling, {{entry.array.get(), {}, 0}});
  }
  std::fill(entry.model.values.begin(), entry.model.values.end(), static_cast<double>(value));
  entry.model.settle();
}

bool Run::make_array(const Line& line) {
  const std::string& name = line.names[0];
  const std::string group = line.word("group", "world");
  const Numbers extents = line.numbers("extents");
  const index_t offset = line.number("memory");
  if (offset < 0 || offset % 16 != 0) return false;
  if (find(name) != nullptr || groups_.count(group) == 0 || extents.empty() ||
      extents.size() > max_dimensions_of_type(line.word("type", "double")))
    return false;
  if (line.word("type") == "record" && line.has("memory")) return false;
  const Members& members = groups_.at(group);
  Entry entry;
  entry.name = name;
  entry.group = group;
  entry.ranks = members.ranks;
  entry.is_atomic_by_mpi = line.word("domain") == "mpi";
  entry.model.type = line.word("type", "double");
  entry.model.extents = extents;
  if (entry.model.is_record()) entry.model.extents.push_back(record_members);
  entry.model.ghosts = line.numbers("ghosts");
  entry.model.ghosts.resize(entry.model.extents.size());
  for (const index_t is : line.numbers("periodic")) entry.model.periodic.push_back(is != 0);
  entry.model.periodic.resize(entry.model.extents.size());
  entry.model.values.resize(count(entry.model.extents));
  if (members.group)
    attempt([&] {
      try {
        entry.array = stress::make_array(members.group, name, line);
      } catch (const WindowError&) {
        if (!entry.is_atomic_by_mpi) throw;  // else MPI has no atomic domain here
      }
    });
  fill(arrays_[name] = std::move(entry), line.number("fill"));
  return true;
}

bool Run::duplicate(const Line& line) {
  Entry* from = find(line.names[0]);
  if (from == nullptr || find(line.names[1]) != nullptr) return false;
  Entry entry;
  entry.name = line.names[1];
  entry.group = from->group;
  entry.model = from->model;
  entry.ranks = from->ranks;
  entry.is_atomic_by_mpi = from->is_atomic_by_mpi;
  if (from->array) entry.array = from->array->duplicate(entry.name);
  fill(arrays_[line.names[1]] = std::move(entry), 0);
  return true;
}

bool Run::redistribute(const Line& line) {
  Entry* entry = find(line.names[0]);
  if (entry == nullptr) return false;
  const std::string layout = line.word("layout", "blocked");
  const bool has_ghosts = std::any_of(entry->model.ghosts.begin(), entry->model.ghosts.end(),
                                      [](index_t width) { return width != 0; });
  if (has_ghosts && layout != "blocked" && layout != "irregular") return false;
  collect(*entry);
  if (entry->array) entry->array->redistribute(line);
  entry->stored.clear();  // batches find them anew
  entry->has_detached = false;
  entry->model.settle();
  return true;
}

// Moves the array while transfers may be in flight, together with the memory of detached ones.
bool Run::move(const Line& line) {
  Entry* entry = find(line.names[0]);
  if (entry == nullptr) return false;
  if (entry->array) attempt([&] { entry->array->move(); });
  return true;
}

}  // namespace tessera::stress::detail
