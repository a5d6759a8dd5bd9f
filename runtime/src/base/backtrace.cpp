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
#include <string_view>

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

// The lines that addr2line prints for offsets in one file. Empty if the tool is missing.
std::vector<std::string> lines_of_addr2line(const std::string& options, const std::string& file,
                                            const std::vector<std::size_t>& offsets) {
  std::string command = "addr2line " + options + " '" + file + "'";
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
  return lines;
}

// Returns "function at file:line" for each offset in one file. Empty if the tool or the information is missing.
std::vector<std::string> ask_addr2line(const std::string& file, const std::vector<std::size_t>& offsets) {
  const auto lines = lines_of_addr2line("-Cfpe", file, offsets);
  return lines.size() == offsets.size() ? lines : std::vector<std::string>();
}

// Where a place was loaded from.
struct Origin {
  std::string file;        // the program or a library; empty if it is unknown
  std::size_t offset = 0;  // of the call in it
  std::string function;    // if the file exports it
};

std::string path_of_program() {
  const std::unique_ptr<char, decltype(&std::free)> path(realpath("/proc/self/exe", nullptr), &std::free);
  return path ? path.get() : "";
}

Origin origin_of(void* place) {
  Dl_info info{};
  link_map* map = nullptr;
  if (dladdr1(place, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 || info.dli_fname == nullptr)
    return {};
  const bool is_program = map->l_name == nullptr || *map->l_name == '\0';
  return {is_program ? path_of_program() : info.dli_fname,
          reinterpret_cast<std::size_t>(place) - map->l_addr - 1,
          info.dli_sname != nullptr ? demangled(info.dli_sname) : ""};
}

// The name of a function without its return type, parameters and template arguments.
std::string_view qualified_name(std::string_view function) {
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < function.size(); ++i) {
    if (function.substr(i).starts_with("(anonymous namespace)")) {
      i += std::string_view("(anonymous namespace)").size() - 1;
    } else if (function[i] == '<') {
      ++depth;
    } else if (function[i] == '>') {
      --depth;
    } else if (depth == 0 && function[i] == '(') {
      return function.substr(begin, i - begin);
    } else if (depth == 0 && function[i] == ' ') {
      begin = i + 1;
    }
  }
  return function.substr(begin);
}

// Whether a source file is Tessera's own: in src/ of its modules, or an installed header.
bool is_own_source(std::string_view file) {
  constexpr std::string_view here = __FILE__, below = "runtime/src/base/backtrace.cpp";
  if (file.find("/include/tessera/") != std::string_view::npos) return true;
  const std::string_view root = here.ends_with(below) ? here.substr(0, here.size() - below.size()) : "";
  if (root.empty() || !file.starts_with(root)) return false;
  const std::string_view rest = file.substr(root.size());
  for (const std::string_view module : {"runtime/src/", "ga/src/", "linalg/src/", "io/src/", "fft/src/"}) {
    if (rest.starts_with(module)) return true;
  }
  return false;
}

bool is_c_library(std::string_view file) { return file.substr(file.rfind('/') + 1).starts_with("libc.so"); }

bool is_of_the_system(std::string_view function, std::string_view file) {
  return function.starts_with("std::") || function.starts_with("__gnu_cxx::") ||
         file.find("/include/c++/") != std::string_view::npos;
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

std::string describe_caller(const std::vector<void*>& places) {
  const Origin own = origin_of(reinterpret_cast<void*>(&describe_caller));
  const std::string program = path_of_program();
  std::vector<Origin> origins;
  std::vector<std::size_t> offsets;  // in the program
  for (void* place : places) {
    const Origin& origin = origins.emplace_back(origin_of(place));
    if (origin.file == program) offsets.push_back(origin.offset);
  }
  // The program's functions at each offset, from the innermost inlined one outwards.
  std::map<std::size_t, std::vector<std::string>> functions;
  std::size_t offset = 0;
  for (std::string& line : lines_of_addr2line("-aCfpie", program, offsets)) {
    constexpr std::string_view inlined = " (inlined by) ";
    std::size_t begin = 0;
    if (line.starts_with(inlined)) {
      begin = inlined.size();
    } else if (const auto colon = line.find(": "); line.starts_with("0x") && colon != std::string::npos) {
      offset = std::stoull(line, nullptr, 16);
      begin = colon + 2;
    }
    functions[offset].push_back(line.substr(begin));
  }
  // Calls in the program that nobody can name, from the innermost outwards. Tessera's own may be among them.
  std::string unnamed;
  int count = 0;
  constexpr int most_unnamed = 8;
  for (const Origin& origin : origins) {
    const bool is_library = origin.file == own.file && own.file != program;
    if (origin.file.empty() || is_library) continue;
    if (is_c_library(origin.file)) break;  // it has called main
    const bool is_of_program = origin.file == program;
    const auto found = is_of_program ? functions.find(origin.offset) : functions.end();
    for (const std::string& line : found == functions.end() ? std::vector<std::string>() : found->second) {
      const std::size_t at = line.rfind(" at ");
      if (at == std::string::npos || line.starts_with("??")) continue;
      const std::string_view name = qualified_name(std::string_view(line).substr(0, at));
      std::string_view file = std::string_view(line).substr(at + 4);
      // Without debug information there may be the name of a file, but no number of a line.
      const bool has_file = !file.starts_with("??") && file.find(":?") == std::string_view::npos;
      if (is_of_the_system(name, file)) continue;
      if (has_file ? is_own_source(file) : name.starts_with("tessera::")) continue;
      file = file.substr(0, file.find(" (discriminator"));
      return has_file ? formatted("{} at {}", name, file.substr(file.rfind('/') + 1)) : std::string(name);
    }
    const std::string_view exported = qualified_name(origin.function);
    const bool is_ours = exported.starts_with("tessera::") || is_of_the_system(exported, "");
    if (found == functions.end() && !is_ours && !exported.empty()) return std::string(exported);
    if (!is_of_program && is_ours) continue;
    if (!is_of_program) return formatted("{}+{:#x}", origin.file, origin.offset);
    if (++count <= most_unnamed)
      unnamed += count == 1 ? formatted("{}+{:#x}", origin.file, origin.offset)
                            : formatted(" < +{:#x}", origin.offset);
  }
  return unnamed.empty() ? "an unknown place" : unnamed;
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
