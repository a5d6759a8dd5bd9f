// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <memory>
#include <set>
#include <utility>
#include <vector>

#include <tessera/runtime/segment.hpp>
#include <tessera/runtime/vector.hpp>

#include "segment_shapes.hpp"

namespace tessera::stress {

/// A segment of 8-byte whole numbers, with slices of different sizes, and its expected contents. In each round
/// one member does operations of all kinds, and every other member computes their effect.
class SegmentTrial {
 public:
  /// @collective
  SegmentTrial(const Group& group, index_t seed);
  /// @collective
  void round(index_t number);
  /// A round in which all members accumulate at once. @collective
  void round_of_all(index_t number);
  /// The found and expected values where they differ, of all checks so far; empty if all is right. @local
  const std::vector<std::pair<index_t, index_t>>& wrong() const { return wrong_; }
  void close() { segment_.close(); }

 private:
  using Words = std::vector<std::int64_t>;
  static constexpr ElementKind kind = ElementKind::int64;
  // Some words of a slice, from `begin` on.
  struct Target {
    int rank;
    index_t begin;
    WordShape shape;
  };
  struct Waiting {
    Words memory;
    Request request;
    Words expected;  // of a get
    Target target;
  };

  Target some_target(Draws& draws);
  std::int64_t& model(const Target& target, std::size_t k);
  void one(Draws& draws);
  void put(Draws& draws);
  void put_own(Draws& draws);
  void get(Draws& draws);
  void accumulate(Draws& draws);
  void combine(Draws& draws);
  void update(Draws& draws);
  void exchange(Draws& draws);
  void load_and_store(Draws& draws);
  void by_part(Draws& draws);
  void by_list(Draws& draws);
  void settle();
  void touch(const Target& target);
  void check(const Words& found, const Words& expected);
  void look();
  bool acts() const { return author_ == group_.rank(); }
  static Words some_words(Draws& draws, index_t count);

  const Group& group_;
  index_t seed_;
  int author_ = 0;
  std::vector<Words> slices_;  // the expected contents
  Segment segment_;
  std::vector<std::unique_ptr<Waiting>> waiting_;
  std::set<std::pair<int, index_t>> in_flight_;
  std::vector<std::pair<index_t, index_t>> wrong_;
};

}  // namespace tessera::stress
