// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "base/process_name.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

#include <unistd.h>

#include <tessera/io/error.hpp>

#include "base/date.hpp"
#include "base/fields.hpp"
#include "format.hpp"

namespace tessera::io::detail {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::string boot_id() {
  std::string id = "unknown";
  std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
  return id;
}

// When a process started. 0 if there is none, or if it has ended and its parent has not yet waited for it.
unsigned long long start_of(long pid) {
  std::ifstream file(formatted("/proc/{}/stat", pid));
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto end_of_name = text.rfind(')');
  if (end_of_name == std::string::npos) return 0;
  std::istringstream words(text.substr(end_of_name + 1));
  std::string word;
  words >> word;  // the 3rd field of the line is the state, the 22nd the start
  if (word == "Z" || word == "X") return 0;
  for (int i = 0; i < 18; ++i) words >> word;
  unsigned long long start = 0;
  words >> start;
  return start;
}

}  // namespace

ProcessName ProcessName::of_this() {
  return {host_name(), getpid(), start_of(getpid()), boot_id(), date_now()};
}

std::string ProcessName::text() const {
  return formatted("host {}\nprocess {}\nstart {}\nboot {}\nsince {}\n", host, pid, start, boot, date);
}

std::optional<ProcessName> ProcessName::parse(std::string_view text) {
  try {
    Fields lines(text, '\n');
    ProcessName p;
    p.host = lines.next("host");
    const index_t pid = lines.count("process");
    if (pid > std::numeric_limits<pid_t>::max()) return std::nullopt;
    p.pid = pid;
    p.start = static_cast<unsigned long long>(lines.count("start"));
    p.boot = lines.next("boot");
    p.date = lines.next("since");
    if (p.text() == text) return p;
  } catch (const IoError&) {
    // The text is something else.
  }
  return std::nullopt;
}

bool ProcessName::is_on_this_host() const { return host == host_name(); }

bool ProcessName::may_live() const {
  if (!is_on_this_host()) return true;
  if (boot != boot_id()) return false;
  return (kill(static_cast<pid_t>(pid), 0) == 0 || errno == EPERM) && start_of(pid) == start;
}

}  // namespace tessera::io::detail
