// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "stages.hpp"

#include <algorithm>

namespace tessera::fft {
namespace {

// The most bytes of a transform of several dimensions at once: beyond the caches, it is no faster than one
// dimension after the other.
constexpr index_t most_joined = index_t{4} << 20;

enum class Share { by_blocks, in_place };

class StageChoice {
 public:
  explicit StageChoice(const StageQuestion& question) : q_(question) {}

  std::vector<DimensionSet> stages() {
    DimensionSet begin = q_.transformed & q_.whole_in;
    Share share = Share::in_place;
    if (q_.first >= 0 && !contains(begin, only(q_.first))) {
      // The first stage needs a dimension that is divided in the input.
      const bool ends_whole = contains(q_.whole_out, only(q_.first));
      begin = ends_whole ? q_.transformed & q_.whole_out : only(q_.first);
      share = ends_whole ? Share::in_place : Share::by_blocks;
    }
    if (begin == 0) {
      const DimensionSet end = q_.transformed & q_.whole_out;
      begin = q_.transformed & ~end;
      if (begin == q_.transformed) begin = without_one(begin);
      share = Share::by_blocks;
    }
    add(begin, share);
    const DimensionSet rest = q_.transformed & ~begin;
    add(rest, contains(q_.whole_out, rest) ? Share::in_place : Share::by_blocks);
    return stages_;
  }

 private:
  // All but the first dimension, if there are several.
  static DimensionSet without_one(DimensionSet all) {
    const DimensionSet less = all & (all - 1);
    return less == 0 ? all : less;
  }
  index_t extent(int d) const { return q_.extents[static_cast<std::size_t>(d)]; }
  // The product of the extents inside or outside a set.
  index_t product(DimensionSet set, bool inside) const {
    index_t points = 1;
    for (int d = 0; d < q_.rank; ++d) {
      if (contains(set, only(d)) == inside) points *= extent(d);
    }
    return points;
  }
  // How many ranks have work in a stage that is divided anew.
  index_t busy(DimensionSet stage) const { return std::min<index_t>(q_.ranks, product(stage, false)); }

  bool may_join(DimensionSet stage, DimensionSet next, Share share) const {
    if (q_.decomposition != Decomposition::automatic) return q_.decomposition == Decomposition::slabs;
    const DimensionSet both = stage | next;
    return product(both, true) <= most_joined / q_.element_size &&
           (share == Share::in_place || busy(both) >= std::min(busy(stage), busy(next)));
  }
  // Dimensions that are whole in the output come last, so that no other stage follows a move to the output.
  std::vector<int> in_order(DimensionSet set) const {
    std::vector<int> order;
    for (int d = q_.rank - 1; d >= 0; --d) {
      if (contains(set, only(d))) order.push_back(d);
    }
    const auto turn = [&](int d) { return d == q_.first ? 0 : contains(q_.whole_out, only(d)) ? 2 : 1; };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return turn(a) < turn(b); });
    return order;
  }
  void add(DimensionSet set, Share share) {
    DimensionSet stage = 0;
    for (const int d : in_order(set)) {
      if (stage != 0 && !may_join(stage, only(d), share)) stages_.push_back(std::exchange(stage, 0));
      stage |= only(d);
    }
    if (stage != 0) stages_.push_back(stage);
  }

  const StageQuestion& q_;
  std::vector<DimensionSet> stages_;
};

}  // namespace

std::vector<DimensionSet> stages_for(const StageQuestion& question) { return StageChoice(question).stages(); }

}  // namespace tessera::fft
