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

// All but the updates.
Table around(const std::shared_ptr<Segment>& table, const Group& world, const Shape& shape) {
  const auto own = [table, &world, size = static_cast<std::size_t>(shape.per_rank)] {
    return std::span(reinterpret_cast<Word*>(table->address(world.rank())), size);
  };
  Table all;
  all.set = [table, own](std::span<const Word> values) {
    table->order_local_access();
    std::memcpy(own().data(), values.data(), values.size_bytes());
    table->order_local_access();
  };
  all.words = [table, own] {
    table->order_local_access();
    const auto words = own();
    return std::vector<Word>(words.begin(), words.end());
  };
  all.sync = [table] { table->sync(); };
  return all;
}

std::shared_ptr<Segment> table_of(const Group& world, const Shape& shape) {
  return std::make_shared<Segment>(world, shape.per_rank * bytes, "table");
}

Table by_fetch_op(const Group& world, const Shape& shape) {
  const auto table = table_of(world, shape);
  Table all = around(table, world, shape);
  all.update = [table, shape](std::span<const Word> numbers) {
    for (const Word number : numbers) {
      const index_t place = shape.place(number);
      Word old;
      table->fetch_op(shape.owner(place), shape.offset(place) * bytes, kind, Update::bit_xor, &number, &old);
    }
  };
  return all;
}

Table by_batch(const Group& world, const Shape& shape) {
  const auto table = table_of(world, shape);
  Table all = around(table, world, shape);
  all.update = [table, shape, batch = std::make_shared<Batch>()](std::span<const Word> numbers) {
    index_t kept = 0;
    for (const Word number : numbers) {
      const index_t place = shape.place(number);
      batch->update(*table, shape.owner(place), shape.offset(place) * bytes, kind, Update::bit_xor, &number);
      if (++kept % look_ahead == 0) batch->send();
    }
    batch->send();
    table->flush();
  };
  return all;
}

Table by_get_and_put(const Group& world, const Shape& shape) {
  const auto table = table_of(world, shape);
  Table all = around(table, world, shape);
  all.update = [table, shape](std::span<const Word> numbers) {
    for (const Word number : numbers) {
      const index_t place = shape.place(number), offset = shape.offset(place) * bytes;
      const int owner = shape.owner(place);
      table->store(owner, offset, table->load<Word>(owner, offset) ^ number);
    }
    table->flush();
  };
  return all;
}

}  // namespace

constinit const Way fetch_op{"fetch_op", Way::Of::tessera, true, by_fetch_op};
constinit const Way batch{"a Batch", Way::Of::tessera, true, by_batch};
constinit const Way get_and_put{"get and put", Way::Of::tessera, false, by_get_and_put};

}  // namespace tessera::benchmark::gups
