// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "node/node_memory.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tessera/runtime/detail/reserve.hpp>
#include <tessera/runtime/error.hpp>

#include "base/memory_check.hpp"
#include "format.hpp"
#include "node/huge_pages.hpp"
#include "node/node_barrier.hpp"
#include "node/node_collectives.hpp"

namespace tessera::detail {
namespace {

// Where the leader's file is found; sent to the other processes of the node.
struct LeaderFile {
  pid_t pid;
  int fd;
  dev_t device;
  ino_t inode;
  char name[64];
};

// Bytes that can be read behind a process's reserved bytes. They are reserved too: a read where there is no
// page would need one then.
constexpr index_t read_behind = 64;

enum Outcome : std::int64_t {
  cannot_attach,
  no_pages,
  attached
};  // in this order: the worst of a node decides

// Maps the file between two guard pages without access. An index that runs over is caught at once, and the MPI
// library's cache of registered memory never merges two segments into one region (MPICH 4.0.2 then moves a
// window's base). A readable page comes before the rear guard, for BLAS that reads a little beyond its operands
// (OpenBLAS 0.3.21); it takes no memory.
// The base is a multiple of `alignment`.
MappingHandle map_between_guards(int fd, index_t bytes, index_t alignment, std::byte*& base) {
  const auto page = static_cast<std::size_t>(page_size()), used = static_cast<std::size_t>(bytes);
  const std::size_t total = used + 2 * page + static_cast<std::size_t>(alignment);
  void* reserved = mmap(nullptr, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) return {};
  const index_t first = reinterpret_cast<index_t>(reserved) + page_size();
  auto* start = reinterpret_cast<std::byte*>(round_up(first, alignment));
  if (mmap(start, used, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED ||
      mprotect(start + used, page, PROT_READ) != 0) {
    munmap(reserved, total);
    return {};
  }
  base = start;
  return {reserved, total};
}

int reserve_pages(int fd, index_t offset, index_t bytes) {
  return reserve_in_pieces(offset, bytes,
                           [&](index_t at, index_t count) { return posix_fallocate(fd, at, count); });
}

Fd create_file(bool in_memory, index_t bytes, LeaderFile& address) {
  Fd fd;
  if (in_memory) {
    fd.reset(memfd_create("tessera", MFD_CLOEXEC));
    // The kernel gives it mode 0777, and then only /proc keeps others out.
    if (fd && fchmod(fd.get(), S_IRUSR | S_IWUSR) != 0) fd.reset();
  } else {
    // Another user who guessed the name could take it before.
    std::uint64_t number = 0;
    if (getrandom(&number, sizeof number, 0) != sizeof number) return fd;
    const auto name = formatted("/tessera-{}-{:016x}", getpid(), number);
    std::memcpy(address.name, name.c_str(), name.size() + 1);
    fd.reset(shm_open(address.name, O_CREAT | O_EXCL | O_RDWR, 0600));
  }
  struct stat info {};
  if (fd && (ftruncate(fd.get(), bytes) != 0 || fstat(fd.get(), &info) != 0)) {
    if (!in_memory) shm_unlink(address.name);
    fd.reset();
  }
  address.pid = getpid();
  address.fd = fd.get();
  address.device = info.st_dev;
  address.inode = info.st_ino;
  return fd;
}

Fd open_file(bool in_memory, const LeaderFile& address) {
  Fd fd(in_memory ? open(formatted("/proc/{}/fd/{}", address.pid, address.fd).c_str(), O_RDWR | O_CLOEXEC)
                  : shm_open(address.name, O_RDWR, 0600));
  // In another process namespace the same path may lead to somebody else's file.
  struct stat info {};
  if (fd && (fstat(fd.get(), &info) != 0 || info.st_dev != address.device || info.st_ino != address.inode))
    fd.reset();
  return fd;
}

std::string reserve_problem(int error, index_t reserve) {
  return formatted("{} could not be reserved: {}", format_bytes(reserve), std::strerror(error));
}

// For tests and odd systems.
SharedMemory chosen = SharedMemory::any;

}  // namespace

void FdTraits::free(Handle fd) noexcept { ::close(fd); }
void MappingTraits::free(Handle handle) noexcept { munmap(handle.reserved, handle.bytes); }

index_t page_size() noexcept {
  static const index_t size = sysconf(_SC_PAGESIZE);
  return size;
}

const char* to_string(SharedMemory way) noexcept {
  constexpr const char* names[] = {"any", "memfd", "shm", "mpi"};
  return names[static_cast<std::size_t>(way)];
}

void choose_shared_memory(SharedMemory way) noexcept { chosen = way; }

FileAddress NodeMemory::file() const noexcept {
  struct stat info {};
  if (!file_ || fstat(file_.get(), &info) != 0) return {};
  return {getpid(), file_.get(), info.st_dev, info.st_ino};
}

NodeMemory NodeMemory::attach(const FileAddress& address, index_t bytes, std::string& problem) {
  NodeMemory memory;
  const LeaderFile there{static_cast<pid_t>(address.pid), address.fd, address.device, address.inode, {}};
  const Fd fd = address.fd >= 0 ? open_file(true, there) : Fd();
  if (fd) memory.mapping_.reset(map_between_guards(fd.get(), bytes, page_size_for(bytes), memory.base_));
  if (!memory.mapping_) {
    problem = address.fd < 0 ? "memory shared by MPI cannot be mapped by another process"
                             : formatted("the memory of process {} could not be mapped: {}", address.pid,
                                         std::strerror(errno));
    return {};
  }
  return memory;
}

NodeMemory NodeMemory::create(NodeBarrier& node, index_t stride, index_t reserve, std::string& problem) {
  const int slot = node.rank(), size = node.size();
  const index_t bytes = stride * size;
  NodeMemory memory;
  for (const bool in_memory : {true, false}) {
    const SharedMemory way = in_memory ? SharedMemory::memfd : SharedMemory::shm;
    if (chosen != SharedMemory::any && chosen != way) continue;
    LeaderFile address{};
    address.fd = -1;
    Fd fd;
    if (slot == 0) fd = create_file(in_memory, bytes, address);
    broadcast_on_node(node, &address, sizeof address, 0);
    if (slot != 0 && address.fd >= 0) fd = open_file(in_memory, address);
    std::int64_t outcome = cannot_attach;
    int error = 0;
    if (fd) {
      memory.mapping_.reset(map_between_guards(fd.get(), bytes, page_size_for(stride), memory.base_));
      if (memory.mapping_) {
        take_huge_pages(fd.get(), stride * slot, memory.base_ + stride * slot, reserve);
        error = reserve_pages(fd.get(), stride * slot, std::min(stride, reserve + read_behind));
        outcome = error == 0 ? attached : no_pages;
      } else if (errno == ENOMEM) {  // no address space, which no other way has either
        error = errno;
        outcome = no_pages;
      }
    }
    reduce_on_node(node, &outcome, 1, ElementKind::int64, Reduce::min);
    if (slot == 0 && !in_memory && address.fd >= 0) shm_unlink(address.name);
    if (outcome == attached) {
      if (slot == 0) memory.file_ = std::move(fd);
      memory.way_ = way;
      return memory;
    }
    memory = NodeMemory();
    if (outcome == no_pages) {
      problem = error != 0 ? reserve_problem(error, reserve)
                           : formatted("another process of the node could not reserve its part of {}",
                                       format_bytes(bytes));
      return memory;
    }
  }
  // The pages of MPI's own shared memory cannot be reserved, so the free room is at least checked before.
  if (shm_room() < bytes) {
    problem = formatted("MPI's shared memory needs {} in /dev/shm, which has {}", format_bytes(bytes),
                        format_bytes(shm_room()));
    return memory;
  }
  void* base = nullptr;
  memory.way_ = SharedMemory::mpi;
  memory.window_ = mpi::allocate_shared(node.comm(), bytes + page_size() + read_behind, base);
  memory.base_ = reinterpret_cast<std::byte*>(round_up(reinterpret_cast<index_t>(base), page_size()));
  // Zero, as the pages made in the other ways are: MPICH takes the memory from malloc if the node is one
  // process.
  std::memset(memory.base_ + stride * slot, 0, static_cast<std::size_t>(reserve));
  mpi::barrier(node.comm());
  return memory;
}

}  // namespace tessera::detail
