// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
// Preloaded: an MPI with a fault, as TESSERA_TEST_FAULT says. Messages arrive wrong ("message") or never
// ("hang"), or long puts arrive wrong ("put").
#include <cstdlib>
#include <string_view>
#include <vector>

#include <mpi.h>
#include <unistd.h>

namespace {

std::string_view fault() {
  const char* const name = std::getenv("TESSERA_TEST_FAULT");
  return name != nullptr ? name : "";
}

}  // namespace

extern "C" int MPI_Put(const void* source, int count, MPI_Datatype type, int rank, MPI_Aint offset, int there,
                       MPI_Datatype type_there, MPI_Win win) {
  static std::vector<char> wrong;  // lives until the put is complete
  if (fault() == "put" && type == MPI_BYTE && count > 100'000) {
    wrong.assign(static_cast<const char*>(source), static_cast<const char*>(source) + count);
    wrong[15] = static_cast<char>(~wrong[15]);
    source = wrong.data();
  }
  return PMPI_Put(source, count, type, rank, offset, there, type_there, win);
}

extern "C" int MPI_Sendrecv(const void* sent, int sent_count, MPI_Datatype sent_type, int to, int sent_tag,
                            void* received, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                            MPI_Status* status) {
  if (fault() == "hang") {
    for (;;) sleep(1);
  }
  const int code =
      PMPI_Sendrecv(sent, sent_count, sent_type, to, sent_tag, received, count, type, from, tag, comm, status);
  if (fault() == "message" && count > 1) static_cast<char*>(received)[8] ^= 1;
  return code;
}
