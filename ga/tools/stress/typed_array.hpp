// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <utility>

#include <tessera/elementwise.hpp>
#include <tessera/epochs.hpp>

#include "any_array.hpp"
#include "array_memory.hpp"
#include "elements.hpp"
#include "layouts.hpp"

namespace tessera::stress {

/// Local memory of a transfer: dense, or with room between its elements.
template <class T, std::size_t N>
class Memory {
 public:
  Memory(const Extents<N>& extents, bool is_strided) : extents_(extents) {
    if (!is_strided) strides_ = dense_strides(extents);
    index_t size = is_strided ? 1 : extents.size();
    for (std::size_t d = 0; d < N && is_strided; ++d) {
      strides_[d] = size * (d == 0 ? 2 : 1);
      size = strides_[d] * (extents[d] + 1);
    }
    memory_.resize(static_cast<std::size_t>(size), element<T>(77));
  }
  Memory(const Extents<N>& extents, bool is_strided, const Values& values) : Memory(extents, is_strided) {
    std::size_t k = 0;
    for (const Numbers& at : positions(stress::from(extents)))
      view()[to<Index<N>>(at)] = element<T>(values.at(k++));
  }
  View<T, N> view() { return {memory_.data(), extents_, strides_}; }
  Values values() {
    Values all;
    for (const Numbers& at : positions(stress::from(extents_))) all.push_back(number(view()[to<Index<N>>(at)]));
    return all;
  }

 private:
  Extents<N> extents_;
  std::array<index_t, N> strides_{};
  std::vector<T> memory_;
};

/// Calls f(position, element) for the elements of a view, whose first is at `corner`.
template <class T, std::size_t N, class F>
void for_each_in_view(const Index<N>& corner, const View<const T, N>& view, F&& f) {
  for (Numbers at : positions(stress::from(view.extents()))) {
    const T& value = view[to<Index<N>>(at)];
    for (std::size_t d = 0; d < N; ++d) at[d] += corner[d];
    f(at, value);
  }
}
/// The same for the elements of this rank, "each" by itself or in blocks; with "node", for those of all ranks
/// that share memory with this one.
template <class T, std::size_t N, class F>
void for_each_found(const Array<T, N>& array, const std::string& how, F&& f) {
  if (how == "each")
    return for_each_local(array, [&](const Index<N>& at, const T& value) { f(stress::from(at), value); });
  const Layout<N> layout = array.layout();
  for (int rank = 0; rank < array.group().size(); ++rank) {
    if (rank != array.group().rank() && (how != "node" || !array.group().on_node(rank))) continue;
    for (index_t b = 0; b < layout.block_count(rank); ++b) {
      const auto access = array.block_of(rank, b);
      for_each_in_view<T, N>(layout.block(rank, b).lo, access.view(), f);
    }
  }
}

template <class T, std::size_t N>
class TypedArray final : public AnyArray {
 public:
  TypedArray(const Group& group, const Layout<N>& layout, const ArrayOptions<N>& options)
      : array_(group, layout, options) {}
  TypedArray(std::unique_ptr<ArrayMemory<T>>&& memory, const Layout<N>& layout, const ArrayOptions<N>& options)
      : memory_(std::move(memory)), array_(memory_->segment(), memory_->offset(), layout, options) {}
  explicit TypedArray(Array<T, N>&& array) : array_(std::move(array)) {}

  Array<T, N>& array() { return array_; }
  /// What an operation takes.
  Slice<T, N> slice(const Part& part) { return refine(array_.slice(), part); }
  Slice<T, N - 1> fixed_slice(const Part& part) requires(N > 1) {
    return TypedArray<T, N - 1>::refine(array_.slice().fix(static_cast<int>(part.fix.at(0)), part.fix.at(1)),
                                        part);
  }
  static Slice<T, N> refine(Slice<T, N> slice, const Part& part) {
    if (!part.lo.empty()) slice = slice.slice(patch(part));
    if (!part.step.empty()) slice = slice.every(to<Extents<N>>(part.step));
    if (!part.order.empty()) slice = slice.permuted(to<DimensionOrder<N>>(part.order));
    return slice;
  }

  std::unique_ptr<AnyArray> duplicate(const std::string& name) const override {
    return std::make_unique<TypedArray>(array_.duplicate(name));
  }
  void redistribute(const Line& line) override {
    array_.redistribute(make_layout<N>(line, array_.dims(), array_.group().size()));
    if (memory_) memory_->close();  // the array has left it
    memory_.reset();
  }
  void close() override {
    array_.close();
    if (memory_) memory_->close();
  }
  void sync() override {
    array_.sync();
    kept_.clear();
  }
  void flush(int rank) override {
    if (rank < 0) return array_.flush();
    array_.flush(rank);
  }

  void put(const Part& part, const Values& values, const std::string& how) override {
    const Slice<T, N> target = slice(part);
    auto memory = std::make_unique<Memory<T, N>>(target.dims(), how == "strided", values);
    if (how == "async" || how == "detached") {
      Request request = is_plain(part) ? array_.put_async(patch(part), memory->view())
                                       : target.put_async(Patch<N>::whole(target.dims()), memory->view());
      return later(std::move(request), std::move(memory), how, false);
    }
    if (is_plain(part)) return array_.put(patch(part), memory->view());
    target.put(memory->view());
  }
  void accumulate(const Part& part, const Values& values, const Line& line) override {
    const Slice<T, N> target = slice(part);
    const std::string how = line.word("how");
    auto memory = std::make_unique<Memory<T, N>>(target.dims(), how == "strided", values);
    const T alpha = element<T>(static_cast<double>(line.number("alpha", 1)));
    if constexpr (RealElement<T>) {
      if (line.word("op") == "min") return array_.acc_min(patch(part), memory->view());
      if (line.word("op") == "max") return array_.acc_max(patch(part), memory->view());
    }
    if (how == "async" || how == "detached") {
      Request request = is_plain(part)
                            ? array_.acc_async(patch(part), memory->view(), alpha)
                            : target.acc_async(Patch<N>::whole(target.dims()), memory->view(), alpha);
      return later(std::move(request), std::move(memory), how, false);
    }
    if (is_plain(part)) return array_.acc(patch(part), memory->view(), alpha);
    target.acc(memory->view(), alpha);
  }
  Values get(const Part& part, const std::string& how) override {
    const Slice<T, N> source = slice(part);
    auto memory = std::make_unique<Memory<T, N>>(source.dims(), how == "strided");
    if (how == "async") {
      Request request = is_plain(part) ? array_.get_async(patch(part), memory->view())
                                       : source.get_async(Patch<N>::whole(source.dims()), memory->view());
      later(std::move(request), std::move(memory), how, true);
      return {};
    }
    if (is_plain(part))
      array_.get(patch(part), memory->view());
    else
      source.get(memory->view());
    return memory->values();
  }
  std::vector<Values> wait() override {
    std::vector<Values> arrived;
    for (Transfer& transfer : transfers_) {
      transfer.request.wait();
      if (transfer.is_get) arrived.push_back(transfer.memory->values());
    }
    transfers_.clear();
    return arrived;
  }

  void put_periodic(const Part& part, const Values& values) override {
    Memory<T, N> memory(patch(part).extents(), false, values);
    array_.put_periodic(patch(part), memory.view());
  }
  void acc_periodic(const Part& part, const Values& values, index_t alpha) override {
    Memory<T, N> memory(patch(part).extents(), false, values);
    array_.acc_periodic(patch(part), memory.view(), element<T>(static_cast<double>(alpha)));
  }
  Values get_periodic(const Part& part) override {
    Memory<T, N> memory(patch(part).extents(), false);
    array_.get_periodic(patch(part), memory.view());
    return memory.values();
  }
  void scatter(const std::vector<Numbers>& at, const Values& values) override {
    array_.scatter(indices(at), elements(values));
  }
  void scatter_acc(const std::vector<Numbers>& at, const Values& values, index_t alpha) override {
    array_.scatter_acc(indices(at), elements(values), element<T>(static_cast<double>(alpha)));
  }
  Values gather(const std::vector<Numbers>& at) override {
    std::vector<T> into(at.size());
    array_.gather(indices(at), into);
    Values all;
    for (const T& value : into) all.push_back(number(value));
    return all;
  }
  void store(const Numbers& at, Number value) override { array_.store(to<Index<N>>(at), element<T>(value)); }
  Number load(const Numbers& at) override { return number(array_.load(to<Index<N>>(at))); }
  Number fetch_add(const Numbers& at, Number value) override {
    return number(array_.fetch_add(to<Index<N>>(at), element<T>(value)));
  }
  Number exchange(const Numbers& at, Number value) override {
    return number(array_.exchange(to<Index<N>>(at), element<T>(value)));
  }
  Number compare_exchange(const Numbers& at, Number expected, Number desired) override {
    if constexpr (IntegerElement<T>) {
      T there = element<T>(expected);
      array_.compare_exchange(to<Index<N>>(at), there, element<T>(desired));
      return number(there);
    } else {
      throw std::invalid_argument("compare_exchange is for integers");
    }
  }
  void put_notify(const Part& part, const Values& values, const Flag& flag) override {
    Memory<T, N> memory(patch(part).extents(), false, values);
    array_.put_notify(patch(part), memory.view(), flag);
  }

  Found local(const std::string& how) override {
    Found found;
    for_each_found(array_, how, [&](const Numbers& at, const T& value) {
      found.at.push_back(at);
      found.values.push_back(number(value));
    });
    return found;
  }
  void write_local(const std::function<Number(const Numbers&)>& value) override {
    for_each_local(array_, [&](const Index<N>& at, T& here) { here = element<T>(value(stress::from(at))); });
  }
  void update_ghosts(const Line& line) override {
    const Corners corners = line.number("corners", 1) != 0 ? Corners::with : Corners::without;
    if (line.has("dimension"))
      return array_.update_ghosts_along(static_cast<int>(line.number("dimension")),
                                        static_cast<Side>(line.number("side", 2)), corners);
    if (line.word("how") == "async") return array_.update_ghosts_async(corners).wait();
    array_.update_ghosts(corners, static_cast<GhostMethod>(line.number("method")));
  }
  Found with_ghosts(Part& block) override {
    Found found;
    const Patch<N> mine = array_.layout().block(array_.group().rank());
    if (mine.empty()) return found;
    block.lo = stress::from(mine.lo);
    block.hi = stress::from(mine.hi);
    Index<N> corner = mine.lo;
    for (std::size_t d = 0; d < N; ++d) corner[d] -= array_.layout().ghosts()[d];
    const auto access = std::as_const(array_).local_with_ghosts();
    for_each_in_view<T, N>(corner, access.view(), [&](const Numbers& at, const T& value) {
      found.at.push_back(at);
      found.values.push_back(number(value));
    });
    return found;
  }

  AnyMemory* memory() override { return memory_.get(); }
  std::vector<Stored> stored() override {
    std::vector<Stored> all;
    if (!memory_) return all;
    const int me = array_.group().rank();
    for (index_t b = 0; b < array_.layout().block_count(me); ++b) {
      const Patch<N> block = array_.layout().block(me, b);
      for (Numbers at : positions(stress::from(block.extents()))) {
        for (std::size_t d = 0; d < N; ++d) at[d] += block.lo[d];
        all.push_back({me, memory_->number_of(array_.address(to<Index<N>>(at))), at});
      }
    }
    return all;
  }

  Values get_read_only(const std::vector<Part>& patches, index_t cache) override {
    auto epoch = read_only(array_, {.cache = cache});
    Values all;
    for (const Part& one : patches) {
      Memory<T, N> memory(patch(one).extents(), false);
      epoch.get(patch(one), memory.view());
      for (const Number& value : memory.values()) all.push_back(value);
    }
    epoch.end();
    return all;
  }
  void accumulate_only(const std::vector<Part>& patches, const std::vector<Values>& values,
                       index_t cache) override {
    auto epoch = tessera::accumulate_only(array_, {.cache = cache});
    for (std::size_t k = 0; k < patches.size(); ++k) {
      Memory<T, N> memory(patch(patches[k]).extents(), false, values[k]);
      epoch.acc(patch(patches[k]), memory.view());
    }
    epoch.end();
  }
  void write_disjoint(const Part& part, const Values& values) override {
    auto epoch = disjoint_writes(array_);
    Memory<T, N> memory(patch(part).extents(), false, values);
    epoch.put(patch(part), memory.view());
    epoch.end();
  }

 private:
  template <class U, std::size_t M>
  friend class TypedArray;
  struct Transfer {
    std::unique_ptr<Memory<T, N>> memory;  // outlives the request
    Request request;
    bool is_get;
  };

  static Patch<N> patch(const Part& part) { return {to<Index<N>>(part.lo), to<Index<N>>(part.hi)}; }
  static bool is_plain(const Part& part) { return !part.lo.empty() && part.step.empty() && part.order.empty(); }
  static std::vector<Index<N>> indices(const std::vector<Numbers>& at) {
    std::vector<Index<N>> all;
    for (const Numbers& one : at) all.push_back(to<Index<N>>(one));
    return all;
  }
  static std::vector<T> elements(const Values& values) {
    std::vector<T> all;
    for (const Number& value : values) all.push_back(element<T>(value));
    return all;
  }
  void later(Request request, std::unique_ptr<Memory<T, N>> memory, const std::string& how, bool is_get) {
    if (how == "detached") {
      std::move(request).detach();
      kept_.push_back(std::move(memory));
    } else {
      transfers_.push_back({std::move(memory), std::move(request), is_get});
    }
  }

  std::vector<std::unique_ptr<Memory<T, N>>> kept_;  // until the next synchronisation
  std::unique_ptr<ArrayMemory<T>> memory_;           // null if the array has its own
  Array<T, N> array_;
  std::vector<Transfer> transfers_;
};

/// The array that a line describes, of N dimensions or more. @collective
template <class T, std::size_t N = 1>
std::unique_ptr<AnyArray> make_typed(const Group& group, const std::string& name, const Line& line) {
  const Numbers extents = line.numbers("extents");
  if constexpr (N < most_dimensions) {
    if (extents.size() != N) return make_typed<T, N + 1>(group, name, line);
  }
  ArrayOptions<N> options{.name = name};
  if (line.word("domain") == "mpi") options.domain = AtomicDomain::mpi;
  const Numbers ghosts = line.numbers("ghosts"), periodic = line.numbers("periodic");
  for (std::size_t d = 0; d < N; ++d) {
    if (d < ghosts.size()) options.ghosts[d] = ghosts[d];
    if (d < periodic.size()) options.periodic[d] = periodic[d] != 0;
  }
  const Layout<N> layout = make_layout<N>(line, to<Extents<N>>(extents), group.size());
  if (!line.has("memory")) return std::make_unique<TypedArray<T, N>>(group, layout, options);
  const index_t bytes = bytes_to_store(layout, options, sizeof(T));
  auto memory =
      std::make_unique<ArrayMemory<T>>(group, line.number("memory"), bytes,
                                       SegmentOptions{.name = "memory of " + name, .domain = options.domain});
  return std::make_unique<TypedArray<T, N>>(std::move(memory), layout, options);
}

}  // namespace tessera::stress
