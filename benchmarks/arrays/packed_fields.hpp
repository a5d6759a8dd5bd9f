// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <exception>
#include <vector>

#include <mpi.h>

#include <tessera/patch.hpp>
#include <tessera/runtime/group.hpp>

#include "halo.hpp"
#include "mpi_peer.hpp"

namespace tessera::benchmark::arrays {

/// The ghost cells of several fields, exchanged as a good programmer does it by hand: one message for each side
/// of the block, packed from all fields; without corners, on a periodic grid of processes. @collective to make
/// and destroy
template <std::size_t N>
class PackedFields {
 public:
  PackedFields(const Group& group, int fields, index_t edge, index_t width) {
    const std::vector<int> grid = Halo::grid_of(group.size(), static_cast<int>(N));
    const std::vector<int> periodic(N, 1);
    mpi_peer::check(
        MPI_Cart_create(group.mpi_comm(), static_cast<int>(N), grid.data(), periodic.data(), 0, &comm_),
        "MPI_Cart_create");
    for (std::size_t d = 0; d < N; ++d) extents_[d] = edge + 2 * width;
    fields_.assign(static_cast<std::size_t>(fields),
                   std::vector<double>(static_cast<std::size_t>(extents_.size())));
    for (std::size_t d = 0; d < N; ++d) {
      int low = 0, high = 0;
      mpi_peer::check(MPI_Cart_shift(comm_, static_cast<int>(d), 1, &low, &high), "MPI_Cart_shift");
      for (const bool is_high : {false, true}) {
        Patch<N> out, in;
        for (std::size_t e = 0; e < N; ++e) out.lo[e] = width, out.hi[e] = width + edge;
        in = out;
        out.lo[d] = is_high ? edge : width;
        out.hi[d] = out.lo[d] + width;
        in.lo[d] = is_high ? width + edge : 0;
        in.hi[d] = in.lo[d] + width;
        const auto count = static_cast<std::size_t>(out.extents().size() * fields);
        const int side = 2 * static_cast<int>(d) + (is_high ? 1 : 0);
        messages_.push_back({is_high ? high : low, side, side ^ 1, out, in, std::vector<double>(count),
                             std::vector<double>(count)});
      }
    }
    requests_.resize(2 * messages_.size());
  }
  ~PackedFields() {
    if (std::uncaught_exceptions() == 0) MPI_Comm_free(&comm_);  // collective, so not while a rank unwinds
  }
  PackedFields(const PackedFields&) = delete;
  PackedFields& operator=(const PackedFields&) = delete;

  std::vector<double>& field(std::size_t f) { return fields_[f]; }
  /// @collective
  void exchange() {
    MPI_Request* next = requests_.data();
    for (Message& m : messages_)
      mpi_peer::check(MPI_Irecv(m.received.data(), static_cast<int>(m.received.size()), MPI_DOUBLE, m.rank,
                                m.tag_in, comm_, next++),
                      "MPI_Irecv");
    for (Message& m : messages_) {
      double* to = m.sent.data();
      each_row(m.out, [&](const double* row, index_t count) { to = std::copy_n(row, count, to); });
      mpi_peer::check(MPI_Isend(m.sent.data(), static_cast<int>(m.sent.size()), MPI_DOUBLE, m.rank, m.tag_out,
                                comm_, next++),
                      "MPI_Isend");
    }
    mpi_peer::check(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
                    "MPI_Waitall");
    for (Message& m : messages_) {
      const double* from = m.received.data();
      each_row(m.in, [&](double* row, index_t count) {
        std::copy_n(from, count, row);
        from += count;
      });
    }
  }

 private:
  struct Message {
    int rank, tag_out, tag_in;
    Patch<N> out, in;
    std::vector<double> sent, received;
  };
  template <class F>
  void each_row(const Patch<N>& box, F&& f) {
    const index_t count = box.hi[N - 1] - box.lo[N - 1];
    for (std::vector<double>& field : fields_) {
      Index<N> at = box.lo;
      for (bool more = true; more;) {
        index_t place = 0;
        for (std::size_t d = 0; d < N; ++d) place = place * extents_[d] + at[d];
        f(field.data() + place, count);
        std::size_t d = N - 1;
        for (; d-- > 0;) {
          if (++at[d] < box.hi[d]) break;
          at[d] = box.lo[d];
        }
        more = d < N - 1;
      }
    }
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  Extents<N> extents_;
  std::vector<std::vector<double>> fields_;
  std::vector<Message> messages_;
  std::vector<MPI_Request> requests_;
};

}  // namespace tessera::benchmark::arrays
