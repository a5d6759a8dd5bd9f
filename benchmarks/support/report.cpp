// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "report.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>
#include <thread>

#include <fmt/format.h>

namespace tessera::benchmark {
namespace {

// Two or three significant digits without an exponent.
std::string digits(double value) {
  const double size = std::abs(value);
  const int decimals = size >= 100.0 ? 0 : size >= 10.0 ? 1 : size >= 0.1 ? 2 : 4;
  return fmt::format("{:.{}f}", value, decimals);
}

struct Unit {
  double size;
  const char* name;
};

Unit unit_of_time(double seconds) {
  for (const Unit& unit : {Unit{1.0, "s"}, Unit{1e-3, "ms"}, Unit{1e-6, "us"}}) {
    if (std::abs(seconds) >= unit.size) return unit;
  }
  return {1e-9, "ns"};
}

std::string processor_name() {
  std::ifstream information("/proc/cpuinfo");
  for (std::string line; std::getline(information, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const auto colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

}  // namespace

Verdict Row::verdict() const noexcept {
  if (!target) return Verdict::none;
  std::optional<Estimate> result = measured.time;
  if (target->goal == Goal::at_least) result = measured.ratio;
  if (target->goal == Goal::at_most_more) result = measured.excess;
  if (target->goal == Goal::share_at_least || target->goal == Goal::share_at_most) result = measured.share;
  constexpr Estimate without_doubt{1.0, 1.0, 1.0};
  return result ? judge(*result, *target, measured.control.value_or(without_doubt)) : Verdict::not_measurable;
}

std::string Row::result() const {
  if (measured.share) return format_share(*measured.share);
  if (measured.ratio) return format_ratio(*measured.ratio);
  if (!target || target->goal != Goal::at_most) return "";
  return fmt::format("[{}, {}]", format_seconds(measured.time.low), format_seconds(measured.time.high));
}

std::vector<Summary> summaries(const Report& report) {
  std::vector<Summary> result;
  for (const Row& first : report.rows) {
    const auto same = [&](const auto& other) {
      return other.section == first.section && other.reference == first.reference;
    };
    if (!first.measured.ratio || std::any_of(result.begin(), result.end(), same)) continue;
    const auto has_goal = [](const Row& row) { return row.target && row.target->goal == Goal::at_least; };
    const bool by_target = std::any_of(report.rows.begin(), report.rows.end(),
                                       [&](const Row& row) { return same(row) && has_goal(row); });
    std::vector<double> ratios;
    const Row* worst = nullptr;
    for (const Row& row : report.rows) {
      if (!same(row) || !row.measured.ratio || (by_target && !has_goal(row))) continue;
      ratios.push_back(row.measured.ratio->value);
      if (worst == nullptr || ratios.back() < worst->measured.ratio->value) worst = &row;
    }
    if (ratios.size() < 2) continue;
    result.push_back({first.section, first.reference, geometric_mean(ratios), worst, by_target});
    for (const MeanTarget& target : report.mean_targets) {
      if (same(target)) result.back().at_least = target.at_least;
    }
  }
  return result;
}

std::string Summary::judgement() const {
  if (!at_least) return {};
  return fmt::format(": {:g} or more: {}", *at_least,
                     to_string(mean >= *at_least ? Verdict::met : Verdict::missed));
}

Environment environment_here() {
  Environment here;
  here.processor = processor_name();
  here.cores = static_cast<int>(std::thread::hardware_concurrency());
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  std::array<char, 16> text{};
  text[std::strftime(text.data(), text.size() - 1, "%Y-%m-%d", gmtime_r(&now, &parts))] = '\0';
  here.date = text.data();
  return here;
}

std::string format_seconds(double seconds) {
  const Unit unit = unit_of_time(seconds);
  return fmt::format("{} {}", digits(seconds / unit.size), unit.name);
}

std::string format_rate(double bytes_per_second) {
  if (bytes_per_second < 0.1e9) return digits(bytes_per_second / 1e6) + " MB/s";
  return digits(bytes_per_second / 1e9) + " GB/s";
}

std::string format_ratio(const Estimate& ratio) {
  return fmt::format("{} [{}, {}]", digits(ratio.value), digits(ratio.low), digits(ratio.high));
}

std::string format_ratio(double ratio) { return digits(ratio); }

std::string format_share(const Estimate& share) {
  return fmt::format("{} % [{}, {}]", digits(100.0 * share.value), digits(100.0 * share.low),
                     digits(100.0 * share.high));
}

std::string format_bytes(index_t bytes) {
  if (bytes >= 1 << 20 && bytes % (1 << 20) == 0) return fmt::format("{} MiB", bytes >> 20);
  if (bytes >= 1 << 10 && bytes % (1 << 10) == 0) return fmt::format("{} KiB", bytes >> 10);
  return fmt::format("{} B", bytes);
}

std::string format_target(const Target& target) {
  if (target.goal == Goal::at_least) return fmt::format("ratio {:.3g} or more", target.value);
  if (target.goal == Goal::share_at_least) return fmt::format("{:g} % or more", 100.0 * target.value);
  if (target.goal == Goal::share_at_most) return fmt::format("at most {:g} %", 100.0 * target.value);
  const Unit unit = unit_of_time(target.value);
  return fmt::format("at most {:g} {}{}", target.value / unit.size, unit.name,
                     target.goal == Goal::at_most_more ? " more" : "");
}

}  // namespace tessera::benchmark
