// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <functional>

#include "script.hpp"

namespace tessera::stress {

/// A part of a script that still fails, but from which no line can be left out. Delta debugging (Zeller and
/// Hildebrandt, IEEE TSE 28 (2002)): pieces of half the script first, single lines last. `fails` runs a script;
/// it returns the same on every rank.
Script shrink(Script script, const std::function<bool(const Script&)>& fails);

}  // namespace tessera::stress
