// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// HPC Challenge's RandomAccess: random words of a table of all ranks are updated. By Tessera, MPI, Global
// Arrays.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
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

// Makes all updates. None may be lost, or as few as HPC Challenge allows where the way loses some.
void check(const Group& world, const Shape& shape, const Way& way) {
  const index_t count = updates_per_word * shape.words / world.size();
  const Table table = way.make(world, shape);
  std::vector<Word> first(static_cast<std::size_t>(shape.per_rank));
  std::iota(first.begin(), first.end(), static_cast<Word>(world.rank() * shape.per_rank));
  table.set(first);
  table.sync();
  world.barrier();
  table.update(numbers_of(world.rank(), count));
  table.sync();
  const std::vector<Word> expected = model(world, shape, count), found = table.words();
  index_t wrong = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) wrong += static_cast<index_t>(found[i] != expected[i]);
  wrong = world.all_reduce(wrong, Reduce::sum);
  constexpr index_t allowed_one_in = 100;
  require(wrong <= (way.is_exact ? 0 : shape.words / allowed_one_in),
          std::string(way.name) + " leaves " + std::to_string(wrong) + " of " + std::to_string(shape.words) +
              " words wrong");
}

class Program {
 public:
  Program(Session& session, const Peers& peers, index_t words, index_t checked_words)
      : session_(session),
        peers_(peers),
        world_(session.world()),
        shape_{words, world_.size()},
        small_{checked_words, world_.size()},
        numbers_(
            numbers_of(world_.rank(), std::clamp(words, look_ahead, most_numbers) / look_ahead * look_ahead)) {}

  void operator()() {
    const bool one_node = world_.node_count() == 1;
    const Target against_mpi{Goal::at_least, one_node ? 1.3 : 1.0},
        against_single{Goal::at_least, one_node ? 1.3 : 2.0}, against_ga{Goal::at_least, 2.0};
    compare("one by one", fetch_op, {{mpi_fetch_and_op, against_mpi}});
    compare("1,024 together", batch,
            {{mpi_fetch_and_op, against_single}, {mpi_accumulate, against_mpi}, {mpi_exchange, {}}});
    compare("one by one, racy", get_and_put, {{mpi_get_and_put, against_mpi}, {ga_get_and_put, against_ga}});
  }

 private:
  struct Rival {
    const Way& way;
    std::optional<Target> target;
  };

  bool is_here(const Way& way) const {
    if (way.library == Way::Of::windows) return peers_.windows;
    return way.library != Way::Of::global_arrays || peers_.global_arrays;
  }
  // Updates of the large table, after all of the small one's were right.
  Routine routine(const Way& way) const {
    check(world_, small_, way);
    // Each call takes other numbers, so that the table is not only what the caches hold of it.
    return [this, table = way.make(world_, shape_), next = index_t{0}](index_t count) mutable {
      for (index_t i = 0; i < count; ++i) {
        table.update(std::span(numbers_).subspan(static_cast<std::size_t>(next), look_ahead));
        next = (next + look_ahead) % std::ssize(numbers_);
      }
    };
  }
  void compare(const std::string& name, const Way& own, const std::vector<Rival>& rivals) {
    std::vector<Reference> references;
    for (const Rival& rival : rivals) {
      if (is_here(rival.way))
        references.push_back({.name = rival.way.name, .routine = routine(rival.way), .target = rival.target});
    }
    session_.compare({.section = "updates of a table of " + std::to_string(shape_.words) + " words",
                      .name = "1,024 by each rank, " + name + ": " + own.name,
                      .routine = routine(own),
                      .bytes = static_cast<double>(look_ahead * index_t{sizeof(Word)} * world_.size()),
                      .clock = Clock::joint,
                      .others = waiting(world_)},
                     references);
  }

  static constexpr index_t most_numbers = index_t{1} << 20;

  Session& session_;
  const Peers& peers_;
  const Group& world_;
  Shape shape_, small_;
  std::vector<Word> numbers_;
};

}  // namespace
}  // namespace tessera::benchmark::gups

int main(int argc, char** argv) {
  using namespace tessera::benchmark;
  tessera::Runtime runtime(argc, argv);
  const tessera::Group& world = runtime.world();
  int bits = 0;
  auto parsed =
      parse_options(argc, argv, "RandomAccess: each rank updates random words of a table of all ranks.",
                    world.rank() == 0, [&](CLI::App& app) {
                      app.add_option("--bits", bits, "The table has 2^BITS words (24; with --quick 16)")
                          ->check(CLI::Range(10, 36))
                          ->type_name("BITS");
                    });
  if (parsed.exit_status) return *parsed.exit_status;
  parsed.options.full = {.joint_sample_seconds = 10e-3, .comparison_seconds = 20.0};
  if (bits == 0) bits = parsed.options.quick ? 16 : 24;
  // 2,048 words for each rank: in a smaller table more racy updates than HPC Challenge allows could be lost.
  const int enough_bits = 11 + static_cast<int>(std::bit_width(static_cast<unsigned>(world.size() - 1)));
  const int checked_bits = std::max(enough_bits, world.node_count() == 1 && !parsed.options.quick ? 18 : 12);

  Session session(runtime, "gups", parsed.options);
  const Peers peers = start_peers(session, runtime);
  gups::Program(session, peers, tessera::index_t{1} << bits, tessera::index_t{1} << checked_bits)();
  session.note(
      "A rate of 8 GB/s is one giga-update per second (GUPS). Before a way is measured, it makes four updates "
      "per "
      "word of a smaller table, which must then be right word for word; of the racy ones, 99 % of the words.");
  session.finish();
  return 0;
}
