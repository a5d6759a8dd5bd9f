// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <cmath>

#include "model.hpp"

// What operations on whole arrays and slices should do.
namespace tessera::stress {

namespace {

bool less(const Number& a, const Number& b) { return a.real() < b.real(); }

// The extremum and its position: the first of equal elements in row-major order.
Values extremum(const Values& x, const Numbers& extents, bool greatest) {
  const auto at =
      greatest ? std::max_element(x.begin(), x.end(), less) : std::min_element(x.begin(), x.end(), less);
  auto place = at - x.begin();
  Values result(extents.size() + 1, *at);
  for (std::size_t d = extents.size(); d-- > 0;) {
    result[d + 1] = static_cast<double>(place % extents[d]);
    place /= extents[d];
  }
  return result;
}

template <class F>
Values each(const Values& x, F&& f) {
  Values all;
  for (const Number& value : x) all.push_back(f(value));
  return all;
}
template <class F>
Values each(const Values& x, const Values& y, F&& f) {
  Values all;
  for (std::size_t k = 0; k < x.size(); ++k) all.push_back(f(x[k], y[k]));
  return all;
}

Number sum(const Values& x) {
  Number total = 0;
  for (const Number& value : x) total += value;
  return total;
}

// Whether a sum of these is exact in any order.
bool adds_up(const Values& x) {
  double total = 0;
  for (const Number& value : x) total += std::abs(value.real()) + std::abs(value.imag());
  return is_exact(x) && total < (1 << 22);
}

// Two whole numbers combined by a bitwise or logical operation.
std::int64_t combined(const std::string& operation, std::int64_t a, std::int64_t b) {
  if (operation == "bit_and") return a & b;
  if (operation == "bit_or") return a | b;
  if (operation == "bit_xor") return a ^ b;
  if (operation == "logical_and") return static_cast<std::int64_t>(a != 0 && b != 0);
  return static_cast<std::int64_t>(a != 0 || b != 0);
}

std::optional<Effect> reduced(const Line& line, const Model& model, const Values& x) {
  const std::string operation = line.word("op", "sum");
  if (operation == "sum") return adds_up(x) ? std::optional(Effect{{}, {sum(x)}, false}) : std::nullopt;
  if (model.is_complex() || x.empty()) return {};
  if (operation.find("bit_") == 0 || operation.find("logical_") == 0) {
    if (!model.is_integer()) return {};
    const bool is_logical = operation[0] == 'l';
    auto total = static_cast<std::int64_t>(x[0].real());
    if (is_logical) total = static_cast<std::int64_t>(total != 0);
    for (std::size_t k = 1; k < x.size(); ++k)
      total = combined(operation, total, static_cast<std::int64_t>(x[k].real()));
    return Effect{{}, {static_cast<double>(total)}, false};
  }
  const auto at = operation == "max" ? std::max_element(x.begin(), x.end(), less)
                                     : std::min_element(x.begin(), x.end(), less);
  return Effect{{}, {*at}, false};
}

// Nothing if an element is divided by 0, or if a quotient is not whole and the type is not an integer.
std::optional<Effect> divided(const Model& model, const Values& x, const Values& y) {
  if (std::any_of(y.begin(), y.end(), [](const Number& b) { return b.real() == 0; })) return {};
  return written(each(x, y, [&](const Number& a, const Number& b) {
    const double quotient = a.real() / b.real();
    return model.is_integer() ? std::trunc(quotient) : quotient;
  }));
}

double magnitude(const Number& x) { return std::sqrt(x.real() * x.real() + x.imag() * x.imag()); }

std::optional<Effect> norm(const std::string& verb, const Values& x) {
  double total = 0;
  for (const Number& value : x) {
    const double size = magnitude(value);
    if (verb == "norm1") total += size;
    if (verb == "norm2") total += size * size;
    if (verb == "norm_inf") total = std::max(total, size);
  }
  return Effect{{}, {verb == "norm2" ? std::sqrt(total) : total}, true};
}

}  // namespace

std::optional<Effect> effect(const Line& line, const Model& model, const std::vector<Values>& operands,
                             const std::vector<Numbers>& all_extents) {
  const std::string& verb = line.verb;
  bool is_known = false;
  if (const auto special = effect_on_vectors(line, model, operands, all_extents, is_known); is_known)
    return special;
  const Numbers& extents = all_extents[0];
  const Number alpha = static_cast<double>(line.number("alpha")),
               beta = static_cast<double>(line.number("beta"));
  const Values& x = operands[0];
  const Values& y = operands.size() > 1 ? operands[1] : x;
  const bool is_real = !model.is_complex(), is_vector = extents.size() == 1;
  if (verb == "fill") return written(Values(x.size(), alpha));
  if (verb == "scale") return written(each(x, [&](const Number& a) { return alpha * a; }));
  if (verb == "add_constant") return written(each(x, [&](const Number& a) { return a + alpha; }));
  if (verb == "transform") return written(each(x, [](const Number& a) { return Number(2) - a; }));
  if (verb == "transform2") return written(each(x, [](const Number& a) { return a + a + Number(1); }));
  if (verb == "copy" || verb == "permute" || verb == "reshape") return written(x);
  if (verb == "axpby") return written(each(x, y, [&](auto& a, auto& b) { return alpha * a + beta * b; }));
  if (verb == "axpby_in_place")
    return written(each(x, y, [&](auto& a, auto& b) { return alpha * a + beta * b; }));
  if (verb == "multiply") return written(each(x, y, product));
  if (verb == "transform3") return written(each(x, y, [](auto& a, auto& b) { return a - b; }));
  if (verb == "norm1" || verb == "norm2" || verb == "norm_inf") return norm(verb, x);
  if (verb == "reduce") return reduced(line, model, x);
  if (verb == "dot" || verb == "dot_unconjugated" || verb == "transform_reduce") {
    const Values products =
        each(x, y, [&](auto& a, auto& b) { return product(verb == "dot" ? std::conj(a) : a, b); });
    if (!adds_up(products)) return {};
    return Effect{{}, {sum(products)}, false};
  }
  if (verb == "reduce_by") return adds_up(x) ? std::optional(Effect{{}, {sum(x)}, false}) : std::nullopt;
  if (verb == "transform_reduce1") {
    const auto positive = std::count_if(x.begin(), x.end(), [](const Number& a) { return a.real() > 0; });
    return Effect{{}, {static_cast<double>(positive)}, false};
  }
  if (verb == "transform4" || verb == "transform_reduce3") {
    Values all = each(x, y, [](auto& a, auto& b) { return a + b; });
    all = each(all, operands[2], [](auto& a, auto& b) { return a - b; });
    if (verb == "transform4") return written(all);
    return adds_up(all) ? std::optional(Effect{{}, {sum(all)}, false}) : std::nullopt;
  }
  if (verb == "enumerate" && is_vector) {
    Values all;
    for (std::size_t k = 0; k < x.size(); ++k) all.push_back(alpha + static_cast<double>(k) * beta);
    return written(all);
  }
  if (!is_real) return {};
  if (verb == "divide") return divided(model, x, y);
  if (verb == "reciprocal") return divided(model, Values(x.size(), 1), x);
  if (verb == "clamp") {
    if (alpha.real() > beta.real()) return {};
    return written(each(x, [&](auto& a) { return std::clamp(a.real(), alpha.real(), beta.real()); }));
  }
  if (verb == "abs") return written(each(x, [](auto& a) { return std::abs(a.real()); }));
  if (verb == "minimum")
    return written(each(x, y, [](auto& a, auto& b) { return std::min(a.real(), b.real()); }));
  if (verb == "maximum")
    return written(each(x, y, [](auto& a, auto& b) { return std::max(a.real(), b.real()); }));
  if ((verb == "min_element" || verb == "max_element") && !x.empty())
    return Effect{{}, extremum(x, extents, verb == "max_element"), false};
  if (verb == "sort" && is_vector) {
    Values sorted = x;
    std::sort(sorted.begin(), sorted.end(), less);
    return written(sorted);
  }
  return {};
}

}  // namespace tessera::stress
