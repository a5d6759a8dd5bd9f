// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "kernels/striped_accumulate.hpp"

namespace tessera::detail {
namespace {

void add_levels(StripedAccumulate& adder, const Strided& shape, int level, std::byte* target,
                const std::byte* source) {
  const auto l = static_cast<std::size_t>(level - 1);
  if (level == 1) {
    return adder.rows(target, source, shape.run,
                      {shape.count[0], shape.remote_stride[0], shape.local_stride[0]});
  }
  for (index_t i = 0; i < shape.count[l]; ++i)
    add_levels(adder, shape, level - 1, target + i * shape.remote_stride[l],
               source + i * shape.local_stride[l]);
}

void add(StripedAccumulate& adder, const Strided& shape, std::byte* target, const std::byte* source) {
  if (shape.levels > 0) return add_levels(adder, shape, shape.levels, target, source);
  if (shape.run > LockStripes::block) return adder.long_run(target, source, shape.run);
  adder.run(target, source, shape.run);
}

}  // namespace

void accumulate_on_node(const Striped& stripes, std::byte* target, const Strided& shape, const Action& action,
                        const std::byte* source) {
  StripedAccumulate adder(stripes, action);
  const bool mergeable = shape.levels > 1 || (shape.levels == 1 && shape.remote_stride[0] == shape.run);
  mergeable ? add(adder, shape.merged(), target, source) : add(adder, shape, target, source);
}

}  // namespace tessera::detail
