// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include "rows.hpp"
#include "session.hpp"

/// The same work as a programmer would write it by hand: the references that stand for the hardware.
namespace tessera::benchmark {

/// memcpy of each row. @local
void copy_rows(void* to, const void* from, const Rows& rows);
/// Copies with stores that go past the caches, the widest of this processor. This is faster if the target is
/// larger than the caches. It is memcpy on processors without such stores. @local
void stream_rows(void* to, const void* from, const Rows& rows);
/// The faster of the two for these very rows, from a short trial. @collective
Reference fastest_copy(const Group& group, void* to, const void* from, const Rows& rows);

/// y += x, compiled as the library's own loop is. @local
void add(double* __restrict y, const double* __restrict x, index_t n);
/// The same for each row. @local
void add_rows(double* y, const double* x, const Rows& rows);

/// Reserves memory that could be shared, and gives it back: memfd_create, posix_fallocate, close. @local
/// @throws Error if there is not enough.
void reserve_and_release(index_t bytes);

}  // namespace tessera::benchmark
