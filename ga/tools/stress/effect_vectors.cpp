// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "model.hpp"

// What operations on vectors and matrices should do.
namespace tessera::stress {

namespace {

// An operand, element by element. An element has several values if it is a record.
struct Elements {
  Values values;
  std::size_t each;
  std::size_t size() const { return values.size() / each; }
  void set(std::size_t k, const Elements& from, std::size_t j) {
    std::copy_n(from.values.begin() + static_cast<std::ptrdiff_t>(j * each), each,
                values.begin() + static_cast<std::ptrdiff_t>(k * each));
  }
};

// Whether all partial results of a scan are exact, in whatever order they are formed.
bool stays_exact(const Values& x, bool multiplies) {
  constexpr double most = 1 << 20;
  double total = multiplies ? 1 : 0;
  for (const Number& value : x) {
    const double size = std::abs(value.real()) + std::abs(value.imag());
    total = multiplies ? total * std::max(size, 1.0) : total + size;
  }
  return is_exact(x) && total <= most;
}

std::optional<Effect> scanned(const Line& line, const Model& model, const Values& x, const Values& starts) {
  const std::string operation = line.word("op", "sum");
  const bool is_exclusive = line.number("kind") == 1, is_extremum = operation == "min" || operation == "max";
  // The minimum of no elements is not a number that all types hold.
  if (is_extremum && (is_exclusive || model.is_complex())) return {};
  if (!is_extremum && !stays_exact(x, operation == "product")) return {};
  const Number neutral = operation == "product" ? 1 : 0;
  Values all;
  Number total = neutral;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const bool begins = k == 0 || starts[k] != Number(0);
    if (begins) total = is_extremum ? x[k] : neutral;
    if (is_exclusive) all.push_back(total);
    if (operation == "sum") total += x[k];
    if (operation == "product") total = product(total, x[k]);
    if (operation == "min") total = std::min(total.real(), x[k].real());
    if (operation == "max") total = std::max(total.real(), x[k].real());
    if (!is_exclusive) all.push_back(total);
  }
  return written(all);
}

std::optional<Effect> moved(const Line& line, const Elements& x, Elements y) {
  if (line.verb == "sort_by") {
    const Values keys = keys_of(line, x.size());
    std::vector<std::size_t> order(x.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return keys[a].real() < keys[b].real(); });
    Values sorted;
    for (std::size_t k = 0; k < order.size(); ++k) {
      y.set(k, x, order[k]);
      sorted.push_back(keys[order[k]]);
    }
    return written(y.values, sorted);
  }
  const Values marks = marks_of(line, x.size());
  std::size_t marked = 0;
  std::optional<std::size_t> last;
  for (std::size_t k = 0; k < marks.size(); ++k) {
    const bool is_marked = marks[k] != Number(0);
    if (is_marked) last = k;
    if (line.verb == "spread" && last) y.set(k, x, *last);
    if (line.verb == "pack" && is_marked) y.set(marked, x, k);
    if (line.verb == "unpack" && is_marked) y.set(k, x, marked);
    marked += is_marked ? 1 : 0;
  }
  if (line.verb == "spread") return written(y.values);
  return written(y.values, {static_cast<double>(marked)});
}

// A matrix, or a vector and a matrix, in the order of the operands; the last is written.
std::optional<Effect> of_matrix(const Line& line, const Model& model, const std::vector<Values>& operands,
                                const std::vector<Numbers>& extents) {
  const std::string& verb = line.verb;
  const bool gets = verb == "get_diagonal";
  const Values& a = gets ? operands[0] : operands.back();
  const Numbers& shape = gets ? extents[0] : extents.back();
  if (shape.size() != 2) return {};
  const auto rows = static_cast<std::size_t>(shape[0]), columns = static_cast<std::size_t>(shape[1]);
  const auto alpha = static_cast<double>(line.number("alpha"));
  Values all = gets ? operands[1] : a;
  if (verb == "symmetrise") {
    if (rows != columns) return {};
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j) {
        const Number half = (a[i * columns + j] + a[j * columns + i]) * 0.5;
        all[i * columns + j] = model.is_integer() ? std::floor(half.real()) : half;
      }
    return written(all);
  }
  if (verb == "scale_rows" || verb == "scale_columns") {
    for (std::size_t k = 0; k < all.size(); ++k)
      all[k] = product(all[k], operands[0][verb == "scale_rows" ? k / columns : k % columns]);
    return written(all);
  }
  for (std::size_t i = 0; i < std::min(rows, columns); ++i) {
    const std::size_t k = i * columns + i;
    if (gets) all[i] = a[k];
    if (verb == "set_diagonal") all[k] = operands[0][i];
    if (verb == "add_diagonal") all[k] += operands[0][i];
    if (verb == "shift_diagonal") all[k] += alpha;
    if (verb == "fill_diagonal") all[k] = alpha;
  }
  return written(all);
}

std::optional<Effect> transposed(const Elements& x, const Numbers& extents) {
  Elements turned = x;
  const auto rows = static_cast<std::size_t>(extents[0]), columns = static_cast<std::size_t>(extents[1]);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) turned.set(j * rows + i, x, i * columns + j);
  return written(turned.values);
}

}  // namespace

std::optional<Effect> effect_on_vectors(const Line& line, const Model& model,
                                        const std::vector<Values>& operands,
                                        const std::vector<Numbers>& extents, bool& is_known) {
  const std::string& verb = line.verb;
  const std::size_t members = model.is_record() ? 1 : 0, dimensions = extents[0].size() - members;
  const std::size_t each = model.is_record() ? static_cast<std::size_t>(extents[0].back()) : 1;
  is_known = true;
  if (verb == "transpose") return dimensions == 2 ? transposed({operands[0], each}, extents[0]) : std::nullopt;
  if (verb == "symmetrise" || verb == "scale_rows" || verb == "scale_columns" ||
      verb.find("diagonal") != std::string::npos)
    return of_matrix(line, model, operands, extents);
  const bool is_vector = dimensions == 1;
  if (verb == "spread" || verb == "pack" || verb == "unpack" || verb == "sort_by")
    return is_vector ? moved(line, {operands[0], each}, {operands.back(), each}) : std::nullopt;
  if (verb == "scan" || verb == "segmented_scan") {
    if (!is_vector) return {};
    const std::size_t size = operands[0].size();
    return scanned(line, model, operands[0], verb == "scan" ? Values(size) : marks_of(line, size));
  }
  if (verb == "bin") {
    if (!is_vector || model.type != "int64") return {};
    Values counts = operands[0];
    for (const Number& key : bins_of(line, extents[0][0])) counts[static_cast<std::size_t>(key.real())] += 1;
    return written(counts);
  }
  is_known = false;
  return {};
}

}  // namespace tessera::stress
