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
            # in a unity build, GCC takes the combined file for the source and the original sources for headers
            $<$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>:-Wno-subobject-linkage>
            $<$<BOOL:${TESSERA_WERROR}>:-Werror>)
endfunction()
