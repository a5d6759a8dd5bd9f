# SPDX-License-Identifier: BSD-3-Clause
# SPDX-FileCopyrightText: the Tessera developers

# tessera_add_module(name COMPONENT core|linalg|io|fft SOURCES file... [PUBLIC lib...] [PRIVATE lib...])
#
# One library per module: target tessera_<name>, known as tessera::<name> in the build tree and once installed, with the
# public headers of <name>/include. COMPONENT names the export set and so the component of the CMake package.
function(tessera_add_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "COMPONENT" "SOURCES;PUBLIC;PRIVATE")
  list(TRANSFORM arg_SOURCES PREPEND src/)
  set(target tessera_${name})
  add_library(${target} ${arg_SOURCES})
  add_library(tessera::${name} ALIAS ${target})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(
    ${target}
    PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE src ${PROJECT_SOURCE_DIR}/runtime/src/format)
  target_link_libraries(${target} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
  # For format.hpp, the only user of fmt.
  target_include_directories(
    ${target} SYSTEM PRIVATE $<TARGET_PROPERTY:fmt::fmt-header-only,INTERFACE_INCLUDE_DIRECTORIES>)
  # The behaviour of the .cpp files may depend on TESSERA_CHECKS, but not the declarations in the headers.
  target_compile_definitions(${target} PRIVATE $<$<BOOL:${TESSERA_CHECKS}>:TESSERA_CHECKS>)
  # Without it another library could replace position-independent functions, so they would never be inlined. That costs
  # a tenth of the time of one element.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU,Clang>:-fno-semantic-interposition>)
  tessera_warnings(${target})
  separate_arguments(own_flags UNIX_COMMAND "${TESSERA_LIBRARY_FLAGS}")
  target_compile_options(${target} PRIVATE ${own_flags})
  if(name STREQUAL "runtime")
    tessera_precompile(${target} <fmt/core.h>)
  else()
    tessera_precompile_as(${target} tessera_runtime)
  endif()
  set_target_properties(
    ${target}
    PROPERTIES CXX_EXTENSIONS OFF
               DEFINE_SYMBOL "" # otherwise no module could use the precompiled headers of another
               POSITION_INDEPENDENT_CODE ON
               EXPORT_NAME ${name}
               VERSION ${PROJECT_VERSION}
               SOVERSION ${PROJECT_VERSION_MAJOR}
               INSTALL_RPATH $ORIGIN
               INSTALL_RPATH_USE_LINK_PATH ON)
  if(TESSERA_INSTALL)
    install(TARGETS ${target} EXPORT tessera-${arg_COMPONENT})
    install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  endif()
endfunction()

# A program that is installed. It finds Tessera's libraries beside it, and others where they were when it was linked.
function(tessera_program target name)
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY ${CMAKE_INSTALL_FULL_BINDIR} OUTPUT_VARIABLE lib_from_bin)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} CXX_EXTENSIONS OFF INSTALL_RPATH $ORIGIN/${lib_from_bin}
                                             INSTALL_RPATH_USE_LINK_PATH ON)
  if(TESSERA_INSTALL)
    install(TARGETS ${target})
  endif()
endfunction()
