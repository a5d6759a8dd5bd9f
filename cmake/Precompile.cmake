# SPDX-License-Identifier: BSD-3-Clause
# SPDX-FileCopyrightText: the Tessera developers

# tessera_precompile(target [header...]) and, for what is compiled in the same way, tessera_precompile_as(target other)
#
# The large headers of the standard library, and those named, are parsed once instead of for each file, which is a third
# of the time of a build. The preset dev-mpich does without, to notice what a file forgot to include.
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
