// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/core/buffer.hpp>
#include <tessera/io/disk_request.hpp>
#include <tessera/io/file.hpp>

namespace tessera::io {

/// Options for creating or opening a DiskArray.
struct DiskOptions {
  /// The most memory, in bytes, that each process uses for one section in transfer; at least one element.
  /// Transfers of one rank alone use at most 256 KiB of it.
  index_t buffer = index_t{64} << 20;
  /// Extents of the chunks in which a new array is stored, by default one piece. A section that covers chunks
  /// is contiguous in the file, also if it is narrow. HDF5 1.10 or later can read such datasets.
  std::vector<index_t> chunks = {};
};

namespace detail {
class DiskArrayCore;
}  // namespace detail

/// An array that lives in a dataset of an HDF5 file and may be larger than memory. Sections of it move to and
/// from distributed arrays. Move-only.
///
/// Its elements, or those of a chunk, are contiguous in the file, in row-major order. Each process reads and
/// writes its part itself, in a thread that calls neither MPI nor HDF5, so the program can compute meanwhile.
/// Any program can read the dataset once the transfers have been waited for.
///
/// Datasets that other programs have chunked or compressed, have another element type, or are reached by an
/// external link can be opened, too. Transfers with them go through HDF5 and block. So do all transfers with an
/// array on NFS that several nodes may write, because a node may not see what another node has written.
///
/// **Transfers of one rank alone** (independent transfers) move sections between the file and local memory: a
/// View, a LocalArray, or an mdspan. No other rank takes part, and ranks may move different sections at once.
/// They need a dataset that each process can access itself (is_asynchronous()); otherwise they throw UsageError
/// and give the reason.
///
/// - Atomicity: none. If ranks access an element at the same time and one of them writes, the element is
///   unspecified; its bytes may be of several writes. Elements outside the sections never change, even if they
///   share a page or a disk block with the section.
/// - Order: transfers of one rank that overlap act in the order of the calls, whether they wait or not.
/// - Visibility: data is in the file when write() or the request's wait() returns. Another rank reads it if the
///   two have synchronised since, for example by a message, a barrier or a notification. sync() does both for
///   all ranks. The data survives the end of the program, but not of the machine; for that, call flush().
/// - Collective transfers begin as if with sync(), so they move what was written before. Until their wait(), an
///   overlapping independent transfer throws UsageError, unless both read.
/// - Errors are thrown on the calling rank only: UsageError for a wrong section, shape, mode or a closed array,
///   before anything is moved; IoError if the system refuses, for example as the disk is full, or as the file
///   ends too early to be read. No other rank waits or is affected, and the array can be used further.
///   A write does not notice that another program has truncated the file; it extends the file again.
/// - Memory: up to 400 KiB in each thread that moves a section, whatever the size of the section.
/// - Threads: several threads of a process may make independent transfers at once, but not collective calls.
///
/// The destructor waits for transfers of this process and communicates nothing. It drops errors of writes that
/// nobody has waited for; close() reports them.
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
  /// @throws IoError on every rank if there is no such dataset of this rank, or its elements cannot be T; also
  /// to write if this program has another DiskArray of the dataset, or a File, open for writing already;
  /// UsageError on every rank for other modes
  DiskArray(const Group& group, const std::filesystem::path& path, std::string_view dataset, Mode mode,
            const DiskOptions& options = {});
  ~DiskArray();
  DiskArray(DiskArray&&) noexcept;
  DiskArray& operator=(DiskArray&&) noexcept;

  /// Completes all independent transfers and closes the file. @collective
  /// @throws UsageError on every rank if one has not waited for a request of a collective transfer; IoError on
  /// every rank as sync(), after the file is closed
  void close();
  /// As sync(), and puts all data that was written on disk. The data then survives a crash of the machine.
  /// @collective @throws as sync()
  void flush();
  /// Completes the independent transfers of all ranks. Every rank can then read what any rank wrote before the
  /// call. @collective
  /// @throws IoError on every rank if a write has failed on one, and no wait() has reported it
  void sync();

  Extents<N> dims() const;
  const Group& group() const;
  const std::filesystem::path& path() const;
  /// The name of the dataset. @local
  const std::string& name() const;
  /// Whether each process moves its elements itself. Transfers then progress while the program computes, and a
  /// rank can move a section alone. False if HDF5 moves them. @local
  bool is_asynchronous() const;

  /// Writes an array or slice to a section of the same extents. The elements are copied first, so `from` may be
  /// changed when the call returns. The copy takes up to DiskOptions::buffer on each process. If the section is
  /// larger, all but its last part is written before the call returns. @collective
  /// @throws UsageError on every rank if shapes differ on one, or if the section overlaps one in transfer,
  /// unless both are read; MemoryError
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

  /// Writes local memory of the same extents to a section, by this rank alone. The memory may have any strides.
  /// A system call is made for each run of elements that are contiguous in the file. @onesided
  /// @throws UsageError, IoError as described above. @completion the data is in the file
  void write(const Patch<N>& section, View<const T, N> from) {
    core().move_alone(detail::DiskDirection::write, tessera::detail::box_of(section),
                      tessera::detail::buffer_of(from));
  }
  /// Reads a section to local memory, by this rank alone. Short runs with gaps of up to 4 KiB between them are
  /// read together. @onesided @throws as the above. @completion the memory is filled
  void read(const Patch<N>& section, View<T, N> into) const {
    core().move_alone(detail::DiskDirection::read, tessera::detail::box_of(section), const_buffer(into));
  }
  /// write and read without waiting: a thread of this process moves one section after the other. Until the
  /// request is done, the local memory belongs to the transfer, and must neither change nor move. @onesided
  /// @throws UsageError as write; IoError if no thread can be started. The request reports all other errors.
  IndependentDiskRequest write_async(const Patch<N>& section, View<const T, N> from) {
    return core().move_alone_async(detail::DiskDirection::write, tessera::detail::box_of(section),
                                   tessera::detail::buffer_of(from));
  }
  IndependentDiskRequest read_async(const Patch<N>& section, View<T, N> into) const {
    return core().move_alone_async(detail::DiskDirection::read, tessera::detail::box_of(section),
                                   const_buffer(into));
  }

 private:
  static tessera::detail::Buffer<const void*> const_buffer(const View<T, N>& view) {
    return {view.data_handle(), view.extents().data(), view.strides().data()};
  }
  detail::DiskArrayCore& core() const;

  std::unique_ptr<detail::DiskArrayCore> core_;
};

namespace detail {

class DiskState;

/// A DiskArray with run-time rank and element type.
class DiskArrayCore {
 public:
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
  void sync();
  DiskRequest move(DiskDirection direction, const tessera::detail::Box& section,
                   const tessera::detail::SliceCore& slice);
  /// Moves a section from or, if the direction is read, to local memory. @onesided
  void move_alone(DiskDirection direction, const tessera::detail::Box& section,
                  const tessera::detail::Buffer<const void*>& memory);
  IndependentDiskRequest move_alone_async(DiskDirection direction, const tessera::detail::Box& section,
                                          const tessera::detail::Buffer<const void*>& memory);
  const std::vector<index_t>& dims() const noexcept;
  const Group& group() const noexcept;
  const std::filesystem::path& path() const noexcept;
  const std::string& name() const noexcept;
  bool is_asynchronous() const noexcept;

 private:
  void open(int rank);
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
void DiskArray<T, N>::sync() {
  core().sync();
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
  return core().move(detail::DiskDirection::write, tessera::detail::box_of(section), slice_of(from).core());
}

template <Element T, std::size_t N>
template <WritableOperand A>
DiskRequest DiskArray<T, N>::read_async(const Patch<N>& section, A&& into) const requires(rank_v<A> == N) {
  static_assert(std::is_same_v<value_t<A>, T>, "elements are not converted on their way from a DiskArray");
  return core().move(detail::DiskDirection::read, tessera::detail::box_of(section), slice_of(into).core());
}

}  // namespace tessera::io
