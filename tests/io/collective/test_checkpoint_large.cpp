// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers

#include "available_memory.hpp"
#include "checkpoint_model.hpp"

// More than 2^31 elements of one byte each. They show where a count or an offset is kept in 32 bits. Takes 3
// GiB of memory and 3 GiB of the disk.
namespace {

using namespace tessera;
using namespace tessera::test;

constexpr index_t rows = 3, columns = (index_t{1} << 30) + 5;

char value_at(index_t number) { return static_cast<char>(number % 113 + number / 1'000'003); }

TEST(LargeCheckpoint, elements_beyond_2_to_the_31_are_restored) {
  const Directory directory;
  const bool has_space = available_memory() > index_t{8} << 30 &&
                         std::filesystem::space(directory / ".").available > std::uintmax_t{5} << 30;
  if (!on_all(has_space))
    GTEST_SKIP() << "this machine has less than 8 GiB of memory or 5 GiB of disk to spare";
  Array<char, 2> a(world(), {rows, columns}, {.name = "large"});
  const auto number = [](const Index<2>& at) { return at[0] * columns + at[1]; };
  for_each_local(a, [&](const Index<2>& at, char& c) { c = value_at(number(at)); });
  io::Checkpoint checkpoint(world(), directory / "large", {.keep = 1});
  checkpoint.add("large", a);
  checkpoint.write(1);
  fill(a, 'x');
  TESSERA_ASSERT_ALL(checkpoint.restore().has_value());
  Comparison elements;
  for_each_local(a, [&](const Index<2>& at, char& c) { elements(at, value_at(number(at)), c); });
  EXPECT_TRUE(elements.equal());

  // The last bytes of the data, as they lie in the file.
  on_rank_0([&] {
    const hid_t file = good(H5Fopen(generation(directory / "large", 1).c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
    const hid_t dataset = good(H5Dopen2(file, "large", H5P_DEFAULT));
    std::ifstream bytes(generation(directory / "large", 1), std::ios::binary);
    bytes.seekg(static_cast<std::streamoff>(H5Dget_offset(dataset)) + rows * columns - 100);
    Comparison compared;
    for (index_t i = rows * columns - 100; i < rows * columns; ++i)
      compared(i, value_at(i), static_cast<char>(bytes.get()));
    EXPECT_TRUE(compared.equal());
    good(H5Dclose(dataset));
    good(H5Fclose(file));
  });
}

}  // namespace
