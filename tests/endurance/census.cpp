// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "census.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include <malloc.h>
#include <unistd.h>

#include "mpi_objects.hpp"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;

std::int64_t entries(const fs::path& directory) {
  std::int64_t count = 0;
  for (auto entry = fs::directory_iterator(directory); entry != fs::directory_iterator(); ++entry) ++count;
  return count;
}

// Those that this process has made.
std::int64_t names_in_shared_memory() {
  const std::string mine = "tessera-" + std::to_string(getpid()) + "-";
  std::int64_t count = 0;
  for (const auto& entry : fs::directory_iterator("/dev/shm"))
    count += static_cast<int>(entry.path().filename().string().starts_with(mine));
  return count;
}

std::int64_t lines(const fs::path& path) {
  std::ifstream file(path);
  return std::count(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>(), '\n');
}

std::int64_t status(const std::string& word) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(word)) return std::stoll(line.substr(word.size()));
  }
  return -1;
}

// All arenas, and the blocks that malloc maps.
std::int64_t bytes_of_malloc() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
}

// malloc and MPI sometimes split a mapping into two.
std::int64_t slack_of(std::size_t count) { return Census::names()[count] == "mappings" ? 3 : 0; }

using Samples = std::vector<Sample>;

template <class Value>
std::vector<std::int64_t> values_of(Samples::const_iterator begin, Samples::const_iterator end, Value&& value) {
  std::vector<std::int64_t> all;
  std::transform(begin, end, std::back_inserter(all), value);
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

std::vector<std::string> Census::names() {
  std::vector<std::string> all{"descriptors", "mappings", "threads", "names in /dev/shm"};
  all.insert(all.end(), mpi_kinds.begin(), mpi_kinds.end());
  return all;
}

void Census::take(double seconds) {
  // Otherwise the samples themselves are what grows.
  constexpr std::size_t most_samples = 512;
  if (samples_.size() >= most_samples) {
    std::size_t kept = 1;
    for (std::size_t i = 2; i < samples_.size(); i += 2) samples_[kept++] = std::move(samples_[i]);
    samples_.resize(kept);
  }
  Sample sample{
      seconds,
      {entries("/proc/self/fd"), lines("/proc/self/maps"), status("Threads:"), names_in_shared_memory()},
      bytes_of_malloc(),
      status("RssAnon:") * 1024};
  const auto objects = mpi_objects();
  sample.counts.insert(sample.counts.end(), objects.begin(), objects.end());
  samples_.push_back(std::move(sample));
}

std::vector<std::string> Census::growth(std::int64_t heap, std::int64_t resident) const {
  std::vector<std::string> all;
  const auto third = static_cast<std::ptrdiff_t>(samples_.size() / 3);
  if (third < 2) return {"there are too few samples to tell"};
  const auto first_end = samples_.begin() + third, last_begin = samples_.end() - third;
  for (std::size_t i = 0; i < names().size(); ++i) {
    const auto value = [i](const Sample& sample) { return sample.counts[i]; };
    const std::int64_t most = values_of(samples_.begin(), first_end, value).back();
    const std::int64_t least = values_of(last_begin, samples_.end(), value).front();
    if (least > most + slack_of(i))
      all.push_back(names()[i] + ": at most " + std::to_string(most) + " at first, at least " +
                    std::to_string(least) + " at last");
  }
  const auto check_bytes = [&](const char* name, std::int64_t Sample::*member, std::int64_t bytes) {
    const auto value = [member](const Sample& sample) { return sample.*member; };
    const auto first = values_of(samples_.begin(), first_end, value),
               last = values_of(last_begin, samples_.end(), value);
    const std::int64_t grown = last[last.size() / 2] - first[first.size() / 2];
    if (grown > bytes)
      all.push_back(std::string(name) + " grew by " + std::to_string(grown) + " bytes, more than " +
                    std::to_string(bytes));
  };
  check_bytes("the heap", &Sample::heap, heap);
  check_bytes("resident memory", &Sample::resident, resident);
  return all;
}

std::string Census::summary() const {
  if (samples_.empty()) return "no samples";
  const Sample &first = samples_.front(), &last = samples_.back();
  std::string text;
  const auto add = [&](const std::string& name, std::int64_t a, std::int64_t b) {
    text += (text.empty() ? "" : ", ") + name + " " + std::to_string(a) +
            (a == b ? "" : " -> " + std::to_string(b));
  };
  for (std::size_t i = 0; i < names().size(); ++i) add(names()[i], first.counts[i], last.counts[i]);
  add("heap KiB", first.heap / 1024, last.heap / 1024);
  add("resident KiB", first.resident / 1024, last.resident / 1024);
  return text;
}

}  // namespace tessera::test
