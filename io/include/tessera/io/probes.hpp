// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <tessera/io/error.hpp>
#include <tessera/slice.hpp>

namespace tessera::io {

/// A point whose values are recorded. Without a name, it is called by its position, such as (3, 5).
template <std::size_t N>
struct Probe {
  Index<N> at;
  std::string name = {};
};

struct ProbesOptions {
  /// What the arrays of sample() are called, in their order.
  std::vector<std::string> fields = {"values"};
  /// Continues an existing file instead of beginning anew. Samples from the time of the first new one on are
  /// dropped.
  bool resume = false;
  /// How many samples are kept in memory before they are written together. With more than 1, call flush() at
  /// the end, and before each checkpoint from which the run may be continued.
  index_t buffer = 1;
};

namespace detail {

/// The points of Probes with run-time rank.
struct ProbePoints {
  int rank = 0;
  std::vector<tessera::detail::Coordinates> positions = {};
  std::vector<std::string> names = {};
};

class ProbesState;
/// Probes with run-time rank.
class ProbeRecorder {
 public:
  ProbeRecorder(const Group& group, const std::filesystem::path& file, ProbePoints points,
                const ProbesOptions& options);
  ~ProbeRecorder();
  ProbeRecorder(ProbeRecorder&&) noexcept;
  ProbeRecorder& operator=(ProbeRecorder&&) noexcept;
  void sample(double time, std::span<const tessera::detail::SliceCore> fields);
  void flush();
  index_t samples() const;

 private:
  ProbesState& state() const;
  std::unique_ptr<ProbesState> state_;
};

template <class A, std::size_t N, class First>
inline constexpr bool is_probed =
    rank_v<A> == N&& RealElement<value_t<A>>&& std::is_same_v<value_t<A>, value_t<First>>;

}  // namespace detail

/// Records the elements of arrays at some points, as a time series in a file. The name of the file says which
/// kind it is.
///
/// .csv: a line for each sample, with the time first. The line before them has the name and position of each
/// column. Numbers have all their digits, or are nan, inf and -inf.
///
/// .h5 or .hdf5: the datasets `time`, with one number for each sample; for each field one with a row for each
/// sample and a column for each point; and `positions`, whose attribute `names` has the names of the points if
/// any has one.
///
/// Rank 0 writes the file, which is not kept open. A CSV file has only whole lines even if the run dies. An
/// HDF5 file may be lost if the run dies while it is written. The destructor writes nothing.
template <std::size_t N>
class Probes {
 public:
  /// Writes nothing yet. A relative path keeps its meaning if the program changes its directory. @collective
  /// @throws UsageError if the name of the file ends otherwise, for no points or fields, and for names that are
  /// given twice or cannot be, such as "u" beside "u/v" in HDF5; IoError on every rank if an existing file that
  /// is continued has other points
  Probes(const Group& group, const std::filesystem::path& file, const std::vector<Probe<N>>& points,
         const ProbesOptions& options = {})
      : recorder_(group, file, listed(points), options) {}

  /// Records the elements of one array or slice for each field, all of the same type. An array is given here
  /// rather than once, so that arrays may be swapped between two samples. The first sample makes the file, and
  /// replaces an older one. @collective
  /// @throws UsageError if the time is not after that of the last sample, for another number of fields or
  /// another type than before, or if a point is outside; IoError on every rank if the file cannot be written.
  /// Samples that could not be written stay in memory, and are written with the next.
  /// @completion with a buffer of 1 sample, the sample is handed to the system
  template <Operand First, Operand... More>
  requires(detail::is_probed<First, N, First> &&
           (detail::is_probed<More, N, First> && ...)) void sample(double time, const First& field,
                                                                   const More&... more) {
    const std::initializer_list<tessera::detail::SliceCore> all{slice_of(field).core(),
                                                                slice_of(more).core()...};
    recorder_.sample(time, {all.begin(), all.size()});
  }
  /// Writes the samples that are still in memory. @collective @throws IoError on every rank @completion the
  /// samples are handed to the system
  void flush() { recorder_.flush(); }
  /// How many samples there are, in the file and in memory. After a restart, 0 until the first new one. @local
  index_t samples() const { return recorder_.samples(); }

 private:
  static detail::ProbePoints listed(const std::vector<Probe<N>>& points) {
    detail::ProbePoints all{.rank = static_cast<int>(N)};
    for (const Probe<N>& point : points) {
      std::copy_n(point.at.begin(), N, all.positions.emplace_back().begin());
      all.names.push_back(point.name);
    }
    return all;
  }

  detail::ProbeRecorder recorder_;
};

}  // namespace tessera::io
