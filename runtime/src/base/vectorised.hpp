// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

// One binary for all x86-64 machines: the loader picks the widest vectors that the processor has.
// (Not with ThreadSanitizer: the loader picks before it can be called.)
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define TESSERA_VECTORISED __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TESSERA_VECTORISED
#endif
#define TESSERA_INLINE __attribute__((always_inline)) inline
