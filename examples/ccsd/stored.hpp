// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/io/io.hpp>
#include <tessera/linalg/linalg.hpp>

#include "space.hpp"

namespace ccsd {

/// A new directory for the files of large tensors. Its first rank deletes it at the end. Move-only.
class Scratch {
 public:
  /// Without a directory: tensors stay in memory.
  Scratch() = default;
  /// In an existing directory, which all ranks see. @collective @throws tessera::io::IoError on every rank
  Scratch(const tessera::Group& group, const std::filesystem::path& directory);
  ~Scratch();
  Scratch(Scratch&& other) noexcept
      : directory_(std::exchange(other.directory_, {})), deletes_(other.deletes_) {}
  Scratch& operator=(Scratch&&) = delete;

  explicit operator bool() const { return !directory_.empty(); }
  const std::filesystem::path& directory() const { return directory_; }

 private:
  std::filesystem::path directory_;
  bool deletes_ = false;
};

/// A large tensor, in memory or in a file of the scratch directory.
class Stored {
 public:
  /// The ranks share one dimension: of the whole in memory, of parts if it is in a file. @collective
  /// @throws tessera::io::IoError on every rank if single ranks cannot access such a file
  Stored(const tessera::Group& group, const Scratch& scratch, const std::string& name,
         const tessera::Extents<4>& extents, std::size_t dimension);
  const tessera::Extents<4>& dims() const { return extents_; }
  /// A factor of a contraction. @local
  tessera::linalg::TensorOperand<double> operator()(std::string_view letters) const;
  /// Calls set(array) for an array of this patch, and stores what it has set. In memory it is the patch itself.
  /// @collective
  void set(const tessera::Patch<4>& patch, const std::function<void(const tessera::Slice<double, 4>&)>& set);
  /// Calls use(array) for an array that has the elements of this patch. @collective
  void use(const tessera::Patch<4>& patch,
           const std::function<void(const tessera::Slice<const double, 4>&)>& use) const;
  /// Elements that are being stored; the destructor waits for them, too.
  struct Send {
    tessera::Request request;                     // to memory
    tessera::io::IndependentDiskRequest written;  // to the file
    void wait();
  };
  /// Begins to store elements of one rank, whose memory must live until wait() has returned. Others see them
  /// after sync(), which reports errors. @onesided
  [[nodiscard]] Send put_async(const tessera::Patch<4>& patch, const tessera::View<const double, 4>& from);
  /// @collective @throws tessera::io::IoError on every rank if elements of one could not be stored
  void sync();

  /// Elements that are fetched.
  struct Fetch {
    tessera::LocalArray<double, 4> data;
    tessera::Request request;                  // from memory
    tessera::io::IndependentDiskRequest read;  // from the file
    void wait();
  };
  /// Begins to fetch a patch. @onesided
  Fetch get_async(const tessera::Patch<4>& patch) const;

 private:
  Tensor part(const tessera::Patch<4>& patch) const;

  tessera::Group group_;
  std::string name_;
  tessera::Extents<4> extents_;
  std::size_t dimension_;
  std::optional<Tensor> memory_;
  std::optional<tessera::io::DiskArray<double, 4>> file_;
};

}  // namespace ccsd
