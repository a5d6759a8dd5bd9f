// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <memory>

#include <tessera/runtime/request.hpp>
#include <tessera/runtime/segment.hpp>

namespace tessera {

/// Many small one-sided operations, on any segments and ranks, combined into one transfer for each process that
/// they go to (ARMCI's aggregate handles: Nieplocha et al., IPDPS 2003).
///
/// Adding an operation copies the data it writes. The operation is carried out at some time before send()
/// returns; its segment must stay open until then, or the next call throws UsageError. Operations of one batch
/// on the same memory are carried out in the order of adding. On this node, updates wait for some later ones,
/// so that their cache misses overlap; all else is carried out at once. If the path is MPI's window, operations
/// of one kind and length travel as a list, and fetch_op is carried out at once.
///
/// A batch belongs to one thread.
class Batch {
 public:
  Batch();
  /// Sends what was added. @onesided
  ~Batch();
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;

  /// These act as the Segment's members of the same name, on contiguous bytes. @onesided
  /// @throws UsageError as they do.
  void put(Segment& segment, int rank, index_t offset, const void* source, index_t bytes);
  /// `target` is filled when send() returns.
  void get(const Segment& segment, int rank, index_t offset, void* target, index_t bytes);
  /// `bytes` of elements, each multiplied by alpha.
  void accumulate(Segment& segment, int rank, index_t offset, ElementKind kind, const void* alpha,
                  const void* source, index_t bytes);
  /// Updates one element as fetch_op does, and fetches nothing: no answer travels between nodes. As a put, it
  /// is done at the target after a flush.
  void update(Segment& segment, int rank, index_t offset, ElementKind kind, Update update, const void* value) {
    fetch_op(segment, rank, offset, kind, update, value, nullptr);
  }
  /// `result` holds the old value when send() returns. If it is null, this is update().
  void fetch_op(Segment& segment, int rank, index_t offset, ElementKind kind, Update update, const void* value,
                void* result);
  void fetch_add(Segment& segment, int rank, index_t offset, ElementKind kind, const void* value,
                 void* result) {
    fetch_op(segment, rank, offset, kind, Update::sum, value, result);
  }

  /// Sends the rest and waits for all operations added; the batch can be used again. @onesided
  /// @completion the results of get and fetch_op are there; writes are done at the targets after a flush of
  /// each segment. A flush, or the unlock of a mutex, before send() completes nothing of the batch.
  void send();
  /// The same without waiting: the memory to be filled belongs to the transfer until the request is done.
  /// @onesided
  Request send_async();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera
