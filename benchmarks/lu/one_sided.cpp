// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <optional>
#include <utility>

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
        diagonals_(world,
                   Layout<2>::blocked({world.size() * own.block(), own.size()}, world.size(),
                                      {.grid = {{world.size(), 1}}})
                       .with_storage(StorageOrder::column_major),
                   {.name = "blocks on the diagonal"}),
        flags_(world, 3 * world.size(), "panels") {}

  Block open() override {
    access_ = array_.local();
    return access_->view();
  }
  void close() override {
    access_.reset();
    diagonal_.reset();
    array_.sync();
  }
  void publish(Part part, const Step& step) override {
    if (part == Part::diagonal) {
      put(step, own().row_mates());
      put(step, own().column_mates());
      return;
    }
    access_.reset();  // what was written becomes visible before the notifications
    for (const int rank : part == Part::left ? own().row_mates() : own().column_mates())
      flags_.notify(rank, flag(part, me()));
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
    const index_t made = flag(part, own().owner(part, step));
    if (part == Part::diagonal) {
      flags_.wait(made);
      diagonal_ = std::as_const(diagonals_).local();
      return diagonal_->view().subview(Patch<2>::at({0, step.begin}, own().extents(part, step)));
    }
    if (!transfer(part)) {
      flags_.wait(made);
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
  std::optional<Request>& transfer(Part panel) { return transfers_[panel == Part::left ? 0 : 1]; }

  // Puts the block on the diagonal, as the others need it at once.
  void put(const Step& step, const std::vector<int>& ranks) {
    const Block block = piece(own(), access_->view(), Part::diagonal, step);
    for (const int rank : ranks)
      diagonals_.put_notify(Patch<2>::at({rank * own().block(), step.begin}, block.extents()), block,
                            flags_.at(rank, flag(Part::diagonal, me())));
  }
  // Begins to get a panel.
  void begin(Part panel, const Step& step) {
    const Block into = room(panel, step);
    const Index<2> first = own().local(Ownership::first(panel, step));
    Request& request = transfer(panel).emplace();
    for (const Patch<2>& patch : own().patches(panel, step)) {
      const Index<2> at = own().local(patch.lo);
      const Index<2> place{at[0] - first[0], at[1] - first[1]};
      request += array_.get_async(patch, into.subview(Patch<2>::at(place, patch.extents())));
    }
  }

  Array<double, 2> array_;
  Array<double, 2> diagonals_;  // each rank has room for all of them, because others may be steps ahead of it
  Flags flags_;
  std::optional<LocalAccess<double, 2>> access_;
  std::optional<LocalAccess<const double, 2>> diagonal_;
  std::optional<Step> wanted_;           // its panels are to be prefetched
  std::optional<Request> transfers_[2];  // of panels whose notification has come
};

}  // namespace

std::unique_ptr<Matrix> one_sided(const Group& world, const Ownership& own) {
  return std::make_unique<OneSided>(world, own);
}

}  // namespace tessera::benchmark::lu
