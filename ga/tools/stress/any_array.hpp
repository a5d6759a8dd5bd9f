// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <tessera/runtime/batch.hpp>
#include <tessera/runtime/flags.hpp>
#include <tessera/runtime/group.hpp>
#include <tessera/runtime/runtime.hpp>
#include <tessera/runtime/vector.hpp>

#include "model.hpp"

namespace tessera::stress {

/// Elements found at positions; a position may lie outside the array, among its ghost cells.
struct Found {
  std::vector<Numbers> at;
  Values values;
};

/// Where an element lies in the segment of its array: its rank, and its number among the elements that the rank
/// stores.
struct Stored {
  int rank;
  index_t number;
  Numbers at;
};

/// An operation of a batch, on contiguous elements in a rank's memory, from `first` on.
struct BatchStep {
  enum class Kind { put, get, acc, fetch_op };
  Kind kind;
  int rank;
  index_t first;
  Values values;  // for get, only their number matters
  index_t alpha = 1;
  Update update = Update::sum;  // of fetch_op
};

/// The segment of an array, as batches use it.
class AnyMemory {
 public:
  virtual ~AnyMemory() = default;
  virtual void add(Batch& batch, const BatchStep& step) = 0;
  /// The results of the steps that read, the oldest first; after the batch was sent.
  virtual std::vector<Values> results() = 0;
  virtual void flush() = 0;
};

/// An array of any type and number of dimensions, and every operation on it, with whole numbers as values.
class AnyArray {
 public:
  virtual ~AnyArray() = default;

  virtual std::unique_ptr<AnyArray> duplicate(const std::string& name) const = 0;
  virtual void redistribute(const Line& layout) = 0;
  /// Moves the array away and back, while transfers may be in flight.
  virtual void move() = 0;
  virtual void close() = 0;
  virtual void sync() = 0;
  virtual void flush(int rank) = 0;

  // `how`: the buffer is dense, "strided" or "registered" with MPI. Or the transfer does not wait: "async" and
  // "detached", until wait().
  virtual void put(const Part& part, const Values& values, const std::string& how) = 0;
  virtual void accumulate(const Part& part, const Values& values, const Line& line) = 0;
  virtual Values get(const Part& part, const std::string& how) = 0;
  /// The results of the gets that did not wait, the oldest first. `how`: one after another, "test" or
  /// "together".
  virtual std::vector<Values> wait(const std::string& how = {}) = 0;
  virtual void put_periodic(const Part& part, const Values& values) = 0;
  virtual void acc_periodic(const Part& part, const Values& values, index_t alpha) = 0;
  virtual Values get_periodic(const Part& part) = 0;
  virtual void scatter(const std::vector<Numbers>& at, const Values& values, const VectorOptions& options) = 0;
  virtual void scatter_acc(const std::vector<Numbers>& at, const Values& values, index_t alpha,
                           const VectorOptions& options) = 0;
  virtual Values gather(const std::vector<Numbers>& at, const VectorOptions& options = {}) = 0;
  virtual void store(const Numbers& at, Number value) = 0;
  virtual Number load(const Numbers& at) = 0;
  /// fetch_add and exchange for sums and replacements.
  virtual Number fetch_op(const Numbers& at, Update update, Number value) = 0;
  /// Returns what was there, and sets the element if that is `expected`.
  virtual Number compare_exchange(const Numbers& at, Number expected, Number desired) = 0;
  virtual void put_notify(const Part& part, const Values& values, const Flag& flag) = 0;

  /// The elements of this rank, by one of several ways.
  virtual Found local(const std::string& how) = 0;
  /// `how`: "each" element by itself, "blocks", or "whole".
  virtual void write_local(const std::function<Number(const Numbers&)>& value, const std::string& how) = 0;
  virtual void update_ghosts(const Line& line) = 0;
  virtual void begin_update_ghosts(const Line& line) = 0;
  virtual void end_update_ghosts(bool tests) = 0;
  /// The segment of the array; null if no element of it is on this node, since nothing then leads to the
  /// segment.
  virtual AnyMemory* memory(const Runtime& runtime) = 0;
  /// Where the elements of this rank lie in that segment.
  virtual std::vector<Stored> stored(const Runtime& runtime) = 0;
  /// This rank's block with the cells around it, and the bounds of the block; nothing where it is empty.
  virtual Found with_ghosts(Part& block) = 0;

  // Epochs; with end=0 the next synchronisation ends them.
  virtual Values get_read_only(const std::vector<Part>& patches, const Line& line) = 0;
  virtual void accumulate_only(const std::vector<Part>& patches, const std::vector<Values>& values,
                               const Line& line) = 0;
  virtual void write_disjoint(const Part& part, const Values& values, const Line& line) = 0;
};

/// @collective over the group @throws as Array
std::unique_ptr<AnyArray> make_array(const Group& group, const std::string& name, const Line& line);

struct Operand {
  AnyArray* array;
  Part part;
  std::size_t dimensions;  // of the part
};
/// Runs an operation of whole_operations(), and returns its result. `rank`: the most dimensions of an operand.
/// @collective
Values compute(const std::string& type, std::size_t rank, const Line& line,
               const std::vector<Operand>& operands);

// One for each pair of element types, so that they are compiled in parallel.
std::unique_ptr<AnyArray> make_integers(const Group& group, const std::string& name, const Line& line);
std::unique_ptr<AnyArray> make_reals(const Group& group, const std::string& name, const Line& line);
std::unique_ptr<AnyArray> make_records(const Group& group, const std::string& name, const Line& line);
std::unique_ptr<AnyArray> make_complex(const Group& group, const std::string& name, const Line& line);
Values compute_integers(const std::string& type, std::size_t rank, const Line& line,
                        const std::vector<Operand>& operands);
Values compute_reals(const std::string& type, std::size_t rank, const Line& line,
                     const std::vector<Operand>& operands);
Values compute_records(std::size_t rank, const Line& line, const std::vector<Operand>& operands);
Values compute_complex(const std::string& type, std::size_t rank, const Line& line,
                       const std::vector<Operand>& operands);

inline constexpr std::size_t max_dimensions = 8;
/// The cache of an epoch if its line does not give one.
inline constexpr index_t default_cache = 1 << 20;

/// Limits of arrays of records. Their model has one dimension more, the last, along which the members of a
/// record lie.
inline constexpr std::size_t max_record_dimensions = 3;
inline constexpr index_t record_members = 4;

/// Only arrays of double have all numbers of dimensions. One compiled core moves all types, and each number of
/// dimensions takes seconds to compile for each type.
template <class T>
inline constexpr std::size_t max_dimensions_of = std::is_same_v<T, double> ? max_dimensions : 4;
/// The same by a type's name. @local
inline std::size_t max_dimensions_of_type(const std::string& type) {
  if (type == "record") return max_record_dimensions;
  return type == "double" ? max_dimensions_of<double> : max_dimensions_of<float>;
}
/// Whether arrays of records have the operation of a verb.
bool suits_records(const std::string& verb);

}  // namespace tessera::stress
