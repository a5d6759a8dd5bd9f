// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// HPC Challenge's RandomAccess: random words of a table of all ranks are updated. By Tessera, MPI, Global
// Arrays.
#include <CLI/CLI.hpp>
#include <numeric>
#include <optional>
#include <vector>

#include "peers.hpp"
#include "stream.hpp"
#include "ways.hpp"

namespace tessera::benchmark::gups {
namespace {

constexpr index_t updates_per_word = 4;  // HPC Challenge's

std::vector<Word> numbers_of(int rank, index_t count) {
  Stream stream(static_cast<std::uint64_t>(rank) * static_cast<std::uint64_t>(count));
  std::vector<Word> numbers(static_cast<std::size_t>(count));
  for (Word& number : numbers) number = stream.next();
  return numbers;
}

// What this rank's words are after all updates of all ranks. Word i begins as i.
std::vector<Word> model(const Group& world, const Shape& shape, index_t count) {
  std::vector<Word> words(static_cast<std::size_t>(shape.per_rank));
  std::iota(words.begin(), words.end(), static_cast<Word>(world.rank() * shape.per_rank));
  for (int rank = 0; rank < world.size(); ++rank) {
    for (const Word number : numbers_of(rank, count)) {
      const index_t place = shape.place(number);
      if (shape.owner(place) == world.rank()) words[static_cast<std::size_t>(shape.offset(place))] ^= number;
    }
  }
  return words;
}

// A share of words that are wrong after all updates: none, or as HPC Challenge allows where updates may be
// lost.
void check(const Group& world, const Shape& shape, const Way& way) {
  const index_t count = updates_per_word * shape.words / world.size();
  std::vector<Word> first(static_cast<std::size_t>(shape.per_rank));
  std::iota(first.begin(), first.end(), static_cast<Word>(world.rank() * shape.per_rank));
  way.set(first);
  way.sync();
  way.update(numbers_of(world.rank(), count));
  way.sync();
  const std::vector<Word> expected = model(world, shape, count), found = way.words();
  index_t wrong = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) wrong += static_cast<index_t>(found[i] != expected[i]);
  wrong = world.all_reduce(wrong, Reduce::sum);
  constexpr index_t allowed_one_in = 100;
  require(
      wrong <= (way.is_exact ? 0 : shape.words / allowed_one_in),
      way.name + " leaves " + std::to_string(wrong) + " of " + std::to_string(shape.words) + " words wrong");
}

struct Setting {
  index_t words, checked_words;
  bool windows, global_arrays;
};

class Program {
 public:
  Program(Session& session, const Setting& setting)
      : session_(session),
        world_(session.world()),
        shape_{setting.words, world_.size()},
        small_{setting.checked_words, world_.size()},
        setting_(setting),
        numbers_(numbers_of(world_.rank(), look_ahead)) {}

  void operator()() {
    const bool one_node = world_.node_count() == 1;
    const Target against_mpi{Goal::at_least, one_node ? 1.3 : 1.0},
        against_single{Goal::at_least, one_node ? 1.3 : 2.0}, against_ga{Goal::at_least, 2.0};
    const auto by_window = [&](auto make, Target target) {
      return setting_.windows ? reference(make, target) : Reference{.name = name_of(make), .routine = {}};
    };
    row("one by one", by_fetch_op, {by_window(by_mpi_fetch_and_op, against_mpi)});
    row("1,024 together", by_batch,
        {by_window(by_mpi_fetch_and_op, against_single), by_window(by_mpi_accumulate, against_mpi),
         reference(by_mpi_exchange, {})});
    std::vector<Reference> racy{by_window(by_mpi_get_and_put, against_mpi)};
    if (setting_.global_arrays) racy.push_back(reference(by_ga_get_and_put, against_ga));
    row("one by one, racy", by_get_and_put, racy);
  }

 private:
  using Make = Way (*)(const Group&, const Shape&);

  // The name of a way that cannot be made here.
  static std::string name_of(Make make) {
    return make == by_mpi_fetch_and_op ? "MPI_Fetch_and_op"
           : make == by_mpi_accumulate ? "MPI_Accumulate"
                                       : "MPI_Get and MPI_Put";
  }
  Routine routine_of(Make make) {
    {
      const Way way = make(world_, small_);
      check(world_, small_, way);
    }
    return [this, way = make(world_, shape_)](index_t count) {
      for (index_t i = 0; i < count; ++i) way.update(numbers_);
    };
  }
  Reference reference(Make make, std::optional<Target> target) {
    const std::string name = make(world_, {2, world_.size()}).name;
    return {.name = name, .routine = routine_of(make), .target = target, .others = waiting()};
  }
  void row(const std::string& name, Make make, const std::vector<Reference>& references) {
    const std::string own = make(world_, {2, world_.size()}).name;
    session_.compare(
        {.section = "updates of a table of " + std::to_string(shape_.words) + " words",
         .name = "1,024 by each rank, " + name + ": " + own,
         .routine = routine_of(make),
         .bytes = static_cast<double>(look_ahead) * static_cast<double>(sizeof(Word)) * world_.size(),
         .clock = Clock::joint,
         .others = waiting()},
        references);
  }
  Others waiting() const {
    return {.wait = [this] { world_.barrier(); }};
  }

  Session& session_;
  const Group& world_;
  Shape shape_, small_;
  Setting setting_;
  std::vector<Word> numbers_;
};

}  // namespace
}  // namespace tessera::benchmark::gups

int main(int argc, char** argv) {
  using namespace tessera::benchmark;
  tessera::Runtime runtime(argc, argv);
  const tessera::Group& world = runtime.world();
  std::string topology;
  int bits = 0;
  auto parsed = parse_options(
      argc, argv, "RandomAccess: each rank updates random words of a table of all ranks.", world.rank() == 0,
      [&](CLI::App& app) {
        app.add_option("--topology", topology, "What is between the ranks, for the report")->type_name("TEXT");
        app.add_option("--bits", bits, "The table has 2^BITS words (24; with --quick 16)")
            ->check(CLI::Range(10, 36))
            ->type_name("BITS");
      });
  if (parsed.exit_status) return *parsed.exit_status;
  parsed.options.topology = topology;
  parsed.options.full = {.joint_sample_seconds = 10e-3, .comparison_seconds = 20.0};
  if (bits == 0) bits = parsed.options.quick ? 16 : 24;
  const int checked_bits = world.node_count() == 1 && !parsed.options.quick ? 18 : 12;

  Session session(runtime, "gups", parsed.options);
  const Peers peers = start_peers(session, runtime);
  gups::Program(session, {tessera::index_t{1} << bits, tessera::index_t{1} << checked_bits, peers.windows,
                          peers.global_arrays != nullptr})();
  session.note(
      "A rate of 8 GB/s is one giga-update per second (GUPS). Before a way is measured, it makes four updates "
      "per "
      "word of a smaller table, which must then be right word for word; of the racy ones, 99 % of the words.");
  session.finish();
  return 0;
}
