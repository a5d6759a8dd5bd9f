# SPDX-License-Identifier: BSD-3-Clause
# SPDX-FileCopyrightText: the Tessera developers

# Finds an HDF5 with parallel I/O, built for the MPI in use. Defines the target TesseraHDF5::hdf5.
# On systems other than Debian set HDF5_ROOT, or TESSERA_HDF5_INCLUDE_DIR and TESSERA_HDF5_LIBRARY.

include(SameMpi)
set(_tessera_hdf5_suffix hdf5/${TESSERA_MPI_FLAVOUR})
find_path(TESSERA_HDF5_INCLUDE_DIR hdf5.h HINTS ${HDF5_ROOT} ENV HDF5_ROOT ENV HDF5_DIR
          PATH_SUFFIXES include/${_tessera_hdf5_suffix} ${_tessera_hdf5_suffix} include
          DOC "The directory of parallel HDF5's hdf5.h")
find_library(TESSERA_HDF5_LIBRARY NAMES hdf5_${TESSERA_MPI_FLAVOUR} hdf5 HINTS ${HDF5_ROOT} ENV HDF5_ROOT ENV HDF5_DIR
             PATH_SUFFIXES lib/${_tessera_hdf5_suffix} ${_tessera_hdf5_suffix} lib lib64
             DOC "Parallel HDF5's library")
mark_as_advanced(TESSERA_HDF5_INCLUDE_DIR TESSERA_HDF5_LIBRARY)

set(_tessera_hdf5_problem "it was not found")
if(TESSERA_HDF5_INCLUDE_DIR AND TESSERA_HDF5_LIBRARY)
  tessera_same_mpi(_tessera_hdf5_problem ${TESSERA_HDF5_LIBRARY})
  file(GLOB _tessera_hdf5_configs ${TESSERA_HDF5_INCLUDE_DIR}/H5pubconf*.h)
  set(_tessera_hdf5_parallel)
  foreach(_tessera_hdf5_config IN LISTS _tessera_hdf5_configs)
    file(STRINGS ${_tessera_hdf5_config} _tessera_hdf5_lines REGEX "define H5_HAVE_PARALLEL 1")
    list(APPEND _tessera_hdf5_parallel ${_tessera_hdf5_lines})
  endforeach()
  if(NOT _tessera_hdf5_parallel AND NOT _tessera_hdf5_problem)
    set(_tessera_hdf5_problem "${TESSERA_HDF5_INCLUDE_DIR} belongs to an HDF5 without MPI")
  endif()
endif()

set(_tessera_hdf5_reason)
set(_tessera_hdf5_usable TRUE)
if(_tessera_hdf5_problem)
  set(_tessera_hdf5_usable FALSE)
  set(_tessera_hdf5_reason
      "tessera::io needs parallel HDF5 for ${TESSERA_MPI_FLAVOUR}: ${_tessera_hdf5_problem}. On Debian, install \
libhdf5-${TESSERA_MPI_FLAVOUR}-dev. Elsewhere, set HDF5_ROOT to one built with this MPI (--enable-parallel), or leave \
the module out with TESSERA_BUILD_IO=OFF")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(TesseraHDF5 REQUIRED_VARS _tessera_hdf5_usable TESSERA_HDF5_LIBRARY
                                  REASON_FAILURE_MESSAGE "${_tessera_hdf5_reason}")
if(TesseraHDF5_FOUND AND NOT TARGET TesseraHDF5::hdf5)
  add_library(TesseraHDF5::hdf5 UNKNOWN IMPORTED)
  set_target_properties(TesseraHDF5::hdf5 PROPERTIES IMPORTED_LOCATION ${TESSERA_HDF5_LIBRARY}
                                                     INTERFACE_INCLUDE_DIRECTORIES ${TESSERA_HDF5_INCLUDE_DIR}
                                                     INTERFACE_LINK_LIBRARIES MPI::MPI_CXX)
endif()
