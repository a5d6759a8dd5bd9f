// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "trace/trace_text.hpp"

#include "format.hpp"

namespace tessera::detail::trace {
namespace {

// The length of the UTF-8 sequence at the beginning of the text; 0 if there is none (RFC 3629).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool surrogate = first == 0xed && second >= 0xa0, too_large = first == 0xf4 && second >= 0x90;
  return overlong || surrogate || too_large ? 0 : length;
}

// Microseconds, with three digits behind the point.
std::string microseconds(std::int64_t nanoseconds) {
  return formatted("{:.3f}", static_cast<double>(nanoseconds) / 1000.0);
}

double seconds(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-9; }

class Names {
 public:
  explicit Names(const std::vector<std::string>& names) {
    for (const std::string& name : names) quoted_.push_back(json_string(name));
  }
  const std::string& of(std::uint32_t number) const { return quoted_[number < quoted_.size() ? number : 0]; }

 private:
  std::vector<std::string> quoted_;
};

std::string event_text(const Event& event, std::string_view name, std::string_view kind,
                       const TraceOrigin& origin) {
  const std::int64_t begin = origin.since_begin(event.begin);
  return formatted(R"({{"ph":"X","cat":"{}","name":{},"pid":{},"tid":{},"ts":{},"dur":{})", kind, name,
                   origin.rank, event.thread, microseconds(begin),
                   microseconds(origin.since_begin(event.begin + event.duration) - begin));
}

std::string kept_text(const EventLog::Contents& log) {
  return formatted(R"({{"seen":{},"kept":{},"every":{}}})", log.seen, log.events.size(), log.every);
}

std::string traffic_text(const ArraySum& array) {
  std::vector<std::string> all;
  for (const auto& [target, table] : array.targets) {
    for (std::size_t path = 0; path < path_count; ++path) {
      for (std::size_t operation = 0; operation < operation_count; ++operation) {
        const Traffic& traffic = table[path][operation];
        if (traffic.operations == 0) continue;
        all.push_back(formatted(
            R"({{"target":{},"path":"{}","operation":"{}","operations":{},"bytes":{},"seconds":{:.9f}}})",
            target, to_string(static_cast<Path>(path)), to_string(static_cast<Operation>(operation)),
            traffic.operations, traffic.bytes, traffic.seconds));
      }
    }
  }
  return joined(all, ",");
}

std::string clock_text(const TraceOrigin& origin) {
  std::vector<std::string> all;
  for (const ClockReading& reading : origin.clock) {
    all.push_back(formatted(R"({{"at":{:.9f},"offset_ns":{},"round_trip_ns":{}}})",
                            seconds(reading.at + reading.offset - origin.begin), reading.offset,
                            reading.round_trip));
  }
  return joined(all, ",");
}

}  // namespace

std::int64_t TraceOrigin::since_begin(std::int64_t own) const noexcept {
  if (clock.empty()) return own - begin;
  const ClockReading &first = clock.front(), &last = clock.back();
  double offset = static_cast<double>(first.offset);
  if (last.at > first.at) {
    offset += static_cast<double>(last.offset - first.offset) * static_cast<double>(own - first.at) /
              static_cast<double>(last.at - first.at);
  }
  return own + static_cast<std::int64_t>(offset) - begin;
}

std::string json_string(std::string_view text) {
  std::string all = "\"";
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const char first = text[0];
    if (length == 0) {
      all += "\xef\xbf\xbd";
    } else if (first == '"' || first == '\\') {
      all += '\\';
      all += first;
    } else if (static_cast<unsigned char>(first) < 0x20 || first == 0x7f) {
      all += formatted("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(first)));
    } else {
      all += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return all + '"';
}

std::string events_text(const EventRecorder::Recording& all, const TraceOrigin& origin) {
  const Names names(all.names);
  std::string text = formatted(
      R"({{"ph":"M","name":"process_name","pid":{0},"args":{{"name":{1}}}}},)"
      "\n"
      R"({{"ph":"M","name":"process_sort_index","pid":{0},"args":{{"sort_index":{0}}}}})",
      origin.rank, json_string(formatted("rank {} on {}, node {}", origin.rank, origin.host, origin.node)));
  for (const Event& event : all.phase_events.events)
    text += ",\n" + event_text(event, names.of(event.name), "phase", origin) + "}";
  for (const Event& event : all.wait_events.events)
    text += ",\n" + event_text(event, names.of(event.name), "wait", origin) + "}";
  for (const Event& event : all.operations.events) {
    const std::string operation = formatted("\"{}\"", to_string(static_cast<Operation>(event.operation)));
    text += ",\n" + event_text(event, operation, "operation", origin) +
            formatted(R"(,"args":{{"array":{},"target":{},"path":"{}","bytes":{}}}}})", names.of(event.name),
                      event.target, to_string(static_cast<Path>(event.path)), event.bytes);
  }
  return text;
}

std::string sums_text(const EventRecorder::Recording& all, const TraceOrigin& origin, std::int64_t end) {
  const Names names(all.names);
  std::vector<std::string> arrays, phases, waits;
  for (const auto& [name, array] : all.arrays)
    arrays.push_back(formatted(R"({{"name":{},"segments":{},"traffic":[{}]}})", names.of(name), array.segments,
                               traffic_text(array)));
  for (const auto& [name, sum] : all.phases)
    phases.push_back(formatted(R"({{"name":{},"calls":{},"seconds":{:.9f},"self":{:.9f},"waits":{:.9f}}})",
                               names.of(name), sum.calls, seconds(sum.total), seconds(sum.self),
                               seconds(sum.waits)));
  for (const auto& [name, sum] : all.waits)
    waits.push_back(formatted(R"({{"name":{},"calls":{},"seconds":{:.9f}}})", names.of(name), sum.calls,
                              seconds(sum.total)));
  return formatted(R"({{"rank":{},"node":{},"host":{},"seconds":{:.9f},"clock":[{}],)"
                   "\n"
                   R"("events":{{"operations":{},"phases":{},"waits":{}}},)"
                   "\n"
                   R"("arrays":[{}],)"
                   "\n"
                   R"("phases":[{}],)"
                   "\n"
                   R"("waits":[{}]}})",
                   origin.rank, origin.node, json_string(origin.host), seconds(origin.since_begin(end)),
                   clock_text(origin), kept_text(all.operations), kept_text(all.phase_events),
                   kept_text(all.wait_events), joined(arrays, ",\n"), joined(phases, ",\n"),
                   joined(waits, ",\n"));
}

std::string file_begin() { return "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"; }

std::string file_middle(int ranks, std::uint64_t job, bool is_complete) {
  return formatted(
      "\n],\n\"tessera\":{{\"version\":1,\"ranks\":{},\"job\":\"{:016x}\",\"complete\":{},\"processes\":[\n",
      ranks, job, is_complete);
}

std::string file_end() { return "\n]}}\n"; }

}  // namespace tessera::detail::trace
