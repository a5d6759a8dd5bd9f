// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/detail/array_core.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <mutex>

#include <tessera/detail/ghosts.hpp>
#include <tessera/layout.hpp>
#include <tessera/runtime/detail/fingerprint.hpp>
#include <tessera/runtime/detail/product.hpp>

#include "array_state.hpp"
#include "boxes.hpp"
#include "format.hpp"
#include "patch_text.hpp"

namespace tessera::detail {
namespace {

Box box_of_extents(const index_t* extents, int rank) {
  Box box{};
  std::copy_n(extents, rank, box.hi.begin());
  return box;
}

// The elements of a buffer times alpha, row by row.
template <class C>
std::vector<C> multiplied(const Buffer<const void*>& from, int rank, C alpha) {
  std::vector<C> products;
  auto walk = [&](auto&& self, int d, const C* at) -> void {
    if (d == rank) return products.push_back(alpha * *at);
    for (index_t i = 0; i < from.extents[d]; ++i) self(self, d + 1, at + i * from.strides[d]);
  };
  walk(walk, 0, static_cast<const C*>(from.data));
  return products;
}

// What is wrong with an array's shape; found on every rank alike once they agree about the layout.
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

std::uint64_t fingerprint(const LayoutCore& layout, const ElementType& type, const auto& periodic) {
  Fingerprint print;
  print.add(layout.fingerprint()).add(static_cast<int>(type.kind)).add(type.size);
  for (bool wraps : periodic) print.add(static_cast<int>(wraps));
  return print.value();
}

// What is wrong with the shape is found on every rank alike after this, as for an array with memory of its own.
Segment part_for(const Segment& memory, index_t offset, const LayoutCore& layout, const ElementType& type,
                 const CoreOptions& options) {
  index_t most = 0;
  if (shape_problem(memory.group(), layout, type).empty()) {
    for (int r = 0; r < layout.ranks(); ++r) most = std::max(most, layout.local(r).size);
  }
  return memory.part(offset, size_to_ask(most, type.size), options.name,
                     fingerprint(layout, type, options.periodic));
}

#ifdef TESSERA_CHECKS
// What was never written shows: signalling NaN, and an improbable integer.
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

ArrayCore::ArrayCore(const Group& group, LayoutCore layout, ElementType type, const CoreOptions& options)
    : layout_(std::move(layout)),
      type_(type),
      periodic_(options.periodic),
      segment_(group, local_bytes(group, layout_, type_),
               {.name = options.name,
                .fingerprint = fingerprint(layout_, type_, periodic_),
                .domain = options.domain}),
      local_(layout_.local(group.rank())),
      scopes_(std::make_unique<Scopes>()) {
  if (const auto problem = shape_problem(group, layout_, type_); !problem.empty())
    throw UsageError(formatted("array \"{}\" {}", options.name, problem));
  prepare(group);
#ifdef TESSERA_CHECKS
  if (local_.size > 0) fill_unspecified(local_data(), local_.size, type_);
  // Nobody may write before the owner has filled.
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
      scopes_(std::make_unique<Scopes>()) {
  if (const auto problem = shape_problem(group(), layout_, type_); !problem.empty())
    throw UsageError(formatted("array \"{}\" {}", options.name, problem));
  // A segment of one process has the CPU domain, whatever was asked for.
  if (options.domain && *options.domain != domain() && group().size() > 1) {
    throw UsageError(
        formatted("array \"{}\" cannot have another atomic domain than segment \"{}\", in which it is",
                  options.name, memory.name()));
  }
  prepare(group());
}

void ArrayCore::prepare(const Group& group) {
  if (layout_.has_ghosts()) ghosts_ = std::make_unique<Ghosts>(group, layout_, type_.size, periodic_, name());
}

ArrayCore::~ArrayCore() = default;
ArrayCore::ArrayCore(ArrayCore&&) noexcept = default;
ArrayCore& ArrayCore::operator=(ArrayCore&&) noexcept = default;

void ArrayCore::close() {
  end_epoch();
  if (epoch_ && epoch_->cache) epoch_->cache->close();
  if (ghosts_) ghosts_->close();
  segment_.close();
}

Ghosts& ArrayCore::ghosts(const char* call) const {
  require_open();
  if (!ghosts_)
    throw UsageError(
        formatted("{}: array \"{}\" has no ghost cells; give it ArrayOptions::ghosts", call, name()));
  if (ghosts_->is_under_way()) {
    throw UsageError(formatted("{}: another update of the ghost cells of array \"{}\" has not been waited for",
                               call, name()));
  }
  return *ghosts_;
}

void ArrayCore::update_ghosts(const GhostSides& what, GhostMethod method) {
  Ghosts& cells = ghosts("update_ghosts");
  end_epoch();
  cells.update(segment_, what, method);
}

void ArrayCore::begin_update_ghosts(const GhostSides& what) {
  Ghosts& cells = ghosts("update_ghosts_async");
  end_epoch();
  cells.begin(segment_, what);
}

void ArrayCore::end_update_ghosts() { ghosts_->end(segment_); }

bool ArrayCore::test_update_ghosts() { return ghosts_->test(segment_); }

void ArrayCore::begin_access([[maybe_unused]] index_t block, [[maybe_unused]] Access access) const {
  require_open();
#ifdef TESSERA_CHECKS
  access == Access::write ? allow({}, "access for writing") : allow(Mode::read_only, "access for reading");
  if (access == Access::write) {
    const std::lock_guard lock(scopes_->mutex);
    for (index_t other : scopes_->written) {
      if (other != block && other != all_blocks && block != all_blocks) continue;
      throw UsageError(
          formatted("local elements of array \"{}\" are accessed for writing while an earlier such access is "
                    "not released",
                    name()));
    }
    scopes_->written.push_back(block);
  }
#endif
  order_local_access();
}

void ArrayCore::end_access([[maybe_unused]] index_t block, [[maybe_unused]] Access access) const noexcept {
#ifdef TESSERA_CHECKS
  if (access == Access::write) {
    const std::lock_guard lock(scopes_->mutex);
    const auto found = std::find(scopes_->written.begin(), scopes_->written.end(), block);
    if (found != scopes_->written.end()) scopes_->written.erase(found);
  }
#endif
  // A fence of memory at most: it cannot wait for others, and has nothing to report that a later call would
  // not.
  try {
    order_local_access();
  } catch (...) {
  }
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
  require_open();  // the layout of an array that was moved from is not to be asked
  for (std::size_t d = 0; d < static_cast<std::size_t>(rank()); ++d) {
    if (at[d] >= 0 && at[d] < layout_.dims()[d]) continue;
    std::string where;
    for (int i = 0; i < rank(); ++i) where += formatted("{}{}", i == 0 ? "" : ", ", at[i]);
    throw UsageError(formatted("element ({}) is outside array \"{}\" of extents {} (dimension {})", where,
                               name(), extents_text(layout_.dims().data(), rank()), d));
  }
}

void ArrayCore::put(const Lattice& patch, const Buffer<const void*>& from) {
  allow(Mode::disjoint_writes, "put");
  for_each_transfer(patch, from, [&](int rank, index_t offset, const Strided& shape, const std::byte* local) {
    segment_.put(rank, offset, shape, local);
  });
}

void ArrayCore::get(const Lattice& patch, const Buffer<void*>& into) const {
  allow(Mode::read_only, "get");
  fetch(patch, {0, type_.size}, into);
}

// What is on other nodes is asked for together. The last is, while the others are on their way, waited for as
// one alone is: a request costs more.
void ArrayCore::fetch(const Lattice& patch, const Field& field, const Buffer<void*>& into) const {
  if (segment_.face().direct_ranks == 0)
    require_open();  // the group of one that was moved from is not to be asked
  if (segment_.face().direct_ranks == group().size()) {
    return for_each_transfer(patch, field, into,
                             [&](int rank, index_t offset, const Strided& shape, std::byte* local) {
                               segment_.get(rank, offset, shape, local);
                             });
  }
  struct Far {
    int rank = -1;
    index_t offset;
    Strided shape;
    std::byte* local;
  } last;
  Request others;
  for_each_transfer(patch, field, into, [&](int rank, index_t offset, const Strided& shape, std::byte* local) {
    if (segment_.face().reach(rank, 0, 0) != nullptr) return segment_.get(rank, offset, shape, local);
    if (last.rank >= 0) others += segment_.get_async(last.rank, last.offset, last.shape, last.local);
    last = {rank, offset, shape, local};
  });
  if (last.rank >= 0) segment_.get(last.rank, last.offset, last.shape, last.local);
  others.wait();
}

void ArrayCore::accumulate(const Lattice& patch, const Buffer<const void*>& from, const void* alpha) {
  allow(Mode::accumulate_only, "acc");
  for_each_transfer(patch, from, [&](int rank, index_t offset, const Strided& shape, const std::byte* local) {
    segment_.accumulate(rank, offset, shape, type_.kind, alpha, local);
  });
}

void ArrayCore::accumulate(const Lattice& patch, const Buffer<const void*>& from, Update update) {
  allow({}, "acc_min or acc_max");
  for_each_transfer(patch, from, [&](int rank, index_t offset, const Strided& shape, const std::byte* local) {
    segment_.accumulate(rank, offset, shape, type_.kind, update, local);
  });
}

Request ArrayCore::put_async(const Lattice& patch, const Buffer<const void*>& from) {
  allow(Mode::disjoint_writes, "put_async");
  Request all;
  for_each_transfer(patch, from, [&](int rank, index_t offset, const Strided& shape, const std::byte* local) {
    all += segment_.put_async(rank, offset, shape, local);
  });
  return all;
}

Request ArrayCore::get_async(const Lattice& patch, const Buffer<void*>& into) const {
  allow(Mode::read_only, "get_async");
  Request all;
  for_each_transfer(patch, into, [&](int rank, index_t offset, const Strided& shape, std::byte* local) {
    all += segment_.get_async(rank, offset, shape, local);
  });
  return all;
}

Request ArrayCore::accumulate_async(const Lattice& patch, const Buffer<const void*>& from, const void* alpha) {
  allow(Mode::accumulate_only, "acc_async");
  Request all;
  for_each_transfer(patch, from, [&](int rank, index_t offset, const Strided& shape, const std::byte* local) {
    all += segment_.accumulate_async(rank, offset, shape, type_.kind, alpha, local);
  });
  return all;
}

void ArrayCore::put_notify(const Lattice& patch, const Buffer<const void*>& from, const Flag& flag) {
  allow({}, "put_notify");
  int last = -1;
  for_each_transfer(patch, from, [&](int rank, index_t offset, const Strided& shape, const std::byte* local) {
    segment_.put(rank, offset, shape, local);
    if (last >= 0 && last != rank) segment_.flush(last);
    last = rank;
  });
  if (last >= 0) segment_.flush(last);
  flag.flags->notify(flag.rank, flag.index);
}

void ArrayCore::put_field(const Lattice& patch, const Field& field, const Buffer<const void*>& from) {
  allow(Mode::disjoint_writes, "put_field");
  for_each_transfer(patch, field, from,
                    [&](int rank, index_t offset, const Strided& shape, const std::byte* local) {
                      segment_.put(rank, offset, shape, local);
                    });
}

void ArrayCore::get_field(const Lattice& patch, const Field& field, const Buffer<void*>& into) const {
  allow(Mode::read_only, "get_field");
  fetch(patch, field, into);
}

namespace {

[[noreturn]] void throw_misaligned(const ArrayCore& array, const Field& field, ElementKind kind, index_t unit) {
  throw UsageError(formatted(
      "acc_field of array \"{}\": a member of {} at byte {} of elements of {} bytes does not always lie at a "
      "multiple of {} "
      "bytes, and numbers are added where they do; align the member (alignas), or use get_field and put_field",
      array.name(), to_string(kind), field.offset, array.type().size, unit));
}

}  // namespace

void ArrayCore::accumulate_field(const Lattice& patch, const Field& field, ElementKind kind,
                                 const Buffer<const void*>& from, const void* alpha) {
  allow(Mode::accumulate_only, "acc_field");
  // The runtime adds elements at multiples of their size; a complex member need only lie at one of its parts',
  // which are then added as numbers of their own.
  const auto add_parts = [&]<class C>(C) {
    constexpr auto unit = index_t{sizeof(typename C::value_type)};
    if ((field.offset | type_.size) % unit != 0) throw_misaligned(*this, field, kind, unit);
    const auto products = multiplied<C>(from, rank(), *static_cast<const C*>(alpha));
    const Dense dense(box_of_extents(from.extents, rank()), rank());
    const typename C::value_type one{1};
    for_each_transfer(
        patch, field, Buffer<const void*>{products.data(), dense.extents.data(), dense.strides.data()},
        [&](int rank, index_t offset, const Strided& shape, const std::byte* local) {
          segment_.accumulate(rank, offset, shape, element_kind<typename C::value_type>(), &one, local);
        });
  };
  const bool fits = (field.offset | type_.size) % size_of(kind) == 0;
  if (!fits && kind == ElementKind::complex64) return add_parts(std::complex<float>{});
  if (!fits && kind == ElementKind::complex128) return add_parts(std::complex<double>{});
  if (!fits) throw_misaligned(*this, field, kind, size_of(kind));
  for_each_transfer(patch, field, from,
                    [&](int rank, index_t offset, const Strided& shape, const std::byte* local) {
                      segment_.accumulate(rank, offset, shape, kind, alpha, local);
                    });
}

void ArrayCore::throw_list_lengths(std::size_t positions, std::size_t values) const {
  throw UsageError(formatted("{} positions and {} values for array \"{}\": there must be one value for each",
                             positions, values, name()));
}

void ArrayCore::load(const index_t* at, void* value) const {
  allow(Mode::read_only, "load");
  check_element(at);
  index_t offset = 0;
  const int owner = layout_.locate(at, offset);
  segment_.get(owner, offset * type_.size, Strided::contiguous(type_.size), value);
}

void ArrayCore::store(const index_t* at, const void* value) {
  allow(Mode::disjoint_writes, "store");
  check_element(at);
  index_t offset = 0;
  const int owner = layout_.locate(at, offset);
  segment_.put(owner, offset * type_.size, Strided::contiguous(type_.size), value);
}

void ArrayCore::fetch_op(const index_t* at, Update update, const void* value, void* result) {
  allow({}, "fetch_op");
  check_element(at);
  index_t offset = 0;
  const int owner = layout_.locate(at, offset);
  segment_.fetch_op(owner, offset * type_.size, type_.kind, update, value, result);
}

bool ArrayCore::compare_exchange(const index_t* at, void* expected, const void* desired) {
  allow({}, "compare_exchange");
  check_element(at);
  index_t offset = 0;
  const int owner = layout_.locate(at, offset);
  return segment_.compare_exchange(owner, offset * type_.size, type_.kind, expected, desired);
}

void* ArrayCore::address(const index_t* at) const {
  check_element(at);
  index_t offset = 0;
  const int owner = layout_.locate(at, offset);
  std::byte* slice = segment_.address(owner);
  return slice == nullptr ? nullptr : slice + offset * type_.size;
}

void* ArrayCore::local_data() const { return local_.size == 0 ? nullptr : segment_.address(group().rank()); }

}  // namespace tessera::detail
