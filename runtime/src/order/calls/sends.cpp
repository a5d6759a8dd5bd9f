// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "order/calls/point_to_point.hpp"
#include "order/calls/seen.hpp"
#include "order/unseen_order.hpp"

// Sends of the program.
using namespace tessera::detail::order;
using namespace tessera::detail::order::calls;

namespace tessera::detail::order::calls {

void link_sends() noexcept {}

}  // namespace tessera::detail::order::calls

extern "C" {

TESSERA_SEEN_CALL(MPI_Send,
                  (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm),
                  (buf, count, datatype, dest, tag, comm), before_send(comm, dest, tag, "MPI_Send"))

TESSERA_SEEN_CALL(MPI_Bsend,
                  (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm),
                  (buf, count, datatype, dest, tag, comm), before_send(comm, dest, tag, "MPI_Bsend"))

TESSERA_SEEN_CALL(MPI_Rsend,
                  (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm),
                  (buf, count, datatype, dest, tag, comm), before_send(comm, dest, tag, "MPI_Rsend"))

TESSERA_SEEN_CALL(MPI_Ssend,
                  (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm),
                  (buf, count, datatype, dest, tag, comm),
                  note_unseen_order("MPI_Ssend (its return orders the receiver before the sender)");
                  before_send(comm, dest, tag, "MPI_Ssend"))

TESSERA_SEEN_CALL(MPI_Isend,
                  (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                   MPI_Request* request),
                  (buf, count, datatype, dest, tag, comm, request), before_send(comm, dest, tag, "MPI_Isend"))

TESSERA_SEEN_CALL(MPI_Ibsend,
                  (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                   MPI_Request* request),
                  (buf, count, datatype, dest, tag, comm, request), before_send(comm, dest, tag, "MPI_Ibsend"))

TESSERA_SEEN_CALL(MPI_Irsend,
                  (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                   MPI_Request* request),
                  (buf, count, datatype, dest, tag, comm, request), before_send(comm, dest, tag, "MPI_Irsend"))

TESSERA_SEEN_CALL(MPI_Issend,
                  (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                   MPI_Request* request),
                  (buf, count, datatype, dest, tag, comm, request),
                  note_unseen_order("MPI_Issend (its return orders the receiver before the sender)");
                  before_send(comm, dest, tag, "MPI_Issend"))

TESSERA_MPI_CALL MPI_Send_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                               MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Send_init", &PMPI_Send_init);
  if (!seen()) return real(buf, count, datatype, dest, tag, comm, request);
  const int code = real(buf, count, datatype, dest, tag, comm, request);
  if (code == MPI_SUCCESS) persistent_send(comm, dest, tag, *request, "MPI_Send_init");
  return code;
}

TESSERA_MPI_CALL MPI_Bsend_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                                MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Bsend_init", &PMPI_Bsend_init);
  if (!seen()) return real(buf, count, datatype, dest, tag, comm, request);
  const int code = real(buf, count, datatype, dest, tag, comm, request);
  if (code == MPI_SUCCESS) persistent_send(comm, dest, tag, *request, "MPI_Bsend_init");
  return code;
}

TESSERA_MPI_CALL MPI_Rsend_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                                MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Rsend_init", &PMPI_Rsend_init);
  if (!seen()) return real(buf, count, datatype, dest, tag, comm, request);
  const int code = real(buf, count, datatype, dest, tag, comm, request);
  if (code == MPI_SUCCESS) persistent_send(comm, dest, tag, *request, "MPI_Rsend_init");
  return code;
}

TESSERA_MPI_CALL MPI_Ssend_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                                MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Ssend_init", &PMPI_Ssend_init);
  if (!seen()) return real(buf, count, datatype, dest, tag, comm, request);
  const int code = real(buf, count, datatype, dest, tag, comm, request);
  if (code == MPI_SUCCESS) persistent_send(comm, dest, tag, *request, "MPI_Ssend_init");
  return code;
}

#if MPI_VERSION >= 4

TESSERA_SEEN_CALL(MPI_Send_c,
                  (const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm),
                  (buf, count, datatype, dest, tag, comm), before_send(comm, dest, tag, "MPI_Send_c"))

TESSERA_SEEN_CALL(MPI_Bsend_c,
                  (const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm),
                  (buf, count, datatype, dest, tag, comm), before_send(comm, dest, tag, "MPI_Bsend_c"))

TESSERA_SEEN_CALL(MPI_Rsend_c,
                  (const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm),
                  (buf, count, datatype, dest, tag, comm), before_send(comm, dest, tag, "MPI_Rsend_c"))

TESSERA_SEEN_CALL(MPI_Ssend_c,
                  (const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm),
                  (buf, count, datatype, dest, tag, comm),
                  note_unseen_order("MPI_Ssend (its return orders the receiver before the sender)");
                  before_send(comm, dest, tag, "MPI_Ssend_c"))

TESSERA_SEEN_CALL(MPI_Isend_c,
                  (const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                   MPI_Request* request),
                  (buf, count, datatype, dest, tag, comm, request), before_send(comm, dest, tag, "MPI_Isend_c"))

TESSERA_SEEN_CALL(MPI_Ibsend_c,
                  (const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                   MPI_Request* request),
                  (buf, count, datatype, dest, tag, comm, request),
                  before_send(comm, dest, tag, "MPI_Ibsend_c"))

TESSERA_SEEN_CALL(MPI_Irsend_c,
                  (const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                   MPI_Request* request),
                  (buf, count, datatype, dest, tag, comm, request),
                  before_send(comm, dest, tag, "MPI_Irsend_c"))

TESSERA_SEEN_CALL(MPI_Issend_c,
                  (const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                   MPI_Request* request),
                  (buf, count, datatype, dest, tag, comm, request),
                  note_unseen_order("MPI_Issend (its return orders the receiver before the sender)");
                  before_send(comm, dest, tag, "MPI_Issend_c"))

TESSERA_MPI_CALL MPI_Send_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                                 MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Send_init_c", &PMPI_Send_init_c);
  if (!seen()) return real(buf, count, datatype, dest, tag, comm, request);
  const int code = real(buf, count, datatype, dest, tag, comm, request);
  if (code == MPI_SUCCESS) persistent_send(comm, dest, tag, *request, "MPI_Send_init_c");
  return code;
}

TESSERA_MPI_CALL MPI_Bsend_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                                  MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Bsend_init_c", &PMPI_Bsend_init_c);
  if (!seen()) return real(buf, count, datatype, dest, tag, comm, request);
  const int code = real(buf, count, datatype, dest, tag, comm, request);
  if (code == MPI_SUCCESS) persistent_send(comm, dest, tag, *request, "MPI_Bsend_init_c");
  return code;
}

TESSERA_MPI_CALL MPI_Rsend_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                                  MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Rsend_init_c", &PMPI_Rsend_init_c);
  if (!seen()) return real(buf, count, datatype, dest, tag, comm, request);
  const int code = real(buf, count, datatype, dest, tag, comm, request);
  if (code == MPI_SUCCESS) persistent_send(comm, dest, tag, *request, "MPI_Rsend_init_c");
  return code;
}

TESSERA_MPI_CALL MPI_Ssend_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                                  MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Ssend_init_c", &PMPI_Ssend_init_c);
  if (!seen()) return real(buf, count, datatype, dest, tag, comm, request);
  const int code = real(buf, count, datatype, dest, tag, comm, request);
  if (code == MPI_SUCCESS) persistent_send(comm, dest, tag, *request, "MPI_Ssend_init_c");
  return code;
}

#endif
}
