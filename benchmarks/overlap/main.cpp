// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Computation hidden under transfers: rank 0 starts a transfer to, from or onto the memory of the last rank,
// computes for as long as the transfer takes alone, and waits for it. The share of the transfer that is hidden
// is (transfer + computation - both together) / transfer, of transfers from 1 KiB to 8 MiB, contiguous and of
// two dimensions; against requests and replies, and one-sided operations, of MPI.
#include <algorithm>

#include <CLI/CLI.hpp>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/local_buffer.hpp>

#include "near_square.hpp"
#include "peers.hpp"
#include "signal.hpp"
#include "ways.hpp"

namespace tessera::benchmark::overlap {
namespace {

struct Sizes {
  index_t least = kib, most = 8 * mib;

  /// @throws UsageError for sizes that cannot be measured
  void check() const {
    if (least % element != 0 || most % element != 0 || least < element || most < least || most > 1024 * mib)
      throw UsageError("overlap takes sizes that are multiples of 8 bytes, from 8 to 1 GiB: not --least " +
                       std::to_string(least) + " with --most " + std::to_string(most));
  }
  /// Four times as much each time.
  std::vector<index_t> all() const {
    std::vector<index_t> sizes;
    for (index_t bytes = least; bytes < most; bytes *= 4) sizes.push_back(bytes);
    sizes.push_back(most);
    return sizes;
  }
};

enum class Form { contiguous, patch };

// A patch is nearly a square inside rows of twice its width.
Rows rows_of(Form form, index_t bytes) {
  if (form == Form::contiguous) return Rows::contiguous(bytes);
  const Extents<2> square = near_square(static_cast<int>(bytes / element));
  const index_t width = square[1] * element;
  return {square[0], width, 2 * width, width};
}

class Program {
 public:
  /// `judged`: the library's shares have a target.
  Program(Session& session, bool windows, bool served, const Sizes& sizes, bool judged)
      : session_(session),
        world_(session.world()),
        sizes_(sizes),
        served_(served),
        judged_(judged),
        signal_(world_),
        buffer_(sizes.most / element),
        memory_(static_cast<std::size_t>(2 * sizes.most / element)) {
    if (windows) window_.emplace(world_, 2 * sizes.most, fastest_memory(world_));
  }

  void operator()() {
    for (const Operation operation : {Operation::put, Operation::get, Operation::accumulate}) {
      for (const Form form : {Form::contiguous, Form::patch}) {
        const std::string section = std::string("overlap: ") + to_string(operation) +
                                    (form == Form::patch ? ", 2-D: rows of twice the width" : ", contiguous");
        if (!session_.wants(section)) continue;
        for (const index_t bytes : sizes_.all()) measure(section, operation, rows_of(form, bytes));
      }
    }
    signal_.close();
  }

 private:
  void measure(const std::string& section, Operation operation, const Rows& rows) {
    const index_t bytes = rows.count * rows.bytes;
    ByArray array(world_, rows, buffer_.data());
    std::optional<Target> goal;
    if (judged_ && bytes >= 256 * kib) goal = Target{Goal::share_at_least, 0.9};
    const auto row = [&](const Way& way, std::optional<Target> wanted) {
      check(world_, section, rows, span_of(buffer_), way, operation);
      session_.add({.section = section,
                    .name = format_bytes(bytes) + ", " + way.name,
                    .reference = "without computation",
                    .measured = measure_overlap(session_, way.halves(operation), 1.0),
                    .bytes = static_cast<double>(bytes),
                    .target = wanted});
    };
    row(array.way(", target waits", waiting(world_)), goal);
    if (served_) row(array.way(", target computes", computing(signal_)), {});
    row(by_messages(world_, rows, buffer_.data(), memory_), {});
    if (window_) row(by_requests(world_, *window_, rows, buffer_.data()), {});
    array.close();
  }

  Session& session_;
  const Group& world_;
  Sizes sizes_;
  bool served_, judged_;
  Signal signal_;
  LocalBuffer<double> buffer_;
  std::vector<double> memory_;  // for messages
  std::optional<mpi_peer::Window> window_;
};

}  // namespace
}  // namespace tessera::benchmark::overlap

int main(int argc, char** argv) {
  using namespace tessera::benchmark;
  tessera::Runtime runtime(argc, argv);
  const tessera::Group& world = runtime.world();
  overlap::Sizes sizes;
  std::optional<tessera::index_t> most;
  bool slow_wire = false;
  auto parsed = parse_options(
      argc, argv, "How much of a transfer computation hides. Takes 2 ranks or more, best on several nodes.",
      world.rank() == 0, [&](CLI::App& app) {
        app.add_option("--least", sizes.least, "The smallest transfer (1 KiB)")
            ->transform(CLI::AsSizeValue(false))
            ->type_name("SIZE");
        app.add_option("--most", most, "The largest transfer (8 MiB; with --quick 64 KiB)")
            ->transform(CLI::AsSizeValue(false))
            ->type_name("SIZE");
        app.add_flag("--slow-wire", slow_wire,
                     "The wire is slower than the processors: judges the shares of 256 KiB or more");
      });
  if (parsed.exit_status) return *parsed.exit_status;
  if (world.size() < 2)
    throw tessera::UsageError("overlap takes 2 ranks or more: one makes transfers to another");
  sizes.most = most.value_or(std::max(sizes.least, parsed.options.quick ? 64 * kib : sizes.most));
  sizes.check();

  Session session(runtime, "overlap", parsed.options);
  const bool served = runtime.progress() != tessera::ProgressMode::poll;
  const bool windows = has_windows(world);
  overlap::Program(session, windows, served, sizes, slow_wire)();
  if (!windows) session.note("MPI has no windows between these nodes: only its messages are compared with.");
  session.note(
      "The time is that of starting the transfer, computing for as long as it takes alone, and waiting for "
      "it. The reference is the transfer alone. The share is what of the transfer's time the computation "
      "hid.");
  if (world.node_count() == 1)
    session.note(
        "On one node the calling process copies before its call returns, so there is nothing to hide.");
  session.finish();
  return 0;
}
