# SPDX-License-Identifier: BSD-3-Clause
# SPDX-FileCopyrightText: the Tessera developers

# The CMake package, for the installed library and for the build tree (CMAKE_PREFIX_PATH=<build directory>), and the
# pkg-config files. A component is an export set of tessera_add_module. The component core is always there.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tessera)
set(build_package_dir ${PROJECT_BINARY_DIR}/lib/cmake/tessera)
set(TESSERA_COMPONENTS core)
foreach(component IN ITEMS linalg io fft)
  if(TARGET tessera::${component})
    list(APPEND TESSERA_COMPONENTS ${component})
  endif()
endforeach()

set(TESSERA_MPI_PACKAGE ${TESSERA_MPI_FLAVOUR})
if(TESSERA_MPI_FLAVOUR STREQUAL "other")
  set(TESSERA_MPI_PACKAGE auto)
endif()
set(TESSERA_HAS_PNG OFF)
if(TARGET PNG::PNG)
  set(TESSERA_HAS_PNG ON)
endif()
configure_package_config_file(cmake/tesseraConfig.cmake.in ${build_package_dir}/tesseraConfig.cmake
                              INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO
                              NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${build_package_dir}/tesseraConfigVersion.cmake COMPATIBILITY SameMajorVersion)
foreach(module IN ITEMS FindTesseraMPI FindTesseraHDF5 FindTesseraScaLAPACK FindTesseraELPA FindTesseraFFTW
                        SameMpi)
  configure_file(cmake/${module}.cmake ${build_package_dir}/${module}.cmake COPYONLY)
endforeach()
install(DIRECTORY ${build_package_dir}/ DESTINATION ${package_dir} FILES_MATCHING PATTERN "*.cmake"
                                                                                  PATTERN "*-targets*" EXCLUDE)
foreach(component IN LISTS TESSERA_COMPONENTS)
  install(EXPORT tessera-${component} NAMESPACE tessera:: DESTINATION ${package_dir}
          FILE tessera-${component}-targets.cmake)
  export(EXPORT tessera-${component} NAMESPACE tessera::
         FILE ${build_package_dir}/tessera-${component}-targets.cmake)
endforeach()

# pkg-config: Libs must have what a static library needs, as users do not pass --static if there is no other kind.
set(private Libs)
if(BUILD_SHARED_LIBS)
  set(private Libs.private)
endif()
list(JOIN MPI_CXX_LIBRARIES " " MPI_LINE)
list(TRANSFORM MPI_CXX_INCLUDE_DIRS PREPEND -I OUTPUT_VARIABLE MPI_FLAGS)
list(APPEND MPI_FLAGS -DMPICH_SKIP_MPICXX -DOMPI_SKIP_MPICXX)
list(JOIN MPI_FLAGS " " MPI_FLAGS)
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
           OUTPUT_VARIABLE PREFIX_FROM_PC)
string(REGEX REPLACE "/$" "" PREFIX_FROM_PC "${PREFIX_FROM_PC}")
# The directories may be given as whole paths.
foreach(kind IN ITEMS LIBDIR INCLUDEDIR)
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_${kind} BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX}
             OUTPUT_VARIABLE ${kind}_FROM_PREFIX)
endforeach()

function(tessera_pkg_config file name description requires libs)
  configure_file(cmake/tessera.pc.in ${PROJECT_BINARY_DIR}/lib/pkgconfig/${file}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/lib/pkgconfig/${file}.pc DESTINATION ${pkgconfig_dir})
endfunction()

tessera_pkg_config(tessera Tessera "${PROJECT_DESCRIPTION}" ""
                   "Libs: -L\${libdir} -ltessera_ga -ltessera_runtime ${MPI_LINE}\nCflags: -I\${includedir} ${MPI_FLAGS}")
if(TARGET tessera::linalg)
  set(others ${LAPACK_LIBRARIES})
  if(TARGET TesseraELPA::elpa)
    list(PREPEND others ${TESSERA_ELPA_LIBRARY})
  endif()
  list(JOIN others " " others)
  tessera_pkg_config(tessera-linalg "Tessera linalg" "Matrix routines of Tessera" tessera
                     "Libs: -L\${libdir} -ltessera_linalg\n${private}: ${TESSERA_SCALAPACK_LIBRARY} ${others}")
endif()
if(TARGET tessera::io)
  set(others)
  if(TESSERA_HAS_PNG)
    list(JOIN PNG_LIBRARIES " " others)
    string(PREPEND others " ")
  endif()
  tessera_pkg_config(tessera-io "Tessera io" "Tessera's arrays in HDF5 files" tessera
                     "Libs: -L\${libdir} -ltessera_io\n${private}: ${TESSERA_HDF5_LIBRARY}${others}")
endif()
if(TARGET tessera::fft)
  tessera_pkg_config(tessera-fft "Tessera fft" "Fourier transforms of Tessera's arrays" tessera
                     "Libs: -L\${libdir} -ltessera_fft\n${private}: ${TESSERA_FFTW_LIBRARY} ${TESSERA_FFTW_SINGLE_LIBRARY}")
endif()
