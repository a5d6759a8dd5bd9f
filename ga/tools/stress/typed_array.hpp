// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <optional>
#include <utility>

#include <tessera/epochs.hpp>

#include "any_array.hpp"
#include "array_memory.hpp"
#include "local_access.hpp"
#include "local_memory.hpp"

namespace tessera::stress {

template <class T, std::size_t N>
class TypedArray final : public AnyArray {
 public:
  TypedArray(const Group& group, const Layout<N>& layout, const ArrayOptions<N>& options)
      : array_(group, layout, options) {}
  TypedArray(std::unique_ptr<ArrayMemory<T>>&& memory, const Layout<N>& layout, const ArrayOptions<N>& options)
      : memory_(std::move(memory)), array_(memory_->segment(), memory_->offset(), layout, options) {}
  explicit TypedArray(Array<T, N>&& array) : array_(std::move(array)) {}

  Array<T, N>& array() { return array_; }
  /// The operand of an operation on whole arrays.
  Slice<T, N> slice(const Part& part) { return refine(array_.slice(), part); }
  Slice<T, N - 1> fixed_slice(const Part& part) requires(N > 1) {
    return refine(array_.slice().fix(static_cast<int>(part.fix.at(0)), part.fix.at(1)), part);
  }

  std::unique_ptr<AnyArray> duplicate(const std::string& name) const override {
    return std::make_unique<TypedArray>(array_.duplicate(name));
  }
  void redistribute(const Line& line) override {
    located_.reset();
    array_.redistribute(make_layout<N>(line, array_.dims(), array_.group().size()));
    if (memory_) memory_->close();  // the array no longer uses it
    memory_.reset();
  }
  void move() override {
    Array<T, N> elsewhere(std::move(array_));
    array_ = std::move(elsewhere);
  }
  void close() override {
    located_.reset();
    array_.close();
    if (memory_) memory_->close();
  }
  void sync() override {
    array_.sync();
    kept_.clear();
  }
  void flush(int rank) override {
    if (rank >= 0) return array_.flush(rank);
    array_.flush();
    kept_.clear();
  }

  void put(const Part& part, const Values& values, const std::string& how) override {
    const Slice<T, N> target = slice(part);
    auto memory = std::make_unique<Memory<T, N>>(target.dims(), how, values);
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
    auto memory = std::make_unique<Memory<T, N>>(target.dims(), how, values);
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
    auto memory = std::make_unique<Memory<T, N>>(source.dims(), how);
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
  std::vector<Values> wait(const std::string& how) override {
    std::vector<Values> arrived;
    if (how == "together") {
      Request all;
      for (Transfer& transfer : transfers_) all += std::move(transfer.request);
      wait_all({&all, 1});
    }
    for (Transfer& transfer : transfers_) {
      while (how == "test" && !transfer.request.test()) {
      }
      transfer.request.wait();
      if (transfer.is_get) arrived.push_back(transfer.memory->values());
    }
    transfers_.clear();
    return arrived;
  }

  void put_periodic(const Part& part, const Values& values) override {
    Memory<T, N> memory(patch(part).extents(), "dense", values);
    array_.put_periodic(patch(part), memory.view());
  }
  void acc_periodic(const Part& part, const Values& values, index_t alpha) override {
    Memory<T, N> memory(patch(part).extents(), "dense", values);
    array_.acc_periodic(patch(part), memory.view(), element<T>(static_cast<double>(alpha)));
  }
  Values get_periodic(const Part& part) override {
    Memory<T, N> memory(patch(part).extents(), "dense");
    array_.get_periodic(patch(part), memory.view());
    return memory.values();
  }
  void scatter(const std::vector<Numbers>& at, const Values& values, const VectorOptions& options) override {
    array_.scatter(indices(at), elements(values), options);
  }
  void scatter_acc(const std::vector<Numbers>& at, const Values& values, index_t alpha,
                   const VectorOptions& options) override {
    array_.scatter_acc(indices(at), elements(values), element<T>(static_cast<double>(alpha)), options);
  }
  Values gather(const std::vector<Numbers>& at, const VectorOptions& options) override {
    std::vector<T> into(at.size());
    array_.gather(indices(at), into, options);
    Values all;
    for (const T& value : into) all.push_back(number(value));
    return all;
  }
  void store(const Numbers& at, Number value) override { array_.store(to<Index<N>>(at), element<T>(value)); }
  Number load(const Numbers& at) override { return number(array_.load(to<Index<N>>(at))); }
  Number fetch_op(const Numbers& at, Update update, Number value) override {
    const auto where = to<Index<N>>(at);
    if (update == Update::sum) return number(array_.fetch_add(where, element<T>(value)));
    if (update == Update::replace) return number(array_.exchange(where, element<T>(value)));
    return number(array_.fetch_op(where, update, element<T>(value)));
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
    Memory<T, N> memory(patch(part).extents(), "dense", values);
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
  void write_local(const std::function<Number(const Numbers&)>& value, const std::string& how) override {
    write_elements(array_, how, [&](const Numbers& at, T& here) { here = element<T>(value(at)); });
  }
  void update_ghosts(const Line& line) override { stress::update_ghosts(array_, line); }
  void begin_update_ghosts(const Line& line) override {
    update_.emplace(array_.update_ghosts_async(corners_of(line)));
  }
  void end_update_ghosts(bool tests) override { end_update(update_, tests); }
  Found with_ghosts(Part& block) override {
    Found found;
    for_each_with_ghosts(array_, block, [&](const Numbers& at, const T& value) {
      found.at.push_back(at);
      found.values.push_back(number(value));
    });
    return found;
  }

  AnyMemory* memory(const Runtime& runtime) override { return typed_memory(runtime); }
  std::vector<Stored> stored(const Runtime& runtime) override {
    std::vector<Stored> all;
    const int me = array_.group().rank();
    for (index_t b = 0; b < array_.layout().block_count(me); ++b) {
      const Patch<N> block = array_.layout().block(me, b);
      for (Numbers at : positions(stress::from(block.extents()))) {
        for (std::size_t d = 0; d < N; ++d) at[d] += block.lo[d];
        all.push_back({me, typed_memory(runtime)->number_of(array_.address(to<Index<N>>(at))), at});
      }
    }
    return all;
  }

  Values get_read_only(const std::vector<Part>& patches, const Line& line) override {
    auto epoch = read_only(array_, {.cache = line.number("cache", default_cache)});
    Values all;
    for (const Part& one : patches) {
      if (patch(one).size() == 1) {
        all.push_back(number(epoch.load(patch(one).lo)));
        continue;
      }
      Memory<T, N> memory(patch(one).extents(), "dense");
      epoch.get(patch(one), memory.view());
      for (const Number& value : memory.values()) all.push_back(value);
    }
    end(epoch, line);
    return all;
  }
  void accumulate_only(const std::vector<Part>& patches, const std::vector<Values>& values,
                       const Line& line) override {
    auto epoch = tessera::accumulate_only(array_, {.cache = line.number("cache", default_cache)});
    for (std::size_t k = 0; k < patches.size(); ++k) {
      if (line.number("seed") % 3 == 0) {
        std::vector<Index<N>> at;
        for (const Numbers& one : positions(stress::from(patch(patches[k]).extents()))) {
          at.push_back(to<Index<N>>(one));
          for (std::size_t d = 0; d < N; ++d) at.back()[d] += patch(patches[k]).lo[d];
        }
        epoch.scatter_acc(at, elements(values[k]));
        continue;
      }
      Memory<T, N> memory(patch(patches[k]).extents(), "dense", values[k]);
      epoch.acc(patch(patches[k]), memory.view());
    }
    end(epoch, line);
  }
  void write_disjoint(const Part& part, const Values& values, const Line& line) override {
    auto epoch = disjoint_writes(array_);
    Memory<T, N> memory(patch(part).extents(), "dense", values);
    epoch.put(patch(part), memory.view());
    end(epoch, line);
  }

 private:
  struct Transfer {
    std::unique_ptr<Memory<T, N>> memory;  // outlives the request
    Request request;
    bool is_get;
  };

  ArrayMemory<T>* typed_memory(const Runtime& runtime) {
    if (memory_) return memory_.get();
    if (!located_) located_ = locate_memory(runtime, array_);
    return located_.get();
  }
  // Ends an epoch explicitly, or by the array's next collective call.
  template <class Epoch>
  void end(Epoch& epoch, const Line& line) {
    line.number("end", 1) != 0 ? epoch.end() : array_.sync();
  }
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

  std::vector<std::unique_ptr<Memory<T, N>>> kept_;  // until the next flush or synchronisation
  std::unique_ptr<ArrayMemory<T>> memory_;           // null if the array has its own
  std::unique_ptr<ArrayMemory<T>> located_;          // found in that case once a batch asks for it
  Array<T, N> array_;
  std::vector<Transfer> transfers_;
  std::optional<GhostUpdate> update_;
};

/// The array that a line describes, of N dimensions or more. @collective
template <class T, std::size_t N = 1>
std::unique_ptr<AnyArray> make_typed(const Group& group, const std::string& name, const Line& line) {
  const Numbers extents = line.numbers("extents");
  if constexpr (N < max_dimensions_of<T>) {
    if (extents.size() != N) return make_typed<T, N + 1>(group, name, line);
  }
  const ArrayOptions<N> options = options_of<N>(line, name);
  const Layout<N> layout = make_layout<N>(line, to<Extents<N>>(extents), group.size());
  if (!line.has("memory")) return std::make_unique<TypedArray<T, N>>(group, layout, options);
  const index_t bytes = bytes_to_store(layout, options, sizeof(T));
  auto memory =
      std::make_unique<ArrayMemory<T>>(group, line.number("memory"), bytes,
                                       SegmentOptions{.name = "memory of " + name, .domain = options.domain});
  return std::make_unique<TypedArray<T, N>>(std::move(memory), layout, options);
}

}  // namespace tessera::stress
