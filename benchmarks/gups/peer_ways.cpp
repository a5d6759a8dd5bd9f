// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <cstring>
#include <memory>

#include "ga_peer.hpp"
#include "mpi_peer.hpp"
#include "ways.hpp"

namespace tessera::benchmark::gups {
namespace {

using mpi_peer::Combine;
using mpi_peer::Words;

// A way without its updates.
Way way_of(std::string name, const std::shared_ptr<Words>& table) {
  Way way;
  way.name = std::move(name);
  way.set = [table](std::span<const Word> values) {
    std::copy(values.begin(), values.end(), table->own().begin());
    table->sync();
  };
  way.words = [table] { return std::vector<Word>(table->own().begin(), table->own().end()); };
  way.sync = [table] { table->sync(); };
  return way;
}

}  // namespace

Way by_mpi_fetch_and_op(const Group& world, const Shape& shape) {
  const auto table = std::make_shared<Words>(world, shape.per_rank);
  Way way = way_of("MPI_Fetch_and_op", table);
  way.update = [table, shape](std::span<const Word> numbers) {
    for (const Word number : numbers) {
      const index_t place = shape.place(number);
      table->fetch_op(shape.owner(place), shape.offset(place), Combine::bit_xor, number);
    }
  };
  return way;
}

Way by_mpi_accumulate(const Group& world, const Shape& shape) {
  const auto table = std::make_shared<Words>(world, shape.per_rank);
  Way way = way_of("MPI_Accumulate", table);
  way.update = [table, shape](std::span<const Word> numbers) {
    index_t kept = 0;
    for (const Word& number : numbers) {
      const index_t place = shape.place(number);
      table->accumulate(shape.owner(place), shape.offset(place), Combine::bit_xor, number);
      if (++kept % look_ahead == 0) table->flush_all();
    }
    table->flush_all();
  };
  return way;
}

Way by_mpi_get_and_put(const Group& world, const Shape& shape) {
  const auto table = std::make_shared<Words>(world, shape.per_rank);
  Way way = way_of("MPI_Get and MPI_Put", table);
  way.is_exact = false;
  way.update = [table, shape](std::span<const Word> numbers) {
    for (const Word number : numbers) {
      const index_t place = shape.place(number), offset = shape.offset(place);
      const int owner = shape.owner(place);
      table->put(owner, offset, table->get(owner, offset) ^ number);
    }
  };
  return way;
}

Way by_mpi_exchange(const Group& world, const Shape& shape) {
  const auto table = std::make_shared<std::vector<Word>>(static_cast<std::size_t>(shape.per_rank));
  Way way;
  way.name = "MPI_Alltoallv";
  way.set = [table](std::span<const Word> values) { std::copy(values.begin(), values.end(), table->begin()); };
  way.words = [table] { return *table; };
  way.sync = [&world] { world.barrier(); };
  way.update = [table, shape, &world](std::span<const Word> numbers) {
    const auto ranks = static_cast<std::size_t>(shape.ranks);
    const auto owner = [&](Word number) { return static_cast<std::size_t>(shape.owner(shape.place(number))); };
    std::vector<Word> sorted(static_cast<std::size_t>(look_ahead));
    while (!numbers.empty()) {
      const auto some = numbers.first(std::min(numbers.size(), sorted.size()));
      numbers = numbers.subspan(some.size());
      std::vector<int> counts(ranks, 0);
      for (const Word number : some) ++counts[owner(number)];
      std::vector<std::size_t> next(ranks, 0);
      for (std::size_t r = 1; r < ranks; ++r) next[r] = next[r - 1] + static_cast<std::size_t>(counts[r - 1]);
      for (const Word number : some) sorted[next[owner(number)]++] = number;
      for (const Word number : mpi_peer::exchange_words(world, std::span(sorted).first(some.size()), counts))
        (*table)[static_cast<std::size_t>(shape.offset(shape.place(number)))] ^= number;
    }
  };
  return way;
}

// Words travel as doubles of the same bits.
Way by_ga_get_and_put(const Group& world, const Shape& shape) {
  const auto table = std::make_shared<ga_peer::Matrix>(world.size(), 1, shape.per_rank);
  Way way;
  way.name = "NGA_Get and NGA_Put";
  way.is_exact = false;
  way.set = [table](std::span<const Word> values) {
    std::memcpy(table->own(), values.data(), values.size_bytes());
    ga_peer::sync();
  };
  way.words = [table, size = static_cast<std::size_t>(shape.per_rank)] {
    std::vector<Word> words(size);
    std::memcpy(words.data(), table->own(), size * sizeof(Word));
    return words;
  };
  way.sync = [] { ga_peer::sync(); };
  way.update = [table, shape](std::span<const Word> numbers) {
    for (const Word number : numbers) {
      const index_t place = shape.place(number);
      const ga_peer::Patch patch{shape.owner(place), shape.offset(place), 1, 1};
      double element = 0;
      table->get(patch, &element);
      Word word;
      std::memcpy(&word, &element, sizeof word);
      word ^= number;
      std::memcpy(&element, &word, sizeof word);
      table->put(patch, &element);
    }
  };
  return way;
}

}  // namespace tessera::benchmark::gups
