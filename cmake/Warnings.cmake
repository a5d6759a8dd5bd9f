# SPDX-License-Identifier: BSD-3-Clause
# SPDX-FileCopyrightText: the Tessera developers

# tessera_warnings(target): the warnings for Tessera's own code, which are errors with TESSERA_WERROR.
function(tessera_warnings target)
  target_compile_options(
    ${target}
    PRIVATE -Wall
            -Wextra
            -Wconversion
            -Wsign-conversion
            -Wshadow
            -Wnon-virtual-dtor
            -Woverloaded-virtual
            -Wcast-align
            # GCC 12 reports false positives inside the standard library once it inlines
            $<$<CONFIG:Debug>:-Wnull-dereference>
            # GCC 12 takes some additions of strings for copies onto themselves (GCC's bug 105651)
            $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
            # in a unity build, GCC takes the combined file for the source and the original sources for headers
            $<$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>:-Wno-subobject-linkage>
            $<$<BOOL:${TESSERA_WERROR}>:-Werror>)
endfunction()
