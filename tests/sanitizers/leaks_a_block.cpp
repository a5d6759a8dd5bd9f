// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
// A job whose last rank loses a block of memory and ends normally. LeakSanitizer has to report it.
#include <mpi.h>

namespace {

char* volatile block = nullptr;

void lose_a_block() {
  block = new char[1234];
  block = nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == size - 1) lose_a_block();
  MPI_Finalize();
}
