// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <functional>
#include <initializer_list>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <tessera/runtime/runtime.hpp>
#include <tessera/tessera.hpp>

// Arrays that were closed, or that outlived their Runtime. Every member throws UsageError, or does what needs
// no elements.
namespace {

using namespace tessera;

struct Member {
  const char* name;
  std::function<void()> call;
};

// Returns what is wrong with a member.
std::string tried(const Member& member) {
  try {
    member.call();
    return std::string(member.name) + " did not throw\n";
  } catch (const UsageError&) {
    return {};
  } catch (const std::exception& error) {
    return std::string(member.name) + " threw another exception: " + error.what() + "\n";
  }
}

struct Objects {
  explicit Objects(const Group& group)
      : a(group, {6, 6}, {.name = "a", .ghosts = {1, 1}}),
        b(group, {6, 6}, {.name = "b"}),
        v(group, {6}, {.name = "v"}),
        w(group, {6}, {.name = "w"}),
        keys(group, {6}, {.name = "keys"}),
        counts(group, {6}, {.name = "counts"}),
        part(a.slice({{1, 1}, {3, 4}})),
        copies(group, {3}, "copies"),
        matrix(group, 6, 6, std::span(diagonal), {.name = "matrix"}),
        tasks(group, 3, {.name = "tasks"}) {
    fill(keys, 0);
    readers.emplace(v, EpochOptions{});
    adders.emplace(w, EpochOptions{});
    writers.emplace(b, EpochOptions{});
  }
  void close() {
    for (auto* array : {&a, &b}) array->close();
    for (auto* array : {&v, &w}) array->close();
    keys.close();
    counts.close();
    copies.close();
    matrix.close();
    tasks.close();
  }

  std::vector<Triplet<double>> diagonal{{0, 0, 1.0}};
  Array<double, 2> a, b;
  Array<double, 1> v, w;
  Array<std::int32_t, 1> keys;
  Array<std::int64_t, 1> counts;
  Slice<double, 2> part;
  Replicated<double, 1> copies;
  SparseMatrix<double> matrix;
  TaskCounter tasks;
  std::optional<ReadOnly<double, 1>> readers;
  std::optional<AccumulateOnly<double, 1>> adders;
  std::optional<DisjointWrites<double, 2>> writers;
  // Arguments of the calls.
  LocalArray<double, 2> few{Extents<2>(2, 2)}, slice_like{Extents<2>(2, 3)};
  LocalArray<double, 1> some{Extents<1>(2)};
  Patch<2> patch{{0, 0}, {2, 2}};
  Patch<1> range{{0}, {2}};
  std::vector<Index<2>> places{{0, 0}, {1, 1}};
  std::vector<double> values{0, 0};
  std::ostringstream out;
};

// Transfers and updates of an array.
std::vector<Member> transfers_of(Objects& o) {
  auto& a = o.a;
  auto& few = o.few;
  const auto& patch = o.patch;
  const auto& places = o.places;
  auto& values = o.values;
  return {
      {"put", [&] { a.put(patch, few); }},
      {"get", [&] { a.get(patch, few); }},
      {"get of new memory", [&] { (void)a.get(patch); }},
      {"acc", [&] { a.acc(patch, few); }},
      {"acc_min", [&] { a.acc_min(patch, few); }},
      {"acc_max", [&] { a.acc_max(patch, few); }},
      {"put_async", [&] { a.put_async(patch, few).wait(); }},
      {"get_async", [&] { a.get_async(patch, few).wait(); }},
      {"acc_async", [&] { a.acc_async(patch, few).wait(); }},
      {"put_periodic", [&] { a.put_periodic(patch, few); }},
      {"get_periodic", [&] { a.get_periodic(patch, few); }},
      {"acc_periodic", [&] { a.acc_periodic(patch, few); }},
      {"gather", [&] { a.gather(places, values); }},
      {"scatter", [&] { a.scatter(places, values); }},
      {"scatter_acc", [&] { a.scatter_acc(places, values); }},
      {"load",
       [&] {
         (void)a.load({0, 0});
       }},
      {"store",
       [&] {
         a.store({0, 0}, 1);
       }},
      {"fetch_add",
       [&] {
         (void)a.fetch_add({0, 0}, 1);
       }},
      {"exchange",
       [&] {
         (void)a.exchange({0, 0}, 1);
       }},
      {"compare_exchange",
       [&] {
         std::int32_t expected = 0;
         o.keys.compare_exchange({0}, expected, 1);
       }},
      {"owner",
       [&] {
         (void)a.owner({0, 0});
       }},
      {"address",
       [&] {
         (void)a.address({0, 0});
       }},
  };
}

// Synchronisation, elements in place, ghost cells and transfers of a slice.
std::vector<Member> accesses_of(Objects& o) {
  auto& a = o.a;
  auto& slice_like = o.slice_like;
  return {
      {"flush", [&] { a.flush(); }},
      {"flush of a rank", [&] { a.flush(0); }},
      {"sync", [&] { a.sync(); }},
      {"local", [&] { (void)a.local(); }},
      {"local_with_ghosts", [&] { (void)a.local_with_ghosts(); }},
      {"local_block", [&] { (void)a.local_block(0); }},
      {"block_of", [&] { (void)a.block_of(0); }},
      {"update_ghosts", [&] { a.update_ghosts(); }},
      {"update_ghosts_along", [&] { a.update_ghosts_along(0); }},
      {"update_ghosts_async", [&] { a.update_ghosts_async().wait(); }},
      {"redistribute", [&] { a.redistribute(a.layout()); }},
      {"slice put", [&] { o.part.put(slice_like); }},
      {"slice get", [&] { (void)o.part.get(); }},
      {"slice acc", [&] { o.part.acc(slice_like); }},
      {"slice put_async",
       [&] {
         o.part.put_async({{0, 0}, {2, 3}}, slice_like).wait();
       }},
      {"slice get_async",
       [&] {
         o.part.get_async({{0, 0}, {2, 3}}, slice_like).wait();
       }},
      {"slice acc_async",
       [&] {
         o.part.acc_async({{0, 0}, {2, 3}}, slice_like).wait();
       }},
  };
}

// Operations on every element.
std::vector<Member> element_operations_of(Objects& o) {
  auto& a = o.a;
  auto& b = o.b;
  auto& v = o.v;
  auto& w = o.w;
  static constexpr auto plus = [](double x, double y) { return x + y; };
  static constexpr auto same = [](double x) { return x; };
  return {
      {"fill", [&] { fill(a, 1); }},
      {"randomize", [&] { randomize(a, 1); }},
      {"copy", [&] { copy(a, b); }},
      {"reshape", [&] { reshape(v, w); }},
      {"permute",
       [&] {
         permute(a, {1, 0}, b);
       }},
      {"scale", [&] { scale(o.part, 2); }},
      {"add_constant", [&] { add_constant(a, 2); }},
      {"axpby", [&] { axpby(1, a, 1, b); }},
      {"abs", [&] { abs(a, b); }},
      {"reciprocal", [&] { reciprocal(a, b); }},
      {"multiply", [&] { multiply(a, b, b); }},
      {"divide", [&] { divide(a, b, b); }},
      {"minimum", [&] { minimum(a, b, b); }},
      {"maximum", [&] { maximum(a, b, b); }},
      {"clamp", [&] { clamp(a, 1, 2); }},
      {"transform", [&] { tessera::transform(a, same); }},
      {"transform of two", [&] { tessera::transform(a, b, same); }},
      {"for_each_local", [&] { for_each_local(a, [](const Index<2>&, double&) {}); }},
      {"dot", [&] { (void)dot(a, b); }},
      {"norm1", [&] { (void)norm1(a); }},
      {"norm2", [&] { (void)norm2(a); }},
      {"norm_inf", [&] { (void)norm_inf(a); }},
      {"reduce", [&] { (void)reduce(a, Reduce::sum); }},
      {"reduce by a function", [&] { (void)reduce(a, 0.0, plus); }},
      {"transform_reduce", [&] { (void)tessera::transform_reduce(a, 0.0, plus, same); }},
      {"min_element", [&] { (void)tessera::min_element(a); }},
      {"print", [&] { print(o.out, a); }},
  };
}

// Operations on matrices and vectors.
std::vector<Member> matrix_and_vector_operations_of(Objects& o) {
  auto& a = o.a;
  auto& b = o.b;
  auto& v = o.v;
  auto& w = o.w;
  return {
      {"transpose", [&] { transpose(a, b); }},
      {"scale_rows", [&] { scale_rows(a, v); }},
      {"scale_columns", [&] { scale_columns(a, v); }},
      {"symmetrise", [&] { symmetrise(a); }},
      {"matrix_norm", [&] { (void)matrix_norm(a, tessera::MatrixNorm::row_sum); }},
      {"get_diagonal", [&] { get_diagonal(a, v); }},
      {"set_diagonal", [&] { set_diagonal(a, v); }},
      {"add_diagonal", [&] { add_diagonal(a, v); }},
      {"shift_diagonal", [&] { shift_diagonal(a, 1); }},
      {"fill_diagonal", [&] { fill_diagonal(a, 1); }},
      {"scan", [&] { scan(v, w); }},
      {"segmented_scan", [&] { segmented_scan(v, o.keys, w); }},
      {"spread", [&] { spread(v, o.keys, w); }},
      {"enumerate", [&] { tessera::enumerate(v); }},
      {"pack", [&] { (void)pack(v, o.keys, w); }},
      {"unpack", [&] { (void)unpack(v, o.keys, w); }},
      {"sort", [&] { tessera::sort(v); }},
      {"sort with values", [&] { tessera::sort(v, w); }},
      {"bin", [&] { bin(o.keys, o.counts); }},
  };
}

// Epochs, replicated arrays, sparse matrices and tasks.
std::vector<Member> epochs_and_containers_of(Objects& o) {
  auto& a = o.a;
  auto& b = o.b;
  auto& v = o.v;
  auto& w = o.w;
  auto& few = o.few;
  auto& some = o.some;
  const auto& patch = o.patch;
  const auto& range = o.range;
  auto& values = o.values;
  return {
      {"read_only", [&] { (void)read_only(v); }},
      {"accumulate_only", [&] { (void)accumulate_only(v); }},
      {"disjoint_writes", [&] { (void)disjoint_writes(v); }},
      {"get in an epoch", [&] { (void)o.readers->get(range); }},
      {"load in an epoch", [&] { (void)o.readers->load({0}); }},
      {"acc in an epoch", [&] { o.adders->acc(range, some); }},
      {"scatter_acc in an epoch",
       [&] {
         const std::vector<Index<1>> at{{0}, {1}};
         o.adders->scatter_acc(at, values);
       }},
      {"put in an epoch", [&] { o.writers->put(patch, few); }},
      {"Replicated::merge", [&] { o.copies.merge(); }},
      {"Replicated::broadcast", [&] { o.copies.broadcast(); }},
      {"an operation on a copy", [&] { fill(o.copies.copy(), 1); }},
      {"SparseMatrix::row", [&] { (void)o.matrix.row(0); }},
      {"SparseMatrix::multiply", [&] { o.matrix.multiply(v, w); }},
      {"SparseMatrix::multiply_unsynchronised", [&] { o.matrix.multiply_unsynchronised(v, w); }},
      {"SparseMatrix::multiply_transposed", [&] { o.matrix.multiply_transposed(1.0, v, 0.0, w); }},
      {"SparseMatrix::multiply_adjoint", [&] { o.matrix.multiply_adjoint(1.0, v, 0.0, w); }},
      {"SparseMatrix::multiply of matrices", [&] { o.matrix.multiply(a, b); }},
      {"SparseMatrix::get_diagonal", [&] { o.matrix.get_diagonal(v); }},
      {"SparseMatrix::local_columns", [&] { (void)o.matrix.local_columns(); }},
      {"SparseMatrix::local_values", [&] { (void)o.matrix.local_values(); }},
      {"const SparseMatrix::local_values", [&] { (void)std::as_const(o.matrix).local_values(); }},
      {"TaskCounter::next", [&] { (void)o.tasks.next(); }},
      {"TaskCounter::reset", [&] { o.tasks.reset(); }},
      {"for_each_task", [&] { for_each_task(o.tasks, [](index_t) {}); }},
  };
}

// Calls that only ask for what every rank knows.
void look_at(Objects& o) {
  static_cast<void>(o.a.name() + o.matrix.name());
  static_cast<void>(o.a.layout().description());
  static_cast<void>(o.a.size() + o.a.dims()[0] + o.part.size() + o.matrix.nonzeros() + o.tasks.count());
  static_cast<void>(o.matrix.row_begins().size());
  static_cast<void>(o.a.statistics());
  // close() has ended these; if not, nothing is left to end.
  for (const auto& end : std::initializer_list<std::function<void()>>{
           [&] { o.readers->end(); }, [&] { o.adders->end(); }, [&] { o.writers->end(); }}) {
    try {
      end();
    } catch (const UsageError&) {
    }
  }
}

std::string sweep(Objects& o) {
  std::string problems;
  for (const auto& members_of : {transfers_of, accesses_of, element_operations_of,
                                 matrix_and_vector_operations_of, epochs_and_containers_of}) {
    for (const Member& member : members_of(o)) problems += tried(member);
  }
  look_at(o);
  return problems;
}

}  // namespace

int main(int argc, char** argv) {
  std::optional<Runtime> runtime(std::in_place, argc, argv);
  std::string problems;
  int rank = 0;
  std::optional<Objects> outlived;
  {
    const Group& world = runtime->world();
    rank = world.rank();
    Objects closed(world);
    closed.close();
    problems = sweep(closed);
    outlived.emplace(world);
    if (problems = world.agree(problems); problems.empty() && rank == 0) std::cout << "closed: all told\n";
  }
  if (problems.empty()) {
    runtime.reset();
    problems = sweep(*outlived);
    if (problems.empty() && rank == 0) std::cout << "outlived: all told" << std::endl;
  }
  outlived.reset();
  if (problems.empty()) return 0;
  std::cerr << "rank " << rank << ": " << problems;
  return 1;
}
