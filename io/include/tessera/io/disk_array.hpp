// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/io/file.hpp>

namespace tessera::io {

/// Options for creating or opening a DiskArray.
struct DiskOptions {
  /// The most memory, in bytes, that each process uses for one section in transfer; at least one element.
  index_t buffer = index_t{64} << 20;
};

namespace detail {
class DiskArrayCore;
class DiskTransfer;
}  // namespace detail

/// A section that is being read or written. Move-only.
class [[nodiscard]] DiskRequest {
 public:
  DiskRequest();
  explicit DiskRequest(std::unique_ptr<detail::DiskTransfer> transfer);
  /// Waits for this process's part on disk and communicates nothing. Other processes may not have written their
  /// parts, and data that was read is dropped. Call wait() first.
  ~DiskRequest();
  DiskRequest(DiskRequest&&) noexcept;
  DiskRequest& operator=(DiskRequest&&) noexcept;

  /// Returns when the transfer is complete. A written section can then be read by all; a section that was read
  /// is in the array and visible to all. A second call does nothing. @collective @throws IoError on every rank
  void wait();
  /// Whether this process's part on disk is done, so that wait() need not wait for it. @local
  bool test() const;

 private:
  std::unique_ptr<detail::DiskTransfer> transfer_;
};

/// An array that lives in a dataset of an HDF5 file and may be larger than memory. Sections of it move to and
/// from distributed arrays. Move-only.
///
/// Its elements are contiguous in the file, in row-major order. Each process reads and writes its part itself,
/// in a thread that calls neither MPI nor HDF5, so the program can compute meanwhile. Any program can read the
/// dataset once the transfers have been waited for.
///
/// Datasets that are chunked or compressed, have another element type, or are reached by an external link can
/// be opened, too. Transfers with them go through HDF5 and block. So do all transfers with an array on NFS that
/// several nodes may write, because a node may not see what another node has written.
///
/// The destructor waits for transfers of this process and communicates nothing.
template <Element T, std::size_t N>
class DiskArray {
 public:
  using value_type = T;
  static constexpr std::size_t rank() noexcept { return N; }

  /// Creates a dataset with unspecified elements. The file is created if it does not exist. @collective
  /// @throws IoError on every rank if the dataset exists, or there is not enough space on disk
  DiskArray(const Group& group, const std::filesystem::path& path, std::string_view dataset,
            const Extents<N>& dims, const DiskOptions& options = {});
  /// Opens a dataset for reading, with Mode::read_write also for writing. @collective
  /// @throws IoError on every rank if there is no such dataset of this rank, or its elements cannot be T;
  /// UsageError for other modes
  DiskArray(const Group& group, const std::filesystem::path& path, std::string_view dataset, Mode mode,
            const DiskOptions& options = {});
  ~DiskArray();
  DiskArray(DiskArray&&) noexcept;
  DiskArray& operator=(DiskArray&&) noexcept;

  /// Closes the file. @collective @throws UsageError if a request has not been waited for
  void close();
  /// Flushes to disk all data that was written and waited for. @collective
  void flush();

  Extents<N> dims() const;
  const Group& group() const;
  const std::filesystem::path& path() const;
  /// The name of the dataset. @local
  const std::string& name() const;
  /// Whether transfers progress while the program computes; false if HDF5 performs them. @local
  bool is_asynchronous() const;

  /// Writes an array or slice to a section of the same extents. The elements are copied first, so `from` may be
  /// changed when the call returns. The copy takes up to DiskOptions::buffer on each process. If the section is
  /// larger, all but its last part is written before the call returns. @collective
  /// @throws UsageError if shapes differ, or if the section overlaps one in transfer, unless both are read;
  /// MemoryError
  template <Operand A>
  DiskRequest write_async(const Patch<N>& section, const A& from) requires(rank_v<A> == N);
  /// The same, and waits. Without a section it writes all of the array. @collective
  template <Operand A>
  void write(const Patch<N>& section, const A& from) requires(rank_v<A> == N) {
    write_async(section, from).wait();
  }
  template <Operand A>
  void write(const A& from) requires(rank_v<A> == N) {
    write(Patch<N>::whole(dims()), from);
  }

  /// Reads a section into an array or slice of the same extents. As much as fits DiskOptions::buffer is read
  /// from disk in the background; wait() reads the rest and stores the elements. Until then `into` keeps its
  /// values, must exist, and must not be moved. @collective @throws as write_async
  template <WritableOperand A>
  DiskRequest read_async(const Patch<N>& section, A&& into) const requires(rank_v<A> == N);
  /// The same, and waits. Without a section it reads all of the array. @collective
  template <WritableOperand A>
  void read(const Patch<N>& section, A&& into) const requires(rank_v<A> == N) {
    read_async(section, into).wait();
  }
  template <WritableOperand A>
  void read(A&& into) const requires(rank_v<A> == N) {
    read(Patch<N>::whole(dims()), into);
  }

 private:
  detail::DiskArrayCore& core() const;

  std::unique_ptr<detail::DiskArrayCore> core_;
};

namespace detail {

class DiskState;

/// A DiskArray with run-time rank and element type.
class DiskArrayCore {
 public:
  enum class Direction { write, read };
  /// Creates a dataset and opens it. @collective
  DiskArrayCore(const Group& group, const std::filesystem::path& path, std::string_view dataset,
                const tessera::detail::ElementType& type, const std::vector<index_t>& dims,
                const DiskOptions& options);
  /// Opens a dataset that exists. @collective
  DiskArrayCore(const Group& group, const std::filesystem::path& path, std::string_view dataset,
                const tessera::detail::ElementType& type, int rank, Mode mode, const DiskOptions& options);
  ~DiskArrayCore();
  void close();
  void flush();
  DiskRequest move(Direction direction, const tessera::detail::Box& section,
                   const tessera::detail::SliceCore& slice);
  const std::vector<index_t>& dims() const noexcept;
  const Group& group() const noexcept;
  const std::filesystem::path& path() const noexcept;
  const std::string& name() const noexcept;
  bool is_asynchronous() const noexcept;

 private:
  void open(const tessera::detail::ElementType& type, int rank, bool is_writable);
  std::shared_ptr<DiskState> state_;  // shared with its requests
};

}  // namespace detail

template <Element T, std::size_t N>
DiskArray<T, N>::DiskArray(const Group& group, const std::filesystem::path& path, std::string_view dataset,
                           const Extents<N>& dims, const DiskOptions& options)
    : core_(std::make_unique<detail::DiskArrayCore>(group, path, dataset,
                                                    tessera::detail::ElementType{element_kind<T>(), sizeof(T)},
                                                    std::vector<index_t>(dims.begin(), dims.end()), options)) {}

template <Element T, std::size_t N>
DiskArray<T, N>::DiskArray(const Group& group, const std::filesystem::path& path, std::string_view dataset,
                           Mode mode, const DiskOptions& options)
    : core_(std::make_unique<detail::DiskArrayCore>(group, path, dataset,
                                                    tessera::detail::ElementType{element_kind<T>(), sizeof(T)},
                                                    static_cast<int>(N), mode, options)) {}

template <Element T, std::size_t N>
DiskArray<T, N>::~DiskArray() = default;
template <Element T, std::size_t N>
DiskArray<T, N>::DiskArray(DiskArray&&) noexcept = default;
template <Element T, std::size_t N>
DiskArray<T, N>& DiskArray<T, N>::operator=(DiskArray&&) noexcept = default;

template <Element T, std::size_t N>
detail::DiskArrayCore& DiskArray<T, N>::core() const {
  if (!core_) throw UsageError("this io::DiskArray was moved from");
  return *core_;
}

template <Element T, std::size_t N>
void DiskArray<T, N>::close() {
  core().close();
}
template <Element T, std::size_t N>
void DiskArray<T, N>::flush() {
  core().flush();
}
template <Element T, std::size_t N>
Extents<N> DiskArray<T, N>::dims() const {
  Extents<N> dims;
  for (std::size_t d = 0; d < N; ++d) dims[d] = core().dims()[d];
  return dims;
}
template <Element T, std::size_t N>
const Group& DiskArray<T, N>::group() const {
  return core().group();
}
template <Element T, std::size_t N>
const std::filesystem::path& DiskArray<T, N>::path() const {
  return core().path();
}
template <Element T, std::size_t N>
const std::string& DiskArray<T, N>::name() const {
  return core().name();
}
template <Element T, std::size_t N>
bool DiskArray<T, N>::is_asynchronous() const {
  return core().is_asynchronous();
}

template <Element T, std::size_t N>
template <Operand A>
DiskRequest DiskArray<T, N>::write_async(const Patch<N>& section, const A& from) requires(rank_v<A> == N) {
  static_assert(std::is_same_v<value_t<A>, T>, "elements are not converted on their way to a DiskArray");
  return core().move(detail::DiskArrayCore::Direction::write, tessera::detail::box_of(section),
                     slice_of(from).core());
}

template <Element T, std::size_t N>
template <WritableOperand A>
DiskRequest DiskArray<T, N>::read_async(const Patch<N>& section, A&& into) const requires(rank_v<A> == N) {
  static_assert(std::is_same_v<value_t<A>, T>, "elements are not converted on their way from a DiskArray");
  return core().move(detail::DiskArrayCore::Direction::read, tessera::detail::box_of(section),
                     slice_of(into).core());
}

}  // namespace tessera::io
