// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/sparse_file.hpp>

#include <cerrno>
#include <complex>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include <tessera/core/agreed.hpp>

#include "format.hpp"
#include "sparse/matrix_market.hpp"

namespace tessera {

template <Arithmetic T>
FileTriplets<T> read_matrix_market(const Group& group, const std::string& path) {
  detail::MatrixShare<T> share;
  std::string problem;
  detail::agreed(group, "read_matrix_market", [&] {  // memory may be missing on one member
    try {
      std::ifstream in(path, std::ios::binary);
      if (!in) throw UsageError(formatted("it cannot be opened: {}", std::strerror(errno)));
      if (std::filesystem::is_directory(path)) throw UsageError("it is a directory");
      share = detail::parse_matrix_market<T>(in, group.rank(), group.size());
    } catch (const UsageError& error) {
      problem = error.what();
    }
  });
  problem = group.agree(problem);
  const index_t lines = group.all_reduce(share.lines, Reduce::sum);
  if (problem.empty() && lines != share.entries)
    problem = formatted("it is said to have {} entries, and has {}", share.entries, lines);
  if (!problem.empty()) throw UsageError(formatted("matrix file \"{}\": {}", path, problem));
  return {share.rows, share.columns, std::move(share.triplets)};
}

template FileTriplets<std::int32_t> read_matrix_market(const Group&, const std::string&);
template FileTriplets<std::int64_t> read_matrix_market(const Group&, const std::string&);
template FileTriplets<float> read_matrix_market(const Group&, const std::string&);
template FileTriplets<double> read_matrix_market(const Group&, const std::string&);
template FileTriplets<std::complex<float>> read_matrix_market(const Group&, const std::string&);
template FileTriplets<std::complex<double>> read_matrix_market(const Group&, const std::string&);

}  // namespace tessera
