// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/linalg/block_tensor.hpp>

#include <numeric>
#include <utility>

#include <tessera/core/operand_walk.hpp>
#include <tessera/core/operations.hpp>
#include <tessera/layout.hpp>

#include "blas/instantiate.hpp"
#include "format.hpp"
#include "scalapack/scalapack_matrix.hpp"
#include "tensors/block_map.hpp"

namespace tessera::linalg::detail {

using tessera::detail::Box;
using tessera::detail::Buffer;

namespace {

// The elements of each rank follow one another.
ArrayCore array_of(const Group& group, const BlockMap& map, ElementKind kind) {
  std::vector<index_t> starts;
  index_t all = 0;
  for (const index_t size : map.sizes()) {
    starts.push_back(all);
    all += size;
  }
  return {group,
          tessera::detail::make_irregular(1, &all, &starts, group.size()),
          {kind, size_of(kind)},
          tessera::detail::CoreOptions{.name = map.name()}};
}

void require_place(const BlockMap& map, const Coordinates& at) {
  for (std::size_t d = 0; d < map.rank(); ++d) {
    if (at[d] >= 0 && at[d] < std::ssize(map.lengths(d))) continue;
    throw UsageError(formatted("block tensor \"{}\" has blocks 0 to {} along dimension {}, not {}", map.name(),
                               std::ssize(map.lengths(d)) - 1, d, at[d]));
  }
}

std::string list_of(const Coordinates& numbers, std::size_t count) {
  std::string list;
  for (std::size_t d = 0; d < count; ++d) list += (d == 0 ? "" : ", ") + std::to_string(numbers[d]);
  return list;
}

void require_extents(const BlockMap& map, const Coordinates& at, const index_t* given) {
  const Coordinates extents = map.extents(at);
  if (std::equal(given, given + map.rank(), extents.begin())) return;
  Coordinates found{};
  std::copy_n(given, map.rank(), found.begin());
  throw UsageError(formatted("block tensor \"{}\": the view has extents ({}), and block ({}) has ({})",
                             map.name(), list_of(found, map.rank()), list_of(at, map.rank()),
                             list_of(extents, map.rank())));
}

// Calls f(i, j) for each element of a block, with its offsets by two kinds of strides.
template <class F>
void for_each_element(const index_t* extents, const index_t* p, const index_t* q, std::size_t rank, F& f,
                      index_t i = 0, index_t j = 0) {
  if (rank == 0) return f(i, j);
  for (index_t n = 0; n < *extents; ++n)
    for_each_element(extents + 1, p + 1, q + 1, rank - 1, f, i + n * *p, j + n * *q);
}

}  // namespace

std::shared_ptr<const BlockMap> make_block_map(const Group& group, std::string_view name,
                                               std::vector<std::vector<index_t>> lengths,
                                               std::vector<IndexSymmetry> symmetries,
                                               const std::function<bool(const Coordinates&)>& is_stored) {
  auto map = tessera::detail::made_by_all(group, formatted("block tensor \"{}\"", name), [&] {
    return std::make_shared<const BlockMap>(std::string(name), std::move(lengths), std::move(symmetries),
                                            is_stored, group.size());
  });
  const auto mark = static_cast<std::int64_t>(map->fingerprint());
  if (group.all_reduce(mark, Reduce::min) != group.all_reduce(mark, Reduce::max))
    throw UsageError(formatted("block tensor \"{}\": ranks give it other blocks or symmetries", name));
  return map;
}

BlockTensorCore::BlockTensorCore(const Group& group, std::shared_ptr<const BlockMap> map, ElementKind kind)
    : map_(std::move(map)), elements_(std::make_shared<ArrayCore>(array_of(group, *map_, kind))) {
  with_scalar("BlockTensor", *elements_, [&]<class T>(T zero) { tessera::detail::fill(*elements_, &zero); });
}

void BlockTensorCore::throw_moved() {
  throw UsageError("a block tensor was used after it had been moved from");
}

bool BlockTensorCore::has(const Coordinates& at) const {
  require_place(map(), at);
  return map().find(at).has_value();
}
int BlockTensorCore::owner(const Coordinates& at) const {
  require_place(map(), at);
  const auto image = map().find(at);
  return image ? image->block->rank : -1;
}
Coordinates BlockTensorCore::extents() const {
  Coordinates extents{};
  for (std::size_t d = 0; d < map().rank(); ++d) extents[d] = map().extent(d);
  return extents;
}
Box BlockTensorCore::box(const Coordinates& at) const {
  require_place(map(), at);
  Box box{};
  for (std::size_t d = 0; d < map().rank(); ++d) {
    box.lo[d] = map().start(d, at[d]);
    box.hi[d] = box.lo[d] + map().length(d, at[d]);
  }
  return box;
}

void BlockTensorCore::put(const Coordinates& at, const Buffer<const void*>& from) const {
  elements().require_open();
  require_place(map(), at);
  require_extents(map(), at, from.extents);
  const auto image = map().find(at);
  if (!image)
    throw UsageError(formatted("block ({}) of block tensor \"{}\" is absent: it is zero, and cannot be set",
                               list_of(at, map().rank()), map().name()));
  const index_t size = elements().type().size;
  const BlockMap::Block& block = *image->block;
  if (image->sign > 0)
    return elements().segment().put(block.rank, block.offset * size, map().shape_of(*image, from.strides, size),
                                    from.data);
  with_scalar("put", elements(), [&]<class T>(T) {
    std::vector<T> negative(static_cast<std::size_t>(block.size));
    const Coordinates dense = map().strides(at);
    const auto* const x = static_cast<const T*>(from.data);
    auto copy = [&](index_t i, index_t j) { negative[static_cast<std::size_t>(j)] = -x[i]; };
    for_each_element(from.extents, from.strides, dense.data(), map().rank(), copy);
    elements().segment().put(block.rank, block.offset * size, map().shape_of(*image, dense.data(), size),
                             negative.data());
  });
}

void BlockTensorCore::get(const Coordinates& at, const Buffer<void*>& into) const {
  elements().require_open();
  require_place(map(), at);
  require_extents(map(), at, into.extents);
  const index_t size = elements().type().size;
  const auto image = map().find(at);
  if (!image) {
    auto clear = [&](index_t i, index_t) {
      std::fill_n(static_cast<std::byte*>(into.data) + i * size, size, std::byte{});
    };
    return for_each_element(into.extents, into.strides, into.strides, map().rank(), clear);
  }
  elements().segment().get(image->block->rank, image->block->offset * size,
                           map().shape_of(*image, into.strides, size), into.data);
  if (image->sign > 0) return;
  with_scalar("get", elements(), [&]<class T>(T) {
    auto* const x = static_cast<T*>(into.data);
    auto negate = [&](index_t i, index_t) { x[i] = -x[i]; };
    for_each_element(into.extents, into.strides, into.strides, map().rank(), negate);
  });
}

void BlockTensorCore::accumulate(const Coordinates& at, const Buffer<const void*>& from,
                                 const void* alpha) const {
  elements().require_open();
  require_place(map(), at);
  require_extents(map(), at, from.extents);
  const auto image = map().find(at);
  if (!image)
    throw UsageError(
        formatted("block ({}) of block tensor \"{}\" is absent: it is zero, and cannot be added to",
                  list_of(at, map().rank()), map().name()));
  const tessera::detail::ElementType type = elements().type();
  with_scalar("acc", elements(), [&]<class T>(T) {
    const T factor = *static_cast<const T*>(alpha) * static_cast<Real<T>>(image->sign);
    elements().segment().accumulate(image->block->rank, image->block->offset * type.size,
                                    map().shape_of(*image, from.strides, type.size), type.kind, &factor,
                                    from.data);
  });
}

void BlockTensorCore::for_each_own_block(
    const std::function<void(const Coordinates& at, void* data)>& f) const {
  elements().require_open();
  elements().order_local_access();
  const int rank = elements().group().rank();
  auto* data = static_cast<std::byte*>(elements().local_data());
  constexpr index_t dense = 1;
  for (const BlockMap::Block& block : map().blocks()) {
    if (block.rank != rank) continue;
    std::byte* const place = data + block.offset * elements().type().size;
    const tessera::detail::CheckedAccess checked(
        elements(), {place, 1, &block.size, &dense, elements().type().size}, ArrayCore::Access::write);
    f(block.at, place);
  }
  elements().order_local_access();
}

namespace {

void require_copyable(const char* operation, const BlockTensorCore& tensor, const SliceCore& array) {
  if (array.may_overlap(tensor.elements())) {
    throw UsageError(formatted("{}: {} is the memory of block tensor \"{}\"", operation, array.description(),
                               tensor.map().name()));
  }
  const Coordinates extents = tensor.extents();
  const std::size_t rank = tensor.map().rank();
  if (static_cast<std::size_t>(array.rank()) == rank &&
      std::equal(extents.begin(), extents.begin() + static_cast<std::ptrdiff_t>(rank), array.extents().begin()))
    return;
  throw UsageError(formatted("{}: block tensor \"{}\" has extents ({}), and {} has ({})", operation,
                             tensor.map().name(), list_of(extents, rank), array.description(),
                             list_of(array.extents(), static_cast<std::size_t>(array.rank()))));
}

}  // namespace

void BlockTensorCore::copy_from(const SliceCore& array) const {
  tessera::detail::begin_operation("copy_from", {elements(), array}, tessera::detail::Shapes::any);
  require_copyable("copy_from", *this, array);
  Request all;
  for_each_own_block([&](const Coordinates& at, void* data) {
    const Coordinates extents = map().extents(at), strides = map().strides(at);
    all += array.get_async(box(at), {data, extents.data(), strides.data()});
  });
  all.wait();
  tessera::detail::end_operation(elements());
}

void BlockTensorCore::copy_to(const SliceCore& array) const {
  tessera::detail::begin_operation("copy_to", {elements(), array}, tessera::detail::Shapes::any);
  require_copyable("copy_to", *this, array);
  with_scalar("copy_to", array, [&]<class T>(T zero) {
    tessera::detail::fill(array, &zero);
    for_each_own_block([&](const Coordinates& stored, void* data) {
      map().for_each_place(*map().find(stored)->block, [&](const Coordinates& at) {
        const auto image = map().find(at);
        const Coordinates extents = map().extents(at), in_memory = map().strides(stored);
        Coordinates strides{};
        for (std::size_t d = 0; d < map().rank(); ++d) strides[image->along[d]] = in_memory[d];
        const Buffer<const void*> from{data, extents.data(), strides.data()};
        const T sign(static_cast<Real<T>>(image->sign));
        image->sign > 0 ? array.put(box(at), from) : array.accumulate(box(at), from, &sign);
      });
    });
  });
  array.array().flush();
  tessera::detail::end_operation(array);
}

void BlockTensorCore::dot(const BlockTensorCore& other, void* result) const {
  tessera::detail::begin_operation("dot", {elements(), other.elements()});
  const auto is_equal = [](const BlockMap::Block& a, const BlockMap::Block& b) {
    return a.at == b.at && a.rank == b.rank && a.size == b.size;
  };
  const auto have_equal_symmetries = [](const IndexSymmetry& a, const IndexSymmetry& b) {
    return a.dimensions == b.dimensions && a.sign == b.sign;
  };
  const BlockMap& theirs = other.map();
  bool are_cut_alike = true;
  for (std::size_t d = 0; d < map().rank(); ++d) are_cut_alike &= map().lengths(d) == theirs.lengths(d);
  if (!are_cut_alike ||
      !std::equal(map().blocks().begin(), map().blocks().end(), theirs.blocks().begin(), theirs.blocks().end(),
                  is_equal) ||
      !std::equal(map().symmetries().begin(), map().symmetries().end(), theirs.symmetries().begin(),
                  theirs.symmetries().end(), have_equal_symmetries)) {
    throw UsageError(formatted("dot: block tensors \"{}\" and \"{}\" have other blocks or symmetries",
                               map().name(), theirs.name()));
  }
  with_scalar("dot", elements(), [&]<class T>(T) {
    // Real and imaginary part in double precision.
    std::array<double, 2> sum{};
    const auto* y = static_cast<const T*>(other.elements().local_data());
    for_each_own_block([&](const Coordinates& at, void* data) {
      const BlockMap::Block& block = *map().find(at)->block;
      index_t images = 0;
      map().for_each_place(block, [&](const Coordinates&) { ++images; });
      const T* const x = static_cast<const T*>(data);
      std::array<double, 2> here{};
      for (index_t i = 0; i < block.size; ++i) {
        const auto product = std::complex<double>(conjugate(x[i])) * std::complex<double>(y[block.offset + i]);
        here[0] += product.real(), here[1] += product.imag();
      }
      for (const std::size_t part : {0U, 1U}) sum[part] += static_cast<double>(images) * here[part];
    });
    elements().group().all_reduce(std::span<double>(sum), Reduce::sum);
    if constexpr (std::is_floating_point_v<T>)
      *static_cast<T*>(result) = static_cast<T>(sum[0]);
    else
      *static_cast<T*>(result) = T(static_cast<Real<T>>(sum[0]), static_cast<Real<T>>(sum[1]));
  });
}

}  // namespace tessera::linalg::detail
