# SPDX-License-Identifier: BSD-3-Clause
# SPDX-FileCopyrightText: the Tessera developers

# tessera_precompile(target [header...]) and, for targets compiled in the same way, tessera_precompile_as(target other)
#
# Parses the large headers of the standard library and the headers named once, not for each file. This saves a third of
# the build time. The preset dev-mpich does not precompile, so that it notices a missing include.
function(tessera_precompile target)
  target_precompile_headers(
    ${target}
    PRIVATE
    <algorithm>
    <array>
    <atomic>
    <chrono>
    <complex>
    <filesystem>
    <functional>
    <map>
    <memory>
    <mutex>
    <numeric>
    <optional>
    <random>
    <span>
    <string>
    <thread>
    <vector>
    ${ARGN})
endfunction()

function(tessera_precompile_as target other)
  target_precompile_headers(${target} REUSE_FROM ${other})
endfunction()
