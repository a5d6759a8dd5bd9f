// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <optional>
#include <stdexcept>
#include <utility>

#include <tessera/epochs.hpp>

#include "local_access.hpp"
#include "local_memory.hpp"
#include "record.hpp"

namespace tessera::stress {

/// An array of records of N dimensions. For scripts and the model it has one dimension more, the last, along
/// which the members of a record lie. A part with only some members is put, got or accumulated field by field.
/// A part with all members is moved as records, also in steps or in another order.
template <std::size_t N>
class RecordArray final : public AnyArray {
 public:
  RecordArray(const Group& group, const Layout<N>& layout, const ArrayOptions<N>& options)
      : array_(group, layout, options) {}
  explicit RecordArray(Array<Record, N>&& array) : array_(std::move(array)) {}

  /// The operand of an operation on whole arrays.
  Slice<Record, N> slice(const Part& part) { return refine(array_.slice(), without_members(part)); }
  Slice<Record, N - 1> fixed_slice(const Part& part) requires(N > 1) {
    return refine(array_.slice().fix(static_cast<int>(part.fix.at(0)), part.fix.at(1)), without_members(part));
  }

  std::unique_ptr<AnyArray> duplicate(const std::string& name) const override {
    return std::make_unique<RecordArray>(array_.duplicate(name));
  }
  void redistribute(const Line& line) override {
    array_.redistribute(make_layout<N>(line, array_.dims(), array_.group().size()));
  }
  void move() override {
    Array<Record, N> elsewhere(std::move(array_));
    array_ = std::move(elsewhere);
  }
  void close() override { array_.close(); }
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
    const Fields fields = fields_of(part);
    if (!fields.are_all() || (how == "strided" && is_plain(part)))
      return for_each_field(fields, values, how,
                            [&](auto member, auto view) { array_.put_field(fields.patch, member, view); });
    const Slice<Record, N> target = slice(part);
    auto memory = std::make_unique<Memory<Record, N>>(target.dims(), how);
    fill_records(memory->view(), values);
    if (how == "async" || how == "detached") {
      Request request = is_plain(part) ? array_.put_async(fields.patch, memory->view())
                                       : target.put_async(Patch<N>::whole(target.dims()), memory->view());
      if (how == "async") return transfers_.push_back({std::move(memory), std::move(request), false});
      std::move(request).detach();
      return kept_.push_back(std::move(memory));
    }
    if (is_plain(part)) return array_.put(fields.patch, memory->view());
    target.put(memory->view());
  }
  void accumulate(const Part& part, const Values& values, const Line& line) override {
    const Fields fields = fields_of(part);
    for_each_field(fields, values, line.word("how"), [&](auto member, auto view) {
      using F = typename decltype(view)::value_type;
      array_.acc_field(fields.patch, member, view, element<F>(static_cast<double>(line.number("alpha", 1))));
    });
  }
  Values get(const Part& part, const std::string& how) override {
    const Fields fields = fields_of(part);
    if (!fields.are_all() || (how == "strided" && is_plain(part))) {
      Values all = get_fields(fields, how);
      if (how != "async") return all;
      transfers_.push_back({nullptr, {}, true, std::move(all)});  // wait() returns them
      return {};
    }
    const Slice<Record, N> source = slice(part);
    auto memory = std::make_unique<Memory<Record, N>>(source.dims(), how);
    if (how == "async") {
      Request request = is_plain(part) ? array_.get_async(fields.patch, memory->view())
                                       : source.get_async(Patch<N>::whole(source.dims()), memory->view());
      transfers_.push_back({std::move(memory), std::move(request), true});
      return {};
    }
    is_plain(part) ? array_.get(fields.patch, memory->view()) : source.get(memory->view());
    return values_in(memory->view());
  }
  std::vector<Values> wait(const std::string& how) override {
    std::vector<Values> arrived;
    for (Transfer& transfer : transfers_) {
      while (how == "test" && !transfer.request.test()) {
      }
      transfer.request.wait();
      if (transfer.is_get)
        arrived.push_back(transfer.memory ? values_in(transfer.memory->view()) : std::move(transfer.values));
    }
    transfers_.clear();
    return arrived;
  }

  void put_periodic(const Part& part, const Values& values) override {
    const Fields fields = fields_of(part);
    LocalArray<Record, N> from(fields.patch.extents());
    fill_records(from.view(), values);
    array_.put_periodic(fields.patch, from);
  }
  Values get_periodic(const Part& part) override {
    const Fields fields = fields_of(part);
    LocalArray<Record, N> into(fields.patch.extents());
    array_.get_periodic(fields.patch, into);
    return values_in(into.view());
  }
  // The positions of all members of a record follow one another.
  void scatter(const std::vector<Numbers>& at, const Values& values, const VectorOptions& options) override {
    std::vector<Index<N>> where;
    std::vector<Record> from;
    for (std::size_t k = 0; k < at.size(); k += record_members) {
      where.push_back(to<Index<N>>(Numbers(at[k].begin(), at[k].end() - 1)));
      from.push_back(
          record_of([&](index_t member) { return values.at(k + static_cast<std::size_t>(member)); }));
    }
    array_.scatter(where, from, options);
  }
  Values gather(const std::vector<Numbers>& at, const VectorOptions& options) override {
    std::vector<Index<N>> where;
    for (const Numbers& one : at) where.push_back(to<Index<N>>(Numbers(one.begin(), one.end() - 1)));
    std::vector<Record> into(at.size());
    array_.gather(where, into, options);
    Values all;
    for (std::size_t k = 0; k < at.size(); ++k) all.push_back(member_of(into[k], at[k].back()));
    return all;
  }
  void store(const Numbers& at, Number value) override { put(element_at(at), {value}, "dense"); }
  Number load(const Numbers& at) override {
    return member_of(array_.load(to<Index<N>>(Numbers(at.begin(), at.end() - 1))), at.back());
  }
  void put_notify(const Part& part, const Values& values, const Flag& flag) override {
    const Fields fields = fields_of(part);
    LocalArray<Record, N> from(fields.patch.extents());
    fill_records(from.view(), values);
    array_.put_notify(fields.patch, from, flag);
  }

  Found local(const std::string& how) override {
    Found found;
    for_each_found(array_, how, [&](Numbers at, const Record& value) { add_to(found, at, value); });
    return found;
  }
  void write_local(const std::function<Number(const Numbers&)>& value, const std::string& how) override {
    write_elements(array_, how, [&](Numbers at, Record& here) {
      at.push_back(0);
      for (; at.back() < record_members; ++at.back()) set_member(here, at.back(), value(at));
    });
  }
  void update_ghosts(const Line& line) override { stress::update_ghosts(array_, line); }
  void begin_update_ghosts(const Line& line) override {
    update_.emplace(array_.update_ghosts_async(corners_of(line)));
  }
  void end_update_ghosts(bool tests) override { end_update(update_, tests); }
  Found with_ghosts(Part& block) override {
    Found found;
    for_each_with_ghosts(array_, block, [&](Numbers at, const Record& value) { add_to(found, at, value); });
    if (block.lo.empty()) return found;
    block.lo.push_back(0);
    block.hi.push_back(record_members);
    return found;
  }
  Values get_read_only(const std::vector<Part>& patches, const Line& line) override {
    auto epoch = read_only(array_, {.cache = line.number("cache", default_cache)});
    Values all;
    for (const Part& one : patches) {
      const Fields fields = fields_of(one);
      const auto records = epoch.get(fields.patch);
      for (const Record& record : records)
        for (index_t f = fields.first; f < fields.last; ++f) all.push_back(member_of(record, f));
    }
    end(epoch, line);
    return all;
  }
  void write_disjoint(const Part& part, const Values& values, const Line& line) override {
    auto epoch = disjoint_writes(array_);
    const Fields fields = fields_of(part);
    LocalArray<Record, N> from(fields.patch.extents());
    fill_records(from.view(), values);
    epoch.put(fields.patch, from);
    end(epoch, line);
  }

  AnyMemory* memory(const Runtime&) override { return nullptr; }
  std::vector<Stored> stored(const Runtime&) override { return {}; }
  void acc_periodic(const Part&, const Values&, index_t) override { refuse(); }
  void scatter_acc(const std::vector<Numbers>&, const Values&, index_t, const VectorOptions&) override {
    refuse();
  }
  Number fetch_op(const Numbers&, Update, Number) override { refuse(); }
  Number compare_exchange(const Numbers&, Number, Number) override { refuse(); }
  void accumulate_only(const std::vector<Part>&, const std::vector<Values>&, const Line&) override { refuse(); }

 private:
  // The members [first, last) of the records of a patch.
  struct Fields {
    Patch<N> patch;
    index_t first, last;
    bool are_all() const { return first == 0 && last == record_members; }
    std::size_t count() const { return static_cast<std::size_t>(last - first); }
    std::size_t size() const { return static_cast<std::size_t>(patch.size()) * count(); }
    std::size_t begin_of(index_t member) const { return static_cast<std::size_t>(member - first); }
  };
  Fields fields_of(const Part& part) const {
    if (part.lo.empty()) return {Patch<N>::whole(array_.dims()), 0, record_members};
    return {{to<Index<N>>(Numbers(part.lo.begin(), part.lo.end() - 1)),
             to<Index<N>>(Numbers(part.hi.begin(), part.hi.end() - 1))},
            part.lo.back(),
            part.hi.back()};
  }
  static Part element_at(const Numbers& at) {
    Part part{at, at, {}, {}, {}};
    for (index_t& end : part.hi) ++end;
    return part;
  }
  // Calls use(pointer to member, view of its values) for each field.
  template <class Use>
  static void for_each_field(const Fields& fields, const Values& values, const std::string& how, Use&& use) {
    for (index_t f = fields.first; f < fields.last; ++f)
      with_member(f, [&]<class F>(F Record::*member) {
        Values of_field;
        for (std::size_t k = fields.begin_of(f); k < values.size(); k += fields.count())
          of_field.push_back(values[k]);
        Memory<F, N> memory(fields.patch.extents(), how, of_field);
        use(member, memory.view());
      });
  }
  Values get_fields(const Fields& fields, const std::string& how) const {
    Values all(fields.size());
    for (index_t f = fields.first; f < fields.last; ++f)
      with_member(f, [&]<class F>(F Record::*member) {
        Memory<F, N> memory(fields.patch.extents(), how);
        array_.get_field(fields.patch, member, memory.view());
        std::size_t k = fields.begin_of(f);
        for (const Number& value : memory.values()) all[std::exchange(k, k + fields.count())] = value;
      });
    return all;
  }
  static void fill_records(const View<Record, N>& view, const Values& values) {
    std::size_t k = 0;
    for (const Numbers& at : positions(stress::from(view.extents())))
      view[to<Index<N>>(at)] = record_of([&](index_t) { return values.at(k++); });
  }
  static Values values_in(const View<const Record, N>& view) {
    Values all;
    for (const Numbers& at : positions(stress::from(view.extents())))
      for (index_t f = 0; f < record_members; ++f) all.push_back(member_of(view[to<Index<N>>(at)], f));
    return all;
  }
  static Values values_in(const View<Record, N>& view) {
    return values_in(View<const Record, N>(view.data_handle(), view.extents(), view.strides()));
  }
  static void add_to(Found& found, Numbers at, const Record& record) {
    at.push_back(0);
    for (; at.back() < record_members; ++at.back()) {
      found.at.push_back(at);
      found.values.push_back(member_of(record, at.back()));
    }
  }
  static bool is_plain(const Part& part) { return !part.lo.empty() && part.step.empty() && part.order.empty(); }
  // Ends an epoch explicitly, or by the array's next collective call.
  template <class Epoch>
  void end(Epoch& epoch, const Line& line) {
    line.number("end", 1) != 0 ? epoch.end() : array_.sync();
  }
  [[noreturn]] static void refuse() { throw std::logic_error("arrays of records do not have this operation"); }

  struct Transfer {
    std::unique_ptr<Memory<Record, N>> memory;  // outlives the request; null if it is done
    Request request;
    bool is_get;
    Values values = {};
  };

  std::vector<std::unique_ptr<Memory<Record, N>>> kept_;  // until the next flush or synchronisation
  Array<Record, N> array_;
  std::vector<Transfer> transfers_;
  std::optional<GhostUpdate> update_;
};

}  // namespace tessera::stress
