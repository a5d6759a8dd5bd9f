// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <set>

#include <tessera/matrix.hpp>

#include "record_array.hpp"
#include "typed_vectors.hpp"

namespace tessera::stress {

namespace {

template <std::size_t N>
std::unique_ptr<AnyArray> make_of_rank(const Group& group, const std::string& name, const Line& line) {
  const auto extents = to<Extents<N>>(line.numbers("extents"));
  return std::make_unique<RecordArray<N>>(group, make_layout<N>(line, extents, group.size()),
                                          options_of<N>(line, name));
}

// Applies a function to each member of a record, for transform().
template <class F>
struct EachMember {
  F f;
  Record operator()(const Record& x) const {
    return record_of([&](index_t member) { return f(member_of(x, member)); });
  }
  Record operator()(const Record& x, const Record& y) const {
    return record_of([&](index_t member) { return f(member_of(x, member), member_of(y, member)); });
  }
};
template <class F>
EachMember<F> each_member(F f) {
  return {f};
}

template <std::size_t N>
Slice<Record, N> slice_of_operand(const Operand& operand) {
  if (auto* same = dynamic_cast<RecordArray<N>*>(operand.array)) return same->slice(operand.part);
  if constexpr (N < max_record_dimensions) {
    if (auto* larger = dynamic_cast<RecordArray<N + 1>*>(operand.array))
      return larger->fixed_slice(operand.part);
  }
  throw std::invalid_argument("an operand of another type or number of dimensions");
}

template <std::size_t N>
void move_records(const Line& line, const std::vector<Operand>& operands) {
  const std::string& verb = line.verb;
  const auto x = slice_of_operand<N>(operands[0]);
  if (verb == "reshape" && operands[1].dimensions != N) return reshape(x, slice_of_operand<1>(operands[1]));
  if constexpr (N == 2) {
    if (verb == "transpose") return transpose(x, slice_of_operand<N>(operands[1]));
  }
  const auto last = slice_of_operand<N>(operands.back());
  const auto value = static_cast<double>(line.number("alpha"));
  if (verb == "fill") return fill(x, record_of([&](index_t) { return value; }));
  if (verb == "copy" || verb == "permute") return copy(x, last);
  if (verb == "reshape") return reshape(x, last);
  if (verb == "transform") return transform(x, each_member([](const Number& a) { return Number(2) - a; }));
  if (verb == "transform2")
    return transform(x, last, each_member([](const Number& a) { return a + a + Number(1); }));
  if (verb == "transform3")
    return transform(x, slice_of_operand<N>(operands[1]), last,
                     each_member([](const Number& a, const Number& b) { return a - b; }));
  throw std::invalid_argument("records have no " + verb);
}

}  // namespace

std::unique_ptr<AnyArray> make_records(const Group& group, const std::string& name, const Line& line) {
  const std::size_t rank = line.numbers("extents").size();
  if (rank == 1) return make_of_rank<1>(group, name, line);
  if (rank == 2) return make_of_rank<2>(group, name, line);
  return make_of_rank<3>(group, name, line);
}

Values compute_records(std::size_t rank, const Line& line, const std::vector<Operand>& operands) {
  if (rank == 1) {
    if (const auto moved =
            move_vector<Record>(line, slice_of_operand<1>(operands[0]), slice_of_operand<1>(operands.back())))
      return *moved;
    move_records<1>(line, operands);
  } else if (rank == 2) {
    move_records<2>(line, operands);
  } else {
    move_records<3>(line, operands);
  }
  return {};
}

bool suits_records(const std::string& verb) {
  static const std::set<std::string> suitable{
      "array",   "duplicate", "redistribute", "close",          "drop",         "move",       "put",
      "get",     "acc",       "gather",       "scatter",        "load",         "store",      "outside",
      "wait",    "flush",     "sync",         "put_periodic",   "get_periodic", "read_epoch", "write_local",
      "acc_all", "put_all",   "write_epoch",  "locked_add_all", "fill",         "copy",       "permute",
      "reshape", "transform", "transform2",   "transform3",     "transpose",    "spread",     "pack",
      "unpack",  "sort_by",   "update_ghosts"};
  return suitable.count(verb) != 0;
}

}  // namespace tessera::stress
