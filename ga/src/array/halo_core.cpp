// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/detail/halo_core.hpp>

#include <algorithm>
#include <utility>

#include <tessera/core/agreed.hpp>
#include <tessera/runtime/detail/fingerprint.hpp>

#include "base/at.hpp"
#include "format.hpp"
#include "ghosts/ghosts.hpp"

namespace tessera::detail {
namespace {

[[noreturn]] void refuse(std::string_view name, const SliceCore& slice, const std::string& why) {
  throw UsageError(formatted("halo \"{}\": {} {}", name, slice.description(), why));
}

// Widths on one side, which the array must have.
Coordinates widths(std::string_view name, const SliceCore& slice, const std::optional<Coordinates>& asked,
                   const char* side) {
  const Coordinates& most = slice.array().layout().ghosts();
  if (!asked) return most;
  Coordinates widths{};
  for (int d = 0; d < slice.rank(); ++d) {
    widths[at(d)] = (*asked)[at(d)];
    if (widths[at(d)] >= 0 && widths[at(d)] <= most[at(d)]) continue;
    refuse(name, slice,
           formatted("cannot update {} ghost cells on the {} side of dimension {}: it has {} there",
                     widths[at(d)], side, d, most[at(d)]));
  }
  return widths;
}

GhostField field_of(std::string_view name, const HaloOperand& operand) {
  const SliceCore& slice = operand.slice;
  const ArrayCore& array = slice.array();
  array.require_open();
  if (!array.layout().has_ghosts())
    refuse(name, slice, "has no ghost cells; give the array ArrayOptions::ghosts");
  const std::optional<Box> patch = slice.as_patch();
  if (!patch)
    refuse(name, slice, "is permuted, stepped or held at a position; only patches and members take part");
  for (int d = 0; d < slice.rank(); ++d) {
    const bool is_all = patch->lo[at(d)] == 0 && patch->hi[at(d)] == array.layout().dims()[at(d)];
    if (!is_all && array.layout().ghosts()[at(d)] > 0)
      refuse(name, slice, formatted("has not all of dimension {}, which has ghost cells", d));
  }
  const HaloShape shape{widths(name, slice, operand.low, "low"), widths(name, slice, operand.high, "high"),
                        operand.corners, *patch};
  return {GhostPieces(*array.layout().grid(), array.periodic(), shape), array.type(), slice.field(),
          slice.type().kind};
}

// Why the ghost cells of an operand cannot be added to elements; empty if they can.
std::string reason_against_sums(const HaloOperand& operand) {
  const SliceCore& slice = operand.slice;
  if (slice.type().kind == ElementKind::bytes)
    return formatted("{} has elements that are no numbers; name their members", slice.description());
  const index_t size = size_of(slice.type().kind);
  if ((slice.field().offset | slice.array().type().size) % size == 0) return {};
  return formatted("{} does not always lie at multiples of {} bytes; align the member (alignas)",
                   slice.description(), size);
}

}  // namespace

HaloCore::HaloCore(const std::vector<HaloOperand>& operands, std::string_view name) : name_(name) {
  if (operands.empty()) throw UsageError(formatted("halo \"{}\" has no arrays", name_));
  const Group group = operands.front().slice.array().group();
  std::vector<GhostField> fields;
  Fingerprint print;
  for (const HaloOperand& operand : operands) {
    fields.push_back(field_of(name_, operand));
    ArrayCore& array = operand.slice.array();
    if (!(array.group() == group))
      refuse(name_, operand.slice,
             formatted("is of another group than {}", operands.front().slice.description()));
    const auto known = std::find_if(members_.begin(), members_.end(),
                                    [&](const Member& member) { return member.array == &array; });
    fields.back().array = static_cast<std::size_t>(known - members_.begin());
    if (known == members_.end()) members_.push_back({&array, array.layout()});
    if (operand.finish) finish_.push_back(operand.finish);
    print.add(operand.slice.fingerprint()).add(static_cast<int>(operand.corners));
    for (int d = 0; d < operand.slice.rank(); ++d) {
      print.add(operand.low ? (*operand.low)[at(d)] : index_t{-1});
      print.add(operand.high ? (*operand.high)[at(d)] : index_t{-1});
    }
    if (not_added_.empty()) not_added_ = reason_against_sums(operand);
  }
  group.check_agreement(formatted("halo \"{}\"", name_), print.value());
  agreed(group, formatted("halo \"{}\"", name_), [&] {
    for (const HaloOperand& operand : operands) {
      if (operand.check) operand.check();
    }
  });
  segments_.resize(members_.size());
  exchange_ = std::make_unique<Ghosts>(group, std::move(fields), name_);
}

HaloCore::~HaloCore() = default;

Ghosts& HaloCore::ready(const char* call) {
  if (!exchange_) throw UsageError(formatted("{}: halo \"{}\" is closed", call, name_));
  if (exchange_->is_under_way())
    throw UsageError(formatted("{}: another update of halo \"{}\" has not been waited for", call, name_));
  for (std::size_t i = 0; i < members_.size(); ++i) {
    ArrayCore& array = *members_[i].array;
    array.require_open();
    if (!(array.layout() == members_[i].layout)) {
      throw UsageError(formatted(
          "{}: array \"{}\" of halo \"{}\" has another layout than when the halo was made; make a new halo "
          "after redistribute",
          call, array.name(), name_));
    }
    array.end_epoch();
    segments_[i] = &array.segment();
  }
  return *exchange_;
}

void HaloCore::finish() const {
  for (const auto& finish : finish_) finish();
}

void HaloCore::update(GhostMethod method) {
  ready("update").update(segments_, {}, method);
  finish();
}

void HaloCore::begin() { ready("update_async").begin(segments_, {}); }

bool HaloCore::test() {
  if (!exchange_->test(segments_)) return false;
  finish();
  return true;
}

void HaloCore::end() {
  exchange_->end(segments_);
  finish();
}

void HaloCore::accumulate() {
  if (!not_added_.empty()) throw UsageError(formatted("accumulate of halo \"{}\": {}", name_, not_added_));
  ready("accumulate").accumulate(segments_);
}

void HaloCore::close() {
  if (!exchange_) throw UsageError(formatted("close: halo \"{}\" is closed", name_));
  if (exchange_->is_under_way())
    throw UsageError(formatted("close: an update of halo \"{}\" has not been waited for", name_));
  exchange_->close();
  exchange_.reset();
}

}  // namespace tessera::detail
