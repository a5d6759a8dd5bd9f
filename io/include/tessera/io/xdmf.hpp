// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/io/error.hpp>
#include <tessera/slice.hpp>

namespace tessera::io {

/// A regular grid. Its dimensions are ordered like the dimensions of arrays. ParaView takes the last index as
/// x, so three dimensions are z, y, x.
template <std::size_t N>
struct XdmfGrid {
  Extents<N> points;
  std::array<double, N> origin = {};
  std::array<double, N> spacing = ones();

 private:
  static constexpr std::array<double, N> ones() {
    std::array<double, N> all{};
    all.fill(1);
    return all;
  }
};

/// Values on a grid. A scalar field is an array with one number for each point (the grid's extents) or for each
/// cell (one less in each dimension). A vector field is an array with one more dimension, the last, for the x,
/// y and z components, or one array for each component. Refers to the arrays. @local
class XdmfField {
 public:
  template <Operand A>
  XdmfField(std::string_view name, const A& values) : name_(name), parts_{slice_of(values).core()} {}
  template <Operand A, OfSameRank<A> B>
  XdmfField(std::string_view name, const A& x, const B& y)
      : name_(name), parts_{slice_of(x).core(), slice_of(y).core()} {}
  template <Operand A, OfSameRank<A> B, OfSameRank<A> C>
  XdmfField(std::string_view name, const A& x, const B& y, const C& z)
      : name_(name), parts_{slice_of(x).core(), slice_of(y).core(), slice_of(z).core()} {}

  const std::string& name() const noexcept { return name_; }
  const std::vector<tessera::detail::SliceCore>& parts() const noexcept { return parts_; }

 private:
  std::string name_;
  std::vector<tessera::detail::SliceCore> parts_;
};

struct XdmfOptions {
  /// Continues the list of an existing file instead of beginning anew. Keeps its steps before the first new
  /// step.
  bool resume = false;
};

/// The steps of a run on a regular grid of two or three dimensions, for ParaView and VisIt. The file run.xmf
/// lists the steps. Beside it, run.step000000.h5, run.step000001.h5 and so on hold the fields, as save() writes
/// them. Each step is complete and on disk before the list is replaced. So the list can be opened at any time,
/// and a run that dies damages no earlier step. Steps of an earlier run that are replaced leave the list first.
/// The destructor does nothing.
class XdmfSeries {
 public:
  /// A relative path keeps its meaning if the program changes its directory. @collective
  /// @throws UsageError if the grid has no cells; IoError on every rank if the steps of an existing file cannot
  /// be understood
  template <std::size_t N>
  requires(N == 2 || N == 3) XdmfSeries(const Group& group, const std::filesystem::path& file,
                                        const XdmfGrid<N>& grid, const XdmfOptions& options = {})
      : XdmfSeries(group, file, {grid.points.begin(), grid.points.end()},
                   {grid.origin.begin(), grid.origin.end()}, {grid.spacing.begin(), grid.spacing.end()},
                   options) {}

  /// Writes a step: arrays and slices of the group, of int32, int64, float32 or float64. Vectors that are given
  /// by components are merged first, which needs memory for all of them. @collective
  /// @throws UsageError for a field that does not fit the grid, or a time that is not after the last one;
  /// IoError on every rank, as save(). @completion the step is on disk
  void write(double time, std::span<const XdmfField> fields);
  void write(double time, std::initializer_list<XdmfField> fields) {
    write(time, {fields.begin(), fields.size()});
  }
  /// How many steps the list has. @local
  index_t steps() const noexcept { return static_cast<index_t>(steps_.size()); }

 private:
  struct Step {
    double time;
    std::string xml;  // on rank 0
  };
  XdmfSeries(const Group& group, const std::filesystem::path& file, std::vector<index_t> points,
             std::vector<double> origin, std::vector<double> spacing, const XdmfOptions& options);
  void read_steps(const std::string& context);
  std::string grid_xml() const;
  void withdraw_steps(const std::string& context, std::size_t kept) const;
  void replace_list(const std::string& context, std::size_t kept, const std::string& newest) const;

  Group group_;
  std::filesystem::path path_;
  std::vector<index_t> points_;
  std::vector<double> origin_, spacing_;
  std::vector<Step> steps_;
  bool is_resumed_ = false;  // and no step was written yet
  bool is_first_ = true;     // the next step
};

}  // namespace tessera::io
