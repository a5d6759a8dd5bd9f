// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/io/disk_array.hpp>
#include <tessera/linalg/contract.hpp>

#include "file_model.hpp"

// Tensors on disk as factors of contractions: each process reads the sections that it needs, while it
// multiplies.
namespace tessera::test {
namespace {

TEST(DiskSource, contractions_read_their_factor_from_disk) {
  const Directory directory;
  const index_t n = 9, m = 7;
  Array<double, 4> v(world(), {n, m, n, m}, {.name = "v"});
  for_each_local(v, [](const Index<4>& at, double& x) {
    x = static_cast<double>((3 * at[0] + 5 * at[1] + 2 * at[2] + at[3]) % 7 - 3);
  });
  for (const bool in_chunks : {false, true}) {
    io::DiskOptions options;
    if (in_chunks) options.chunks = {4, 3, 4, 3};
    io::DiskArray<double, 4> disk(world(), directory / (in_chunks ? "chunks.h5" : "whole.h5"), "v", v.dims(),
                                  options);
    disk.write(Patch<4>::whole(v.dims()), v);
    const linalg::TensorSource<double, 4> source(
        v.dims(),
        [&](const Patch<4>& patch, const View<double, 4>& into) { return disk.read_async(patch, into); }, "v");
    Array<double, 2> t(world(), {n, m}, {.name = "t"});
    Array<double, 2> found(world(), {m, n}, {.name = "found"}), expected(found.duplicate("expected"));
    for_each_local(t, [](const Index<2>& at, double& x) { x = static_cast<double>(at[0] - 2 * at[1]); });
    linalg::contract(1, source("iajb"), t("ib"), 0, found("aj"));
    linalg::contract(1, v("iajb"), t("ib"), 0, expected("aj"));
    const auto x = found.get(Patch<2>::whole(found.dims())), y = expected.get(Patch<2>::whole(found.dims()));
    EXPECT_TRUE(std::equal(x.begin(), x.end(), y.begin()));
    disk.close();
    EXPECT_THROW(linalg::contract(1, source("iajb"), t("ib"), 0, found("aj")), Error);
  }
}

}  // namespace
}  // namespace tessera::test
