// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "transfer/atomics.hpp"

#include <tessera/runtime/error.hpp>

#include "conflicts/conflicts.hpp"
#include "format.hpp"
#include "kernels/elements.hpp"
#include "transfer/passage.hpp"
#include "transfer/paths/paths.hpp"
#include "transfer/route.hpp"
#include "transfer/transfer.hpp"

namespace tessera::detail {
namespace {

void require_integer(ElementKind kind) {
  if (kind == ElementKind::int32 || kind == ElementKind::int64) return;
  throw UsageError(
      formatted("compare_exchange is not defined for {}, only for int32 and int64", to_string(kind)));
}

void check_element(const SegmentState& segment, int rank, index_t offset, index_t bytes) {
  check_place(segment, rank, offset, bytes);
  if (offset % bytes == 0) return;
  throw UsageError(
      formatted("atomic operation on segment \"{}\" at offset {}, which is not a multiple of the "
                "element's {} bytes",
                segment.name(), offset, bytes));
}

}  // namespace

void element_update(SegmentState& segment, int rank, index_t offset, ElementKind kind, Update update,
                    const void* value, void* result) {
  segment.require(Use::data);
  if (!is_defined(update, kind)) {
    throw UsageError(formatted("fetch_op with {} is not defined for {}", to_string(update), to_string(kind)));
  }
  const index_t bytes = size_of(kind);
  if ((offset & (bytes - 1)) == 0) {
    if (std::byte* where = segment.count(rank, offset, bytes, Operation::atomic))
      return update_element(segment.stripes(), where, kind, update, value, result);
  }
  check_element(segment, rank, offset, bytes);
  if (conflicts::notes(segment.checked))
    conflicts::note_update(conflicts::Act::update, segment.checked, rank, offset, bytes);
  const Path path = route(segment, rank, Verb::update, bytes);
  const Passage passage(segment, rank, path, Verb::update, bytes, Returns::when_done);
  const Action action{.verb = Verb::update, .kind = kind, .update = update};
  by(path, [&](auto way) { way.update(segment, rank, offset, action, value, result); });
}

bool element_compare_exchange(SegmentState& segment, int rank, index_t offset, ElementKind kind, void* expected,
                              const void* desired) {
  segment.require(Use::data);
  require_integer(kind);
  const index_t bytes = size_of(kind);
  check_element(segment, rank, offset, bytes);
  const Path path = route(segment, rank, Verb::compare_exchange, bytes);
  if (path == Path::window && !mpi::compare_and_swap_works) {
    throw UsageError(formatted(
        "compare_exchange on segment \"{}\", whose atomicity is MPI's: this MPI's compare-and-swap is not "
        "atomic "
        "against its other operations and would lose updates; use Scalars, or keep the group on one node",
        segment.name()));
  }
  if (conflicts::notes(segment.checked))
    conflicts::note_update(conflicts::Act::compare_exchange, segment.checked, rank, offset, bytes);
  const Passage passage(segment, rank, path, Verb::compare_exchange, bytes, Returns::when_done);
  return by(path,
            [&](auto way) { return way.compare_exchange(segment, rank, offset, kind, expected, desired); });
}

}  // namespace tessera::detail
