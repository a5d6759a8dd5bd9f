// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>
#include <string_view>

#include <tessera/detail/layout_core.hpp>
#include <tessera/runtime/segment.hpp>

namespace tessera::detail {

/// What an element of an array is.
struct ElementType {
  ElementKind kind;
  index_t size;
  friend bool operator==(const ElementType&, const ElementType&) = default;
};

/// "float64", or "bytes of size 24". @local
std::string to_string(const ElementType& type);

/// Local memory with a run-time number of dimensions: what a View is to the core. Strides in elements.
template <class Pointer>
struct Buffer {
  Pointer data;
  const index_t* extents;
  const index_t* strides;
};

/// An array with run-time rank and element type: all that Array<T, N> does, and what interfaces from other
/// languages stand on. Patches and positions are arrays of rank() numbers.
class ArrayCore {
 public:
  /// @collective @throws as Segment, and UsageError if the layout differs between ranks or has more ranks than
  /// the group.
  ArrayCore(const Group& group, LayoutCore layout, ElementType type, std::string_view name);

  const Group& group() const noexcept { return segment_.group(); }
  const LayoutCore& layout() const noexcept { return layout_; }
  const ElementType& type() const noexcept { return type_; }
  const std::string& name() const noexcept { return segment_.name(); }
  int rank() const noexcept { return layout_.rank(); }

  /// @onesided @completion as Segment::put
  void put(const Box& patch, const Buffer<const void*>& from);
  /// @onesided @completion as Segment::get
  void get(const Box& patch, const Buffer<void*>& into) const;
  /// @onesided @completion as Segment::accumulate
  void accumulate(const Box& patch, const Buffer<const void*>& from, const void* alpha);
  /// One element. @onesided
  void load(const index_t* at, void* value) const;
  void store(const index_t* at, const void* value);
  void fetch_add(const index_t* at, const void* value, void* result);

  void flush() const { segment_.flush(); }
  void flush(int rank) const { segment_.flush(rank); }
  void sync() const { segment_.sync(); }
  void close() { segment_.close(); }

  /// This rank's own elements, as the dense array local_shape() says; null if it has none. @local
  void* local_data() const;
  const LocalShape& local_shape() const noexcept { return local_; }
  void order_local_access() const { segment_.order_local_access(); }
  /// Throws UsageError unless the array is usable. @local
  void require_open() const;

 private:
  void check_element(const index_t* at) const;
  template <class Pointer, class F>
  void for_each_transfer(const Box& patch, const Buffer<Pointer>& buffer, F&& f) const;

  LayoutCore layout_;
  ElementType type_;
  Segment segment_;
  LocalShape local_;
};

}  // namespace tessera::detail
