// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "base/backtrace.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <memory>

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <semaphore.h>

#include "format.hpp"

namespace tessera::detail {
namespace {

constexpr int max_places = 48;

// Written by the signal handler, which may neither allocate nor lock.
void* places[max_places];
int place_count = 0;
sem_t answered;
int asking_signal = 0;

void answer(int) {
  const int before = errno;
  place_count = backtrace(places, max_places);
  sem_post(&answered);
  errno = before;
}

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 ? text.get() : name;
}

// Returns "function at file:line" for each offset in one file. Empty if the tool or the information is missing.
std::vector<std::string> ask_addr2line(const std::string& file, const std::vector<std::size_t>& offsets) {
  std::string command = "addr2line -Cfpe '" + file + "'";
  if (file.find('\'') != std::string::npos) return {};
  for (const std::size_t offset : offsets) command += formatted(" {:#x}", offset);
  std::FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return {};
  std::vector<std::string> lines(1);
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += static_cast<char>(c);
    }
  }
  lines.pop_back();
  pclose(pipe);
  return lines.size() == offsets.size() ? lines : std::vector<std::string>();
}

}  // namespace

bool allow_backtraces() {
  if (asking_signal != 0) return true;
  void* first[1];
  backtrace(first, 1);  // loads its library, which a handler may not do
  sem_init(&answered, 0, 0);
  for (int signal = SIGRTMAX - 1; signal >= SIGRTMIN; --signal) {
    struct sigaction old {};
    if (sigaction(signal, nullptr, &old) != 0 || old.sa_handler != SIG_DFL) continue;
    struct sigaction mine {};
    mine.sa_handler = answer;
    mine.sa_flags = SA_RESTART;
    if (sigaction(signal, &mine, nullptr) != 0) continue;
    asking_signal = signal;
    return true;
  }
  return false;
}

std::vector<void*> backtrace_of(pthread_t thread) {
  while (sem_trywait(&answered) == 0) {  // drops answers that came too late
  }
  if (asking_signal == 0 || pthread_kill(thread, asking_signal) != 0) return {};
  timespec end{};
  clock_gettime(CLOCK_REALTIME, &end);
  ++end.tv_sec;
  while (sem_timedwait(&answered, &end) != 0) {
    if (errno != EINTR) return {};
  }
  // Skips the handler, and the frame that the kernel puts around it.
  constexpr int own = 2;
  return std::vector<void*>(places + std::min(own, place_count), places + place_count);
}

std::vector<std::string> describe(const std::vector<void*>& found) {
  std::vector<std::string> lines(found.size());
  std::map<std::string, std::vector<std::size_t>> by_file;  // positions in `found`
  std::vector<std::size_t> offsets(found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    Dl_info info{};
    link_map* map = nullptr;
    if (dladdr1(found[i], &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 ||
        info.dli_fname == nullptr) {
      lines[i] = formatted("{}", found[i]);
      continue;
    }
    // The call lies before its return address.
    offsets[i] = reinterpret_cast<std::size_t>(found[i]) - map->l_addr - (i > 0 ? 1 : 0);
    const bool is_program = map->l_name == nullptr || *map->l_name == '\0';
    by_file[is_program ? "/proc/self/exe" : info.dli_fname].push_back(i);
    lines[i] = info.dli_sname != nullptr ? formatted("{} ({})", demangled(info.dli_sname), info.dli_fname)
                                         : formatted("{}+{:#x}", info.dli_fname, offsets[i]);
  }
  // Places in the program itself. addr2line gets the real path, as it would read /proc/self as its own.
  if (const auto own = by_file.find("/proc/self/exe"); own != by_file.end()) {
    const std::unique_ptr<char, decltype(&std::free)> path(realpath("/proc/self/exe", nullptr), &std::free);
    std::vector<std::size_t> wanted;
    for (const std::size_t i : own->second) wanted.push_back(offsets[i]);
    const auto said = path ? ask_addr2line(path.get(), wanted) : std::vector<std::string>();
    for (std::size_t k = 0; k < said.size(); ++k) {
      std::string line = said[k].substr(0, said[k].find(" at ??"));
      // Names with all their template arguments fill pages, so they are cut.
      constexpr std::size_t most = 120;
      const std::size_t name = std::min(line.find(" at "), line.size());
      if (name > most) line.replace(most, name - most, "...");
      if (line.rfind("??", 0) != 0) lines[own->second[k]] = line;
    }
  }
  // Drops the frames above main, which are the same in all programs.
  const auto main_at = std::find_if(lines.begin(), lines.end(), [](const std::string& line) {
    return line == "main" || line.rfind("main at ", 0) == 0;
  });
  if (main_at != lines.end()) lines.erase(main_at + 1, lines.end());
  return lines;
}

}  // namespace tessera::detail
