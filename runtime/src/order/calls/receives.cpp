// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "order/calls/point_to_point.hpp"
#include "order/calls/seen.hpp"

// Receives of the program.
using namespace tessera::detail::order;
using namespace tessera::detail::order::calls;

namespace tessera::detail::order::calls {

void link_receives() noexcept {}

}  // namespace tessera::detail::order::calls

extern "C" {

TESSERA_MPI_CALL MPI_Recv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                          MPI_Status* status) {
  static const auto real = next("MPI_Recv", &PMPI_Recv);
  if (!seen()) return real(buf, count, datatype, source, tag, comm, status);
  OwnStatus given(status);
  const int code = real(buf, count, datatype, source, tag, comm, given.get());
  if (code == MPI_SUCCESS) after_receive(comm, source, *given.get(), "MPI_Recv");
  return code;
}

TESSERA_MPI_CALL MPI_Irecv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                           MPI_Request* request) {
  static const auto real = next("MPI_Irecv", &PMPI_Irecv);
  if (!seen()) return real(buf, count, datatype, source, tag, comm, request);
  auto receive = before_receive(comm, source, tag, "MPI_Irecv");
  const int code = real(buf, count, datatype, source, tag, comm, request);
  follow(code, request, std::move(receive));
  return code;
}

TESSERA_MPI_CALL MPI_Recv_init(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                               MPI_Request* request) {
  static const auto real = next("MPI_Recv_init", &PMPI_Recv_init);
  if (!seen()) return real(buf, count, datatype, source, tag, comm, request);
  const int code = real(buf, count, datatype, source, tag, comm, request);
  if (code == MPI_SUCCESS) persistent_receive(comm, source, tag, *request, "MPI_Recv_init");
  return code;
}

TESSERA_MPI_CALL MPI_Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                              void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                              MPI_Comm comm, MPI_Status* status) {
  static const auto real = next("MPI_Sendrecv", &PMPI_Sendrecv);
  if (!seen())
    return real(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag,
                comm, status);
  OwnStatus given(status);
  before_send(comm, dest, sendtag, "MPI_Sendrecv");
  const int code = real(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
                        recvtag, comm, given.get());
  if (code == MPI_SUCCESS) after_receive(comm, source, *given.get(), "MPI_Sendrecv");
  return code;
}

TESSERA_MPI_CALL MPI_Sendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest, int sendtag,
                                      int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  static const auto real = next("MPI_Sendrecv_replace", &PMPI_Sendrecv_replace);
  if (!seen()) return real(buf, count, datatype, dest, sendtag, source, recvtag, comm, status);
  OwnStatus given(status);
  before_send(comm, dest, sendtag, "MPI_Sendrecv_replace");
  const int code = real(buf, count, datatype, dest, sendtag, source, recvtag, comm, given.get());
  if (code == MPI_SUCCESS) after_receive(comm, source, *given.get(), "MPI_Sendrecv_replace");
  return code;
}

TESSERA_MPI_CALL MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  static const auto real = next("MPI_Probe", &PMPI_Probe);
  if (!seen()) return real(source, tag, comm, status);
  OwnStatus given(status);
  const int code = real(source, tag, comm, given.get());
  if (code == MPI_SUCCESS) after_probe(comm, source, *given.get(), "MPI_Probe");
  return code;
}

TESSERA_MPI_CALL MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  static const auto real = next("MPI_Iprobe", &PMPI_Iprobe);
  if (!seen()) return real(source, tag, comm, flag, status);
  OwnStatus given(status);
  const int code = real(source, tag, comm, flag, given.get());
  if (code == MPI_SUCCESS && *flag != 0) after_probe(comm, source, *given.get(), "MPI_Iprobe");
  return code;
}

// The message is matched, so its receive adds no order.
TESSERA_MPI_CALL MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  static const auto real = next("MPI_Mprobe", &PMPI_Mprobe);
  if (!seen()) return real(source, tag, comm, message, status);
  OwnStatus given(status);
  const int code = real(source, tag, comm, message, given.get());
  if (code == MPI_SUCCESS) after_receive(comm, source, *given.get(), "MPI_Mprobe");
  return code;
}

TESSERA_MPI_CALL MPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
                             MPI_Status* status) {
  static const auto real = next("MPI_Improbe", &PMPI_Improbe);
  if (!seen()) return real(source, tag, comm, flag, message, status);
  OwnStatus given(status);
  const int code = real(source, tag, comm, flag, message, given.get());
  if (code == MPI_SUCCESS && *flag != 0) after_receive(comm, source, *given.get(), "MPI_Improbe");
  return code;
}

#if MPI_VERSION >= 4

TESSERA_MPI_CALL MPI_Recv_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                            MPI_Comm comm, MPI_Status* status) {
  static const auto real = next("MPI_Recv_c", &PMPI_Recv_c);
  if (!seen()) return real(buf, count, datatype, source, tag, comm, status);
  OwnStatus given(status);
  const int code = real(buf, count, datatype, source, tag, comm, given.get());
  if (code == MPI_SUCCESS) after_receive(comm, source, *given.get(), "MPI_Recv_c");
  return code;
}

TESSERA_MPI_CALL MPI_Irecv_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                             MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Irecv_c", &PMPI_Irecv_c);
  if (!seen()) return real(buf, count, datatype, source, tag, comm, request);
  auto receive = before_receive(comm, source, tag, "MPI_Irecv_c");
  const int code = real(buf, count, datatype, source, tag, comm, request);
  follow(code, request, std::move(receive));
  return code;
}

TESSERA_MPI_CALL MPI_Recv_init_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                                 MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Recv_init_c", &PMPI_Recv_init_c);
  if (!seen()) return real(buf, count, datatype, source, tag, comm, request);
  const int code = real(buf, count, datatype, source, tag, comm, request);
  if (code == MPI_SUCCESS) persistent_receive(comm, source, tag, *request, "MPI_Recv_init_c");
  return code;
}

TESSERA_MPI_CALL MPI_Sendrecv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest,
                                int sendtag, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  static const auto real = next("MPI_Sendrecv_c", &PMPI_Sendrecv_c);
  if (!seen())
    return real(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag,
                comm, status);
  OwnStatus given(status);
  before_send(comm, dest, sendtag, "MPI_Sendrecv_c");
  const int code = real(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
                        recvtag, comm, given.get());
  if (code == MPI_SUCCESS) after_receive(comm, source, *given.get(), "MPI_Sendrecv_c");
  return code;
}

TESSERA_MPI_CALL MPI_Sendrecv_replace_c(void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                                        int sendtag, int source, int recvtag, MPI_Comm comm,
                                        MPI_Status* status) {
  static const auto real = next("MPI_Sendrecv_replace_c", &PMPI_Sendrecv_replace_c);
  if (!seen()) return real(buf, count, datatype, dest, sendtag, source, recvtag, comm, status);
  OwnStatus given(status);
  before_send(comm, dest, sendtag, "MPI_Sendrecv_replace_c");
  const int code = real(buf, count, datatype, dest, sendtag, source, recvtag, comm, given.get());
  if (code == MPI_SUCCESS) after_receive(comm, source, *given.get(), "MPI_Sendrecv_replace_c");
  return code;
}

TESSERA_MPI_CALL MPI_Isendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                               void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                               MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Isendrecv", &PMPI_Isendrecv);
  if (!seen())
    return real(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag,
                comm, request);
  before_send(comm, dest, sendtag, "MPI_Isendrecv");
  auto receive = before_receive(comm, source, recvtag, "MPI_Isendrecv");
  const int code = real(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
                        recvtag, comm, request);
  follow(code, request, std::move(receive));
  return code;
}

TESSERA_MPI_CALL MPI_Isendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest, int sendtag,
                                       int source, int recvtag, MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Isendrecv_replace", &PMPI_Isendrecv_replace);
  if (!seen()) return real(buf, count, datatype, dest, sendtag, source, recvtag, comm, request);
  before_send(comm, dest, sendtag, "MPI_Isendrecv_replace");
  auto receive = before_receive(comm, source, recvtag, "MPI_Isendrecv_replace");
  const int code = real(buf, count, datatype, dest, sendtag, source, recvtag, comm, request);
  follow(code, request, std::move(receive));
  return code;
}

TESSERA_MPI_CALL MPI_Isendrecv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest,
                                 int sendtag, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                 int source, int recvtag, MPI_Comm comm, MPI_Request* request) {
  static const auto real = next("MPI_Isendrecv_c", &PMPI_Isendrecv_c);
  if (!seen())
    return real(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag,
                comm, request);
  before_send(comm, dest, sendtag, "MPI_Isendrecv_c");
  auto receive = before_receive(comm, source, recvtag, "MPI_Isendrecv_c");
  const int code = real(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
                        recvtag, comm, request);
  follow(code, request, std::move(receive));
  return code;
}

TESSERA_MPI_CALL MPI_Isendrecv_replace_c(void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                                         int sendtag, int source, int recvtag, MPI_Comm comm,
                                         MPI_Request* request) {
  static const auto real = next("MPI_Isendrecv_replace_c", &PMPI_Isendrecv_replace_c);
  if (!seen()) return real(buf, count, datatype, dest, sendtag, source, recvtag, comm, request);
  before_send(comm, dest, sendtag, "MPI_Isendrecv_replace_c");
  auto receive = before_receive(comm, source, recvtag, "MPI_Isendrecv_replace_c");
  const int code = real(buf, count, datatype, dest, sendtag, source, recvtag, comm, request);
  follow(code, request, std::move(receive));
  return code;
}

#endif
}
