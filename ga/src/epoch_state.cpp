// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include <tessera/detail/agreed.hpp>
#include <tessera/layout.hpp>
#include <tessera/runtime/detail/product.hpp>

#include "array_state.hpp"
#include "format.hpp"
#include "patch_text.hpp"

namespace tessera::detail {
namespace {

const char* name_of(Mode mode) {
  constexpr const char* names[] = {"read_only", "accumulate_only", "disjoint_writes"};
  return names[static_cast<std::size_t>(mode)];
}

// Two writes of different ranks that share elements are told to all.
[[maybe_unused]] void require_disjoint(const ArrayCore& array, const std::vector<OwnedBox>& written) {
  const Group& group = array.group();
  const int ranks = group.size(), me = group.rank();
  const auto counts = group.all_gather(static_cast<index_t>(written.size()));
  std::vector<index_t> starts(static_cast<std::size_t>(ranks), 0);
  for (std::size_t r = 1; r < counts.size(); ++r) starts[r] = starts[r - 1] + counts[r - 1];
  const index_t total = starts.back() + counts.back();
  ArrayCore list(group, make_irregular(1, &total, &starts, ranks), {ElementKind::bytes, sizeof(OwnedBox)},
                 {.name = "writes of an epoch"});
  std::copy(written.begin(), written.end(), static_cast<OwnedBox*>(list.local_data()));
  list.sync();
  std::vector<OwnedBox> all(static_cast<std::size_t>(total));
  const index_t stride = 1;
  list.get(Box{{0}, {total}}, {all.data(), &total, &stride});
  list.sync();
  list.close();
  const auto before = [](const OwnedBox& a, const OwnedBox& b) { return a.box.lo[0] < b.box.lo[0]; };
  std::sort(all.begin(), all.end(), before);
  std::string problem;
  for (const OwnedBox& mine : written) {
    // Those that begin before it ends.
    for (const OwnedBox& other : all) {
      if (other.box.lo[0] >= mine.box.hi[0]) break;
      bool overlap = other.rank != me;
      for (std::size_t d = 0; d < static_cast<std::size_t>(array.rank()); ++d)
        overlap =
            overlap && std::max(mine.box.lo[d], other.box.lo[d]) < std::min(mine.box.hi[d], other.box.hi[d]);
      if (!overlap || !problem.empty()) continue;
      problem = formatted(
          "array \"{}\": patches {} of rank {} and {} of rank {} overlap in an epoch of disjoint_writes",
          array.name(), patch_text(mine.box, array.rank()), me, patch_text(other.box, array.rank()),
          other.rank);
    }
  }
  if (problem = group.agree(problem); !problem.empty()) throw UsageError(problem);
}

// Elements that some node does not have itself: if there are none, nobody needs a cache.
bool spans_nodes(const ArrayCore& array) { return array.group().node_count() > 1 && array.layout().size() > 0; }

}  // namespace

std::uint64_t ArrayCore::begin_epoch(Mode mode, index_t cache_bytes) {
  require_open();
  if (epoch_ && epoch_->active) {
    throw UsageError(formatted("{}: array \"{}\" is in an epoch of {}, which has not ended", name_of(mode),
                               name(), name_of(epoch_->mode)));
  }
  if (cache_bytes < 0) throw UsageError(formatted("{}: a cache of {} bytes", name_of(mode), cache_bytes));
  group().check_agreement(formatted("{} of array \"{}\"", name_of(mode), name()),
                          static_cast<std::uint64_t>(mode) + 8 * static_cast<std::uint64_t>(cache_bytes));
  if (!epoch_) epoch_ = std::make_unique<Epoch>();
  Epoch& epoch = *epoch_;
  segment_.sync();
  epoch.mode = mode;
  epoch.written.clear();
  if (mode != Mode::disjoint_writes && spans_nodes(*this) && cache_bytes > 0) {
    // The memory stays for the next epoch: reserving it takes longer than many an epoch.
    const index_t bytes = std::min(cache_bytes, size_to_ask(layout_.size(), type_.size));
    if (epoch.cache && epoch.cache_bytes < bytes) {
      epoch.cache->close();
      epoch.cache.reset();
    }
    if (epoch.cache) {
      epoch.cache->clear();
    } else {
      epoch.cache = made_by_all(group(), formatted("{} of array \"{}\"", name_of(mode), name()), [&] {
        return std::make_unique<NodeCache>(group().node(), bytes, formatted("array \"{}\"", name()));
      });
      epoch.cache_bytes = bytes;
    }
    epoch.caches = true;
  } else {
    epoch.caches = false;
  }
  epoch.active = true;
#ifdef TESSERA_CHECKS
  guarded_ = true;
#endif
  return ++epoch.number;
}

void ArrayCore::allow([[maybe_unused]] std::optional<Mode> mode,
                      [[maybe_unused]] std::string_view operation) const {
#ifdef TESSERA_CHECKS
  if (!epoch_ || !epoch_->active || epoch_->mode == mode) return;
  throw UsageError(formatted("{} of array \"{}\" in an epoch of {}, which forbids it", operation, name(),
                             name_of(epoch_->mode)));
#endif
}

void ArrayCore::require_epoch(std::uint64_t number) const {
  require_open();
  if (epoch_ && epoch_->active && epoch_->number == number) return;
  throw UsageError(formatted("an epoch of array \"{}\" was used after it had ended", name()));
}

void ArrayCore::end_epoch(std::uint64_t number) {
  if (epoch_ && epoch_->active && epoch_->number == number) end_epoch();
}

void ArrayCore::end_epoch() const {
  if (!epoch_ || !epoch_->active) return;
  require_open();
  Epoch& epoch = *epoch_;
  epoch.active = guarded_ = false;
  // The sums are for memory that is not this array's to a reader alone.
  auto& elements = const_cast<Segment&>(segment_);
  if (epoch.mode == Mode::accumulate_only && epoch.caches) epoch.cache->deliver(elements, type_.kind);
  segment_.sync();
  if (epoch.mode != Mode::disjoint_writes) return;
  const std::vector<OwnedBox> written = std::exchange(epoch.written, {});
#ifdef TESSERA_CHECKS
  require_disjoint(*this, written);
#endif
}

void ArrayCore::sync() const {
  if (epoch_ && epoch_->active) return end_epoch();
  segment_.sync();
}

void ArrayCore::get_cached(const Lattice& patch, const Buffer<void*>& into) const {
  if (!epoch_->caches) return get(patch, into);
  for_each_transfer(patch, into, [&](int rank, index_t offset, const Strided& shape, std::byte* local) {
    const bool near = segment_.address(rank) != nullptr;
    const auto filled = [&] { return size_to_ask(layout_.local(rank).size, type_.size); };
    if (near || !epoch_->cache->get(segment_, rank, offset, shape, local, filled))
      segment_.get(rank, offset, shape, local);
  });
}

void ArrayCore::accumulate_cached(const Lattice& patch, const Buffer<const void*>& from, const void* alpha) {
  if (!epoch_->caches) return accumulate(patch, from, alpha);
  for_each_transfer(patch, from, [&](int rank, index_t offset, const Strided& shape, const std::byte* local) {
    const bool near = segment_.address(rank) != nullptr;
    if (near || !epoch_->cache->accumulate(rank, offset, shape, type_.kind, alpha, local))
      segment_.accumulate(rank, offset, shape, type_.kind, alpha, local);
  });
}

void ArrayCore::scatter_accumulate_cached(const index_t* at, const void* from, const void* alpha,
                                          index_t count) {
  if (!epoch_->caches) return scatter_accumulate(at, from, alpha, count, VectorMethod::automatic);
  const auto* value = static_cast<const std::byte*>(from);
  for (index_t i = 0; i < count; ++i) check_element(at + i * rank());
  for (index_t i = 0; i < count; ++i, at += rank(), value += type_.size) {
    index_t offset = 0;
    const int owner = layout_.locate(at, offset);
    const Strided shape = Strided::contiguous(type_.size);
    const bool near = segment_.address(owner) != nullptr;
    if (near || !epoch_->cache->accumulate(owner, offset * type_.size, shape, type_.kind, alpha, value))
      segment_.accumulate(owner, offset * type_.size, shape, type_.kind, alpha, value);
  }
}

void ArrayCore::put_disjoint(const Lattice& patch, const Buffer<const void*>& from) {
  put(patch, from);
#ifdef TESSERA_CHECKS
  const std::lock_guard lock(scopes_->mutex);
  epoch_->written.push_back({group().rank(), patch});
#endif
}

}  // namespace tessera::detail
