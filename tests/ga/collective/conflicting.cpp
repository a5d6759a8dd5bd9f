// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <array>
#include <cstdio>
#include <map>
#include <string>

#include <tessera/tessera.hpp>

// Programs whose reports by the checker of conflicts are compared with the text that is expected: `conflicting
// NAME...`. The function that makes a call is in the report.
namespace {

using namespace tessera;

using Field = Array<double, 2>;
const Patch<2> upper{{0, 0}, {3, 8}}, middle{{2, 2}, {5, 6}};

void put_part(Field& a, const Patch<2>& patch) {
  const LocalArray<double, 2> values(patch.extents());
  a.put(patch, values);
}
void get_part(const Field& a, const Patch<2>& patch) {
  LocalArray<double, 2> values(patch.extents());
  a.get(patch, values);
}

struct Program {
  const Group& world;
  Field a;
  int rank;
  explicit Program(const Group& group) : world(group), a(group, {8, 8}, {.name = "field"}), rank(group.rank()) {
    fill(a, 0.0);
  }
};

// Wrong: nothing orders the puts.
void two_puts(Program& p) {
  if (p.rank == 0) put_part(p.a, upper);
  if (p.rank == 1) put_part(p.a, middle);
  p.a.sync();
}
// Wrong: a barrier completes no put.
void barrier_only(Program& p) {
  if (p.rank == 0) put_part(p.a, upper);
  p.world.barrier();
  if (p.rank == 1) get_part(p.a, middle);
  p.a.sync();
}
void flush_and_barrier(Program& p) {
  if (p.rank == 0) put_part(p.a, upper);
  p.a.flush();
  p.world.barrier();
  if (p.rank == 1) get_part(p.a, middle);
  p.a.sync();
}
void other_rows(Program& p) {
  auto even = p.a.slice({{0, 0}, {8, 8}}, {2, 1}), odd = p.a.slice({{1, 0}, {8, 8}}, {2, 1});
  const LocalArray<double, 2> values(Extents<2>{4, 8});
  if (p.rank == 0) even.put(values);
  if (p.rank == 1) odd.put(values);
  p.a.sync();
}
// Wrong: both have row 2.
void same_rows(Program& p) {
  auto even = p.a.slice({{0, 0}, {8, 8}}, {2, 1}), few = p.a.slice({{2, 1}, {4, 5}});
  const LocalArray<double, 2> values(Extents<2>{4, 8}), others(Extents<2>{2, 4});
  if (p.rank == 0) even.put(values);
  if (p.rank == 1) few.put(others);
  p.a.sync();
}
// Wrong: bytes 35 to 39 of the second run. The bytes after it are between two runs.
void segment(Program& p) {
  Segment bytes(p.world, 100, "bytes");
  const std::array<char, 30> data{};
  const Strided every_other{10, 1, {3}, {20}, {10}};
  if (p.rank == 0) bytes.put(0, 10, every_other, data.data());
  if (p.rank == 1) bytes.put(0, 35, Strided::contiguous(5), data.data());
  if (p.rank == 1) bytes.put(0, 40, Strided::contiguous(10), data.data());
  bytes.sync();
}
// Wrong: the buffer still belongs to the get.
void buffer(Program& p) {
  LocalArray<double, 2> values(upper.extents());
  if (p.rank == 0) {
    Request request = p.a.get_async(upper, values);
    p.a.put(upper, values);
    request.wait();
  }
  p.a.sync();
}
// The order is there, but nobody can see it.
void polling(Program& p) {
  Scalars<std::int64_t> ready(p.world, 1, "ready");
  if (p.rank == 0) {
    put_part(p.a, upper);
    p.a.flush();
    ready.store(0, 0, 1);
  }
  if (p.rank == 1) {
    while (ready.load(0, 0) == 0) {
    }
    get_part(p.a, middle);
  }
  p.a.sync();
}
// More accesses than fit into a small limit.
void many(Program& p) {
  Array<double, 1> line(p.world, {100'000}, {.name = "line"});
  fill(line, 0.0);
  for (index_t i = 3 * p.rank; i < 100'000; i += 3 * p.world.size()) line.store({i}, 1.0);
  line.sync();
}

const std::map<std::string, void (*)(Program&)> programs{
    {"two-puts", two_puts},     {"barrier-only", barrier_only}, {"flush-and-barrier", flush_and_barrier},
    {"other-rows", other_rows}, {"same-rows", same_rows},       {"segment", segment},
    {"buffer", buffer},         {"polling", polling},           {"many", many}};

}  // namespace

int main(int argc, char** argv) {
  const Runtime runtime(argc, argv);
  for (int i = 1; i < argc; ++i) {
    if (!programs.contains(argv[i])) {
      std::fprintf(stderr, "there is no program %s\n", argv[i]);
      return 2;
    }
    Program program(runtime.world());
    programs.at(argv[i])(program);
  }
}
