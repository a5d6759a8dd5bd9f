// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <span>
#include <type_traits>

#include <tessera/array.hpp>
#include <tessera/detail/epoch_transfers.hpp>
#include <tessera/slice.hpp>

// Epochs: phases of a program in which an array is used in one way only. The program declares the way, and
// Tessera makes use of it. An epoch that is not ended explicitly ends at the array's next collective call. The
// end makes what was written visible to all. An epoch points to its array, which must outlive it. An array has
// only one epoch at a time. Meanwhile its own members, local access included, must not be used for anything
// that the epoch forbids.
namespace tessera {

/// Options of epochs.
struct EpochOptions {
  /// Memory on each node for elements of other nodes, in bytes; at most the size of the array is taken. It is
  /// kept until the array is closed. The same on every rank.
  index_t cache = index_t{64} << 20;
};

namespace detail {

/// What all epochs have in common.
template <Element T, std::size_t N>
class Epoch {
 public:
  Epoch(Array<T, N>& array, Mode mode, const EpochOptions& options)
      : array_(&array.core()), number_(array_->begin_epoch(mode, options.cache)) {}
  Epoch(const Epoch&) = delete;
  Epoch& operator=(const Epoch&) = delete;

  /// Ends the epoch, if nothing else has. @collective
  void end() { array_->end_epoch(number_); }

 protected:
  /// @throws UsageError after the end of the epoch
  ArrayCore& array() const {
    array_->require_epoch(number_);
    return *array_;
  }
  /// @throws UsageError after the end of the epoch, or if the slice is of another array
  const SliceCore& of_array(const SliceCore& part) const {
    if (&part.array() != &array()) {
      throw UsageError(part.description() + " is no slice of array \"" + array_->name() +
                       "\", whose epoch this is");
    }
    return part;
  }

 private:
  ArrayCore* array_;
  std::uint64_t number_;
};

}  // namespace detail

/// An epoch in which nobody changes the array. Each node fetches an element of another node only once, in pages
/// of 16 KiB, which the ranks of the node share. It pays for elements that any ranks of the node read more than
/// once, or in small pieces near each other.
template <Element T, std::size_t N>
class ReadOnly : public detail::Epoch<T, N> {
 public:
  ReadOnly(Array<T, N>& array, const EpochOptions& options)
      : detail::Epoch<T, N>(array, detail::Mode::read_only, options) {}

  /// As the members of Array. @onesided @throws likewise, and UsageError after the end of the epoch
  void get(const Patch<N>& patch, View<T, N> into) const {
    detail::get_cached(this->array(), detail::box_of<detail::Lattice>(patch), detail::buffer_of(into));
  }
  LocalArray<T, N> get(const Patch<N>& patch) const {
    detail::require_inside(this->array().layout(), detail::box_of(patch), this->array().name());
    LocalArray<T, N> elements(patch.extents());
    get(patch, elements);
    return elements;
  }
  /// The same for a slice of the array, such as `t(i, all, j, all)`. @onesided @throws as above, and UsageError
  /// for a slice of another array or of members
  template <class U, std::size_t M>
  requires std::is_same_v<std::remove_const_t<U>, T>
  void get(const Slice<U, M>& part, std::type_identity_t<View<T, M>> into) const {
    this->of_array(part.core()).get_in_epoch(detail::buffer_of(into));
  }
  template <class U, std::size_t M>
  requires std::is_same_v<std::remove_const_t<U>, T> LocalArray<T, M> get(const Slice<U, M>& part)
  const {
    LocalArray<T, M> elements(part.dims());
    get(part, elements.view());
    return elements;
  }
  T load(const Index<N>& at) const {
    T value;
    get(Patch<N>::inclusive(at, at), View<T, N>(&value, ones()));
    return value;
  }

 private:
  static Extents<N> ones() {
    Extents<N> extents;
    for (std::size_t d = 0; d < N; ++d) extents[d] = 1;
    return extents;
  }
};

/// An epoch in which all ranks only accumulate, in any order. Each node adds up what its ranks add to the same
/// elements of other nodes. The sums travel once, when the epoch ends. Nothing may be read before. It pays for
/// many additions to the same or neighbouring elements. An epoch costs some 0.6 to 0.9 ms between nodes, which
/// a hundred additions of 8 bytes do not win back (docs/performance.md).
template <Arithmetic T, std::size_t N>
class AccumulateOnly : public detail::Epoch<T, N> {
 public:
  AccumulateOnly(Array<T, N>& array, const EpochOptions& options)
      : detail::Epoch<T, N>(array, detail::Mode::accumulate_only, options) {}

  /// As the members of Array. @onesided @throws likewise, and UsageError after the end of the epoch
  /// @completion `from` may be reused on return; done at the owners when the epoch has ended
  void acc(const Patch<N>& patch, View<const T, N> from, std::type_identity_t<T> alpha = T{1}) {
    detail::accumulate_cached(this->array(), detail::box_of<detail::Lattice>(patch), detail::buffer_of(from),
                              &alpha);
  }
  /// The same for a slice of the array. @onesided @throws as above, and UsageError for a slice of another array
  /// or of members
  template <std::size_t M>
  void acc(const Slice<T, M>& part, std::type_identity_t<View<const T, M>> from,
           std::type_identity_t<T> alpha = T{1}) {
    this->of_array(part.core()).accumulate_in_epoch(detail::buffer_of(from), &alpha);
  }
  void scatter_acc(std::span<const Index<N>> at, std::span<const T> from,
                   std::type_identity_t<T> alpha = T{1}) {
    detail::ArrayCore& array = this->array();
    detail::scatter_accumulate_cached(array, detail::indices_of(at), from.data(), &alpha,
                                      detail::list_length(array, at.size(), from.size()));
  }
};

/// An epoch in which no element is written by two ranks, and none is read. In builds with TESSERA_CHECKS (the
/// dev preset), the end of the epoch reports ranks whose writes overlap. It is no faster than other puts.
template <Element T, std::size_t N>
class DisjointWrites : public detail::Epoch<T, N> {
 public:
  DisjointWrites(Array<T, N>& array, const EpochOptions& options)
      : detail::Epoch<T, N>(array, detail::Mode::disjoint_writes, options) {}

  /// As Array::put. @onesided
  void put(const Patch<N>& patch, View<const T, N> from) {
    detail::put_disjoint(this->array(), detail::box_of<detail::Lattice>(patch), detail::buffer_of(from));
  }
  /// The same for a slice of the array. @onesided @throws as above, and UsageError for a slice of another array
  /// or of members
  template <std::size_t M>
  void put(const Slice<T, M>& part, std::type_identity_t<View<const T, M>> from) {
    this->of_array(part.core()).put_in_epoch(detail::buffer_of(from));
  }
};

/// Begins an epoch. @collective @throws UsageError if another epoch of the array has not ended, or ranks
/// disagree; MemoryError if there is not enough memory
template <Element T, std::size_t N>
ReadOnly<T, N> read_only(Array<T, N>& array, const EpochOptions& options = {}) {
  return {array, options};
}
template <Arithmetic T, std::size_t N>
AccumulateOnly<T, N> accumulate_only(Array<T, N>& array, const EpochOptions& options = {}) {
  return {array, options};
}
template <Element T, std::size_t N>
DisjointWrites<T, N> disjoint_writes(Array<T, N>& array) {
  return {array, {}};
}

}  // namespace tessera
