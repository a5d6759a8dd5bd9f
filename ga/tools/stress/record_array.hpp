// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <stdexcept>

#include "typed_array.hpp"

namespace tessera::stress {

/// An element with members of several types, and with padding between them. The complex one is not aligned to
/// its size.
struct Record {
  std::int32_t count;
  std::complex<float> phase;
  double mass;
  float weight;
};

/// Calls use(pointer to member) for a member by its number.
template <class Use>
void with_member(index_t member, Use&& use) {
  if (member == 0) return use(&Record::count);
  if (member == 1) return use(&Record::phase);
  if (member == 2) return use(&Record::mass);
  use(&Record::weight);
}
inline Number member_of(const Record& record, index_t member) {
  Number value;
  with_member(member, [&](auto pointer) { value = number(record.*pointer); });
  return value;
}
inline void set_member(Record& record, index_t member, const Number& value) {
  with_member(member, [&](auto pointer) {
    record.*pointer = element<std::remove_cvref_t<decltype(record.*pointer)>>(value);
  });
}

/// An array of records of N dimensions. For scripts and the model it has one dimension more, the last, along
/// which the members of a record lie: a part with some of them is put, got or accumulated field by field.
template <std::size_t N>
class RecordArray final : public AnyArray {
 public:
  RecordArray(const Group& group, const Layout<N>& layout, const ArrayOptions<N>& options)
      : array_(group, layout, options) {}
  explicit RecordArray(Array<Record, N>&& array) : array_(std::move(array)) {}

  std::unique_ptr<AnyArray> duplicate(const std::string& name) const override {
    return std::make_unique<RecordArray>(array_.duplicate(name));
  }
  void redistribute(const Line& line) override {
    array_.redistribute(make_layout<N>(line, array_.dims(), array_.group().size()));
  }
  void close() override { array_.close(); }
  void sync() override { array_.sync(); }
  void flush(int rank) override {
    if (rank < 0) return array_.flush();
    array_.flush(rank);
  }

  void put(const Part& part, const Values& values, const std::string& how) override {
    const Fields fields = fields_of(part);
    if (fields.are_all() && how != "strided") return array_.put(fields.patch, records(fields, values));
    for_each_field(fields, values, how,
                   [&](auto member, auto view) { array_.put_field(fields.patch, member, view); });
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
    if (fields.are_all() && how != "strided") {
      LocalArray<Record, N> into(fields.patch.extents());
      array_.get(fields.patch, into);
      return arrive(values(fields, into), how);
    }
    Values all(fields.size());
    for (index_t f = fields.first; f < fields.last; ++f)
      with_member(f, [&]<class F>(F Record::*member) {
        Memory<F, N> memory(fields.patch.extents(), how == "strided");
        array_.get_field(fields.patch, member, memory.view());
        std::size_t k = fields.begin_of(f);
        for (const Number& value : memory.values()) all[std::exchange(k, k + fields.count())] = value;
      });
    return arrive(std::move(all), how);
  }
  std::vector<Values> wait() override { return std::exchange(arrived_, {}); }
  Values gather(const std::vector<Numbers>& at) override {
    std::vector<Index<N>> where;
    for (const Numbers& one : at) where.push_back(to<Index<N>>(Numbers(one.begin(), one.end() - 1)));
    std::vector<Record> into(at.size());
    array_.gather(where, into);
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
    array_.put_notify(fields.patch, records(fields, values), flag);
  }

  Found local(const std::string& how) override {
    Found found;
    for_each_found(array_, how, [&](Numbers at, const Record& value) {
      at.push_back(0);
      for (; at.back() < record_members; ++at.back()) {
        found.at.push_back(at);
        found.values.push_back(member_of(value, at.back()));
      }
    });
    return found;
  }
  void write_local(const std::function<Number(const Numbers&)>& value) override {
    for_each_local(array_, [&](const Index<N>& index, Record& here) {
      Numbers at = stress::from(index);
      at.push_back(0);
      for (; at.back() < record_members; ++at.back()) set_member(here, at.back(), value(at));
    });
  }
  Values get_read_only(const std::vector<Part>& patches, index_t cache) override {
    auto epoch = read_only(array_, {.cache = cache});
    Values all;
    for (const Part& one : patches) {
      const Fields fields = fields_of(one);
      LocalArray<Record, N> into(fields.patch.extents());
      epoch.get(fields.patch, into);
      for (const Number& value : values(fields, into)) all.push_back(value);
    }
    epoch.end();
    return all;
  }
  void write_disjoint(const Part& part, const Values& values) override {
    auto epoch = disjoint_writes(array_);
    const Fields fields = fields_of(part);
    epoch.put(fields.patch, records(fields, values));
    epoch.end();
  }

  AnyMemory* memory() override { return nullptr; }
  std::vector<Stored> stored() override { return {}; }
  void put_periodic(const Part&, const Values&) override { refuse(); }
  void acc_periodic(const Part&, const Values&, index_t) override { refuse(); }
  Values get_periodic(const Part&) override { refuse(); }
  void scatter(const std::vector<Numbers>&, const Values&) override { refuse(); }
  void scatter_acc(const std::vector<Numbers>&, const Values&, index_t) override { refuse(); }
  Number fetch_add(const Numbers&, Number) override { refuse(); }
  Number exchange(const Numbers&, Number) override { refuse(); }
  Number compare_exchange(const Numbers&, Number, Number) override { refuse(); }
  void update_ghosts(const Line&) override { refuse(); }
  Found with_ghosts(Part&) override { refuse(); }
  void accumulate_only(const std::vector<Part>&, const std::vector<Values>&, index_t) override { refuse(); }

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
        Memory<F, N> memory(fields.patch.extents(), how == "strided", of_field);
        use(member, memory.view());
      });
  }
  static LocalArray<Record, N> records(const Fields& fields, const Values& values) {
    LocalArray<Record, N> all(fields.patch.extents());
    std::size_t k = 0;
    for (Record& one : all)
      for (index_t f = 0; f < record_members; ++f) set_member(one, f, values.at(k++));
    return all;
  }
  static Values values(const Fields& fields, const LocalArray<Record, N>& records) {
    Values all;
    for (const Record& one : records)
      for (index_t f = fields.first; f < fields.last; ++f) all.push_back(member_of(one, f));
    return all;
  }
  // "async" is looked at by wait() only.
  Values arrive(Values&& values, const std::string& how) {
    if (how != "async") return std::move(values);
    arrived_.push_back(std::move(values));
    return {};
  }
  [[noreturn]] static void refuse() { throw std::logic_error("arrays of records do not have this operation"); }

  Array<Record, N> array_;
  std::vector<Values> arrived_;
};

}  // namespace tessera::stress
