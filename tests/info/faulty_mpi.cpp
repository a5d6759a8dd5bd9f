// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
// Preloaded: an MPI whose messages arrive wrong or never, as TESSERA_TEST_FAULT says ("wrong" or "hang").
#include <cstdlib>
#include <string_view>

#include <mpi.h>
#include <unistd.h>

extern "C" int MPI_Sendrecv(const void* sent, int sent_count, MPI_Datatype sent_type, int to, int sent_tag,
                            void* received, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                            MPI_Status* status) {
  const char* const fault = std::getenv("TESSERA_TEST_FAULT");
  const std::string_view what = fault != nullptr ? fault : "";
  if (what == "hang") {
    for (;;) sleep(1);
  }
  const int code =
      PMPI_Sendrecv(sent, sent_count, sent_type, to, sent_tag, received, count, type, from, tag, comm, status);
  if (what == "wrong" && count > 1) static_cast<char*>(received)[8] ^= 1;
  return code;
}
