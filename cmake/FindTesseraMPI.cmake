# SPDX-License-Identifier: BSD-3-Clause
# SPDX-FileCopyrightText: the Tessera developers

# Finds the MPI that TESSERA_MPI names (mpich, openmpi; auto: the one behind mpicxx). Defines MPI::MPI_CXX,
# TESSERA_MPI_FLAVOUR (mpich, openmpi or other) and TESSERA_MPIEXEC, the launcher of that same MPI.
# Debian can have several MPIs at once. The endings of their commands, such as mpicxx.mpich, tell them apart.

set(_tessera_mpi_wanted auto)
if(TESSERA_MPI)
  set(_tessera_mpi_wanted ${TESSERA_MPI})
endif()
if(NOT _tessera_mpi_wanted MATCHES "^(auto|mpich|openmpi)$")
  message(FATAL_ERROR "TESSERA_MPI is \"${_tessera_mpi_wanted}\"; it can be mpich, openmpi or auto")
endif()
if(DEFINED _TESSERA_MPI_CONFIGURED AND NOT _TESSERA_MPI_CONFIGURED STREQUAL _tessera_mpi_wanted)
  message(FATAL_ERROR "this build directory was configured with TESSERA_MPI=${_TESSERA_MPI_CONFIGURED} "
                      "(what was found for it is remembered); use another directory, or cmake --fresh, "
                      "for TESSERA_MPI=${_tessera_mpi_wanted}")
endif()

if(NOT _tessera_mpi_wanted STREQUAL "auto" AND NOT TARGET MPI::MPI_CXX)
  find_program(MPI_CXX_COMPILER NAMES mpicxx.${_tessera_mpi_wanted} HINTS ${MPI_HOME} ENV MPI_HOME PATH_SUFFIXES bin)
  if(NOT MPI_CXX_COMPILER)
    unset(MPI_CXX_COMPILER CACHE)
  endif()
endif()
set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI QUIET COMPONENTS CXX)

set(TESSERA_MPI_FLAVOUR)
if(MPI_CXX_FOUND)
  include(CheckCXXSourceCompiles)
  set(_tessera_required_libraries ${CMAKE_REQUIRED_LIBRARIES})
  set(_tessera_required_quiet ${CMAKE_REQUIRED_QUIET})
  set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_CXX)
  set(CMAKE_REQUIRED_QUIET ON)
  check_cxx_source_compiles("#include <mpi.h>\nint main() { return MPICH_NUMVERSION == 0; }" TESSERA_MPI_IS_MPICH)
  check_cxx_source_compiles("#include <mpi.h>\nint main() { return OMPI_MAJOR_VERSION == 0; }" TESSERA_MPI_IS_OPENMPI)
  set(CMAKE_REQUIRED_LIBRARIES ${_tessera_required_libraries})
  set(CMAKE_REQUIRED_QUIET ${_tessera_required_quiet})
  if(TESSERA_MPI_IS_MPICH)
    set(TESSERA_MPI_FLAVOUR mpich)
  elseif(TESSERA_MPI_IS_OPENMPI)
    set(TESSERA_MPI_FLAVOUR openmpi)
  else()
    set(TESSERA_MPI_FLAVOUR other)
  endif()
  get_filename_component(_tessera_mpi_bin "${MPI_CXX_COMPILER}" DIRECTORY)
  find_program(TESSERA_MPIEXEC NAMES mpiexec.${TESSERA_MPI_FLAVOUR} mpiexec HINTS ${_tessera_mpi_bin}
               DOC "The launcher of the MPI in use")
  mark_as_advanced(TESSERA_MPIEXEC)
endif()

set(_tessera_mpi_reason)
if(NOT MPI_CXX_FOUND OR (NOT _tessera_mpi_wanted STREQUAL "auto"
                         AND NOT TESSERA_MPI_FLAVOUR STREQUAL _tessera_mpi_wanted))
  if(MPI_CXX_FOUND)
    set(_tessera_mpi_reason "TESSERA_MPI=${_tessera_mpi_wanted}, but what was found is ${TESSERA_MPI_FLAVOUR}.")
  else()
    set(_tessera_mpi_reason "no MPI was found for TESSERA_MPI=${_tessera_mpi_wanted}.")
  endif()
  string(APPEND _tessera_mpi_reason " On Debian, install libmpich-dev and mpich (TESSERA_MPI=mpich) or libopenmpi-dev "
         "and openmpi-bin (TESSERA_MPI=openmpi). Elsewhere, put mpicxx of that MPI first in PATH, or set MPI_HOME")
  set(TESSERA_MPI_FLAVOUR)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(TesseraMPI REQUIRED_VARS TESSERA_MPI_FLAVOUR
                                  REASON_FAILURE_MESSAGE "${_tessera_mpi_reason}")
if(TesseraMPI_FOUND)
  set(_TESSERA_MPI_CONFIGURED ${_tessera_mpi_wanted} CACHE INTERNAL "The value of TESSERA_MPI that was searched for")
endif()
