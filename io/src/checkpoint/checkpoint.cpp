// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/io/checkpoint.hpp>

#include <exception>
#include <utility>

#include <tessera/runtime/detail/fingerprint.hpp>
#include <tessera/runtime/detail/warn.hpp>
#include <tessera/runtime/phase.hpp>

#include "base/collectively.hpp"
#include "base/names.hpp"
#include "checkpoint/checkpoint_state.hpp"
#include "format.hpp"
#include "posix/file_paths.hpp"

namespace tessera::io {
namespace detail {
CheckpointState::CheckpointState(const Group& group, const std::filesystem::path& prefix,
                                 const CheckpointOptions& options)
    : group_(group), speaks_(group.rank() == 0), prefix_(absolute_path(prefix)), options_(options) {
  check_prefix("Checkpoint", prefix.native());
  if (options.keep < 1)
    throw UsageError(formatted("Checkpoint: {} generations cannot be kept; at least 1", options.keep));
  group.check_agreement(
      "Checkpoint",
      tessera::detail::Fingerprint().add(std::string_view(prefix.native())).add(options.keep).value());
}

CheckpointState::~CheckpointState() {
  if (!pending_ || !speaks_ || std::uncaught_exceptions() > 0) return;
  tessera::detail::warn(formatted(
      "the checkpoint of step {} at {} is discarded, as nothing completed its write in the background: "
      "call close()",
      *last_step_, prefix_.string()));
}

void CheckpointState::add(StoredItem item) {
  check_dataset_name("Checkpoint::add", item.name);
  if (const index_t size = item.entry().type.size; size > max_element_bytes) {
    throw UsageError(formatted("Checkpoint::add: an element of \"{}\" has {} bytes, more than {}", item.name,
                               size, max_element_bytes));
  }
  for (const StoredItem& other : items_) {
    if (other.name == item.name)
      throw UsageError(formatted("Checkpoint::add: there is a \"{}\" already", item.name));
    if (is_dataset_and_group(other.name, item.name))
      throw UsageError(
          formatted("Checkpoint::add: one of \"{}\" and \"{}\" cannot be a dataset and, for the other, a "
                    "group",
                    other.name, item.name));
  }
  if (!item.value) {
    item.core().require_open();
    if (!(item.core().group() == group_)) {
      throw UsageError(formatted("Checkpoint::add: array \"{}\" is of another group than the checkpoint",
                                 item.core().name()));
    }
  }
  group_.check_agreement("Checkpoint::add",
                         tessera::detail::Fingerprint().add(std::string_view(item.name)).value());
  items_.push_back(std::move(item));
}

void CheckpointState::claim() {
  collectively(group_, "checkpoint " + prefix_.string(), [&] {
    if (group_.rank() != 0 || (lock_ && lock_->holds())) return;
    if (std::filesystem::is_directory(prefix_))
      throw IoError("this is a directory; give the name that the files in it are to begin with");
    std::filesystem::path file = prefix_;
    file += ".lock";
    // The lock was removed, or moved away with its directory: another job may have the path by now.
    const bool lost = lock_.has_value();
    lock_.reset();
    try {
      lock_.emplace(std::move(file), options_.take_over);
    } catch (const IoError& error) {
      if (!lost) throw;
      throw IoError(formatted("the lock of this job is gone, was its directory moved away? {}", error.what()));
    }
  });
}

void CheckpointState::begin(std::string_view call, std::int64_t step) {
  complete();
  if (items_.empty()) throw UsageError(formatted("{}: nothing was added to the checkpoint", call));
  tessera::detail::Fingerprint print;
  print.add(step);
  for (const StoredItem& item : items_) {
    print.add(std::string_view(item.name));
    if (!item.value) print.add(item.elements().fingerprint());
  }
  require_agreement(group_, std::string(call), print);
  settle(group_, items_);
}

void CheckpointState::write(std::int64_t step) {
  const Phase phase(group_, "checkpoint write");
  begin("Checkpoint::write", step);
  claim();
  GenerationWriter writer(group_, prefix_, items_, step);
  writer.write(items_);
  writer.commit(options_.keep, damaged_);
  last_step_ = step;
}

std::int64_t CheckpointState::write_behind(std::int64_t step) {
  begin("Checkpoint::write_async", step);
  claim();
  auto writer = std::make_unique<GenerationWriter>(group_, prefix_, items_, step);
  writer->write_behind(items_, options_.bytes_per_second);
  pending_ = std::move(writer);
  last_step_ = step;
  return ++number_;
}

bool CheckpointState::is_written(std::int64_t number) const noexcept {
  return number != number_ || !pending_ || pending_->is_written();
}

void CheckpointState::complete(std::int64_t number) {
  if (number == number_) complete();
}

void CheckpointState::complete() {
  if (!pending_) return;
  const auto writer = std::move(pending_);
  const auto step = std::exchange(last_step_, std::nullopt);
  claim();  // the path must still be ours
  writer->commit(options_.keep, damaged_);
  last_step_ = step;
}

std::optional<Restored> CheckpointState::restore() {
  begin("Checkpoint::restore", 0);
  auto restored = detail::restore(group_, prefix_, items_);
  if (restored) {
    last_step_ = restored->step;
    for (const Skipped& skipped : restored->skipped) damaged_.push_back(skipped.file);
  }
  return restored;
}

void CheckpointState::close() {
  complete();
  lock_.reset();
  group_.barrier();  // when a rank returns, the path is free
}

}  // namespace detail

bool PendingCheckpoint::test() const {
  const auto state = state_.lock();
  return !state || state->is_written(number_);
}
void PendingCheckpoint::wait() {
  const auto state = state_.lock();
  if (!state) throw UsageError("PendingCheckpoint::wait: the Checkpoint was destroyed first");
  state->complete(number_);
}

Checkpoint::Checkpoint(const Group& group, const std::filesystem::path& prefix,
                       const CheckpointOptions& options)
    : state_(std::make_shared<detail::CheckpointState>(group, prefix, options)) {}
Checkpoint::~Checkpoint() = default;
Checkpoint::Checkpoint(Checkpoint&&) noexcept = default;
Checkpoint& Checkpoint::operator=(Checkpoint&&) noexcept = default;

detail::CheckpointState& Checkpoint::state() const {
  if (!state_) throw UsageError("this io::Checkpoint was moved from");
  return *state_;
}

void Checkpoint::claim() { state().claim(); }
void Checkpoint::write(std::int64_t step) { state().write(step); }
PendingCheckpoint Checkpoint::write_async(std::int64_t step) { return {state_, state().write_behind(step)}; }
std::optional<Restored> Checkpoint::restore() { return state().restore(); }
std::optional<std::int64_t> Checkpoint::last_step() const { return state().last_step(); }
void Checkpoint::close() {
  if (state_) state_->close();
}

void Checkpoint::add_array(std::string_view name, tessera::detail::CoreOwner& array) {
  state().add({std::string(name), &array, {}, {}});
}
void Checkpoint::add_slice(std::string_view name, const tessera::detail::SliceCore& slice) {
  state().add({std::string(name), nullptr, slice, {}});
}
void Checkpoint::add_value(std::string_view name, detail::StoredValue value) {
  state().add({std::string(name), nullptr, {}, std::move(value)});
}

}  // namespace tessera::io
