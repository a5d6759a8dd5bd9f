# SPDX-License-Identifier: BSD-3-Clause
# SPDX-FileCopyrightText: the Tessera developers

# tessera_same_mpi(problem library): sets `problem` to a sentence if the shared library `library` was built without MPI,
# or with another MPI than the one in use. Sets it to nothing if they agree. A program with two MPIs crashes at best.
# The MPI of an archive (.a) cannot be seen, so archives pass.
function(tessera_same_mpi problem library)
  set(${problem} "" PARENT_SCOPE)
  _tessera_mpi_libraries_of(loaded ${library})
  if(loaded STREQUAL "unknown")
    return()
  endif()
  set(ours)
  foreach(mpi IN LISTS MPI_CXX_LIBRARIES)
    _tessera_mpi_libraries_of(more ${mpi})
    file(REAL_PATH ${mpi} real)
    list(APPEND ours ${real} ${more})
  endforeach()
  set(others ${loaded})
  list(REMOVE_ITEM others ${ours})
  if(NOT loaded)
    set(${problem} "${library} was built without MPI" PARENT_SCOPE)
  elseif(others)
    list(TRANSFORM others REPLACE ".*/" "")
    list(JOIN others " and " others)
    set(${problem} "${library} was built for another MPI (it loads ${others}) than the ${TESSERA_MPI_FLAVOUR} in use"
        PARENT_SCOPE)
  endif()
endfunction()

# The MPI libraries that a shared library loads, itself or through others, as real paths; "unknown" for an archive.
function(_tessera_mpi_libraries_of result library)
  execute_process(COMMAND ldd ${library} OUTPUT_VARIABLE lines ERROR_QUIET RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    set(${result} unknown PARENT_SCOPE)
    return()
  endif()
  string(REGEX MATCHALL "=> [^ \n]*/lib(mpi|mpich|mpi_cxx|mpichcxx)\\.so[^ \n]*" paths "${lines}")
  set(found)
  foreach(path IN LISTS paths)
    string(SUBSTRING ${path} 3 -1 path)
    file(REAL_PATH ${path} real)
    list(APPEND found ${real})
  endforeach()
  list(REMOVE_DUPLICATES found)
  set(${result} "${found}" PARENT_SCOPE)
endfunction()
