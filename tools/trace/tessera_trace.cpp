// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
// Makes a page with pictures, tables and hints from the trace of a program.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "hints.hpp"
#include "output.hpp"
#include "page.hpp"
#include "printable.hpp"
#include "trace_data.hpp"

namespace {

using namespace tessera::trace_tool;

// A page that is there stays until the new one is whole. A device or a pipe is written at once.
void write(const std::string& name, const std::string& text) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const bool is_file = !fs::exists(name, ignored) || fs::is_regular_file(name, ignored);
  const std::string target =
                        fs::is_symlink(name, ignored) ? fs::weakly_canonical(name, ignored).string() : name,
                    place = is_file ? target + ".part" : name;
  if (is_file) std::remove(place.c_str());  // of a run that was killed; a link there must not be followed
  std::FILE* const file = std::fopen(place.c_str(), is_file ? "wx" : "w");
  bool ok = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  int error = errno;
  if (file != nullptr && std::fclose(file) != 0 && ok) ok = false, error = errno;
  if (ok && is_file && std::rename(place.c_str(), target.c_str()) != 0) ok = false, error = errno;
  if (ok) return;
  if (is_file && file != nullptr) std::remove(place.c_str());
  throw std::runtime_error(
      fmt::format("{} cannot be written: {}", tessera::printable(name), std::strerror(error)));
}

// trace.json.rank0 is one of the files of a trace.json.
std::string page_of(const std::string& file) {
  const std::size_t end = file.rfind(".rank");
  const bool is_part = end != std::string::npos && end + 5 < file.size() &&
                       file.find_first_not_of("0123456789", end + 5) == std::string::npos;
  return file.substr(0, is_part ? end : file.size()) + ".html";
}

// A typing error must not cost a trace.
void require_another_file(const std::string& output, const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    std::error_code ignored;
    if (std::filesystem::equivalent(output, file, ignored))
      throw std::runtime_error(
          fmt::format("{} is the trace itself; give the page another name", tessera::printable(output)));
  }
}

int status_of(int argc, char** argv) {
  CLI::App app(
      "Makes one HTML page from the trace of a program: which rank moves how much to which, the time by\n"
      "phase and rank, the arrays, a timeline, and hints. The page needs no network.\n"
      "  TESSERA_TRACE=trace.json mpiexec -n 4 ./program\n"
      "  tessera-trace trace.json",
      "tessera-trace");
  std::vector<std::string> files;
  std::string output;
  bool only_hints = false;
  app.add_option(
         "files", files,
         "The file of TESSERA_TRACE. Of a job that was killed: the files of its ranks, trace.json.rank*")
      ->required();
  app.add_option("-o,--output", output, "The page (trace.json.html)");
  app.add_flag("--hints", only_hints, "Print the hints, write no page");
  app.footer("chrome://tracing and ui.perfetto.dev open the trace itself.");
  CLI11_PARSE(app, argc, argv);
  if (output.empty()) output = page_of(files.front());
  try {
    if (!only_hints) require_another_file(output, files);
    const Trace trace = read(files);
    const std::vector<Hint> found = hints(trace);
    for (const Hint& hint : found) fmt::print("{}: {}\n", hint.rule, tessera::printable(hint.text));
    if (static_cast<int>(trace.processes.size()) < trace.ranks)
      fmt::print(stderr,
                 "tessera-trace: {} of {} ranks are in these files, so sums and hints are of those alone; give "
                 "the files of all ranks, such as trace.json.rank*\n",
                 trace.processes.size(), trace.ranks);
    if (only_hints) return 0;
    write(output, page(trace, found));
    fmt::print("{}\n", tessera::printable(output));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tessera-trace: %s\n", error.what());  // fmt::print may throw
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) { return output::status_with_output("tessera-trace", status_of(argc, argv)); }
