// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// LU factorisation, without pivoting, of a dense matrix that is diagonally dominant (a kernel of SPLASH-2: Woo
// and others, ISCA 1995). Each rank computes the blocks that it owns. One-sided gets bring it the panels of
// each step. The same with broadcasts of MPI, and ScaLAPACK's PDGETRF, run beside it.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compute.hpp"
#include "near_square.hpp"
#include "session.hpp"
#include "ways.hpp"

namespace tessera::benchmark::lu {
namespace {

struct Size {
  index_t n, block;
};

struct Owners {
  const char* name;
  Layout<2> (*layout)(const Size&, int ranks);
};

constexpr Owners cyclic{
    "block-cyclic", [](const Size& size, int ranks) {
      return Layout<2>::block_cyclic({size.n, size.n}, {size.block, size.block}, {near_square(ranks)}, ranks);
    }};
constexpr Owners blocks{"blocks", [](const Size& size, int ranks) {
                          return Layout<2>::blocked({size.n, size.n}, ranks, {.grid = near_square(ranks)})
                              .with_storage(StorageOrder::column_major);
                        }};

class Program {
 public:
  Program(Session& session, const Size& size)
      : session_(session),
        world_(session.world()),
        size_(size),
        section_("LU factorisation of " + std::to_string(size.n) + " x " + std::to_string(size.n) +
                 " in blocks of " + std::to_string(size.block)) {}

  void operator()() {
    if (!session_.wants(section_)) return;
    for (const Owners* owners : {&cyclic, &blocks}) {
      for (const Prefetch prefetch : {Prefetch::no, Prefetch::yes}) measure(*owners, prefetch);
    }
  }

 private:
  using Make = std::function<Way(const Ownership&)>;

  Ownership ownership(const Owners& owners, const Size& size) const {
    return {owners.layout(size, world_.size()), world_.rank(), size.block};
  }

  // Makes a way, which must factor a small matrix and the large one correctly.
  Way checked(const Owners& owners, const Ownership& own, const Make& make) const {
    constexpr index_t block = 8;
    const index_t n = std::max<index_t>(101, block * (near_square(world_.size())[1] + 5) - 3);
    const Ownership small = ownership(owners, {n, block});
    check_factors(world_, small, make(small));
    Way way = make(own);
    const double found = residual(world_, own, way);
    require(found < 1, way.name + ", whose residual is " + std::to_string(found));
    return way;
  }

  void measure(const Owners& owners, Prefetch prefetch) {
    const Ownership own = ownership(owners, size_);
    const auto with = [&](Way (*make)(const Group&, const Ownership&, Prefetch)) {
      return checked(owners, own, [&](const Ownership& of) { return make(world_, of, prefetch); });
    };
    const Way gets = with(by_gets), broadcasts = with(by_broadcasts);
    const Target target = as_fast_as_mpi(world_);
    std::vector<Reference> references{reference(own, broadcasts, target)};
    if (&owners == &cyclic && prefetch == Prefetch::yes) {
      references.push_back(reference(
          own, checked(owners, own, [&](const Ownership& of) { return by_pdgetrf(world_, of); }), {}));
    }
    const Reference ours = reference(own, gets, {});
    session_.compare({.section = section_,
                      .name = std::string(owners.name) + ": " + gets.name,
                      .routine = ours.routine,
                      .clock = Clock::joint,
                      .others = ours.others},
                     references);
    for (const Way* way : {&gets, &broadcasts}) share(owners, own, *way);
  }

  // A call overwrites the matrix, so it is set again between samples.
  Reference reference(const Ownership& own, const Way& way, std::optional<Target> target) const {
    return {.name = way.name,
            .routine = repeat([way] { way.factor(); }),
            .target = target,
            .others = {.wait = [this, &own, way] {
              set(own, way);
              world_.barrier();
            }}};
  }

  void share(const Owners& owners, const Ownership& own, const Way& way) {
    std::vector<double> shares, times;
    for (int i = 0; i < (session_.is_quick() ? 2 : 7); ++i) {
      set(own, way);
      world_.barrier();
      const double begin = now(), outside = way.factor(), seconds = now() - begin;
      const double all = world_.all_reduce(seconds, Reduce::sum);
      shares.push_back(world_.all_reduce(outside, Reduce::sum) / all);
      times.push_back(all / world_.size());
    }
    session_.add({.section = section_,
                  .name = std::string(owners.name) + ": " + way.name + ", share of communication",
                  .measured = {.time = median_estimate(times), .share = median_estimate(shares)}});
  }

  Session& session_;
  const Group& world_;
  Size size_;
  std::string section_;
};

}  // namespace
}  // namespace tessera::benchmark::lu

int main(int argc, char** argv) {
  using namespace tessera::benchmark;
  tessera::Runtime runtime(argc, argv);
  lu::Size size{0, 32};
  auto parsed = parse_options(
      argc, argv, "LU factorisation without pivoting, with panels that come by one-sided gets.",
      runtime.world().rank() == 0, [&](CLI::App& app) {
        app.add_option("--size", size.n, "Rows and columns of the matrix (3072; with --quick 256)")
            ->check(CLI::Range(1, 40000))  // ScaLAPACK counts a rank's elements in 32 bits
            ->type_name("N");
        app.add_option("--block", size.block, "Rows and columns of a block")
            ->check(CLI::Range(1, 4096))
            ->type_name("N")
            ->capture_default_str();
      });
  if (parsed.exit_status) return *parsed.exit_status;
  if (size.n == 0) size.n = parsed.options.quick ? 256 : 3072;
  // A sample is one factorisation.
  parsed.options.full = {.joint_sample_seconds = 1e-6, .comparison_seconds = 60.0};

  Session session(runtime, "lu", parsed.options);
  lu::Program(session, size)();
  session.note(
      "Before it is measured, each way factors a small matrix and the large one. The small one's factors must "
      "be those of LAPACK's DGETRF on one process; the large one must have max |A - L U| < max |A| n epsilon.");
  session.note(
      "Communication is all that ranks do but compute: transfers, packing, and waiting for others. The share "
      "is that of all ranks together.");
  session.note(
      "The matrix is diagonally dominant. PDGETRF searches for pivots and finds them on the diagonal; the "
      "others do not search. All use the same grid of processes and the same blocks.");
  session.finish();
  return 0;
}
