// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/core/array_core.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include <tessera/runtime/detail/fingerprint.hpp>
#include <tessera/runtime/detail/product.hpp>

#include "array/access_scopes.hpp"
#include "array/epoch_state.hpp"
#include "array/places_text.hpp"
#include "base/patch_text.hpp"
#include "format.hpp"
#include "ghosts/ghosts.hpp"

namespace tessera::detail {
namespace {

// The problem with an array's shape, if any. All ranks find the same once they agree on the layout.
std::string shape_problem(const Group& group, const LayoutCore& layout, const ElementType& type) {
  if (layout.ranks() > group.size()) {
    return formatted("has a layout for {} ranks in a group of {}", layout.ranks(), group.size());
  }
  if (layout.size() > std::numeric_limits<index_t>::max() / type.size) {
    return formatted("of {} elements of {} bytes is larger than 2^63 bytes", layout.size(), type.size);
  }
  return {};
}

index_t local_bytes(const Group& group, const LayoutCore& layout, const ElementType& type) {
  return shape_problem(group, layout, type).empty() ? size_to_ask(layout.local(group.rank()).size, type.size)
                                                    : 0;
}

std::uint64_t fingerprint(const LayoutCore& layout, const ElementType& type, const Periodic& periodic) {
  Fingerprint print;
  print.add(layout.fingerprint()).add(static_cast<int>(type.kind)).add(type.size);
  for (bool wraps : periodic) print.add(static_cast<int>(wraps));
  return print.value();
}

// A bad shape is reported after this, on every rank alike, as for an array with memory of its own.
Segment part_for(const Segment& memory, index_t offset, const LayoutCore& layout, const ElementType& type,
                 const CoreOptions& options) {
  return memory.part(offset, slice_to_ask(memory.group(), layout, type), options.name,
                     fingerprint(layout, type, options.periodic));
}

#ifdef TESSERA_CHECKS
// Makes elements that were never written stand out: signalling NaN, or an improbable integer.
void fill_unspecified(void* data, index_t count, const ElementType& type) {
  auto fill = [&]<class T>(T value, index_t n) {
    for (index_t i = 0; i < n; ++i)
      std::memcpy(static_cast<std::byte*>(data) + i * index_t{sizeof(T)}, &value, sizeof(T));
  };
  // As bit patterns: passing a signalling NaN through a register may quiet it.
  switch (type.kind) {
    case ElementKind::float32:
      return fill(std::uint32_t{0x7fa00000}, count);
    case ElementKind::complex64:
      return fill(std::uint32_t{0x7fa00000}, 2 * count);
    case ElementKind::float64:
      return fill(std::uint64_t{0x7ff4000000000000}, count);
    case ElementKind::complex128:
      return fill(std::uint64_t{0x7ff4000000000000}, 2 * count);
    case ElementKind::int32:
      return fill(std::uint32_t{0xdeadbeef}, count);
    case ElementKind::int64:
      return fill(std::uint64_t{0xdeadbeefdeadbeef}, count);
    case ElementKind::bytes:
      if (count > 0) std::memset(data, 0xde, static_cast<std::size_t>(count * type.size));
  }
}
#endif

}  // namespace

std::string to_string(const ElementType& type) {
  if (type.kind != ElementKind::bytes) return tessera::to_string(type.kind);
  return formatted("bytes of size {}", type.size);
}

index_t slice_to_ask(const Group& group, const LayoutCore& layout, const ElementType& type) {
  index_t most = 0;
  if (shape_problem(group, layout, type).empty()) {
    for (int r = 0; r < layout.ranks(); ++r) most = std::max(most, layout.local(r).size);
  }
  return size_to_ask(most, type.size);
}

ArrayCore::ArrayCore(const Group& group, LayoutCore layout, ElementType type, const CoreOptions& options)
    : layout_(std::move(layout)),
      type_(type),
      periodic_(options.periodic),
      segment_(group, local_bytes(group, layout_, type_),
               {.name = options.name,
                .fingerprint = fingerprint(layout_, type_, periodic_),
                .domain = options.domain}),
      local_(layout_.local(group.rank())),
      scopes_(std::make_unique<AccessScopes>()),
      epoch_(std::make_unique<EpochState>()) {
  if (const auto problem = shape_problem(group, layout_, type_); !problem.empty())
    throw UsageError(formatted("array \"{}\" {}", options.name, problem));
  prepare(group);
  forget_values();
}

void ArrayCore::forget_values() {
#ifdef TESSERA_CHECKS
  if (local_.size > 0) fill_unspecified(local_data(), local_.size, type_);
  // No rank may write before the owner has filled its elements.
  sync();
#endif
}

ArrayCore::ArrayCore(const Segment& memory, index_t offset, LayoutCore layout, ElementType type,
                     const CoreOptions& options)
    : layout_(std::move(layout)),
      type_(type),
      periodic_(options.periodic),
      segment_(part_for(memory, offset, layout_, type_, options)),
      local_(layout_.local(memory.group().rank())),
      scopes_(std::make_unique<AccessScopes>()),
      epoch_(std::make_unique<EpochState>()) {
  if (const auto problem = shape_problem(group(), layout_, type_); !problem.empty())
    throw UsageError(formatted("array \"{}\" {}", options.name, problem));
  if (offset % options.alignment != 0) {
    throw UsageError(formatted(
        "array \"{}\": offset {} in segment \"{}\" is no multiple of {}, the alignment of its elements",
        options.name, offset, memory.name(), options.alignment));
  }
  // A segment on one node has the CPU domain, whatever was asked for.
  if (options.domain && *options.domain != domain() && group().node_count() > 1) {
    throw UsageError(
        formatted("array \"{}\" cannot have another atomic domain than segment \"{}\", in which it is",
                  options.name, memory.name()));
  }
  prepare(group());
}

void ArrayCore::prepare(const Group& group) {
  if (layout_.block_count(group.rank()) == 1) own_block_ = layout_.block(group.rank(), 0).box;
  if (segment_.face().checked != 0) {
    segment_.describe_places([layout = layout_, size = type_.size](int rank, const auto& places) {
      return text_of_places(layout, size, rank, places);
    });
  }
  if (layout_.has_ghosts()) ghosts_ = std::make_unique<Ghosts>(group, std::vector{whole_field(*this)}, name());
}

ArrayCore::ArrayCore(LayoutCore layout)
    : layout_(std::move(layout)),
      type_{ElementKind::bytes, 1},
      periodic_{},
      scopes_(std::make_unique<AccessScopes>()),
      epoch_(std::make_unique<EpochState>()) {}

// Never destroyed, because arrays with static storage may be moved from as well.
ArrayCore& ArrayCore::none(int rank) noexcept {
  static auto& cores = *[] {
    auto* made = new std::vector<ArrayCore>;
    for (int n = 0; n <= max_rank; ++n)
      made->push_back(ArrayCore(
          {std::vector<Axis>(static_cast<std::size_t>(n)), 1, GridOrder::row_major, StorageOrder::row_major}));
    return made;
  }();
  return cores[static_cast<std::size_t>(rank)];
}

ArrayCore::~ArrayCore() = default;
ArrayCore::ArrayCore(ArrayCore&&) noexcept = default;
ArrayCore& ArrayCore::operator=(ArrayCore&&) noexcept = default;

void ArrayCore::close() {
  if (ghosts_ && ghosts_->is_under_way())
    throw UsageError(
        formatted("close: an update of the ghost cells of array \"{}\" has not been waited for", name()));
  end_epoch();
  epoch_->close();
  if (ghosts_) ghosts_->close();
  segment_.close();
}

std::uint64_t ArrayCore::begin_epoch(Mode mode, index_t cache_bytes) {
  require_open();
  const std::uint64_t number = epoch_->begin(*this, mode, cache_bytes);
#ifdef TESSERA_CHECKS
  guarded_ = true;
#endif
  return number;
}

void ArrayCore::end_epoch(std::uint64_t number) {
  if (epoch_->is_active(number)) end_epoch();
}

void ArrayCore::end_epoch() const {
  if (!epoch_->is_active()) return;
  require_open();
  guarded_ = false;
  epoch_->end(*this);
}

void ArrayCore::sync() const {
  if (epoch_->is_active()) return end_epoch();
  segment_.sync();
}

void ArrayCore::require_epoch(std::uint64_t number) const {
  require_open();
  if (!epoch_->is_active(number))
    throw UsageError(formatted("an epoch of array \"{}\" was used after it had ended", name()));
}

void ArrayCore::allow([[maybe_unused]] std::optional<Mode> mode,
                      [[maybe_unused]] std::string_view operation) const {
#ifdef TESSERA_CHECKS
  if (!epoch_->is_active() || epoch_->mode() == mode) return;
  throw UsageError(formatted("{} of array \"{}\" in an epoch of {}, which forbids it", operation, name(),
                             to_string(epoch_->mode())));
#endif
}

void ArrayCore::begin_access([[maybe_unused]] index_t block, [[maybe_unused]] Access access) const {
  require_open();
#ifdef TESSERA_CHECKS
  access == Access::write ? allow({}, "access for writing") : allow(Mode::read_only, "access for reading");
  if (access == Access::write) scopes_->begin_write(block, name());
#endif
  order_local_access();
}

void ArrayCore::end_access([[maybe_unused]] index_t block, [[maybe_unused]] Access access) const noexcept {
#ifdef TESSERA_CHECKS
  if (access == Access::write) scopes_->end_write(block);
#endif
  // This is at most a memory fence, which does not wait for others. A later call would report the same error.
  try {
    order_local_access();
  } catch (...) {
  }
}

std::uint64_t ArrayCore::note_access(const Stored& elements, Access access) const {
  const auto place = segment_.locate(elements.data);
  if (!place) return 0;
  Strided shape;
  shape.run = elements.size;
  shape.levels = elements.rank;
  for (std::size_t d = 0; d < static_cast<std::size_t>(elements.rank); ++d) {
    shape.count[d] = elements.extents[d];
    shape.remote_stride[d] = elements.strides[d] * type_.size;
  }
  return segment_.begin_local_access(
      place->rank, place->offset, shape,
      access == Access::read ? Segment::LocalUse::read : Segment::LocalUse::write);
}

void ArrayCore::require_one_array() const {
  require_open();
  if (local_.is_array) return;
  throw UsageError(
      formatted("local elements of array \"{}\" ({}) lie in several blocks; access each by local_block()",
                name(), layout_.description()));
}

Piece ArrayCore::stored_block(int rank, index_t b) const {
  require_open();
  if (rank < 0 || rank >= group().size() || b < 0 || b >= layout_.block_count(rank)) {
    throw UsageError(formatted("array \"{}\" has no block {} at rank {}, which has {} of them", name(), b, rank,
                               rank < 0 || rank >= group().size() ? 0 : layout_.block_count(rank)));
  }
  if (storage(rank) == nullptr) {
    throw UsageError(
        formatted("block {} of rank {} of array \"{}\" is on another node than rank {}, and has to be got", b,
                  rank, name(), group().rank()));
  }
  return layout_.block(rank, b);
}

void ArrayCore::require_open() const {
  if (!segment_.is_open()) {
    throw UsageError(
        formatted("array \"{}\" was used after it was closed, moved from, or outlived by its Runtime", name()));
  }
}

void ArrayCore::look_at_element(const index_t* at) const {
  require_open();  // the layout of a moved-from array must not be used
  for (std::size_t d = 0; d < static_cast<std::size_t>(rank()); ++d) {
    if (at[d] >= 0 && at[d] < layout_.dims()[d]) continue;
    std::string where;
    for (int i = 0; i < rank(); ++i) where += formatted("{}{}", i == 0 ? "" : ", ", at[i]);
    throw UsageError(formatted("element ({}) is outside array \"{}\" of extents {} (dimension {})", where,
                               name(), extents_text(layout_.dims().data(), rank()), d));
  }
}

void ArrayCore::load(const index_t* at, void* value) const {
  allow(Mode::read_only, "load");
  index_t offset = 0;
  const int owner = locate(at, offset);
  segment_.get(owner, offset, Strided::contiguous(type_.size), value);
}

void ArrayCore::store(const index_t* at, const void* value) {
  allow(Mode::disjoint_writes, "store");
  index_t offset = 0;
  const int owner = locate(at, offset);
  segment_.put(owner, offset, Strided::contiguous(type_.size), value);
}

void ArrayCore::fetch_op(int owner, index_t offset, Update update, const void* value, void* result) {
  allow({}, "fetch_op");
  segment_.fetch_op(owner, offset, type_.kind, update, value, result);
}

bool ArrayCore::compare_exchange(int owner, index_t offset, void* expected, const void* desired) {
  allow({}, "compare_exchange");
  return segment_.compare_exchange(owner, offset, type_.kind, expected, desired);
}

void* ArrayCore::find_address(const index_t* at) const {
  index_t offset = 0;
  std::byte* slice = segment_.address(locate(at, offset));
  return slice == nullptr ? nullptr : slice + offset;
}

void* ArrayCore::local_data() const { return local_.size == 0 ? nullptr : segment_.address(group().rank()); }

}  // namespace tessera::detail
