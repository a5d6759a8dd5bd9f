// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include <tessera/elementwise.hpp>
#include <tessera/io/checkpoint.hpp>
#include <tessera/io/checkpoint_info.hpp>

#include "../../ga/array_model.hpp"
#include "raw_file.hpp"

namespace tessera::test {

/// Sets element i of the array, in row-major order, to element<T>(first + i). @collective
template <class T, std::size_t N>
void number_elements(Array<T, N>& array, index_t first = 0) {
  const Extents<N> dims = array.dims();
  for_each_local(array, [&](const Index<N>& at, T& x) { x = element<T>(first + number_of(at, dims)); });
  array.sync();
}

/// How many elements are not as number_elements(array, first) sets them. @collective
template <class T, std::size_t N>
index_t misnumbered(Array<T, N>& array, index_t first = 0) {
  const Extents<N> dims = array.dims();
  index_t wrong = 0;
  for_each_local(array, [&](const Index<N>& at, T& x) {
    wrong += static_cast<index_t>(!(x == element<T>(first + number_of(at, dims))));
  });
  return world().all_reduce(wrong, Reduce::sum);
}

/// The file of a generation. @local
inline std::filesystem::path generation(const std::filesystem::path& prefix, int number) {
  const std::string digits = std::to_string(number);
  return prefix.string() + "." + std::string(6 - digits.size(), '0') + digits + ".h5";
}

/// Expects that another program finds element<T>(first + i) in a dataset. @collective
template <class T, std::size_t N>
void expect_raw(const std::filesystem::path& file, const std::string& name, const Extents<N>& dims,
                index_t first = 0) {
  on_rank_0([&] {
    const auto found = read_raw<T>(file, name);
    EXPECT_EQ(found.dims, std::vector<hsize_t>(dims.begin(), dims.end()));
    EXPECT_EQ(static_cast<index_t>(found.elements.size()), dims.size());
    int wrong = 0;
    for (std::size_t i = 0; i < found.elements.size(); ++i)
      wrong += static_cast<int>(!(found.elements[i] == element<T>(first + static_cast<index_t>(i))));
    EXPECT_EQ(wrong, 0);
  });
}

/// Expects that the message contains all of these words and is one line. @local
inline void expect_words(const std::string& message, const std::vector<std::string>& words) {
  for (const auto& word : words)
    EXPECT_NE(message.find(word), std::string::npos) << word << " is not in: " << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

/// All bytes of a file. @local
inline std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
inline void set_bytes(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace tessera::test
