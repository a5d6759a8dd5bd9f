# SPDX-License-Identifier: BSD-3-Clause
# SPDX-FileCopyrightText: the Tessera developers

# Finds ScaLAPACK, built for the MPI in use, with LAPACK and BLAS. Defines the target TesseraScaLAPACK::scalapack.
# On systems other than Debian set SCALAPACK_ROOT, or TESSERA_SCALAPACK_LIBRARY. BLA_VENDOR chooses the BLAS.

include(SameMpi)
find_library(TESSERA_SCALAPACK_LIBRARY NAMES scalapack-${TESSERA_MPI_FLAVOUR} scalapack
             HINTS ${SCALAPACK_ROOT} ENV SCALAPACK_ROOT PATH_SUFFIXES lib lib64
             DOC "ScaLAPACK's library")
mark_as_advanced(TESSERA_SCALAPACK_LIBRARY)
find_package(BLAS QUIET)
find_package(LAPACK QUIET)

set(_tessera_scalapack_problem "it was not found")
if(TESSERA_SCALAPACK_LIBRARY)
  tessera_same_mpi(_tessera_scalapack_problem ${TESSERA_SCALAPACK_LIBRARY})
  if(NOT _tessera_scalapack_problem AND NOT (BLAS_FOUND AND LAPACK_FOUND))
    set(_tessera_scalapack_problem "no LAPACK and BLAS were found beside it")
  endif()
endif()

set(_tessera_scalapack_reason)
set(_tessera_scalapack_usable TRUE)
if(_tessera_scalapack_problem)
  set(_tessera_scalapack_usable FALSE)
  set(_tessera_scalapack_reason
      "tessera::linalg needs ScaLAPACK for ${TESSERA_MPI_FLAVOUR}: ${_tessera_scalapack_problem}. On Debian, install \
libscalapack-${TESSERA_MPI_FLAVOUR}-dev, libopenblas-dev and liblapack-dev. Elsewhere, set SCALAPACK_ROOT to one built \
with this MPI, or leave the module out with TESSERA_BUILD_LINALG=OFF")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(TesseraScaLAPACK REQUIRED_VARS _tessera_scalapack_usable TESSERA_SCALAPACK_LIBRARY
                                  REASON_FAILURE_MESSAGE "${_tessera_scalapack_reason}")
if(TesseraScaLAPACK_FOUND AND NOT TARGET TesseraScaLAPACK::scalapack)
  add_library(TesseraScaLAPACK::scalapack UNKNOWN IMPORTED)
  set_target_properties(TesseraScaLAPACK::scalapack PROPERTIES IMPORTED_LOCATION ${TESSERA_SCALAPACK_LIBRARY})
  target_link_libraries(TesseraScaLAPACK::scalapack INTERFACE LAPACK::LAPACK BLAS::BLAS MPI::MPI_CXX)
endif()
