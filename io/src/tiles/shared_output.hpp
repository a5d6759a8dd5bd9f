// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <tessera/runtime/group.hpp>

#include "base/collectively.hpp"
#include "posix/atomic_file.hpp"
#include "posix/descriptor.hpp"
#include "tiles/tiles.hpp"

namespace tessera::io::detail {

/// A new tiled file that all members of a group write. Its path has the old content until it is complete.
class SharedOutput {
 public:
  /// Messages begin with `context`. They end with `consequence`, which says what a failure leaves. @local
  SharedOutput(const Group& group, std::string context, std::string consequence);
  /// Removes the file if it was not renamed. @local
  ~SharedOutput();
  SharedOutput(const SharedOutput&) = delete;
  SharedOutput& operator=(const SharedOutput&) = delete;

  /// Runs `work`. An error on one rank becomes an error on all. @collective @throws IoError
  template <class Work>
  void step(Work&& work) {
    // Each rank adds its own consequence: only the failing rank knows how far it got.
    collectively(group_, context_, [&] {
      try {
        work();
      } catch (const Hdf5Error& error) {
        throw Hdf5Error(error.what() + consequence_);
      } catch (const std::exception& error) {
        throw IoError(error.what() + consequence_);
      }
    });
  }
  /// Runs `work`, and removes the file if it throws. `work` throws IoError on all ranks, as step() does;
  /// whatever else it throws may be an error of this rank alone. @collective
  template <class Work>
  void or_discard(Work&& work) {
    // The destructor does not run if nobody catches.
    try {
      work();
    } catch (const IoError&) {
      discard();
      group_.barrier();  // the file must go before any rank ends the job
      throw;
    } catch (...) {
      discard();  // the others may be in another collective call
      throw;
    }
  }

  /// Creates the file with the places of the entries, and opens it. `choose` returns the file, on rank 0.
  /// `make` creates it there with a place for each entry. Returns the number of tiles. @collective
  index_t create(std::vector<Entry>& entries, const std::function<AtomicFile()>& choose,
                 const std::function<void(const AtomicFile&)>& make);
  /// Flushes to disk what each node has written. To be called in a step, with `node` the ranks of this node.
  /// @local
  void flush(const Group& node) const;
  /// Gives the file its final name; does nothing but on rank 0. @local @throws IoError
  void rename() {
    if (made_) made_->commit();
  }
  /// Flushes the new name to disk; does nothing but on rank 0. @local @throws IoError
  void flush_directory() const {
    if (made_) made_->flush_directory();
  }
  /// Says what a failure leaves from now on. @local
  void set_consequence(std::string consequence) { consequence_ = std::move(consequence); }

  const Group& group() const noexcept { return group_; }
  const std::string& context() const noexcept { return context_; }
  const Descriptor& descriptor() const noexcept { return file_; }
  bool is_root() const { return group_.rank() == 0; }

 private:
  void discard() noexcept {
    file_.reset();
    if (made_) made_->discard();
  }

  Group group_;
  std::string context_, consequence_;
  std::optional<AtomicFile> made_;  // on rank 0
  Descriptor file_;
};

}  // namespace tessera::io::detail
