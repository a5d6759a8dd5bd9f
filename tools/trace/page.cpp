// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "page.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "page_template.hpp"

namespace tessera::trace_tool {
namespace {

constexpr std::size_t most_bars = 200'000;  // browsers draw more too slowly

// Names, each stored once.
class NameList {
 public:
  std::size_t number(const std::string& name) {
    const auto [found, is_new] = numbers_.emplace(name, list_.size());
    if (is_new) list_.push_back(name);
    return found->second;
  }
  const Json& list() const noexcept { return list_; }

 private:
  std::map<std::string, std::size_t> numbers_;
  Json list_ = Json::array();
};

Json times_json(const std::vector<Times>& list) {
  Json all = Json::array();
  for (const Times& one : list) all.push_back({one.name, one.calls, one.seconds, one.self, one.waits});
  return all;
}

Json data_json(const Trace& trace, const std::vector<Hint>& hints) {
  NameList names;
  Json data{{"ranks", trace.ranks}, {"complete", trace.is_complete}, {"seconds", trace.seconds()}};
  for (const char* list : {"hints", "processes", "cells", "bars"}) data[list] = Json::array();
  for (const Hint& hint : hints) data["hints"].push_back({hint.rule, hint.text});
  for (const Process& one : trace.processes) {
    data["processes"].push_back({{"rank", one.rank},
                                 {"node", one.node},
                                 {"host", one.host},
                                 {"seconds", one.seconds},
                                 {"clock_error", one.clock_error},
                                 {"operations", one.operations},
                                 {"every", one.every},
                                 {"phases", times_json(one.phases)},
                                 {"waits", times_json(one.waits)}});
  }
  for (const Cell& cell : trace.cells)
    data["cells"].push_back({names.number(cell.array), cell.source, cell.target, cell.path, cell.operation,
                             cell.operations, cell.bytes, cell.seconds});
  // The longest bars stay.
  std::vector<const Bar*> bars;
  for (const Bar& bar : trace.bars) bars.push_back(&bar);
  const auto longer = [](const Bar* a, const Bar* b) { return a->duration > b->duration; };
  if (bars.size() > most_bars) {
    std::nth_element(bars.begin(), bars.begin() + most_bars, bars.end(), longer);
    bars.resize(most_bars);
  }
  std::stable_sort(bars.begin(), bars.end(), [](const Bar* a, const Bar* b) { return a->begin < b->begin; });
  for (const Bar* bar : bars)
    data["bars"].push_back({std::string(1, bar->kind), bar->rank, bar->thread, bar->begin, bar->duration,
                            names.number(bar->name), names.number(bar->array), bar->path, bar->target,
                            bar->bytes});
  data["bars_left_out"] = trace.bars.size() - bars.size();
  data["names"] = names.list();
  return data;
}

// JSON inside a script element: the parser of HTML must see no tag in it.
std::string script_json(const Json& data) {
  std::string text;
  for (const char c : data.dump(-1, ' ', true, Json::error_handler_t::replace)) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

std::string page(const Trace& trace, const std::vector<Hint>& hints) {
  constexpr std::string_view mark = "@TRACE_DATA@";
  const std::string_view all = page_template;
  const auto place = all.find(mark);
  return std::string(all.substr(0, place)) + script_json(data_json(trace, hints)) +
         std::string(all.substr(place + mark.size()));
}

}  // namespace tessera::trace_tool
