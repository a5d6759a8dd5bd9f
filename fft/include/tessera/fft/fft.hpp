// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

/// All Fourier transforms.

#include <tessera/fft/options.hpp>
#include <tessera/fft/transform.hpp>
