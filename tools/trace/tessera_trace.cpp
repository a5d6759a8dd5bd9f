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
#include "trace_data.hpp"

namespace {

using namespace tessera::trace_tool;

void write(const std::string& name, const std::string& text) {
  std::FILE* const file = std::fopen(name.c_str(), "w");
  bool ok = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  int error = errno;
  if (file != nullptr && std::fclose(file) != 0 && ok) ok = false, error = errno;
  if (!ok) throw std::runtime_error(fmt::format("{} cannot be written: {}", name, std::strerror(error)));
}

// A typing error must not cost a trace.
void require_another_file(const std::string& output, const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    std::error_code ignored;
    if (std::filesystem::equivalent(output, file, ignored))
      throw std::runtime_error(fmt::format("{} is the trace itself; give the page another name", output));
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
  app.add_option("-o,--output", output, "The page (the first file's name with .html)");
  app.add_flag("--hints", only_hints, "Print the hints, write no page");
  app.footer("chrome://tracing and ui.perfetto.dev open the trace itself.");
  CLI11_PARSE(app, argc, argv);
  if (output.empty()) output = files.front() + ".html";
  try {
    if (!only_hints) require_another_file(output, files);
    const Trace trace = read(files);
    const std::vector<Hint> found = hints(trace);
    for (const Hint& hint : found) fmt::print("{}: {}\n", hint.rule, hint.text);
    if (static_cast<int>(trace.processes.size()) < trace.ranks)
      fmt::print(stderr,
                 "tessera-trace: {} of {} ranks are in these files, so sums and hints are of those alone; give "
                 "the files of all ranks, such as trace.json.rank*\n",
                 trace.processes.size(), trace.ranks);
    if (only_hints) return 0;
    write(output, page(trace, found));
    fmt::print("{}\n", output);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tessera-trace: %s\n", error.what());  // fmt::print may throw
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) { return output::status_with_output("tessera-trace", status_of(argc, argv)); }
