# SPDX-License-Identifier: BSD-3-Clause
# SPDX-FileCopyrightText: the Tessera developers

# Finds the Global Arrays library on ARMCI-MPI, built for the MPI in use. Defines GlobalArrays::ga. Benchmarks only:
# elsewhere than on Debian set GLOBALARRAYS_ROOT.

find_path(GLOBALARRAYS_INCLUDE_DIR ga.h HINTS ${GLOBALARRAYS_ROOT} ENV GLOBALARRAYS_ROOT PATH_SUFFIXES include)
set(_global_arrays_required GLOBALARRAYS_INCLUDE_DIR)
set(_global_arrays_libraries)
foreach(part IN ITEMS ga armci)
  string(TOUPPER ${part} variable)
  find_library(GLOBALARRAYS_${variable}_LIBRARY NAMES ${part}-${TESSERA_MPI_FLAVOUR} ${part}
               HINTS ${GLOBALARRAYS_ROOT} ENV GLOBALARRAYS_ROOT PATH_SUFFIXES lib lib64)
  list(APPEND _global_arrays_required GLOBALARRAYS_${variable}_LIBRARY)
  list(APPEND _global_arrays_libraries ${GLOBALARRAYS_${variable}_LIBRARY})
endforeach()
# its static libraries need ScaLAPACK and the run-time library of Fortran
find_package(TesseraScaLAPACK QUIET)
find_library(GLOBALARRAYS_FORTRAN_LIBRARY NAMES gfortran libgfortran.so.5)
list(APPEND _global_arrays_required GLOBALARRAYS_FORTRAN_LIBRARY TesseraScaLAPACK_FOUND)
mark_as_advanced(GLOBALARRAYS_INCLUDE_DIR GLOBALARRAYS_GA_LIBRARY GLOBALARRAYS_ARMCI_LIBRARY
                 GLOBALARRAYS_FORTRAN_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  GlobalArrays
  REQUIRED_VARS ${_global_arrays_required}
  REASON_FAILURE_MESSAGE "comparisons with it are left out (Debian: libglobalarrays-dev, libarmci-mpi-dev)")
if(GlobalArrays_FOUND AND NOT TARGET GlobalArrays::ga)
  add_library(GlobalArrays::ga INTERFACE IMPORTED)
  target_include_directories(GlobalArrays::ga INTERFACE ${GLOBALARRAYS_INCLUDE_DIR})
  target_link_libraries(GlobalArrays::ga INTERFACE ${_global_arrays_libraries} TesseraScaLAPACK::scalapack
                                                   ${GLOBALARRAYS_FORTRAN_LIBRARY} MPI::MPI_CXX)
endif()
