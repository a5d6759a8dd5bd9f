// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <unordered_set>

#include <tessera/core/operand_walk.hpp>
#include <tessera/io/probes.hpp>
#include <tessera/runtime/detail/fingerprint.hpp>

#include "base/collectively.hpp"
#include "base/names.hpp"
#include "format.hpp"
#include "posix/file_paths.hpp"
#include "printable.hpp"
#include "probes/sample_file.hpp"

namespace tessera::io::detail {

using tessera::detail::Box;
using tessera::detail::ElementType;
using tessera::detail::LocalPiece;
using tessera::detail::SliceCore;

class ProbesState {
 public:
  ProbesState(const Group& group, const std::filesystem::path& path, const ProbeColumns& columns,
              const ProbesOptions& options)
      : group_(group),
        columns_(columns),
        context_(formatted("probes in {}", path.string())),
        buffer_(options.buffer),
        file_(sample_file(path, columns)) {
    check_columns(path);
    bool is_there = false;
    collectively(group_, context_, [&] {
      if (group_.rank() != 0 || !options.resume || !std::filesystem::exists(path)) return;
      file_->check();
      is_there = true;
    });
    is_resumed_ = group_.broadcast(static_cast<int>(is_there), 0) != 0;
  }

  void sample(double time, std::span<const SliceCore> fields) {
    group_.check_agreement("io::Probes::sample",
                           tessera::detail::Fingerprint().add(std::bit_cast<std::uint64_t>(time)).value());
    check_fields(time, fields);
    tessera::detail::begin_operation("Probes::sample", fields, tessera::detail::Shapes::any);
    const ElementType type = fields.front().type();
    if (is_resumed_) {
      collectively(group_, context_, [&] {
        if (group_.rank() == 0) samples_ = file_->cut(time, type);
      });
      samples_ = group_.broadcast(samples_, 0);
      is_begun_ = true;
      is_resumed_ = false;
    }
    std::vector<std::int64_t> words = own_elements(fields);
    group_.reduce(std::span(words), Reduce::bit_or, 0);
    kept_.type = type;
    last_time_ = time;
    ++samples_;
    ++waiting_;
    const bool is_full = waiting_ >= buffer_;
    collectively(group_, context_, [&] {
      if (group_.rank() != 0) return;
      keep(time, words);
      if (is_full) write();
    });
    if (is_full) note_written();
  }

  void flush() {
    if (waiting_ == 0) return;
    collectively(group_, context_, [&] {
      if (group_.rank() == 0) write();
    });
    note_written();
  }

  index_t samples() const noexcept { return samples_; }

 private:
  void check_columns(const std::filesystem::path& path) const;
  void check_fields(double time, std::span<const SliceCore> fields) const;
  std::vector<std::int64_t> own_elements(std::span<const SliceCore> fields) const;
  void keep(double time, const std::vector<std::int64_t>& words);
  void write();
  void note_written() {
    is_begun_ = true;
    waiting_ = 0;
  }

  Group group_;
  ProbeColumns columns_;
  std::string context_;
  index_t buffer_;
  std::unique_ptr<SampleFile> file_;
  Samples kept_;  // the elements on rank 0 only
  std::optional<double> last_time_;
  index_t samples_ = 0, waiting_ = 0;
  bool is_resumed_ = false;
  bool is_begun_ = false;  // the file is there
};

void ProbesState::check_columns(const std::filesystem::path& path) const {
  const auto fail = [&](const std::string& what) { throw UsageError(formatted("{}: {}", context_, what)); };
  if (!file_)
    fail(formatted("\"{}\" is no kind of file for probes; use .csv, .h5 or .hdf5",
                   printable(path.extension().string())));
  if (columns_.points.positions.empty()) fail("there are no points");
  if (columns_.fields.empty()) fail("there are no fields");
  if (buffer_ < 1) fail(formatted("a buffer of {} samples cannot be", buffer_));
  for (const std::string& name : columns_.points.names) {
    if (printable(name) != name) fail(formatted("\"{}\" cannot be the name of a point", printable(name)));
  }
  std::unordered_set<std::string> fields{"time", "positions"};
  for (const std::string& field : columns_.fields) {
    check_dataset_name(context_, field);
    if (!fields.insert(field).second)
      fail(formatted("\"{}\" cannot be the name of a field, or is given twice", field));
  }
  std::unordered_set<std::string> labels;
  for (const std::string& label : columns_.labels()) {
    if (!labels.insert(label).second) fail(formatted("there is a point {} twice", label));
  }
  file_->check_columns(context_);
}

void ProbesState::check_fields(double time, std::span<const SliceCore> fields) const {
  const auto fail = [&](const std::string& what) { throw UsageError(formatted("{}: {}", context_, what)); };
  if (!std::isfinite(time)) fail(formatted("the time is {}", time));
  if (last_time_ && time <= *last_time_)
    fail(formatted("the time {} is not after that of the last sample, {}", time, *last_time_));
  if (fields.size() != columns_.fields.size())
    fail(formatted("there are {} arrays for {} fields", fields.size(), columns_.fields.size()));
  for (const SliceCore& field : fields) {
    field.array().require_open();
    if (!(field.array().group() == group_))
      fail(formatted("{} is of another group than the probes", field.description()));
    const ElementType& type = field.type();
    if (last_time_ && type != kept_.type)
      fail(formatted("{} has elements of {}, the samples before of {}", field.description(), to_string(type),
                     to_string(kept_.type)));
    for (std::size_t i = 0; i < columns_.points.positions.size(); ++i) {
      for (int d = 0; d < field.rank(); ++d) {
        const auto at = static_cast<std::size_t>(d);
        const index_t position = columns_.points.positions[i][at];
        if (position < 0 || position >= field.extents()[at])
          fail(formatted("point {} is outside of {}", columns_.name_of(i), field.description()));
      }
    }
  }
}

// The elements that this rank owns, and 0 for those of others.
std::vector<std::int64_t> ProbesState::own_elements(std::span<const SliceCore> fields) const {
  std::vector<std::int64_t> words;
  words.reserve(columns_.count());
  for (const SliceCore& field : fields) {
    for (const auto& position : columns_.points.positions) {
      Box one{position, position};
      for (int d = 0; d < field.rank(); ++d) ++one.hi[static_cast<std::size_t>(d)];
      std::int64_t word = 0;
      field.for_each_piece(one, [&](int rank, const LocalPiece& piece) {
        if (rank == group_.rank()) std::memcpy(&word, piece.data, static_cast<std::size_t>(field.type().size));
      });
      words.push_back(word);
    }
  }
  return words;
}

void ProbesState::keep(double time, const std::vector<std::int64_t>& words) {
  const auto size = static_cast<std::size_t>(kept_.type.size);
  kept_.times.push_back(time);
  for (const std::int64_t word : words) {
    const auto* const begin = reinterpret_cast<const std::byte*>(&word);
    kept_.elements.insert(kept_.elements.end(), begin, begin + size);
  }
}

void ProbesState::write() {
  is_begun_ ? file_->append(kept_) : file_->create(kept_);
  kept_.times.clear();
  kept_.elements.clear();
}

ProbeRecorder::ProbeRecorder(const Group& group, const std::filesystem::path& file, ProbePoints points,
                             const ProbesOptions& options)
    : state_(std::make_unique<ProbesState>(group, absolute_path(file),
                                           ProbeColumns{std::move(points), options.fields}, options)) {}
ProbeRecorder::~ProbeRecorder() = default;
ProbeRecorder::ProbeRecorder(ProbeRecorder&&) noexcept = default;
ProbeRecorder& ProbeRecorder::operator=(ProbeRecorder&&) noexcept = default;

ProbesState& ProbeRecorder::state() const {
  if (!state_) throw UsageError("these io::Probes were moved from");
  return *state_;
}
void ProbeRecorder::sample(double time, std::span<const SliceCore> fields) { state().sample(time, fields); }
void ProbeRecorder::flush() { state().flush(); }
index_t ProbeRecorder::samples() const { return state().samples(); }

}  // namespace tessera::io::detail
