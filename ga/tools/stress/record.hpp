// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include "any_array.hpp"
#include "elements.hpp"

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
/// A record whose members are f(member) each.
template <class F>
Record record_of(F&& f) {
  Record record{};
  for (index_t member = 0; member < record_members; ++member) set_member(record, member, f(member));
  return record;
}

/// The part of an array of records that a part of its model stands for: without the members.
inline Part without_members(Part part) {
  for (Numbers* each : {&part.lo, &part.hi, &part.step, &part.order})
    if (!each->empty()) each->pop_back();
  return part;
}

}  // namespace tessera::stress
