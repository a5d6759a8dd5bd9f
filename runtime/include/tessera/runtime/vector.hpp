// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <span>

#include <tessera/runtime/request.hpp>
#include <tessera/runtime/segment.hpp>

namespace tessera {

/// A place in the memory of a member of a segment's group.
struct Place {
  const Segment* segment;
  int rank;
  index_t offset;
};

/// A vector transfer: the i-th run is between remote[i] and local[i] (ARMCI's generalised I/O vector). Each has
/// `run` bytes, unless `lengths` gives the bytes of each; some may be 0.
struct Vector {
  index_t run = 0;
  std::span<const Place> remote;
  std::span<std::byte* const> local;
  std::span<const index_t> lengths = {};
};

/// How a vector transfer is carried out (the methods of ARMCI-MPI: Dinan et al., IPDPS 2012, section VI-A).
enum class VectorMethod {
  automatic,     ///< batched; conservative where runs overlap
  conservative,  ///< one run after another, each complete before the next: the order decides where runs overlap
  batched,       ///< one operation for each run, completed together; runs must not overlap
  direct,  ///< one operation for each target, in address order; runs must not overlap. Between nodes put and
           ///< get use datatypes if MPI's can be trusted (MPICH); else as batched
};

/// The name of a method, such as "batched". @local
const char* to_string(VectorMethod method) noexcept;

/// How a vector transfer is carried out, and how much of it at a time. A method alone is enough:
/// `put(vector, VectorMethod::direct)`.
struct VectorOptions {
  constexpr VectorOptions(VectorMethod way = VectorMethod::automatic, index_t runs_at_a_time = 0) noexcept
      : method(way), batch(runs_at_a_time) {}

  VectorMethod method;
  /// At most so many runs are under way to each target on another node: the next ones begin when these are
  /// complete at the target (ARMCI-MPI's batch size: Dinan et al., IPDPS 2012, section VI-A). 0 sets no limit,
  /// and is fastest. A limit bounds what a long list takes in buffers here and at the target. Runs on this
  /// node need none, and `conservative` has one run at a time.
  index_t batch;
};

/// Copies local runs to places in segments. The runs may belong to several segments and ranks. Their order
/// matters if two runs are written to one place, or one is written to memory that another is read from.
/// `automatic` (which detects this in O(N log N)) and `conservative` then work in the order of the list. The
/// other methods may then give any of the values, and throw in builds with TESSERA_CHECKS.
/// @onesided
/// @throws UsageError, before anything is moved, if the lists differ in length, a run leaves its slice, or the
/// batch is negative.
/// @completion local memory may be reused on return; done at the targets after a flush of each segment.
void put(const Vector& vector, const VectorOptions& options = {});
/// Copies places in segments to local runs; otherwise as put. @onesided @completion filled on return.
void get(const Vector& vector, const VectorOptions& options = {});
/// Adds alpha times local elements to elements in segments, atomically per element: every run counts, also if
/// several go to one place. `alpha` points to one element. @onesided @throws and @completion as put
void accumulate(const Vector& vector, ElementKind kind, const void* alpha, const VectorOptions& options = {});

/// The same without waiting: local memory belongs to the transfer until the request is done. If `options` limit
/// the batch, the call waits for all batches but the last to each target. @onesided
Request put_async(const Vector& vector, const VectorOptions& options = {});
Request get_async(const Vector& vector, const VectorOptions& options = {});
Request accumulate_async(const Vector& vector, ElementKind kind, const void* alpha,
                         const VectorOptions& options = {});

}  // namespace tessera
