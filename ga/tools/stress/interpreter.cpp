// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "interpreter.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace tessera::stress {

namespace detail {

const std::map<std::string, Run::Handler>& Run::handlers() {
  static const auto all = [] {
    std::map<std::string, Handler> map{{"group", &Run::make_group},
                                       {"close", &Run::close},
                                       {"drop", &Run::close},
                                       {"array", &Run::make_array},
                                       {"duplicate", &Run::duplicate},
                                       {"redistribute", &Run::redistribute},
                                       {"move", &Run::move},
                                       {"put", &Run::put},
                                       {"get", &Run::get},
                                       {"acc", &Run::accumulate},
                                       {"put_periodic", &Run::periodic},
                                       {"get_periodic", &Run::periodic},
                                       {"acc_periodic", &Run::periodic},
                                       {"gather", &Run::list},
                                       {"scatter", &Run::list},
                                       {"scatter_acc", &Run::list},
                                       {"store", &Run::one_element},
                                       {"load", &Run::one_element},
                                       {"fetch_add", &Run::one_element},
                                       {"exchange", &Run::one_element},
                                       {"fetch_op", &Run::one_element},
                                       {"compare_exchange", &Run::one_element},
                                       {"outside", &Run::outside},
                                       {"wait", &Run::wait},
                                       {"flush", &Run::flush},
                                       {"batch", &Run::batch},
                                       {"sync", &Run::sync},
                                       {"write_local", &Run::write_local},
                                       {"update_ghosts", &Run::update_ghosts},
                                       {"read_epoch", &Run::read_epoch},
                                       {"acc_epoch", &Run::accumulate_all},
                                       {"acc_all", &Run::accumulate_all},
                                       {"write_epoch", &Run::put_all},
                                       {"put_all", &Run::put_all},
                                       {"fetch_add_all", &Run::fetch_add_all},
                                       {"locked_add_all", &Run::locked_add_all},
                                       {"batch_all", &Run::batch_all},
                                       {"tasks", &Run::tasks},
                                       {"replicated", &Run::replicated},
                                       {"heap", &Run::heap},
                                       {"segment", &Run::segment},
                                       {"scalars", &Run::scalars},
                                       {"flags", &Run::flags},
                                       {"mutexes", &Run::mutexes},
                                       {"collectives", &Run::collectives},
                                       {"multiply_sparse", &Run::multiply_sparse}};
    for (const auto& [verb, operands] : whole_operations()) map[verb] = &Run::whole;
    return map;
  }();
  return all;
}

Run::Run(const Group& world, const RunOptions& options) : world_(world), options_(options) {
  Members all{world, std::vector<int>(static_cast<std::size_t>(world.size()))};
  std::iota(all.ranks.begin(), all.ranks.end(), 0);
  groups_["world"] = all;
}

Outcome Run::operator()(const Script& script) {
  constexpr index_t lines_between_agreements = 24;
  for (; number_ < static_cast<index_t>(script.size()) && !has_failed_; ++number_) {
    line_ = &script[static_cast<std::size_t>(number_)];
    if (options_.verbose && world_.rank() == 0) std::fprintf(stderr, "%s\n", text(*line_).c_str());
    bool applies = false;
    if (suits(*line_)) attempt([&] { applies = (this->*handlers().at(line_->verb))(*line_); });
    ++(applies ? outcome_.operations : outcome_.skipped);
    if (options_.verbose && world_.rank() == 0 && !applies) std::fprintf(stderr, "  does not apply\n");
    if (applies && line_->verb == options_.broken) {
      Entry* entry = find(line_->names.back());
      if (entry != nullptr && !entry->model.values.empty()) entry->model.values[0] += 1;
    }
    if (number_ % lines_between_agreements == lines_between_agreements - 1) agree();
  }
  end();
  return outcome_;
}

// Whether the arrays of a line support its operation.
bool Run::suits(const Line& line) {
  return std::all_of(line.names.begin(), line.names.end(), [&](const std::string& name) {
    const Entry* entry = find(name);
    return entry == nullptr || !entry->model.is_record() || suits_records(line.verb);
  });
}

void Run::end() {
  static const Line last{"sync", {}, {}};
  line_ = &last;
  if (!has_failed_) {
    for (auto& [name, entry] : arrays_) {
      settle(entry);
      check(entry, static_cast<index_t>(name.size()) + number_);
    }
    agree();
  }
  while (!arrays_.empty()) remove(arrays_.begin()->first, arrays_.size() % 2 == 0);
  groups_.erase("world");
  for (auto& [name, members] : groups_)
    if (members.group) attempt([&group = members.group] { group.close(); });
  agree();
  world_.sync();
}

// Finds the first line that went wrong on any rank, and the message of the lowest such rank.
void Run::agree() {
  constexpr index_t none = std::numeric_limits<index_t>::max();
  const auto lines = world_.all_gather(outcome_.is_right() ? none : outcome_.line);
  const auto first = std::min_element(lines.begin(), lines.end());
  has_failed_ = *first != none;
  if (!has_failed_) return;
  const int rank = static_cast<int>(first - lines.begin());
  outcome_.line = *first;
  outcome_.message.resize(
      static_cast<std::size_t>(world_.broadcast(static_cast<index_t>(outcome_.message.size()), rank)));
  world_.broadcast(std::span(outcome_.message.data(), outcome_.message.size()), rank);
}

void Run::fail(const std::string& message) {
  if (!outcome_.is_right()) return;
  outcome_.line = number_;
  outcome_.message = "rank " + std::to_string(world_.rank()) + ": " + message;
  if (options_.verbose)
    std::fprintf(stderr, "%s\n", outcome_.message.c_str());  // in case the job hangs before all ranks agree
}

namespace {

std::string text_of(const Numbers& numbers, const char* between) {
  std::string all;
  for (const index_t number : numbers) all += (all.empty() ? "" : between) + std::to_string(number);
  return all;
}

std::string text_of(const Number& value) {
  char text[80];
  if (value.imag() == 0)
    std::snprintf(text, sizeof text, "%.10g", value.real());
  else
    std::snprintf(text, sizeof text, "%.10g%+.10gi", value.real(), value.imag());
  return text;
}

}  // namespace

void Run::compare(const Entry& entry, const Places& at, const Values& found, Values expected,
                  const std::string& by) {
  if (line_->verb == options_.broken && !expected.empty()) expected[0] += 1;
  const std::string what =
      entry.name + " (" + entry.model.type + ", " + text_of(entry.model.extents, " x ") + ")";
  if (found.size() != expected.size())
    return fail(by + " of " + what + " gives " + std::to_string(found.size()) + " elements, expected are " +
                std::to_string(expected.size()));
  std::size_t wrong = 0, first = 0;
  for (std::size_t k = found.size(); k-- > 0;) {
    if (found[k] == expected[k]) continue;
    ++wrong;
    first = k;
  }
  if (wrong == 0) return;
  fail(by + " of " + what + ": element (" + text_of(entry.model.position(at[first]), ", ") + ") is " +
       text_of(found[first]) + ", expected " + text_of(expected[first]) + " (" + std::to_string(wrong) +
       " of " + std::to_string(found.size()) + " are wrong)");
}

void Run::compare_values(const Values& found, Values expected, const std::string& by) {
  if (line_->verb == options_.broken && !expected.empty()) expected[0] += 1;
  if (found == expected) return;
  const auto k = static_cast<std::size_t>(
      std::mismatch(found.begin(), found.end(), expected.begin(), expected.end()).first - found.begin());
  const auto value = [k](const Values& all) { return k < all.size() ? text_of(all[k]) : "missing"; };
  fail(by + ": value " + std::to_string(k) + " is " + value(found) + ", expected " + value(expected));
}

void Run::compare_found(const Entry& entry, const Found& found, const std::string& by) {
  Places at;
  Values expected;
  for (const Numbers& position : found.at) {
    const auto place = entry.model.place(position);
    if (!place) return fail(by + " of " + entry.name + " gives an element outside the array");
    at.push_back(*place);
    expected.push_back(entry.model.values[*place]);
  }
  compare(entry, at, found.values, expected, by);
}

Entry* Run::find(const std::string& name) {
  const auto found = arrays_.find(name);
  return found == arrays_.end() ? nullptr : &found->second;
}

int Run::author(const Entry& entry, const Line& line) const {
  return static_cast<int>(std::abs(line.number("by")) % entry.members());
}

bool Run::is_me(const Entry& entry, int member) const {
  return entry.array && entry.ranks[static_cast<std::size_t>(member)] == world_.rank();
}

int Run::my_number(const Entry& entry) const {
  return static_cast<int>(std::find(entry.ranks.begin(), entry.ranks.end(), world_.rank()) -
                          entry.ranks.begin());
}

void Run::prepare(Entry& entry, const Places& at, int member, std::uint8_t use) {
  if (entry.model.conflicts(at, member, use)) settle(entry);
  entry.model.use(at, member, use);
}

void Run::collect(Entry& entry, const std::string& how) {
  if (entry.array) {
    attempt([&] {
      const auto arrived = entry.array->wait(how);
      for (std::size_t k = 0; k < arrived.size(); ++k)
        compare(entry, entry.awaited.at(k).first, arrived[k], entry.awaited.at(k).second, "get_async");
    });
    entry.awaited.clear();
  }
  if (entry.has_detached) return;
  for (auto& uses : entry.model.uses) uses = static_cast<std::uint8_t>(uses & ~travels);
}

void Run::settle(Entry& entry) {
  collect(entry);
  if (entry.array) attempt([&] { entry.array->sync(); });
  entry.has_detached = false;
  entry.model.settle();
}

void Run::barrier(const Entry& entry) {
  if (entry.array) groups_.at(entry.group).group.barrier();
}

// Compares the whole array, which is synchronised, by one of several ways.
void Run::check(Entry& entry, index_t way) {
  const Model& model = entry.model;
  Places all(model.values.size());
  std::iota(all.begin(), all.end(), 0);
  std::vector<Numbers> at = positions(model.extents);
  constexpr index_t ways = 6;
  if (entry.array)
    attempt([&] {
      switch (way % ways) {
        case 0:
          if (model.values.size() <= 100) {
            Values found;
            for (const Numbers& one : at) found.push_back(entry.array->load(one));
            return compare(entry, all, found, model.values, "load");
          }
          [[fallthrough]];
        case 1:
          return compare(entry, all, entry.array->gather(at), model.values, "gather");
        case 2:
          return compare_found(entry, entry.array->local("node"), "block_of");
        case 3:
        case 4: {
          const Found found = entry.array->local(way % ways == 3 ? "each" : "blocks");
          compare_found(entry, found, way % ways == 3 ? "for_each_local" : "local_block");
          const index_t sum =
              groups_.at(entry.group).group.all_reduce(static_cast<index_t>(found.at.size()), Reduce::sum);
          if (sum != static_cast<index_t>(all.size()))
            fail("the members own " + std::to_string(sum) + " elements of " + entry.name);
          return;
        }
        default:
          return compare(entry, all, entry.array->get({}, "dense"), model.values, "get");
      }
    });
  barrier(entry);
  entry.model.settle();
}

}  // namespace detail

Outcome run(const Group& world, const Script& script, const RunOptions& options) {
  return detail::Run(world, options)(script);
}

}  // namespace tessera::stress
