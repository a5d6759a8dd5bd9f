// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cstring>
#include <memory>

#include <tessera/runtime/batch.hpp>
#include <tessera/runtime/segment.hpp>

#include "ways.hpp"

namespace tessera::benchmark::gups {
namespace {

constexpr index_t bytes = sizeof(Word);
constexpr ElementKind kind = ElementKind::int64;

// A way without its updates.
Way way_of(std::string name, const std::shared_ptr<Segment>& table, const Group& world, const Shape& shape) {
  const auto own = [table, &world, size = static_cast<std::size_t>(shape.per_rank)] {
    return std::span(reinterpret_cast<Word*>(table->address(world.rank())), size);
  };
  Way way;
  way.name = std::move(name);
  way.set = [table, own](std::span<const Word> values) {
    table->order_local_access();
    std::memcpy(own().data(), values.data(), values.size_bytes());
    table->order_local_access();
  };
  way.words = [table, own] {
    table->order_local_access();
    const auto words = own();
    return std::vector<Word>(words.begin(), words.end());
  };
  way.sync = [table] { table->sync(); };
  return way;
}

std::shared_ptr<Segment> table_of(const Group& world, const Shape& shape) {
  return std::make_shared<Segment>(world, shape.per_rank * bytes, "table");
}

}  // namespace

Way by_fetch_op(const Group& world, const Shape& shape) {
  const auto table = table_of(world, shape);
  Way way = way_of("fetch_op", table, world, shape);
  way.update = [table, shape](std::span<const Word> numbers) {
    for (const Word number : numbers) {
      const index_t place = shape.place(number);
      Word old;
      table->fetch_op(shape.owner(place), shape.offset(place) * bytes, kind, Update::bit_xor, &number, &old);
    }
  };
  return way;
}

Way by_batch(const Group& world, const Shape& shape) {
  const auto table = table_of(world, shape);
  Way way = way_of("a Batch", table, world, shape);
  way.update = [table, shape, batch = std::make_shared<Batch>()](std::span<const Word> numbers) {
    index_t kept = 0;
    for (const Word number : numbers) {
      const index_t place = shape.place(number);
      batch->update(*table, shape.owner(place), shape.offset(place) * bytes, kind, Update::bit_xor, &number);
      if (++kept % look_ahead == 0) batch->send();
    }
    batch->send();
    table->flush();
  };
  return way;
}

Way by_get_and_put(const Group& world, const Shape& shape) {
  const auto table = table_of(world, shape);
  Way way = way_of("get and put (racy)", table, world, shape);
  way.is_exact = false;
  way.update = [table, shape](std::span<const Word> numbers) {
    for (const Word number : numbers) {
      const index_t place = shape.place(number), offset = shape.offset(place) * bytes;
      const int owner = shape.owner(place);
      table->store(owner, offset, table->load<Word>(owner, offset) ^ number);
    }
  };
  return way;
}

}  // namespace tessera::benchmark::gups
