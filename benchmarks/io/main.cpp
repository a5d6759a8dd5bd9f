// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
// Arrays to files and back, against the plainest programs that move the same bytes. Files are new, and their
// space is allocated first. The measured time includes fsync, on both sides.
#include <CLI/CLI.hpp>

#include <tessera/runtime/runtime.hpp>

#include "sections.hpp"

int main(int argc, char** argv) {
  using namespace tessera::benchmark;
  tessera::Runtime runtime(argc, argv);
  const tessera::Group& world = runtime.world();
  auto directory = std::filesystem::canonical("/proc/self/exe").parent_path();
  tessera::index_t bytes = 0;
  double seconds = 240;
  bool overwrite = false;
  auto parsed = parse_options(
      argc, argv, "Distributed arrays to files and back.", world.rank() == 0,
      [&](CLI::App& app) {
        app.add_option("--directory", directory,
                       "Where the files are made, and removed (default: the program's)")
            ->type_name("DIR");
        app.add_option("--bytes", bytes, "Size of the arrays, such as 512MiB (default: 2 GiB; --quick: 4 MiB)")
            ->transform(CLI::AsSizeValue(false));
        app.add_option("--seconds", seconds, "No more rounds than take this long, but two")
            ->capture_default_str();
        app.add_flag(
            "--overwrite", overwrite,
            "pwrite goes over its file of the time before, for which the file system has to make no room");
      },
      {.pairs = 11});
  if (parsed.exit_status) return *parsed.exit_status;
  parsed.options.full = {.comparison_seconds = seconds};
  if (bytes == 0) bytes = parsed.options.quick ? tessera::index_t{4} << 20 : tessera::index_t{2} << 30;

  Session session(runtime, "io", parsed.options);
  // Four files, and the one that is to replace one of them; and as many again that wait to be freed.
  const io::Scratch scratch(world, directory, 6 * bytes);
  const io::Plan plan{scratch, bytes, parsed.options.effort(), overwrite};
  io::whole(session, plan);
  io::many(session, plan);
  io::behind(session, plan);
  if (overwrite) session.note("pwrite went over its file of the time before.");
  session.note("Where the rounds of a comparison would take longer than " +
               format_seconds(plan.effort.comparison_seconds) + ", there are fewer.");
  session.finish();
  return 0;
}
