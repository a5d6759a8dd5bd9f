// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "fock.hpp"

namespace rhf {

using namespace tessera;

// Rows of the density, and what is to be added to the same rows of the Fock matrix.
struct FockBuilder::Rows {
  Rows(const Patch<2>& where, const Matrix& from)
      : patch(where), density(from.get_async(where)), fock(where.extents()) {}
  Patch<2> patch;
  LocalTransfer<double, 2> density;
  LocalArray<double, 2> fock;
  bool changed = false;
};

struct FockBuilder::Input {
  index_t task;
  SharedRows rows;
  double* seconds;

  void wait() {
    const Timer timer(*seconds);
    for (const auto& strip : rows) {
      if (strip) strip->density.wait();
    }
  }
};

// Members are destroyed in reverse order: the request waits while its rows still exist.
struct FockBuilder::Sent {
  explicit Sent(double& time) : seconds(&time) {}
  Sent(Sent&&) = default;
  ~Sent() {
    const Timer timer(*seconds);
    request = {};
  }
  SharedRows rows;
  Request request;
  double* seconds;
};

namespace {

// Whole rows for each rank, as tasks need them.
Layout<2> by_rows(index_t n, int ranks) { return Layout<2>::blocked({n, n}, ranks, {.grid = {{ranks, 1}}}); }

}  // namespace

FockBuilder::FockBuilder(const Group& group, const Basis& basis, double screening, ShellSymmetry symmetry,
                         Dealing dealing)
    : tasks_(basis, schwarz_bounds(group, basis), screening, group.size(), std::move(symmetry)),
      change_(group, by_rows(basis.size(), group.size()), {.name = "change of the density"}),
      two_electron_(change_.duplicate("two-electron part")) {
  if (dealing == Dealing::counter)
    counter_.emplace(group, tasks_.count(), TaskOptions{.name = "Fock tasks"});
  else
    near_.emplace(tasks_, change_);
  restart();
}

void FockBuilder::restart() {
  fill(change_, 0.0);
  fill(two_electron_, 0.0);
}

void FockBuilder::build(const Matrix& density, const Matrix& core, Matrix& fock) {
  axpby(1, density, -1, change_);
  tasks_.begin(norm_inf(change_));
  counter_ ? counter_->reset() : near_->queues().reset();
  newest_ = {};
  double all = 0;
  const double others = times_.get + times_.accumulate + times_.integrals;
  {
    const Timer timer(all);
    const auto fetch_input = [this](index_t task) { return fetch(near_ ? near_->number(task) : task); };
    const auto compute_task = [this](index_t, Input& input) { return compute(input); };
    counter_ ? for_each_task(*counter_, fetch_input, compute_task)
             : for_each_task(near_->queues(), fetch_input, compute_task);
    send(newest_, {});
  }
  times_.counter += all - (times_.get + times_.accumulate + times_.integrals - others);
  {
    const Timer timer(times_.waiting);
    two_electron_.sync();
  }
  symmetrise(two_electron_);
  tasks_.symmetry().average(two_electron_);
  copy(density, change_);
  axpby(1, two_electron_, 1, core, fock);
}

// Consecutive tasks have two of their three strips in common. A task without work keeps those of the task
// before.
FockBuilder::Input FockBuilder::fetch(index_t task) {
  const Timer timer(times_.get);
  if (tasks_.has_work(task)) {
    const auto patches = tasks_.patches(task);
    for (std::size_t k = 0; k < patches.size(); ++k) {
      if (!newest_[k] || newest_[k]->patch != patches[k])
        newest_[k] = std::make_shared<Rows>(patches[k], change_);
    }
  }
  return {task, newest_, &times_.get};
}

FockBuilder::Sent FockBuilder::compute(Input& input) {
  if (tasks_.has_work(input.task)) {
    const Timer timer(times_.integrals);
    std::array<Strip, 3> strips;
    for (std::size_t k = 0; k < strips.size(); ++k)
      strips[k] = {input.rows[k]->density.data, input.rows[k]->fock};
    if (tasks_.compute(input.task, strips)) {
      for (const auto& rows : input.rows) rows->changed = true;
    }
  }
  return send(input.rows, newest_);
}

// Begins to add rows to the Fock matrix, unless they are also among those that are kept.
FockBuilder::Sent FockBuilder::send(const SharedRows& rows, const SharedRows& kept) {
  const Timer timer(times_.accumulate);
  Sent sent(times_.accumulate);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (!rows[k] || rows[k] == kept[k] || !rows[k]->changed) continue;
    sent.request += two_electron_.acc_async(rows[k]->patch, rows[k]->fock);
    sent.rows[k] = rows[k];
  }
  return sent;
}

}  // namespace rhf
