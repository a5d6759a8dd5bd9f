// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "array/epoch_state.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include <tessera/core/agreed.hpp>
#include <tessera/detail/patch_transfers.hpp>
#include <tessera/layout.hpp>
#include <tessera/runtime/detail/product.hpp>

#include "base/patch_text.hpp"
#include "format.hpp"

namespace tessera::detail {
namespace {

// Throws on all ranks if writes of two ranks share elements.
// Whether two lists of indices, each with a step, have one in common.
bool meet(const Lattice& a, const Lattice& b, std::size_t d) {
  const index_t step = a.stepped ? a.step[d] : 1, other_step = b.stepped ? b.step[d] : 1;
  const index_t begin = std::max(a.lo[d], b.lo[d]), end = std::min(a.hi[d], b.hi[d]);
  // What remains of the indices of `a` divided by the other step repeats after at most that many.
  index_t i = begin + (step - (begin - a.lo[d]) % step) % step;
  for (index_t tries = 0; i < end && tries < other_step; i += step, ++tries) {
    if ((i - b.lo[d]) % other_step == 0) return true;
  }
  return false;
}

[[maybe_unused]] void require_disjoint(const ArrayCore& array, const std::vector<EpochState::Write>& written) {
  using Write = EpochState::Write;
  const Group& group = array.group();
  const int ranks = group.size(), me = group.rank();
  const auto counts = group.all_gather(static_cast<index_t>(written.size()));
  std::vector<index_t> starts(static_cast<std::size_t>(ranks), 0);
  for (std::size_t r = 1; r < counts.size(); ++r) starts[r] = starts[r - 1] + counts[r - 1];
  const index_t total = starts.back() + counts.back();
  ArrayCore list(group, make_irregular(1, &total, &starts, ranks), {ElementKind::bytes, sizeof(Write)},
                 {.name = "writes of an epoch"});
  std::copy(written.begin(), written.end(), static_cast<Write*>(list.local_data()));
  list.sync();
  std::vector<Write> all(static_cast<std::size_t>(total));
  const index_t stride = 1;
  get(list, Box{{0}, {total}}, {all.data(), &total, &stride});
  list.sync();
  list.close();
  const auto before = [](const Write& a, const Write& b) { return a.patch.lo[0] < b.patch.lo[0]; };
  std::sort(all.begin(), all.end(), before);
  std::string problem;
  for (const Write& mine : written) {
    // Only the writes that begin before this one ends along dimension 0.
    for (const Write& other : all) {
      if (other.patch.lo[0] >= mine.patch.hi[0]) break;
      bool overlap = other.rank != me;
      for (std::size_t d = 0; d < static_cast<std::size_t>(array.rank()); ++d)
        overlap = overlap && meet(mine.patch, other.patch, d);
      if (!overlap || !problem.empty()) continue;
      problem = formatted(
          "array \"{}\": patches {} of rank {} and {} of rank {} overlap in an epoch of disjoint_writes",
          array.name(), patch_text(mine.patch, array.rank()), me, patch_text(other.patch, array.rank()),
          other.rank);
    }
  }
  if (problem = group.agree(problem); !problem.empty()) throw UsageError(problem);
}

// One counter for all arrays of the process. A redistributed array takes over another array's state, and must
// not mistake its old epochs for new ones.
std::atomic<std::uint64_t> last_number = 0;

// Whether some node lacks elements of the array. If none does, no cache is needed.
bool spans_nodes(const ArrayCore& array) { return array.group().node_count() > 1 && array.layout().size() > 0; }

}  // namespace

const char* to_string(Mode mode) noexcept {
  constexpr const char* names[] = {"read_only", "accumulate_only", "disjoint_writes"};
  return names[static_cast<std::size_t>(mode)];
}

std::uint64_t EpochState::begin(const ArrayCore& array, Mode mode, index_t cache_bytes) {
  if (active_) {
    throw UsageError(formatted("{}: array \"{}\" is in an epoch of {}, which has not ended", to_string(mode),
                               array.name(), to_string(mode_)));
  }
  if (cache_bytes < 0) throw UsageError(formatted("{}: a cache of {} bytes", to_string(mode), cache_bytes));
  array.group().check_agreement([&] {
    return CollectiveCall{formatted("{} of array \"{}\"", to_string(mode), array.name()),
                          static_cast<std::uint64_t>(mode) + 8 * static_cast<std::uint64_t>(cache_bytes)};
  });
  array.segment().sync();
  mode_ = mode;
  written_.clear();
  caches_ = mode != Mode::disjoint_writes && spans_nodes(array) && cache_bytes > 0;
  if (caches_)
    prepare_cache(array, std::min(cache_bytes, size_to_ask(array.layout().size(), array.type().size)));
  active_ = true;
  return number_ = ++last_number;
}

// The memory is kept for the next epoch: reserving it takes longer than many epochs.
void EpochState::prepare_cache(const ArrayCore& array, index_t bytes) {
  if (cache_ && cache_bytes_ < bytes) {
    cache_->close();
    cache_.reset();
  }
  if (cache_) return cache_->clear();
  cache_ = made_by_all(array.group(), formatted("{} of array \"{}\"", to_string(mode_), array.name()), [&] {
    return std::make_unique<NodeCache>(array.group().node(), bytes, formatted("array \"{}\"", array.name()));
  });
  cache_bytes_ = bytes;
}

void EpochState::end(const ArrayCore& array) {
  active_ = false;
  // The array is const here, but its elements are not: the sums are added to them.
  auto& elements = const_cast<Segment&>(array.segment());
  if (mode_ == Mode::accumulate_only && caches_) cache_->deliver(elements, array.type().kind);
  elements.sync();
  if (mode_ != Mode::disjoint_writes) return;
  const std::vector<Write> written = std::exchange(written_, {});
#ifdef TESSERA_CHECKS
  require_disjoint(array, written);
#endif
}

void EpochState::add_written(const Write& write) {
  const std::lock_guard lock(mutex_);
  written_.push_back(write);
}

void EpochState::close() {
  if (cache_) cache_->close();
}

}  // namespace tessera::detail
