// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

/// All of HDF5 input and output.

#include <tessera/io/error.hpp>
#include <tessera/io/load.hpp>
#include <tessera/io/save.hpp>
