// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
// One array of doubles in several layouts, to a file and back: as a checkpoint, and by save() and load_into().
// It is compared with the bytes of each rank by pwrite and pread, and with a program that calls HDF5 itself.
#include <algorithm>
#include <memory>

#include <tessera/elementwise.hpp>
#include <tessera/io/io.hpp>

#include "cases.hpp"
#include "sections.hpp"
#include "turns.hpp"

namespace tessera::benchmark::io {
namespace {

constexpr const char* writing = "write an array of doubles, on disk at the end";
constexpr const char* reading = "read an array of doubles, none of it in memory before";

double element(const Index<2>& at, index_t columns) { return static_cast<double>(at[0] * columns + at[1]); }

// The array, and its file in each of the ways.
class Subjects {
 public:
  Subjects(const Group& group, const Plan& plan, const Case& layout)
      : layout_(layout),
        array_(group, layout.layout(), {.name = "a"}),
        checkpoint_(group, plan.scratch / "checkpoint", {.keep = 1}),
        saved_(plan.scratch / "saved.h5"),
        plain_(group, plan.scratch / "plain", static_cast<index_t>(memory().size_bytes()), plan.overwrite),
        hyperslab_(group, plan.scratch / "hyperslab.h5", layout.layout().dims(), layout.selection(),
                   calls(layout.layout())) {
    if (!layout.is_row_major()) packed_.resize(memory().size());
    checkpoint_.add("a", array_);
    const index_t columns = array_.dims()[1];
    for_each_local(array_, [&](const Index<2>& at, double& x) { x = element(at, columns); });
    array_.sync();
  }

  void close() {
    checkpoint_.close();
    array_.close();
  }
  double bytes() const { return static_cast<double>(array_.dims()[0] * array_.dims()[1] * 8); }

  std::vector<Side> writers() {
    return {{"Checkpoint::write", [this] { checkpoint_.write(++step_); }},
            {"save", [this] { tessera::io::save(saved_, "a", array_); }},
            {"pwrite and fsync", [this] { plain_.write(std::as_bytes(memory())); }},
            {"HDF5 hyperslabs", [this] { write_hyperslab(); }}};
  }
  std::vector<Side> readers() {
    return {{"Checkpoint::restore", [this] { checkpoint_.restore(); }},
            {"load_into", [this] { tessera::io::load_into(saved_, "a", array_); }},
            {"pread", [this] { plain_.read(std::as_writable_bytes(memory())); }},
            {"HDF5 hyperslabs", [this] { read_hyperslab(); }}};
  }

  // Checks that a reader restores the right elements.
  void check(const Side& reader) {
    fill(array_, -1.0);
    array_.sync();
    reader.run();
    array_.sync();
    bool right = true;
    const index_t columns = array_.dims()[1];
    for_each_local(array_,
                   [&](const Index<2>& at, const double& x) { right = right && x == element(at, columns); });
    require(array_.group().all_reduce(right ? 1 : 0, Reduce::min) == 1, layout_.name() + ", " + reader.name);
  }

 private:
  static int calls(const Layout<2>& layout) {
    index_t most = 0;
    for (int rank = 0; rank < layout.ranks(); ++rank) most = std::max(most, layout.local_size(rank));
    return static_cast<int>(most * 8 / (index_t{1} << 30)) + 1;
  }
  // All that this rank has, as it is stored.
  std::span<double> memory() {
    return {static_cast<double*>(array_.core().local_data()),
            static_cast<std::size_t>(layout_.layout().local_size(array_.group().rank()))};
  }
  void write_hyperslab() {
    if (!packed_.empty()) layout_.pack(array_, packed_.data());
    hyperslab_.write(packed_.empty() ? memory().data() : packed_.data());
  }
  void read_hyperslab() {
    hyperslab_.read(packed_.empty() ? memory().data() : packed_.data());
    if (!packed_.empty()) layout_.unpack(packed_.data(), array_);
  }

  const Case& layout_;
  Array<double, 2> array_;
  tessera::io::Checkpoint checkpoint_;
  std::filesystem::path saved_;
  PlainFile plain_;
  HyperslabFile hyperslab_;
  std::vector<double> packed_;
  std::int64_t step_ = 0;
};

// The first two sides against the two others.
void measure(Session& session, const Plan& plan, const char* section, const std::string& name, double bytes,
             const std::vector<Side>& sides) {
  const Target targets[] = {{Goal::at_least, 0.9}, {Goal::at_least, 1.0}};
  const auto times = take_turns(session.world(), plan.effort, sides, [&] { plan.scratch.make_cold(); });
  for (const std::size_t own : {0U, 1U}) {
    for (const std::size_t other : {2U, 3U}) {
      session.add({.section = section,
                   .name = name + ", " + sides[own].name,
                   .reference = sides[other].name,
                   .measured = compared(times[own], times[other]),
                   .bytes = bytes,
                   .target = targets[other - 2]});
    }
  }
}

}  // namespace

void whole(Session& session, const Plan& plan) {
  const bool writes = session.wants(writing), reads = session.wants(reading);
  if (!writes && !reads) return;
  for (const bool is_writing : {true, false}) {
    if (!(is_writing ? writes : reads)) continue;
    for (const Case& layout : cases(plan.bytes, session.world())) {
      Subjects subjects(session.world(), plan, layout);
      const auto writers = subjects.writers(), readers = subjects.readers();
      for (const Side& writer : writers) writer.run();
      for (const Side& reader : readers) subjects.check(reader);
      measure(session, plan, is_writing ? writing : reading, layout.name(), subjects.bytes(),
              is_writing ? writers : readers);
      for (const Side& reader : readers) subjects.check(reader);
      subjects.close();
      plan.scratch.clear();
    }
  }
  session.note(
      "write, read: pwrite and pread move each rank's memory as it is, in one piece per rank, whatever the "
      "layout; HDF5's own program packs it by rows first where it lies otherwise.");
  session.note(
      "checksums: checkpoints cannot be had without. Against pwrite and pread, which compute none, their rows "
      "show the most that checksums can cost: 0.91 is ten per cent.");
}

}  // namespace tessera::benchmark::io
