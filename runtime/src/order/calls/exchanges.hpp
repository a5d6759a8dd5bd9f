// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <memory>

#include <mpi.h>

#include "order/shadows.hpp"
#include "order/tracked.hpp"

namespace tessera::detail::order::calls {

/// From which members of a collective call order comes to which.
enum class Flow { all, from_root, to_root, upwards };

/// Exchanges the clocks of a collective call, before the call itself.
void exchange(Flow flow, MPI_Comm comm, int root, const char* call);
void exchange(Flow flow, const Shadow& shadow, int root);

/// The same for a nonblocking call: the order arrives when its request completes.
std::shared_ptr<Tracked> start_exchange(Flow flow, MPI_Comm comm, int root, const char* call);
/// Duplicates the shadow for MPI_Comm_idup.
std::shared_ptr<Tracked> duplicate_shadow(MPI_Comm comm, MPI_Comm* made);
void follow(int code, MPI_Request* request, std::shared_ptr<Tracked> tracked);

}  // namespace tessera::detail::order::calls
