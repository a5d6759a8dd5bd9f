// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/detail/patch_transfers.hpp>

#include <optional>

#include <tessera/runtime/flags.hpp>

#include "array/transfers.hpp"

namespace tessera::detail {

void put(ArrayCore& array, const Lattice& patch, const Buffer<const void*>& from) {
  array.allow(Mode::disjoint_writes, "put");
  for_each_transfer(array, patch, from,
                    [&](int rank, index_t offset, const Strided& shape, const std::byte* local) {
                      array.segment().put(rank, offset, shape, local);
                    });
}

void get(const ArrayCore& array, const Lattice& patch, const Buffer<void*>& into) {
  array.allow(Mode::read_only, "get");
  fetch(array, patch, {0, array.type().size}, into);
}

void accumulate(ArrayCore& array, const Lattice& patch, const Buffer<const void*>& from, const void* alpha) {
  array.allow(Mode::accumulate_only, "acc");
  for_each_transfer(array, patch, from,
                    [&](int rank, index_t offset, const Strided& shape, const std::byte* local) {
                      array.segment().accumulate(rank, offset, shape, array.type().kind, alpha, local);
                    });
}

void accumulate(ArrayCore& array, const Lattice& patch, const Buffer<const void*>& from, Update update) {
  array.allow({}, "acc_min or acc_max");
  for_each_transfer(array, patch, from,
                    [&](int rank, index_t offset, const Strided& shape, const std::byte* local) {
                      array.segment().accumulate(rank, offset, shape, array.type().kind, update, local);
                    });
}

Request put_async(ArrayCore& array, const Lattice& patch, const Buffer<const void*>& from) {
  array.allow(Mode::disjoint_writes, "put_async");
  Request all;
  for_each_transfer(array, patch, from,
                    [&](int rank, index_t offset, const Strided& shape, const std::byte* local) {
                      all += array.segment().put_async(rank, offset, shape, local);
                    });
  return all;
}

Request get_async(const ArrayCore& array, const Lattice& patch, const Buffer<void*>& into) {
  array.allow(Mode::read_only, "get_async");
  Request all;
  for_each_transfer(array, patch, into, [&](int rank, index_t offset, const Strided& shape, std::byte* local) {
    all += array.segment().get_async(rank, offset, shape, local);
  });
  return all;
}

Request accumulate_async(ArrayCore& array, const Lattice& patch, const Buffer<const void*>& from,
                         const void* alpha) {
  array.allow(Mode::accumulate_only, "acc_async");
  Request all;
  for_each_transfer(
      array, patch, from, [&](int rank, index_t offset, const Strided& shape, const std::byte* local) {
        all += array.segment().accumulate_async(rank, offset, shape, array.type().kind, alpha, local);
      });
  return all;
}

namespace {

// The last transfer takes the notification along if it goes to another node, which saves a round trip. The
// others are complete before.
void put_notify_between_nodes(ArrayCore& array, const Lattice& patch, const Buffer<const void*>& from,
                              const Flag& flag) {
  struct Held {
    int rank;
    index_t offset;
    Strided shape;
    const std::byte* local;
  };
  flag.flags->check(flag.rank, flag.index);  // before anything is written
  Segment& segment = array.segment();
  std::optional<Held> last;
  bool must_flush = false;
  for_each_transfer(array, patch, from,
                    [&](int rank, index_t offset, const Strided& shape, const std::byte* local) {
                      if (last) {
                        segment.put(last->rank, last->offset, last->shape, last->local);
                        must_flush = last->rank == rank;
                        if (!must_flush) segment.flush(last->rank);
                      }
                      last = Held{rank, offset, shape, local};
                    });
  if (!last) return flag.flags->notify(flag.rank, flag.index);
  if (must_flush) segment.flush(last->rank);
  put_notify(segment, last->rank, last->offset, last->shape, last->local, flag);
}

// For the checker of conflicts: a flush would complete other accesses, too.
void put_notify_checked(ArrayCore& array, const Lattice& patch, const Buffer<const void*>& from,
                        const Flag& flag) {
  flag.flags->check(flag.rank, flag.index);
  const std::uint64_t notice = new_notice();
  for_each_transfer(array, patch, from,
                    [&](int rank, index_t offset, const Strided& shape, const std::byte* local) {
                      put_before_notice(array.segment(), rank, offset, shape, local, notice);
                    });
  notify(flag, notice);
}

}  // namespace

void put_notify(ArrayCore& array, const Lattice& patch, const Buffer<const void*>& from, const Flag& flag) {
  array.allow({}, "put_notify");
  Segment& segment = array.segment();
  if (segment.face().direct_ranks == 0)
    array.require_open();  // the group of a moved-from array must not be used
  if (segment.face().checked != 0) return put_notify_checked(array, patch, from, flag);
  if (segment.face().direct_ranks != array.group().size())
    return put_notify_between_nodes(array, patch, from, flag);
  flag.flags->check(flag.rank, flag.index);  // before anything is written
  int last = -1;
  for_each_transfer(array, patch, from,
                    [&](int rank, index_t offset, const Strided& shape, const std::byte* local) {
                      segment.put(last = rank, offset, shape, local);
                    });
  if (last >= 0) segment.flush(last);
  flag.flags->notify(flag.rank, flag.index);
}

}  // namespace tessera::detail
