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

// All but the updates.
Table around(const std::shared_ptr<Words>& table) {
  Table all;
  all.set = [table](std::span<const Word> values) {
    std::copy(values.begin(), values.end(), table->own().begin());
    table->sync();
  };
  all.words = [table] { return std::vector<Word>(table->own().begin(), table->own().end()); };
  all.sync = [table] { table->sync(); };
  return all;
}

Table by_mpi_fetch_and_op(const Group& world, const Shape& shape) {
  const auto table = std::make_shared<Words>(world, shape.per_rank);
  Table all = around(table);
  all.update = [table, shape](std::span<const Word> numbers) {
    for (const Word number : numbers) {
      const index_t place = shape.place(number);
      table->fetch_op(shape.owner(place), shape.offset(place), Combine::bit_xor, number);
    }
  };
  return all;
}

Table by_mpi_accumulate(const Group& world, const Shape& shape) {
  const auto table = std::make_shared<Words>(world, shape.per_rank);
  Table all = around(table);
  all.update = [table, shape](std::span<const Word> numbers) {
    index_t kept = 0;
    for (const Word& number : numbers) {
      const index_t place = shape.place(number);
      table->accumulate(shape.owner(place), shape.offset(place), Combine::bit_xor, number);
      if (++kept % look_ahead == 0) table->flush_all();
    }
    table->flush_all();
  };
  return all;
}

Table by_mpi_get_and_put(const Group& world, const Shape& shape) {
  const auto table = std::make_shared<Words>(world, shape.per_rank);
  Table all = around(table);
  all.update = [table, shape](std::span<const Word> numbers) {
    for (const Word number : numbers) {
      const index_t place = shape.place(number), offset = shape.offset(place);
      const int owner = shape.owner(place);
      table->put(owner, offset, table->get(owner, offset) ^ number);
    }
  };
  return all;
}

Table by_mpi_exchange(const Group& world, const Shape& shape) {
  const auto table = std::make_shared<std::vector<Word>>(static_cast<std::size_t>(shape.per_rank));
  Table all;
  all.set = [table](std::span<const Word> values) { std::copy(values.begin(), values.end(), table->begin()); };
  all.words = [table] { return *table; };
  all.sync = [] {};  // an exchange has received all
  all.update = [table, shape, &world](std::span<const Word> numbers) {
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
  return all;
}

// Words travel as doubles of the same bits.
Table by_ga_get_and_put(const Group& world, const Shape& shape) {
  const auto table = std::make_shared<ga_peer::Matrix>(world.size(), 1, shape.per_rank);
  Table all;
  all.set = [table](std::span<const Word> values) {
    std::memcpy(table->own(), values.data(), values.size_bytes());
    ga_peer::sync();
  };
  all.words = [table, size = static_cast<std::size_t>(shape.per_rank)] {
    std::vector<Word> words(size);
    std::memcpy(words.data(), table->own(), size * sizeof(Word));
    return words;
  };
  all.sync = [] { ga_peer::sync(); };
  all.update = [table, shape](std::span<const Word> numbers) {
    for (const Word number : numbers) {
      const index_t place = shape.place(number);
      const ga_peer::Patch patch{shape.owner(place), shape.offset(place), 1, 1};
      double of_ga = 0;
      table->get(patch, &of_ga);
      Word word;
      std::memcpy(&word, &of_ga, sizeof word);
      word ^= number;
      std::memcpy(&of_ga, &word, sizeof word);
      table->put(patch, &of_ga);
    }
  };
  return all;
}

}  // namespace

constinit const Way mpi_fetch_and_op{"MPI_Fetch_and_op", Way::Of::windows, true, by_mpi_fetch_and_op};
constinit const Way mpi_accumulate{"MPI_Accumulate", Way::Of::windows, true, by_mpi_accumulate};
constinit const Way mpi_get_and_put{"MPI_Get and MPI_Put", Way::Of::windows, false, by_mpi_get_and_put};
constinit const Way mpi_exchange{"MPI_Alltoallv", Way::Of::messages, true, by_mpi_exchange};
constinit const Way ga_get_and_put{"NGA_Get and NGA_Put", Way::Of::global_arrays, false, by_ga_get_and_put};

}  // namespace tessera::benchmark::gups
