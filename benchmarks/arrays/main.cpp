// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Arrays: patches of several owners, where elements are, copies between layouts, permuted operands, ghost
// cells, elementwise operations, lists of elements, epochs, tasks; against bare transfers, loops, MPI,
// ScaLAPACK, Global Arrays.
#include <CLI/CLI.hpp>

#include <tessera/runtime/runtime.hpp>

#include "peers.hpp"
#include "sections.hpp"

namespace tessera::benchmark::arrays {
namespace {

enum class Where { anywhere, one_node, several_nodes };

struct Section {
  const char *name, *what;
  void (*run)(Session&, const Place&);
  Where where = Where::anywhere;
  int min_ranks = 1;
};

// The titles of the tables begin with the names.
constexpr Section sections[] = {
    {"patches", "put, get, acc of patches of several owners", patches, Where::anywhere, 2},
    {"locate", "the owner of one element", locate, Where::one_node},
    {"redistribution", "copy between layouts, against PDGEMR2D", redistribution},
    {"transposition", "transpose and permute, against copy", transposition},
    {"permuted", "axpby and dot of permuted operands, against permute and then the operation", permuted},
    {"ghosts", "update_ghosts, against messages", ghosts},
    {"fields", "a Halo of five fields, against packed messages and five updates", several_fields},
    {"hiding", "the exchange of ghost cells behind the interior", hiding, Where::several_nodes, 2},
    {"delay", "who waits for a rank that is late to update_ghosts", delay, Where::anywhere, 5},
    {"elementwise", "fill to norm2, against loops", elementwise, Where::one_node},
    {"creation", "making an array and closing it", creation},
    {"lists", "gather, scatter, scatter_acc at random positions", lists, Where::anywhere, 2},
    {"epochs", "read_only and accumulate_only, against get and acc", epochs, Where::several_nodes, 2},
    {"tasks", "TaskCounter, against counters", tasks},
};

std::string place_of(const Section& section) {
  std::string text = "on one node";
  if (section.where != Where::one_node)
    text = section.where == Where::several_nodes ? "between nodes" : "anywhere";
  if (section.min_ranks > 1) text += ", " + std::to_string(section.min_ranks) + " ranks or more";
  return text;
}

std::string contents() {
  std::string text = "Sections, and where they apply:\n";
  for (const Section& section : sections) {
    text += std::string("  ") + section.name + ": " + section.what + "; " + place_of(section) + '\n';
  }
  return text;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Section& section : sections) all.emplace_back(section.name);
  return all;
}

bool applies(const Section& section, const Group& world) {
  const bool one_node = world.node_count() == 1;
  if (section.where == Where::one_node && !one_node) return false;
  if (section.where == Where::several_nodes && one_node) return false;
  return world.size() >= section.min_ranks;
}

void run(Session& session, const Place& place, const std::string& alone) {
  std::string left_out;
  for (const Section& section : sections) {
    if (!alone.empty() && alone != section.name) continue;
    if (applies(section, session.world())) {
      section.run(session, place);
    } else {
      left_out += (left_out.empty() ? "" : ", ") + std::string(section.name) + " (" + place_of(section) + ")";
    }
  }
  if (!left_out.empty()) session.note("Left out here: " + left_out + ".");
}

}  // namespace
}  // namespace tessera::benchmark::arrays

int main(int argc, char** argv) {
  using namespace tessera::benchmark;
  tessera::Runtime runtime(argc, argv);
  const tessera::Group& world = runtime.world();
  std::string alone;
  auto parsed = parse_options(
      argc, argv, "Arrays: operations on patches, whole arrays, ghost cells, lists of elements, tasks.",
      world.rank() == 0, [&](CLI::App& app) {
        app.add_option("--alone", alone, "Run only the section of this name, if --only allows it")
            ->type_name("NAME")
            ->check(CLI::IsMember(arrays::names()));
        app.footer(arrays::contents());
      });
  if (parsed.exit_status) return *parsed.exit_status;
  const bool one_node = world.node_count() == 1;
  parsed.options.full = {.sample_seconds = one_node ? 20e-6 : 1e-3, .comparison_seconds = one_node ? 6.0 : 3.0};

  Session session(runtime, "arrays", parsed.options);
  const Peers peers = start_peers(session, runtime, 256 * mib);
  arrays::run(session, {one_node, peers.windows, peers.global_arrays != nullptr}, alone);
  session.note("A comparison that would take longer than six seconds (between nodes three) has fewer pairs.");
  session.finish();
  return 0;
}
