// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <set>

#include "record_array.hpp"

namespace tessera::stress {

namespace {

template <std::size_t N>
std::unique_ptr<AnyArray> make_of_rank(const Group& group, const std::string& name, const Line& line) {
  const auto extents = to<Extents<N>>(line.numbers("extents"));
  ArrayOptions<N> options{.name = name};
  if (line.word("domain") == "mpi") options.domain = AtomicDomain::mpi;
  return std::make_unique<RecordArray<N>>(group, make_layout<N>(line, extents, group.size()), options);
}

}  // namespace

std::unique_ptr<AnyArray> make_records(const Group& group, const std::string& name, const Line& line) {
  const std::size_t rank = line.numbers("extents").size();
  if (rank == 1) return make_of_rank<1>(group, name, line);
  if (rank == 2) return make_of_rank<2>(group, name, line);
  return make_of_rank<3>(group, name, line);
}

bool suits_records(const std::string& verb) {
  static const std::set<std::string> suitable{
      "array", "duplicate",  "redistribute", "close",   "drop",    "put",         "get",
      "acc",   "gather",     "load",         "store",   "outside", "wait",        "flush",
      "sync",  "read_epoch", "write_local",  "acc_all", "put_all", "write_epoch", "locked_add_all"};
  return suitable.count(verb) != 0;
}

}  // namespace tessera::stress
