// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <csignal>
#include <cstdint>
#include <cstring>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

// Memory between two pages that may not be accessed, and a note of the accesses to these pages.
namespace tessera::test {

/// A run of pages with a guard page before and behind. An access to a guard page is noted and then goes on. It
/// finds bytes that are NaN in every type, so that a result that depends on them shows it.
class Guarded {
 public:
  explicit Guarded(std::size_t bytes) : bytes_((bytes + page() - 1) / page() * page()) {
    start_ = static_cast<std::byte*>(
        mmap(nullptr, bytes_ + 2 * page(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    std::memset(start_, 0xff, bytes_ + 2 * page());
    protect();
    all().push_back(this);
    struct sigaction action {};
    action.sa_flags = SA_SIGINFO;
    action.sa_sigaction = [](int signal, siginfo_t* info, void*) {
      auto* address = static_cast<std::byte*>(info->si_addr);
      for (Guarded* guarded : all()) {
        if (guarded->note(address)) return;
      }
      std::signal(signal, SIG_DFL);
    };
    sigaction(SIGSEGV, &action, nullptr);
  }
  ~Guarded() {
    std::erase(all(), this);
    munmap(start_, bytes_ + 2 * page());
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  /// `bytes` bytes that end `room` bytes before the guard page behind; memory that begins behind the first one.
  std::byte* at_end(std::size_t bytes, std::size_t room) { return start_ + page() + bytes_ - bytes - room; }
  std::byte* at_begin() { return start_ + page(); }

  bool was_touched() const { return touched_; }
  /// Forgets the accesses and protects the guard pages again.
  void protect() {
    touched_ = false;
    mprotect(start_, page(), PROT_NONE);
    mprotect(start_ + page() + bytes_, page(), PROT_NONE);
  }

 private:
  static std::vector<Guarded*>& all() {
    static std::vector<Guarded*> list;
    return list;
  }
  static std::size_t page() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }
  bool note(std::byte* address) {
    for (std::byte* guard : {start_, start_ + page() + bytes_}) {
      if (address < guard || address >= guard + page()) continue;
      // A write is worse than a read: the next test of the same memory finds it changed.
      mprotect(guard, page(), touched_ ? PROT_READ | PROT_WRITE : PROT_READ);
      touched_ = true;
      return true;
    }
    return false;
  }

  std::size_t bytes_;
  std::byte* start_;
  bool touched_ = false;
};

}  // namespace tessera::test
