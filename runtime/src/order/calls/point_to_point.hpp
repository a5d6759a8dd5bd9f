// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <memory>

#include <mpi.h>

#include "order/messages_seen.hpp"

namespace tessera::detail::order::calls {

/// The clock goes before the message.
void before_send(MPI_Comm comm, int rank, int tag, const char* call);
/// Takes in the clock of a message that has come, or that a probe has matched.
void after_receive(MPI_Comm comm, int source, const MPI_Status& status, const char* call);
/// Before a receive is posted; null if no clock comes with it.
std::shared_ptr<Receive> before_receive(MPI_Comm comm, int source, int tag, const char* call);
/// The receive that was posted completes with its request, if there is one.
void follow(int code, MPI_Request* request, std::shared_ptr<Receive> receive);

void persistent_send(MPI_Comm comm, int rank, int tag, MPI_Request request, const char* call);
void persistent_receive(MPI_Comm comm, int source, int tag, MPI_Request request, const char* call);

/// Takes in the clock of a message that a probe has found, and left.
void after_probe(MPI_Comm comm, int source, const MPI_Status& status, const char* call);

}  // namespace tessera::detail::order::calls
