// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/core/operand_walk.hpp>

#include <tessera/runtime/detail/fingerprint.hpp>

#include "base/patch_text.hpp"
#include "format.hpp"

namespace tessera::detail {
namespace {

void require_alike(std::string_view operation, const SliceCore& first, const SliceCore& other, Shapes shapes,
                   Types types) {
  if (!(other.array().group() == first.array().group())) {
    throw UsageError(formatted("{}: {} and {} are of different groups", operation, first.description(),
                               other.description()));
  }
  if (types == Types::equal && other.type() != first.type()) {
    throw UsageError(formatted("{}: {} is of {} and {} of {}", operation, first.description(),
                               to_string(first.type()), other.description(), to_string(other.type())));
  }
  if (shapes == Shapes::equal && (other.rank() != first.rank() || other.extents() != first.extents())) {
    throw UsageError(formatted("{}: {} has extents {} and {} has {}", operation, first.description(),
                               extents_text(first.extents().data(), first.rank()), other.description(),
                               extents_text(other.extents().data(), other.rank())));
  }
}

template <class Sync>
void settle_by(std::span<const SliceCore> slices, Sync&& sync) {
  for (const SliceCore& slice : slices) {
    slice.array().require_open();
    slice.array().end_epoch();
  }
  sync();
  for (const SliceCore& slice : slices) slice.array().complete_and_order();
}

}  // namespace

void settle(const Group& group, std::span<const SliceCore> slices) {
  settle_by(slices, [&] { group.sync(); });
}

void settle(std::string_view operation, const Group& group, std::span<const SliceCore> slices,
            const Outcome& outcome) {
  settle_by(slices, [&] { outcome.agree_and_sync(group, operation); });
}

void require_operands(std::string_view operation, std::span<const SliceCore> slices, Shapes shapes,
                      Types types) {
  for (const SliceCore& slice : slices) {
    slice.array().require_open();
    require_alike(operation, slices.front(), slice, shapes, types);
  }
}

void require_same_operands(std::string_view operation, std::span<const SliceCore> slices, Shapes shapes,
                           Types types) {
  require_operands(operation, slices, shapes, types);
  const SliceCore& first = slices.front();
  first.array().group().check_agreement([&] {
    Fingerprint print;
    for (const SliceCore& slice : slices) print.add(slice.fingerprint());
    return CollectiveCall{formatted("{} of {}", operation, first.description()), print.value()};
  });
}

void begin_operation(std::string_view operation, std::span<const SliceCore> slices, Shapes shapes,
                     Types types) {
  require_same_operands(operation, slices, shapes, types);
  settle(slices.front().array().group(), slices);
}

void end_operation(const SliceCore& written) {
  written.array().complete_and_order();
  written.array().group().sync();
}

void end_operation(std::string_view operation, const SliceCore& written, const Outcome& outcome) {
  written.array().complete_and_order();
  outcome.agree_and_sync(written.array().group(), formatted("{} of {}", operation, written.description()));
}

bool is_entangled(const SliceCore& target, const SliceCore& source) noexcept {
  return target.may_overlap(source) && !source.has_elements_in_the_places_of(target);
}

void require_apart(std::string_view operation, const SliceCore& target, std::span<const SliceCore> sources) {
  for (const SliceCore& source : sources) {
    if (!is_entangled(target, source)) continue;
    throw UsageError(
        formatted("{}: {} overlaps {}, which is written at the same time; copy it to another array first",
                  operation, source.description(), target.description()));
  }
}

}  // namespace tessera::detail
