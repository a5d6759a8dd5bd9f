// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <exception>
#include <vector>

#include <mpi.h>

#include "matrix.hpp"
#include "mpi_peer.hpp"

namespace tessera::benchmark::lu {
namespace {

using mpi_peer::check;

// The ranks of this rank's row of the grid, or of its column. @collective to make and destroy
class Line {
 public:
  enum class Along { row, column };

  Line(const Group& world, const Index<2>& place, Along along) : along_(along) {
    const auto row = static_cast<int>(place[0]), column = static_cast<int>(place[1]);
    const bool in_row = along == Along::row;
    check(MPI_Comm_split(world.mpi_comm(), in_row ? row : column, in_row ? column : row, &comm_),
          "MPI_Comm_split");
    check(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
  }
  ~Line() {
    // Collective, so it is skipped while a rank unwinds: the others would not take part.
    if (std::uncaught_exceptions() == 0) MPI_Comm_free(&comm_);
  }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  bool is_single() const noexcept { return size_ == 1; }
  void broadcast(const Block& block, const Step& step) const {
    check(MPI_Bcast(block.data_handle(), count(block), MPI_DOUBLE, root(step), comm_), "MPI_Bcast");
  }
  void begin_broadcast(const Block& block, const Step& step, MPI_Request& request) const {
    check(MPI_Ibcast(block.data_handle(), count(block), MPI_DOUBLE, root(step), comm_, &request), "MPI_Ibcast");
  }

 private:
  static int count(const Block& block) { return static_cast<int>(block.size()); }
  int root(const Step& step) const noexcept { return along_ == Along::row ? step.column : step.row; }

  Along along_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  int size_ = 0;
};

class Broadcast final : public Matrix {
 public:
  Broadcast(const Group& world, const Ownership& own)
      : Matrix(own),
        rank_(world.rank()),
        elements_(static_cast<std::size_t>(own.rows().count() * own.columns().count())),
        row_(world, own.place(), Line::Along::row),
        column_(world, own.place(), Line::Along::column) {}

  Block open() override {
    const index_t rows = own().rows().count(), columns = own().columns().count();
    return {elements_.data(), {rows, columns}, {1, rows}};
  }
  void close() override { prefetched_ = -1; }
  // The diagonal only: panels are broadcast when all ranks ask for them.
  void publish(Part part, const Step& step) override {
    if (part != Part::diagonal) return;
    const Block block = filled(part, step);
    for (Line* const line : {&row_, &column_}) {
      if (!line->is_single()) line->broadcast(block, step);
    }
  }
  void prefetch(const Step& step) override {
    prefetched_ = step.number;
    for (const Part part : panels) {
      if (!line(part).is_single()) line(part).begin_broadcast(filled(part, step), step, request(part));
    }
  }
  void progress() override {
    int all_done = 0;
    check(MPI_Testall(2, requests_, &all_done, MPI_STATUSES_IGNORE), "MPI_Testall");
  }
  ConstBlock wait(Part part, const Step& step) override {
    if (part == Part::diagonal) {
      if (!is_own(part, step)) broadcast(part, step, own().has_rows_of(step) ? row_ : column_);
    } else if (prefetched_ == step.number) {
      check(MPI_Wait(&request(part), MPI_STATUS_IGNORE), "MPI_Wait");
    } else {
      broadcast(part, step, line(part));
    }
    return is_own(part, step) ? piece(own(), open(), part, step) : room(part, step);
  }

 private:
  bool is_own(Part part, const Step& step) const { return own().owner(part, step) == rank_; }
  const Line& line(Part panel) const noexcept { return panel == Part::left ? row_ : column_; }
  MPI_Request& request(Part panel) noexcept { return requests_[panel == Part::left ? 0 : 1]; }

  void broadcast(Part part, const Step& step, const Line& line) {
    if (!line.is_single()) line.broadcast(filled(part, step), step);
  }
  // Memory for a piece without gaps. If this rank has the piece, it is packed there.
  Block filled(Part part, const Step& step) {
    const Block block = room(part, step);
    if (!is_own(part, step)) return block;
    const Block from = piece(own(), open(), part, step);
    for (index_t j = 0; j < from.extent(1); ++j) {
      for (index_t i = 0; i < from.extent(0); ++i) block(i, j) = from(i, j);
    }
    return block;
  }

  int rank_;
  std::vector<double> elements_;
  Line row_, column_;
  MPI_Request requests_[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  index_t prefetched_ = -1;
};

}  // namespace

std::unique_ptr<Matrix> broadcast(const Group& world, const Ownership& own) {
  return std::make_unique<Broadcast>(world, own);
}

}  // namespace tessera::benchmark::lu
