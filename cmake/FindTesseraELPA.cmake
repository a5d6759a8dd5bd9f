# SPDX-License-Identifier: BSD-3-Clause
# SPDX-FileCopyrightText: the Tessera developers

# Finds ELPA, built for the MPI in use. Defines the target TesseraELPA::elpa. On Debian it is libelpa-dev, for Open MPI.

include(SameMpi)
find_library(TESSERA_ELPA_LIBRARY NAMES elpa HINTS ${ELPA_ROOT} ENV ELPA_ROOT PATH_SUFFIXES lib lib64
             DOC "ELPA's library")
find_path(TESSERA_ELPA_INCLUDE_DIRECTORY elpa/elpa_version.h HINTS ${ELPA_ROOT} ENV ELPA_ROOT
          PATH_SUFFIXES include/elpa include DOC "The directory that has elpa/elpa_version.h")
mark_as_advanced(TESSERA_ELPA_LIBRARY TESSERA_ELPA_INCLUDE_DIRECTORY)

set(_tessera_elpa_problem "it was not found")
if(TESSERA_ELPA_LIBRARY)
  tessera_same_mpi(_tessera_elpa_problem ${TESSERA_ELPA_LIBRARY})
endif()
set(_tessera_elpa_usable TRUE)
if(_tessera_elpa_problem)
  set(_tessera_elpa_usable FALSE)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  TesseraELPA REQUIRED_VARS _tessera_elpa_usable TESSERA_ELPA_LIBRARY TESSERA_ELPA_INCLUDE_DIRECTORY
  REASON_FAILURE_MESSAGE "eigenvalues are computed without ELPA: ${_tessera_elpa_problem}")
if(TesseraELPA_FOUND AND NOT TARGET TesseraELPA::elpa)
  add_library(TesseraELPA::elpa UNKNOWN IMPORTED)
  set_target_properties(
    TesseraELPA::elpa PROPERTIES IMPORTED_LOCATION ${TESSERA_ELPA_LIBRARY}
                                 INTERFACE_INCLUDE_DIRECTORIES ${TESSERA_ELPA_INCLUDE_DIRECTORY})
endif()
