// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <optional>

#include <tessera/elementwise.hpp>
#include <tessera/matrix.hpp>
#include <tessera/scan.hpp>

#include "elements.hpp"
#include "layouts.hpp"
#include "model.hpp"

// Operations on vectors and matrices, with the inputs that they need beside the arrays of a script.
namespace tessera::stress {

/// A vector beside the arrays of a script, in a layout that a seed chooses. @collective
template <class T>
Array<T, 1> scratch_vector(const Group& group, index_t seed, const Values& values) {
  const Extents<1> extents{static_cast<index_t>(values.size())};
  const ProcessGrid<1> grid{Extents<1>{1 + random_below(seed, 1, group.size())}};
  const auto layout = [&]() -> Layout<1> {
    switch (random_below(seed, 0, 4)) {
      case 0:
        return Layout<1>::block_cyclic(extents, Extents<1>{1 + random_below(seed, 2, 7)}, grid, group.size());
      case 1:
        return Layout<1>::tiled(extents, Extents<1>{1 + random_below(seed, 2, 7)}, grid, group.size());
      case 2:
        return Layout<1>::blocked(extents, 1)
            .on_ranks({static_cast<int>(random_below(seed, 3, group.size()))}, group.size());
      default:
        return Layout<1>::blocked(extents, group.size());
    }
  };
  Array<T, 1> vector(group, layout(), {.name = "scratch"});
  for_each_local(
      vector, [&](const Index<1>& at, T& here) { here = element<T>(values[static_cast<std::size_t>(at[0])]); });
  vector.sync();
  return vector;
}
template <class T>
Values values_of(const Array<T, 1>& vector) {
  Values all;
  for (const T& value : vector.get(Patch<1>::whole(vector.dims()))) all.push_back(number(value));
  return all;
}

/// Runs spread, pack, unpack or sort_by, which move elements of any type, and returns their result; nothing for
/// another verb. @collective
template <class T>
std::optional<Values> move_vector(const Line& line, const Slice<T, 1>& x, const Slice<T, 1>& y) {
  const auto size = static_cast<std::size_t>(x.size());
  const index_t seed = line.number("seed");
  if (line.verb == "sort_by") {
    const Values keys = keys_of(line, size);
    const auto sorted_by = [&]<class K>(K) {
      auto vector = scratch_vector<K>(x.group(), seed, keys);
      sort(vector, x);
      const Values sorted = values_of(vector);
      vector.close();
      return sorted;
    };
    return seed % 2 == 0 ? sorted_by(double{}) : sorted_by(std::int32_t{});
  }
  if (line.verb != "spread" && line.verb != "pack" && line.verb != "unpack") return {};
  auto marks = scratch_vector<std::int32_t>(x.group(), seed, marks_of(line, size));
  std::optional<Values> found{Values{}};
  if (line.verb == "spread") spread(x, marks, y);
  if (line.verb == "pack") found = Values{static_cast<double>(pack(x, marks, y))};
  if (line.verb == "unpack") found = Values{static_cast<double>(unpack(x, marks, y))};
  marks.close();
  return found;
}

inline Reduce reduction_of(const Line& line) {
  const std::string name = line.word("op", "sum");
  for (const Reduce one : {Reduce::product, Reduce::min, Reduce::max, Reduce::logical_and, Reduce::logical_or,
                           Reduce::bit_and, Reduce::bit_or, Reduce::bit_xor})
    if (name == to_string(one)) return one;
  return Reduce::sum;
}

/// Runs scan, segmented_scan or bin. @collective @throws std::invalid_argument for another verb
template <class T>
void compute_vector(const Line& line, const Slice<T, 1>& x, const Slice<T, 1>& y) {
  const Scan kind = line.number("kind") == 1 ? Scan::exclusive : Scan::inclusive;
  const index_t seed = line.number("seed");
  if (line.verb == "scan") return scan(x, y, kind, reduction_of(line));
  if (line.verb == "segmented_scan") {
    auto marks =
        scratch_vector<std::int64_t>(x.group(), seed, marks_of(line, static_cast<std::size_t>(x.size())));
    segmented_scan(x, marks, y, kind, reduction_of(line));
    return marks.close();
  }
  if constexpr (std::is_same_v<T, std::int64_t>) {
    if (line.verb == "bin") {
      auto keys = scratch_vector<std::int32_t>(x.group(), seed, bins_of(line, x.size()));
      bin(keys, x);
      return keys.close();
    }
  }
  throw std::invalid_argument("vectors of this type have no " + line.verb);
}

/// Whether a verb works on a matrix and a vector, or a matrix alone.
inline bool is_of_matrices(const std::string& verb) {
  return verb == "transpose" || verb == "symmetrise" || verb.find("diagonal") != std::string::npos ||
         verb == "scale_rows" || verb == "scale_columns";
}
/// @collective
template <class T>
void compute_matrix(const Line& line, const Slice<T, 2>& a) {
  const T alpha = element<T>(static_cast<double>(line.number("alpha")));
  if (line.verb == "symmetrise") return symmetrise(a);
  if (line.verb == "shift_diagonal") return shift_diagonal(a, alpha);
  fill_diagonal(a, alpha);
}
template <class T>
void compute_matrix(const std::string& verb, const Slice<T, 2>& a, const Slice<T, 1>& v) {
  if (verb == "get_diagonal") return get_diagonal(a, v);
  if (verb == "set_diagonal") return set_diagonal(a, v);
  if (verb == "add_diagonal") return add_diagonal(a, v);
  if (verb == "scale_rows") return scale_rows(a, v);
  scale_columns(a, v);
}

}  // namespace tessera::stress
