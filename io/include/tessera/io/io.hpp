// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

/// All of input and output.

#include <tessera/io/backend.hpp>
#include <tessera/io/checkpoint.hpp>
#include <tessera/io/checkpoint_info.hpp>
#include <tessera/io/checkpoint_schedule.hpp>
#include <tessera/io/disk_array.hpp>
#include <tessera/io/error.hpp>
#include <tessera/io/file.hpp>
#include <tessera/io/load.hpp>
#include <tessera/io/picture.hpp>
#include <tessera/io/probes.hpp>
#include <tessera/io/save.hpp>
#include <tessera/io/xdmf.hpp>
