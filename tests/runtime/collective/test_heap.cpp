// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/heap.hpp>

#include "mpi_test.hpp"
#include "transfer_model.hpp"

namespace {

using namespace tessera;
using namespace tessera::test;

TEST(Heap, one_allocates_and_all_use_it) {
  const Group& all = world();
  Heap heap(all, 1 << 16, "shared");
  for (int owner = 0; owner < all.size(); ++owner) {
    constexpr index_t slots = 20;
    HeapPointer pointer;
    EXPECT_FALSE(pointer);
    const index_t bytes = 8 * (slots + all.size());
    if (all.rank() == owner) {
      pointer = heap.allocate(bytes);
      const Bytes zeros(at(bytes));
      heap.segment().put(pointer.rank, pointer.offset, Strided::contiguous(bytes), zeros.data());
      heap.segment().flush();
    }
    pointer = all.broadcast(pointer, owner);
    EXPECT_TRUE(pointer);
    EXPECT_EQ(pointer.rank, owner);
    EXPECT_EQ(heap.address(pointer) != nullptr, all.on_node(owner));
    EXPECT_EQ(heap.address(pointer),
              all.on_node(owner) ? heap.segment().address(owner) + pointer.offset : nullptr);
    // A sum, a counter, and an element of its own for each rank.
    std::vector<std::int64_t> ones(slots - 1, 1 + all.rank());
    const std::int64_t one = 1, mine = 50 + all.rank();
    std::int64_t old = 0;
    heap.segment().accumulate(pointer.rank, pointer.offset, Strided::contiguous(8 * (slots - 1)),
                              ElementKind::int64, &one, ones.data());
    const HeapPointer counter = pointer + 8 * (slots - 1);
    heap.segment().fetch_add(counter.rank, counter.offset, ElementKind::int64, &one, &old);
    const HeapPointer own = pointer + 8 * (slots + all.rank());
    heap.segment().put(own.rank, own.offset, Strided::contiguous(8), &mine);
    heap.segment().sync();
    std::vector<std::int64_t> found(at(slots + all.size()));
    heap.segment().get(pointer.rank, pointer.offset, Strided::contiguous(bytes), found.data());
    for (index_t i = 0; i < slots - 1; ++i) EXPECT_EQ(found[at(i)], all.size() * (all.size() + 1) / 2);
    EXPECT_EQ(found[slots - 1], all.size());
    for (int rank = 0; rank < all.size(); ++rank) EXPECT_EQ(found[at(slots + rank)], 50 + rank);
    if (std::byte* here = heap.address(own)) {
      EXPECT_EQ(std::memcmp(here, &mine, 8), 0);
    }
    heap.segment().sync();
    // Only its owner can deallocate it, and only once.
    if (all.rank() != owner) {
      EXPECT_THROW(heap.deallocate(pointer), UsageError);
    }
    all.barrier();
    if (all.rank() == owner) {
      EXPECT_THROW(heap.deallocate(pointer + 64), UsageError);
      heap.deallocate(pointer);
      EXPECT_THROW(heap.deallocate(pointer), UsageError);
    }
    all.barrier();
  }
  EXPECT_THROW(heap.deallocate(HeapPointer{}), UsageError);
  EXPECT_THROW(heap.allocate(-1), UsageError);
  EXPECT_EQ(heap.address(HeapPointer{}), nullptr);
}

TEST(Heap, pointers_are_values) {
  const HeapPointer none, some{3, 640};
  EXPECT_FALSE(none);
  EXPECT_TRUE(some);
  EXPECT_EQ(some + 8, (HeapPointer{3, 648}));
  EXPECT_FALSE(some == none);
  EXPECT_FALSE((some == HeapPointer{2, 640}));
  static_assert(Element<HeapPointer>);
}

// A block of one process: its place and size, and the number that fills it.
struct Block {
  HeapPointer pointer;
  index_t bytes;
  std::uint8_t mark;
};

// Whether a block is at a valid place, apart from all others.
bool is_apart(const Block& block, const std::vector<Block>& others, index_t room) {
  const index_t begin = block.pointer.offset, end = begin + block.bytes;
  if (block.pointer.rank != world().rank() || begin < 0 || end > room || begin % 64 != 0) return false;
  for (const Block& other : others) {
    if (begin < other.pointer.offset + std::max<index_t>(other.bytes, 1) &&
        other.pointer.offset < begin + std::max<index_t>(block.bytes, 1))
      return false;
  }
  return true;
}

// All ranks at once, each for itself. Blocks never overlap and keep their contents, and all room comes back.
TEST(Heap, random_blocks_never_overlap_and_all_room_comes_back) {
  const Group& all = world();
  const index_t room = 64 * (500 + 100 * all.rank());  // a different size on each rank
  Heap heap(all, room, "random");
  const index_t at_first = heap.available();
  Random random(30 + static_cast<std::uint64_t>(all.rank()));
  std::vector<Block> blocks;
  Comparison contents, places;
  int refused = 0;
  auto check = [&](const Block& block) {
    const std::byte* memory = heap.address(block.pointer);
    for (index_t i = 0; i < block.bytes; ++i)
      contents(std::pair(block.pointer.offset, i), block.mark, std::to_integer<std::uint8_t>(memory[i]));
  };
  for (int i = 0; i < 3000; ++i) {
    const bool grow = i % 1000 < 500;  // full for a while, then emptier again
    if (pick(random, 0, 9) < (grow ? 7 : 3)) {
      Block block{{},
                  pick(random, 0, 19) == 0 ? pick(random, 1000, 9000) : pick(random, 1, 300),
                  static_cast<std::uint8_t>(pick(random, 0, 255))};
      const index_t before = heap.available();
      try {
        block.pointer = heap.allocate(block.bytes);
      } catch (const MemoryError& error) {
        ++refused;
        EXPECT_NE(std::string(error.what()).find("\"random\""), std::string::npos) << error.what();
        EXPECT_EQ(heap.available(), before);
        continue;
      }
      places.check(is_apart(block, blocks, room), i, "a place apart", block.pointer.offset);
      places(i, 0U, reinterpret_cast<std::uintptr_t>(heap.address(block.pointer)) % 64);
      places.check(before - heap.available() >= block.bytes, i, block.bytes, before - heap.available());
      std::memset(heap.address(block.pointer), block.mark, at(block.bytes));
      blocks.push_back(block);
    } else if (!blocks.empty()) {
      const auto which = static_cast<std::ptrdiff_t>(pick(random, 0, static_cast<index_t>(blocks.size()) - 1));
      check(blocks[at(which)]);
      heap.deallocate(blocks[at(which)].pointer);
      blocks.erase(blocks.begin() + which);
    }
  }
  EXPECT_GT(refused, 10);  // it was full for a while
  for (const Block& block : blocks) {
    check(block);
    heap.deallocate(block.pointer);
  }
  EXPECT_TRUE(contents.equal());
  EXPECT_TRUE(places.equal());
  EXPECT_EQ(heap.available(), at_first);
  // The room is in one piece again.
  const HeapPointer everything = heap.allocate(room);
  EXPECT_THROW(heap.allocate(1), MemoryError);
  heap.deallocate(everything);
  EXPECT_EQ(heap.available(), at_first);
  all.barrier();
}

TEST(Heap, is_usable_after_it_was_full) {
  const Group& all = world();
  Heap heap(all, 6400, "full");
  const HeapPointer half = heap.allocate(3200);
  for (const index_t bytes :
       {index_t{3264}, index_t{6400}, index_t{1} << 40, std::numeric_limits<index_t>::max()}) {
    const auto text = message_of<MemoryError>([&] { heap.allocate(bytes); });
    EXPECT_NE(text.find("\"full\""), std::string::npos) << text;
  }
  const HeapPointer rest = heap.allocate(3200);
  EXPECT_NE(half, rest);
  EXPECT_THROW(heap.allocate(64), MemoryError);
  heap.deallocate(half);
  EXPECT_EQ(heap.allocate(3200), half);
  all.barrier();
  // Others write to it all the time.
  const HeapPointer there = all.all_gather(rest)[at(right())];
  heap.segment().store(there.rank, there.offset, 8.25 + all.rank());
  heap.segment().sync();
  EXPECT_EQ(heap.segment().load<double>(all.rank(), rest.offset),
            8.25 + (all.rank() + all.size() - 1) % all.size());
  all.sync();
  heap.close();
  EXPECT_EQ(heap.address(rest), nullptr);
  EXPECT_FALSE(heap.segment().is_open());
  Heap moved(all, 640, "moved");
  Heap taken = std::move(moved);
  EXPECT_TRUE(taken.allocate(64));
  moved = std::move(taken);
  EXPECT_TRUE(moved.allocate(64));
  all.sync();
}

TEST(Heap, impossible_sizes_are_refused) {
  const Group& all = world();
  const bool odd = all.rank() == all.size() - 1;
  EXPECT_THROW(Heap(all, odd ? -1 : 64), UsageError);
  EXPECT_THROW(Heap(all, odd ? index_t{1} << 50 : 64), MemoryError);
  Heap none(all, odd ? 64 : 0, "hardly any");
  if (odd) {
    EXPECT_TRUE(none.allocate(64));
  } else {
    EXPECT_THROW(none.allocate(1), MemoryError);
  }
  all.sync();
}

}  // namespace
