// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/detail/field_transfers.hpp>

#include <complex>
#include <vector>

#include "array/transfers.hpp"
#include "base/box_chunks.hpp"
#include "format.hpp"

namespace tessera::detail {
namespace {

Box box_of_extents(const index_t* extents, int rank) {
  Box box{};
  std::copy_n(extents, rank, box.hi.begin());
  return box;
}

// The elements of a buffer times alpha, row by row. A real alpha keeps parts that are infinite or NaN apart.
template <class C>
std::vector<C> multiplied(const Buffer<const void*>& from, int rank, C alpha) {
  std::vector<C> products;
  auto walk = [&](auto&& self, int d, const C* at) -> void {
    if (d == rank) return products.push_back(alpha.imag() == 0 ? alpha.real() * *at : alpha * *at);
    for (index_t i = 0; i < from.extents[d]; ++i) self(self, d + 1, at + i * from.strides[d]);
  };
  walk(walk, 0, static_cast<const C*>(from.data));
  return products;
}

[[noreturn]] void throw_misaligned(const ArrayCore& array, const Field& field, ElementKind kind, index_t unit) {
  throw UsageError(formatted(
      "acc_field of array \"{}\": a member of {} at byte {} of elements of {} bytes does not always lie at a "
      "multiple of {} "
      "bytes, and numbers are added where they do; align the member (alignas), or use get_field and put_field",
      array.name(), to_string(kind), field.offset, array.type().size, unit));
}

}  // namespace

void put_field(ArrayCore& array, const Lattice& patch, const Field& field, const Buffer<const void*>& from) {
  array.allow(Mode::disjoint_writes, "put_field");
  for_each_transfer(array, patch, field, from,
                    [&](int rank, index_t offset, const Strided& shape, const std::byte* local) {
                      array.segment().put(rank, offset, shape, local);
                    });
}

void get_field(const ArrayCore& array, const Lattice& patch, const Field& field, const Buffer<void*>& into) {
  array.allow(Mode::read_only, "get_field");
  fetch(array, patch, field, into);
}

Request put_field_async(ArrayCore& array, const Lattice& patch, const Field& field,
                        const Buffer<const void*>& from) {
  array.allow(Mode::disjoint_writes, "put_async of a member");
  Request all;
  for_each_transfer(array, patch, field, from,
                    [&](int rank, index_t offset, const Strided& shape, const std::byte* local) {
                      all += array.segment().put_async(rank, offset, shape, local);
                    });
  return all;
}

Request get_field_async(const ArrayCore& array, const Lattice& patch, const Field& field,
                        const Buffer<void*>& into) {
  array.allow(Mode::read_only, "get_async of a member");
  Request all;
  for_each_transfer(array, patch, field, into,
                    [&](int rank, index_t offset, const Strided& shape, std::byte* local) {
                      all += array.segment().get_async(rank, offset, shape, local);
                    });
  return all;
}

void accumulate_field(ArrayCore& array, const Lattice& patch, const Field& field, ElementKind kind,
                      const Buffer<const void*>& from, const void* alpha) {
  array.allow(Mode::accumulate_only, "acc_field");
  // The runtime adds elements only at multiples of their size. A complex member may lie at a multiple of the
  // size of its parts; then the parts are added as separate numbers.
  const auto add_parts = [&]<class C>(C) {
    constexpr auto unit = index_t{sizeof(typename C::value_type)};
    if ((field.offset | array.type().size) % unit != 0) throw_misaligned(array, field, kind, unit);
    const auto products = multiplied<C>(from, array.rank(), *static_cast<const C*>(alpha));
    const Dense dense(box_of_extents(from.extents, array.rank()), array.rank());
    const typename C::value_type one{1};
    for_each_transfer(
        array, patch, field, Buffer<const void*>{products.data(), dense.extents.data(), dense.strides.data()},
        [&](int rank, index_t offset, const Strided& shape, const std::byte* local) {
          array.segment().accumulate(rank, offset, shape, element_kind<typename C::value_type>(), &one, local);
        });
  };
  const bool fits = (field.offset | array.type().size) % size_of(kind) == 0;
  if (!fits && kind == ElementKind::complex64) return add_parts(std::complex<float>{});
  if (!fits && kind == ElementKind::complex128) return add_parts(std::complex<double>{});
  if (!fits) throw_misaligned(array, field, kind, size_of(kind));
  for_each_transfer(array, patch, field, from,
                    [&](int rank, index_t offset, const Strided& shape, const std::byte* local) {
                      array.segment().accumulate(rank, offset, shape, kind, alpha, local);
                    });
}

}  // namespace tessera::detail
