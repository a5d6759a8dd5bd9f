# SPDX-License-Identifier: BSD-3-Clause
# SPDX-FileCopyrightText: the Tessera developers

# Finds FFTW 3 in double and single precision, without MPI. Defines the target TesseraFFTW::fftw. On systems other than
# Debian set FFTW_ROOT. Other libraries have FFTW's interface as well (Intel's MKL), so both libraries can be set.

find_library(TESSERA_FFTW_LIBRARY NAMES fftw3 HINTS ${FFTW_ROOT} ENV FFTW_ROOT PATH_SUFFIXES lib lib64
             DOC "FFTW's library for double precision")
find_library(TESSERA_FFTW_SINGLE_LIBRARY NAMES fftw3f HINTS ${FFTW_ROOT} ENV FFTW_ROOT PATH_SUFFIXES lib lib64
             DOC "FFTW's library for single precision")
find_path(TESSERA_FFTW_INCLUDE_DIRECTORY fftw3.h HINTS ${FFTW_ROOT} ENV FFTW_ROOT PATH_SUFFIXES include
          DOC "The directory that has fftw3.h")
mark_as_advanced(TESSERA_FFTW_LIBRARY TESSERA_FFTW_SINGLE_LIBRARY TESSERA_FFTW_INCLUDE_DIRECTORY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  TesseraFFTW REQUIRED_VARS TESSERA_FFTW_LIBRARY TESSERA_FFTW_SINGLE_LIBRARY TESSERA_FFTW_INCLUDE_DIRECTORY
  REASON_FAILURE_MESSAGE "tessera::fft needs FFTW 3 in both precisions. On Debian, install libfftw3-dev. Elsewhere, set \
FFTW_ROOT")
if(TesseraFFTW_FOUND AND NOT TARGET TesseraFFTW::fftw)
  add_library(TesseraFFTW::fftw UNKNOWN IMPORTED)
  set_target_properties(
    TesseraFFTW::fftw
    PROPERTIES IMPORTED_LOCATION ${TESSERA_FFTW_LIBRARY}
               INTERFACE_INCLUDE_DIRECTORIES ${TESSERA_FFTW_INCLUDE_DIRECTORY}
               INTERFACE_LINK_LIBRARIES ${TESSERA_FFTW_SINGLE_LIBRARY})
endif()
