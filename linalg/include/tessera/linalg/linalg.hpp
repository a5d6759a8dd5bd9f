// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

/// All matrix routines.

#include <tessera/linalg/backend.hpp>
#include <tessera/linalg/block_contract.hpp>
#include <tessera/linalg/block_tensor.hpp>
#include <tessera/linalg/blocking.hpp>
#include <tessera/linalg/contract.hpp>
#include <tessera/linalg/denominators.hpp>
#include <tessera/linalg/diis.hpp>
#include <tessera/linalg/eig.hpp>
#include <tessera/linalg/eigh.hpp>
#include <tessera/linalg/error.hpp>
#include <tessera/linalg/factor.hpp>
#include <tessera/linalg/functions.hpp>
#include <tessera/linalg/gemm.hpp>
#include <tessera/linalg/gemv.hpp>
#include <tessera/linalg/operand.hpp>
#include <tessera/linalg/solve.hpp>
#include <tessera/linalg/svd.hpp>
#include <tessera/linalg/symmetric.hpp>
