# SPDX-License-Identifier: BSD-3-Clause
# SPDX-FileCopyrightText: the Tessera developers

# tessera_warnings(target): the warnings that Tessera's own code is held to; errors with TESSERA_WERROR.
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
            # for GCC a unity build's file is the source, and what was one is a header
            $<$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>:-Wno-subobject-linkage>
            $<$<BOOL:${TESSERA_WERROR}>:-Werror>)
endfunction()
