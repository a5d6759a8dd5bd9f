// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "script.hpp"

// What arrays should hold, computed without Tessera: plain vectors in row-major order and index arithmetic of
// its own. All values are whole numbers that every element type holds exactly, so that sums do not depend on
// their order.
namespace tessera::stress {

using Number = std::complex<double>;
using Values = std::vector<Number>;
using Places = std::vector<std::size_t>;  // row-major numbers of elements

/// A part of an array: dimension fix[0] held at fix[1], then a patch of the rest, every step-th element of it,
/// and its dimensions in another order. What is empty changes nothing.
struct Part {
  Numbers lo, hi, step, order, fix;
};
/// Reads the settings of a line that begin with a prefix.
Part part_of(const Line& line, const std::string& prefix);

/// The elements of a part in its row-major order.
struct Selection {
  Numbers extents;
  Places at;
};

/// How an element was used since the array was last synchronised, and by which member.
enum Use : std::uint8_t { reads = 1, writes = 2, adds = 4, lessens = 8, raises = 16, travels = 32 };

/// The expected contents of one array.
struct Model {
  std::string type;
  Numbers extents, ghosts;
  std::vector<bool> periodic;
  Values values;
  std::vector<int> author;         // who used it since the last synchronisation: none, one or several
  std::vector<std::uint8_t> uses;  // Use

  static constexpr int nobody = -1, several = -2;

  bool is_complex() const { return type.find("complex") == 0; }
  bool is_record() const { return type == "record"; }
  bool is_integer() const { return type.find("int") == 0; }
  /// The elements of a part; nothing if the array does not have the part.
  std::optional<Selection> select(const Part& part) const;
  /// A patch of the array repeated in all directions; nothing if the array is empty.
  std::optional<Selection> select_periodic(const Part& part) const;
  /// The place of a position; nothing outside.
  std::optional<std::size_t> place(const Numbers& at) const;
  Numbers position(std::size_t place) const;
  /// Whether what a member is about to do needs a synchronisation first.
  bool conflicts(const Places& at, int member, std::uint8_t use) const;
  void use(const Places& at, int member, std::uint8_t use);
  void settle();
};

std::size_t count(const Numbers& extents);
/// Positions of a box in row-major order.
std::vector<Numbers> positions(const Numbers& extents);
/// The k-th number that a seed stands for.
std::uint64_t random_bits(index_t seed, std::size_t k);
index_t random_below(index_t seed, std::size_t k, index_t end);
/// Values of a seed: whole numbers from -9 to 9, with imaginary parts if complex.
Values random_values(index_t seed, std::size_t count, bool is_complex);
/// A patch that belongs to a seed.
Part random_patch(index_t seed, const Numbers& extents);
/// A member's part of an array that is divided evenly along dimension 0.
Part slab(const Numbers& extents, int member, int members);

/// An element of a sparse matrix.
struct SparseElement {
  index_t row, column;
  Number value;
};
/// The elements that a member gives to the matrix of a line; some are at the same place.
std::vector<SparseElement> sparse_elements(const Line& line, int member, index_t rows, index_t columns,
                                           bool is_complex);

/// The rows of the matrix of a line that are checked.
Numbers sparse_rows(const Line& line, index_t rows);

/// The inputs of a line beside its operands. Marks: most of them or few are not 0. Keys to sort by. Keys to
/// count: from 0 to bins - 1.
Values marks_of(const Line& line, std::size_t count);
Values keys_of(const Line& line, std::size_t count);
Values bins_of(const Line& line, index_t bins);

/// Whether elements of an array have an update.
bool has_update(const Model& model, Update update);
/// What an element becomes by an update.
Number updated(Update update, const Number& before, const Number& value);

/// Whether all are whole numbers that every type holds.
bool is_exact(const Values& values);
/// A product without the special treatment of infinities by std::complex. @local
Number product(const Number& x, const Number& y);

/// An operation on whole arrays in terms of values: what its last operand becomes (unless it only reads), and
/// what it returns. Nothing if the numbers would not be exact or the type does not have the operation.
struct Effect {
  std::optional<Values> written;
  Values result;
  bool is_rounded = false;  // the result may differ in its last digits
};
std::optional<Effect> effect(const Line& line, const Model& model, const std::vector<Values>& operands,
                             const std::vector<Numbers>& extents);
/// An effect that writes; nothing if the values are not exact. @local
std::optional<Effect> written(const Values& values, const Values& result = {});
/// The same as effect() for operations that only vectors or matrices have. `is_known`: whether the verb is one
/// of these.
std::optional<Effect> effect_on_vectors(const Line& line, const Model& model,
                                        const std::vector<Values>& operands,
                                        const std::vector<Numbers>& extents, bool& is_known);

}  // namespace tessera::stress
