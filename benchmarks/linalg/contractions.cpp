// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Contractions of coupled cluster, against a matrix product on permuted copies by hand, and against BLAS alone.
// Between nodes: against the larger of computation and transfer.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <mpi.h>

#include <tessera/elementwise.hpp>
#include <tessera/linalg/contract.hpp>
#include <tessera/linalg/gemm.hpp>
#include <tessera/reductions.hpp>

#include "scalapack_peer.hpp"
#include "sections.hpp"

namespace tessera::benchmark::linalg {
namespace {

constexpr const char* section = "contractions of coupled cluster, of doubles";

using Tensor = Array<double, 4>;

// One contraction c = a * b, and what a user does by hand: copies in the order of a matrix product, the
// product, a copy of the result.
struct Case {
  std::string name;
  std::string a, b, c;                        // letters; i to n are occupied, the others virtual
  DimensionOrder<4> by_rows, by_inner, back;  // of a, of b (inner dimensions first), and of the product into c
};

// How long each letter is.
Extents<4> dims_of(const std::string& letters, index_t occupied, index_t virtuals) {
  Extents<4> dims;
  for (std::size_t d = 0; d < 4; ++d) dims[d] = letters[d] >= 'i' ? occupied : virtuals;
  return dims;
}

Extents<4> permuted(const Extents<4>& dims, const DimensionOrder<4>& order) {
  Extents<4> result;
  for (std::size_t d = 0; d < 4; ++d) result[d] = dims[static_cast<std::size_t>(order[d])];
  return result;
}

double bytes_between_nodes(const Statistics& statistics) {
  double bytes = 0;
  for (const Path path : {Path::window, Path::agent}) {
    for (const Traffic& traffic : statistics.total[static_cast<std::size_t>(path)])
      bytes += static_cast<double>(traffic.bytes);
  }
  return bytes;
}

// The tensors of one case, and the copies of the way by hand.
class Contraction {
 public:
  Contraction(const Group& world, const Case& which, index_t occupied, index_t virtuals)
      : world_(world),
        which_(which),
        a_(make("a", dims_of(which.a, occupied, virtuals))),
        b_(make("b", dims_of(which.b, occupied, virtuals))),
        c_(make("c", dims_of(which.c, occupied, virtuals))),
        result_(make("result by hand", c_.dims())),
        rows_(matrix("a by hand", permuted(a_.dims(), which.by_rows))),
        inner_(matrix("b by hand", permuted(b_.dims(), which.by_inner))),
        product_matrix_(world, {rows_.dims()[0], inner_.dims()[1]}, {.name = "product by hand"}),
        product_(make("product", product_dims())) {
    for_each_local(a_, [](const Index<4>& at, double& x) {
      x = static_cast<double>((3 * at[0] + 5 * at[1] + 2 * at[2] + at[3]) % 7 - 3);
    });
    for_each_local(b_, [](const Index<4>& at, double& x) {
      x = static_cast<double>((2 * at[0] + at[1] + 3 * at[2] + at[3]) % 5 - 2);
    });
    a_.sync();
    b_.sync();
  }

  void contract() {
    tessera::linalg::contract(1.0, std::as_const(a_)(which_.a), std::as_const(b_)(which_.b), 0.0, c_(which_.c));
  }
  void by_hand() {
    copy_permuted(a_, which_.by_rows, rows_);
    copy_permuted(b_, which_.by_inner, inner_);
    tessera::linalg::gemm(1.0, rows_, inner_, 0.0, product_matrix_);
    reshape(product_matrix_, product_);
    copy(product_.slice().permuted(which_.back), result_);
  }
  // The bytes that this rank has moved between nodes so far.
  double moved() const {
    return bytes_between_nodes(a_.statistics()) + bytes_between_nodes(b_.statistics()) +
           bytes_between_nodes(c_.statistics());
  }
  // The sizes of the matrix product.
  Shape shape() const { return {rows_.dims()[0], inner_.dims()[1], rows_.dims()[1]}; }
  // Both ways give whole numbers that are exact.
  bool is_right() {
    contract();
    by_hand();
    return exact_dot(c_, c_) > 0 && max_difference() == 0;
  }

 private:
  Tensor make(const char* name, const Extents<4>& dims) { return Tensor(world_, dims, {.name = name}); }
  Array<double, 2> matrix(const char* name, const Extents<4>& dims) {
    return Array<double, 2>(world_, {dims[0] * dims[1], dims[2] * dims[3]}, {.name = name});
  }
  // Rows of a, and columns of b.
  Extents<4> product_dims() const {
    const Extents<4> a = permuted(a_.dims(), which_.by_rows), b = permuted(b_.dims(), which_.by_inner);
    return {a[0], a[1], b[2], b[3]};
  }
  static void copy_permuted(Tensor& from, const DimensionOrder<4>& order, Array<double, 2>& to) {
    reshape(from.slice().permuted(order), to);
  }
  double max_difference() {
    axpby(1.0, c_, -1.0, result_, result_);
    return norm_inf(result_);
  }

  const Group& world_;
  Case which_;
  Tensor a_, b_, c_, result_;
  Array<double, 2> rows_, inner_, product_matrix_;
  Tensor product_;
};

// The same number of operations on each rank, by one call on its own memory.
class OwnProduct {
 public:
  OwnProduct(const Shape& shape, int ranks)
      : rows_(std::max<index_t>(1, shape.m / ranks)),
        shape_(shape),
        a_(static_cast<std::size_t>(rows_ * shape.k), 0.5),
        b_(static_cast<std::size_t>(shape.k * shape.n), 0.5),
        c_(static_cast<std::size_t>(rows_ * shape.n)) {}
  void multiply() {
    scalapack_peer::multiply_alone(static_cast<int>(rows_), static_cast<int>(shape_.n),
                                   static_cast<int>(shape_.k), a_.data(), b_.data(), c_.data());
  }

 private:
  index_t rows_;
  Shape shape_;
  std::vector<double> a_, b_, c_;
};

// Messages to the next rank, and from the one before, of as many bytes as each rank moves between nodes.
class OwnMessages {
 public:
  OwnMessages(const Group& world, std::size_t bytes) : world_(world), sent_(bytes), received_(bytes) {}
  void exchange() {
    constexpr std::size_t piece = std::size_t{1} << 20;
    const int next = (world_.rank() + 1) % world_.size(),
              before = (world_.rank() + world_.size() - 1) % world_.size();
    std::vector<MPI_Request> requests;
    for (std::size_t at = 0; at < sent_.size(); at += piece) {
      const int count = static_cast<int>(std::min(piece, sent_.size() - at));
      MPI_Irecv(received_.data() + at, count, MPI_BYTE, before, 0, world_.mpi_comm(), &requests.emplace_back());
      MPI_Isend(sent_.data() + at, count, MPI_BYTE, next, 0, world_.mpi_comm(), &requests.emplace_back());
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }

 private:
  const Group& world_;
  std::vector<std::byte> sent_, received_;
};

// What no schedule can beat: the ranks' own products, or the messages, whichever takes longer.
Reference lower_bound(const Session& session, const Others& others, OwnProduct& product,
                      OwnMessages& messages) {
  const Routine compute = repeat([&product] { product.multiply(); }),
                transfer = repeat([&messages] { messages.exchange(); });
  const auto seconds = [&](const Routine& routine) {
    return session.meter().time({routine, others}, Clock::joint).time.value;
  };
  const double computation = seconds(compute), communication = seconds(transfer);
  const bool computes = computation >= communication;
  return {.name = computes ? "DGEMM on each rank" : "messages of the same bytes",
          .routine = computes ? compute : transfer,
          .target = Target{Goal::at_least, 1 / 1.15},
          .others = others,
          .remark = fmt::format("computation {:.3f} s, transfer {:.3f} s", computation, communication)};
}

}  // namespace

void contractions(Session& session) {
  if (!session.wants(section)) return;
  const Group& world = session.world();
  const std::vector<Case> cases{
      // The particle-particle ladder, whose dimensions stand as a matrix product has them.
      {"ladder", "ijcd", "abcd", "ijab", {0, 1, 2, 3}, {2, 3, 0, 1}, {0, 1, 2, 3}},
      // A ring term.
      {"ring", "ikac", "kbcj", "ijab", {0, 2, 1, 3}, {0, 2, 3, 1}, {0, 2, 1, 3}},
      // A hole-hole ladder.
      {"holes", "klab", "ijkl", "ijab", {2, 3, 0, 1}, {2, 3, 0, 1}, {2, 3, 0, 1}}};
  struct Sizes {
    index_t occupied, virtuals;
  };
  const std::vector<Sizes> sizes =
      session.is_quick() ? std::vector<Sizes>{{4, 8}} : std::vector<Sizes>{{10, 60}, {20, 60}, {20, 100}};
  for (const Case& which : cases) {
    for (const auto& [occupied, virtuals] : sizes) {
      Contraction contraction(world, which, occupied, virtuals);
      const std::string title = which.name + ": " + which.c + " = " + which.a + " " + which.b + ", " +
                                std::to_string(occupied) + " occupied, " + std::to_string(virtuals) +
                                " virtual";
      require_everywhere(world, contraction.is_right(), title);
      OwnProduct own(contraction.shape(), world.size());
      const Subject subject{.section = section,
                            .name = title,
                            .routine = repeat([&] { contraction.contract(); }),
                            .clock = Clock::joint,
                            .others = {.wait = [&world] { world.barrier(); }}};
      if (world.node_count() > 1) {
        const double before = contraction.moved();
        contraction.contract();
        const double moved = world.all_reduce(contraction.moved() - before, Reduce::sum);
        OwnMessages messages(world, static_cast<std::size_t>(moved / world.size()));
        session.compare(subject, {lower_bound(session, subject.others, own, messages)});
        continue;
      }
      session.compare(
          subject,
          {{"reshape, gemm, reshape", repeat([&] { contraction.by_hand(); }), Target{Goal::at_least, 1.2}},
           {"DGEMM on each rank", repeat([&] { own.multiply(); }), Target{Goal::at_least, 0.85}}});
    }
  }
  session.note(
      "Contractions: letters from i on are occupied orbitals, the others virtual ones. By hand, both factors "
      "are "
      "reshaped to matrices, and the product back to a tensor, in arrays that are made before. Between nodes "
      "the "
      "messages have as many bytes as each rank moves there.");
}

}  // namespace tessera::benchmark::linalg
