// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <optional>

#include <tessera/array.hpp>
#include <tessera/runtime/flags.hpp>

#include "matrix.hpp"

namespace tessera::benchmark::lu {
namespace {

// Flag `part * ranks + r` of a rank counts the parts that rank r has made for it. There is a flag for each r
// because notifications of different ranks may come in another order than the steps.
class OneSided final : public Matrix {
 public:
  OneSided(const Group& world, const Ownership& own)
      : Matrix(own),
        array_(world, own.layout(), {.name = "matrix"}),
        flags_(world, 3 * world.size(), "panels") {}

  Block open() override {
    access_ = array_.local();
    return access_->view();
  }
  void close() override {
    access_.reset();
    array_.sync();
  }
  void publish(Part part, const Step&) override {
    access_.reset();  // what was written becomes visible before the notifications
    if (part != Part::upper) notify(part, own().row_mates());
    if (part != Part::left) notify(part, own().column_mates());
    open();
  }
  void prefetch(const Step& step) override {
    wanted_ = step;
    progress();
  }
  void progress() override {
    for (const Part part : panels) {
      if (is_own(part, *wanted_)) continue;
      if (transfer(part)) {
        transfer(part)->test();
      } else if (flags_.test(flag(part, own().owner(part, *wanted_)))) {
        begin(part, *wanted_);
      }
    }
  }
  ConstBlock wait(Part part, const Step& step) override {
    if (is_own(part, step)) return piece(own(), access_->view(), part, step);
    if (!transfer(part)) {
      flags_.wait(flag(part, own().owner(part, step)));
      begin(part, step);
    }
    transfer(part)->wait();
    transfer(part).reset();
    return room(part, step);
  }

 private:
  int me() const { return array_.group().rank(); }
  bool is_own(Part part, const Step& step) const { return own().owner(part, step) == me(); }
  index_t flag(Part part, int rank) const { return static_cast<index_t>(part) * array_.group().size() + rank; }
  std::optional<Request>& transfer(Part part) { return transfers_[static_cast<std::size_t>(part)]; }

  void notify(Part part, const std::vector<int>& ranks) {
    for (const int rank : ranks) flags_.notify(rank, flag(part, me()));
  }
  void begin(Part part, const Step& step) {
    const Block into = room(part, step);
    const Index<2> first = own().local(Ownership::first(part, step));
    Request& request = transfer(part).emplace();
    for (const Patch<2>& patch : own().patches(part, step)) {
      const Index<2> at = own().local(patch.lo);
      const Index<2> place{at[0] - first[0], at[1] - first[1]};
      request += array_.get_async(patch, into.subview(Patch<2>::at(place, patch.extents())));
    }
  }

  Array<double, 2> array_;
  Flags flags_;
  std::optional<LocalAccess<double, 2>> access_;
  std::optional<Step> wanted_;           // its panels are to be prefetched
  std::optional<Request> transfers_[3];  // of parts whose notification has come
};

}  // namespace

std::unique_ptr<Matrix> one_sided(const Group& world, const Ownership& own) {
  return std::make_unique<OneSided>(world, own);
}

}  // namespace tessera::benchmark::lu
