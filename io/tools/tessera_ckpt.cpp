// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
// Lists and verifies checkpoints. Runs by itself, or on several processes to read faster.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <tessera/io/checkpoint_info.hpp>
#include <tessera/runtime/runtime.hpp>
#include "output.hpp"
#include "printable.hpp"

namespace {

using tessera::printable;  // names and texts of files go to a terminal
using tessera::io::CheckpointEntry;
using tessera::io::CheckpointInfo;

struct Options {
  std::vector<std::string> prefixes, files;
  bool quick = false;
};

std::string size_text(tessera::index_t bytes) {
  const char* const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (size >= 1024 && unit + 1 < std::size(units)) {
    size /= 1024;
    ++unit;
  }
  char text[40];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", size, units[unit]);
  return text;
}

std::string shape_text(const CheckpointEntry& entry) {
  if (entry.extents.empty()) return entry.type;
  std::string text;
  for (const auto extent : entry.extents) text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return text + " of " + entry.type;
}

void print(const CheckpointInfo& info) {
  std::printf("%s\n", printable(info.file.string()).c_str());
  if (!info.written.empty()) {
    std::printf("  generation %lld, step %lld, written %s by Tessera %s, %s\n",
                static_cast<long long>(info.generation), static_cast<long long>(info.step),
                printable(info.written).c_str(), printable(info.library).c_str(),
                size_text(info.bytes).c_str());
  }
  std::size_t width = 0;
  for (const CheckpointEntry& entry : info.entries) width = std::max(width, printable(entry.name).size());
  for (const CheckpointEntry& entry : info.entries)
    std::printf("    %-*s  %s\n", static_cast<int>(width), printable(entry.name).c_str(),
                shape_text(entry).c_str());
  std::printf("  %s\n", info.problem.empty() ? "valid" : ("DAMAGED: " + printable(info.problem)).c_str());
  std::fflush(stdout);
}

// Whether all files are valid. A file from a list is skipped if a writer has removed it since.
enum class Named { by_user, by_list };
bool show(const std::vector<std::filesystem::path>& files, Named named, const Options& options,
          const tessera::Group& group) {
  bool valid = true;
  for (const auto& file : files) {
    const CheckpointInfo info = options.quick ? tessera::io::inspect_checkpoint(group, file)
                                              : tessera::io::verify_checkpoint(group, file);
    if (named == Named::by_list && !info.problem.empty()) {
      std::error_code error;
      // A link that leads nowhere counts as there.
      const bool is_there =
          std::filesystem::symlink_status(file, error).type() != std::filesystem::file_type::not_found;
      if (group.broadcast(static_cast<int>(is_there), 0) == 0) continue;
    }
    valid = valid && info.problem.empty();
    if (group.rank() == 0) print(info);
  }
  return valid;
}

int run(const Options& options, const tessera::Group& group) {
  bool valid = show({options.files.begin(), options.files.end()}, Named::by_user, options, group);
  for (const std::string& prefix : options.prefixes) {
    const auto files = tessera::io::checkpoint_files(group, prefix);
    if (files.empty() && group.rank() == 0)
      std::fprintf(stderr, "tessera-ckpt: there is no checkpoint %s.<number>.h5\n", printable(prefix).c_str());
    valid = show(files, Named::by_list, options, group) && valid && !files.empty();
  }
  return valid ? 0 : 1;
}

int status_of(int argc, char** argv) {
  Options options;
  CLI::App app{
      "Lists and verifies the checkpoints that Tessera writes. Ends with 1 if one is damaged or missing."};
  app.add_option("--list", options.prefixes,
                 "Show all generations of a checkpoint, newest first, given as it was to "
                 "the program: DIRECTORY/PREFIX");
  app.add_option("--verify", options.files, "Show these files");
  app.add_flag("--quick", options.quick,
               "Compare only what describes the arrays with its checksums, not the arrays");
  app.require_option(1, 0);

  tessera::Runtime runtime(argc, argv);
  const tessera::Group& world = runtime.world();
  try {
    app.parse(argc, argv);
    if (options.prefixes.empty() && options.files.empty()) throw CLI::RequiredError("--list or --verify");
    return run(options, world);
  } catch (const CLI::ParseError& error) {
    // Every process has the same arguments; only rank 0 prints.
    return world.rank() == 0 ? app.exit(error) : error.get_exit_code();
  } catch (const tessera::io::IoError& error) {
    if (world.rank() == 0) std::fprintf(stderr, "tessera-ckpt: %s\n", error.what());
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) { return output::status_with_output("tessera-ckpt", status_of(argc, argv)); }
