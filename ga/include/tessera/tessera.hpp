// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

/// Arrays, their operations and the runtime. Krylov solvers and structured grids have headers of their own.
/// Matrix routines, files and Fourier transforms have <tessera/linalg/linalg.hpp>, <tessera/io/io.hpp> and
/// <tessera/fft/fft.hpp>.

#include <tessera/array.hpp>
#include <tessera/elementwise.hpp>
#include <tessera/epochs.hpp>
#include <tessera/fused.hpp>
#include <tessera/layout.hpp>
#include <tessera/matrix.hpp>
#include <tessera/pairs.hpp>
#include <tessera/print.hpp>
#include <tessera/reductions.hpp>
#include <tessera/replicated.hpp>
#include <tessera/runtime/batch.hpp>
#include <tessera/runtime/flags.hpp>
#include <tessera/runtime/heap.hpp>
#include <tessera/runtime/local_buffer.hpp>
#include <tessera/runtime/mutexes.hpp>
#include <tessera/runtime/phase.hpp>
#include <tessera/runtime/runtime.hpp>
#include <tessera/runtime/scalars.hpp>
#include <tessera/runtime/vector.hpp>
#include <tessera/scan.hpp>
#include <tessera/slice.hpp>
#include <tessera/sparse.hpp>
#include <tessera/sparse_file.hpp>
#include <tessera/task_queues.hpp>
#include <tessera/tasks.hpp>
#include <tessera/workspace.hpp>
