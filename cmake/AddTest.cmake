# SPDX-License-Identifier: BSD-3-Clause
# SPDX-FileCopyrightText: the Tessera developers

# Labels of every test: module-<its directory>, and `quick` for the most useful tests or `full` for the rest. MPI tests
# also have np-<ranks> and topology-<node|nodesize1|nodesize2|tcp|hosts>.

# The presets set it to their name, so that the tests of several build trees can be run as one.
set(TESSERA_TEST_PREFIX "" CACHE STRING "What every test's name begins with")

set(TESSERA_TEST_SANITIZED OFF)
if("${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_DEBUG}" MATCHES "-fsanitize")
  set(TESSERA_TEST_SANITIZED ON)
endif()

# The setting that makes libraries in some directories found by their names alone. LD_PRELOAD takes no path with a space
# in it.
function(tessera_library_path result)
  set(directories ${ARGN} $ENV{LD_LIBRARY_PATH})
  list(JOIN directories : path)
  set(${result} LD_LIBRARY_PATH=${path} PARENT_SCOPE)
endfunction()

# The command that starts n ranks on this machine, and the environment of every test.
set(TESSERA_TEST_LAUNCH ${TESSERA_MPIEXEC})
set(TESSERA_TEST_ENVIRONMENT
    OPENBLAS_NUM_THREADS=1
    OMP_NUM_THREADS=1
    # MPI_Init unloads this plugin of hwloc, and no suppression can name a leak of an unloaded library.
    HWLOC_COMPONENTS=-pci
    UBSAN_OPTIONS=print_stacktrace=1
    # In its own quotes, as the path may have spaces.
    "LSAN_OPTIONS=suppressions='${CMAKE_CURRENT_LIST_DIR}/../tests/sanitizers/leaks.txt':print_suppressions=0")
# A damaged file may let HDF5 ask for petabytes: then malloc returns null, as it does without the sanitizer.
set(_asan verify_asan_link_order=0:allocator_may_return_null=1)
# Freed memory that the sanitizer keeps for a while to find uses of it. Memory that is never reused costs a third of the time.
set(TESSERA_TEST_QUARANTINE "" CACHE STRING "MB of freed memory that AddressSanitizer keeps in tests (256 if empty)")
mark_as_advanced(TESSERA_TEST_QUARANTINE)
if(TESSERA_TEST_QUARANTINE)
  string(APPEND _asan :quarantine_size_mb=${TESSERA_TEST_QUARANTINE})
endif()
if(TESSERA_MPI_FLAVOUR STREQUAL "openmpi")
  execute_process(COMMAND id -u OUTPUT_VARIABLE _user OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(_user EQUAL 0)
    list(APPEND TESSERA_TEST_LAUNCH --allow-run-as-root)
  endif()
  # With more ranks than cores, ranks must not spin. All ranks may use every core.
  list(APPEND TESSERA_TEST_LAUNCH --oversubscribe --bind-to none)
  list(APPEND TESSERA_TEST_ENVIRONMENT OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_fs_ufs_lock_algorithm=3)
  # It is what Open MPI takes there anyway, after it has started all others.
  if(NOT EXISTS /sys/class/infiniband)
    list(APPEND TESSERA_TEST_ENVIRONMENT OMPI_MCA_pml=ob1)
  endif()
  # Open MPI leaks from dozens of components that it unloads, so no suppression could tell its leaks from ours.
  list(APPEND TESSERA_TEST_ENVIRONMENT ASAN_OPTIONS=${_asan}:detect_leaks=0)
endif()
if(TESSERA_MPI_FLAVOUR STREQUAL "mpich")
  # GCC 12's LeakSanitizer takes what lies before a library's thread-local memory for the size of that memory, and may
  # then crash.
  list(APPEND TESSERA_TEST_ENVIRONMENT ASAN_OPTIONS=${_asan}:intercept_tls_get_addr=0)
endif()
# MPICH's ranks spin too, and can hang in MPI_Finalize; a loaded machine makes both MPIs slow; see runtime/tools. The
# preloaded library allocates nothing, so it may come before the sanitizers' libraries.
list(APPEND TESSERA_TEST_ENVIRONMENT LD_PRELOAD=$<TARGET_FILE_NAME:tessera_patience>)
set(TESSERA_TEST_PRELOADED $<TARGET_FILE_DIR:tessera_patience>)
tessera_library_path(path ${TESSERA_TEST_PRELOADED})
list(APPEND TESSERA_TEST_ENVIRONMENT "${path}")
# Debian's h5py belongs to Debian's Python, which may not be the first on the path.
find_program(TESSERA_TEST_PYTHON NAMES python3 HINTS /usr/bin NO_DEFAULT_PATH)
find_program(TESSERA_TEST_PYTHON NAMES python3)
mark_as_advanced(TESSERA_TEST_PYTHON)
set(TESSERA_TEST_TOOLS ${CMAKE_CURRENT_LIST_DIR}/../tests/tools)
cmake_path(NORMAL_PATH TESSERA_TEST_TOOLS)

# tessera_add_test(name SOURCES file... LIBS lib... [TIMEOUT seconds] [OPTIMIZED])
#
# A serial GoogleTest program, started without MPI's launcher.
function(tessera_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "OPTIMIZED" "TIMEOUT" "SOURCES;LIBS")
  _tessera_test_program(${name} "${arg_SOURCES}" "${arg_LIBS};GTest::gtest_main")
  set_property(TARGET test_${name} PROPERTY TESSERA_OPTIMIZED ${arg_OPTIMIZED})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  _tessera_test(${name} quick ${arg_TIMEOUT} COMMAND test_${name})
  set_property(TEST ${TESSERA_TEST_PREFIX}${name} APPEND PROPERTY FAIL_REGULAR_EXPRESSION "Running 0 tests")
endfunction()

# tessera_add_command_test(name COMMAND arg... [TIMEOUT seconds] [RANKS n] [ENVIRONMENT NAME=value...] [FULL])
#
# A test that is a command. It exits with 77 to say that it cannot run here. RANKS: how many processes it starts. FULL:
# leave it out of the quick set.
function(tessera_add_command_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "FULL" "TIMEOUT;RANKS" "COMMAND;ENVIRONMENT")
  set(speed quick)
  if(arg_FULL)
    set(speed full)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  _tessera_test(${name} ${speed} ${arg_TIMEOUT} COMMAND ${arg_COMMAND} ENVIRONMENT ${arg_ENVIRONMENT})
  if(arg_RANKS)
    set_property(TEST ${TESSERA_TEST_PREFIX}${name} PROPERTY PROCESSORS ${arg_RANKS})
  endif()
endfunction()

# tessera_add_mpi_test(name SOURCES file... LIBS lib... | PROGRAM target
#                      [NP n...] [NODE_SIZES k...|none] [NETWORKS tcp|hosts|none ...] [TIMEOUT seconds]
#                      [ARGS arg...] [ENVIRONMENT NAME=value...] [PRINTS regex] [FAILS_WITH regex] [OWN_MAIN] [OPTIMIZED]
#                      [WIDE] [OVER_NETWORKS] [OFF_NODE] [FULL] [SETTINGS full|filter])
#
# A GoogleTest program with the main of tests/support (OWN_MAIN: the sources have one; PROGRAM: an existing executable).
# It runs once for every number of ranks and shape of machine:
#   name/np3             on one node
#   name/np4-nodesize2   every 2 ranks are treated as a node of their own (NODE_SIZES, default 1 and 2)
#   name/np3-tcp         MPICH only: MPI itself uses the network between all ranks (NETWORKS tcp)
#   name/np4-hosts       over virtual hosts, where they can be made (NETWORKS hosts)
# NP defaults to 1 2 3 4 7 (with sanitizers 1 2 3 4), NETWORKS to tcp and hosts.
# OPTIMIZED: it is compiled as the libraries are, as its own loops take long (see TESSERA_TEST_FLAGS).
# WIDE: 7 ranks are in the quick set as well.
# OVER_NETWORKS: tcp and hosts with the fewest ranks are in the quick set, for programs that find what others do not.
# OFF_NODE: no run on one node. FULL: no run is in the quick set.
# SETTINGS: run it in every setting of the runtime as well (see tessera_add_settings_tests).
# PRINTS: the output must match. FAILS_WITH: the job must end with a status that is not 0, and the output must match.
function(tessera_add_mpi_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "OWN_MAIN;OPTIMIZED;WIDE;OVER_NETWORKS;OFF_NODE;FULL" "PROGRAM;TIMEOUT;PRINTS;FAILS_WITH;SETTINGS"
                        "SOURCES;LIBS;NP;NODE_SIZES;NETWORKS;ARGS;ENVIRONMENT")
  foreach(default "NP;1;2;3;4;7" "NODE_SIZES;1;2" "NETWORKS;tcp;hosts" "TIMEOUT;60")
    list(POP_FRONT default variable)
    if(NOT arg_${variable})
      set(arg_${variable} ${default})
    endif()
  endforeach()
  if(NOT arg_PROGRAM)
    set(arg_PROGRAM test_${name})
    set(main tessera_mpi_test_main)
    if(arg_OWN_MAIN)
      set(main tessera_mpi_test)
    endif()
    _tessera_test_program(${name} "${arg_SOURCES}" "${arg_LIBS};${main}")
    set_property(TARGET test_${name} PROPERTY TESSERA_OPTIMIZED ${arg_OPTIMIZED})
    if(NOT arg_OPTIMIZED OR NOT TESSERA_TEST_FLAGS) # else it cannot use what was precompiled for the others
      tessera_precompile_as(test_${name} tessera_mpi_test)
    endif()
  endif()

  # Sanitizers find no more on 7 ranks than on 4, and 7 ranks take minutes where cores are few.
  if(TESSERA_TEST_SANITIZED AND NOT arg_NP STREQUAL "7")
    list(REMOVE_ITEM arg_NP 7)
  endif()
  set(command $<TARGET_FILE:${arg_PROGRAM}> ${arg_ARGS})
  set(expect)
  if(arg_FAILS_WITH)
    set(expect ${TESSERA_TEST_TOOLS}/expect failure ${arg_FAILS_WITH} --)
  elseif(arg_PRINTS)
    set(expect ${TESSERA_TEST_TOOLS}/expect success ${arg_PRINTS} --)
  endif()
  # The quick set: 1 and 2 ranks on a node, and 4 ranks on nodes of 2, where only some share memory. A test that never
  # runs on 2 ranks runs on 3. A test that never runs on nodes of 2 runs on 3 nodes. Sanitizers are slow, so with them
  # the set is 3 ranks on nodes of 2, which are one node of 2 and one of 1, or else 2 ranks on a node.
  set(quick_on_node)
  set(quick_nodes)
  if(TESSERA_TEST_SANITIZED AND 3 IN_LIST arg_NP AND 2 IN_LIST arg_NODE_SIZES)
    set(quick_nodes 3-2)
  elseif(4 IN_LIST arg_NP AND 2 IN_LIST arg_NODE_SIZES)
    set(quick_nodes 4-2)
  elseif(TESSERA_TEST_SANITIZED)
    set(quick_on_node 2)
  else()
    set(quick_nodes 3-1)
  endif()
  if(NOT TESSERA_TEST_SANITIZED)
    set(quick_on_node 1 2)
    if(NOT 2 IN_LIST arg_NP)
      list(APPEND quick_on_node 3)
    endif()
    if(arg_WIDE)
      list(APPEND quick_on_node 7)
    endif()
  endif()
  foreach(np IN LISTS arg_NP)
    set(launch ${expect} ${TESSERA_TEST_LAUNCH} -n ${np} ${command})
    set(speed full)
    if(np IN_LIST quick_on_node AND NOT arg_FULL)
      set(speed quick)
    endif()
    if(NOT arg_OFF_NODE)
      _tessera_mpi_run(${np} node ${speed} "${launch}")
    endif()

    foreach(size IN LISTS arg_NODE_SIZES)
      if(size MATCHES "^[0-9]+$" AND np GREATER size)
        set(speed full)
        if("${np}-${size}" IN_LIST quick_nodes AND NOT arg_FULL)
          set(speed quick)
        endif()
        _tessera_mpi_run(${np} nodesize${size} ${speed} "${launch}" TESSERA_NODE_SIZE=${size})
      endif()
    endforeach()

    set(speed full)
    if(arg_OVER_NETWORKS AND (np EQUAL 2 OR arg_NP STREQUAL "4"))
      set(speed quick)
    endif()
    if("tcp" IN_LIST arg_NETWORKS AND TESSERA_MPI_FLAVOUR STREQUAL "mpich" AND np GREATER 1)
      _tessera_mpi_run(${np} tcp ${speed} "${launch}" MPIR_CVAR_NOLOCAL=1 UCX_TLS=tcp,self)
    endif()
    if("hosts" IN_LIST arg_NETWORKS AND np MATCHES "^[234]$")
      set(shape --hosts ${np} --ppn 1)
      if(np EQUAL 4)
        set(shape --hosts 2 --ppn 2)
      endif()
      set(launch ${expect} ${TESSERA_TEST_TOOLS}/two-hosts --mpi ${TESSERA_MPI_FLAVOUR} ${shape} -- ${command})
      _tessera_mpi_run(${np} hosts ${speed} "${launch}")
    endif()
  endforeach()
  if(arg_SETTINGS)
    tessera_add_settings_tests(
      ${name} ${arg_SETTINGS} PROGRAM ${arg_PROGRAM} TIMEOUT ${arg_TIMEOUT} ARGS ${arg_ARGS} ENVIRONMENT ${arg_ENVIRONMENT}
      PRINTS ${arg_PRINTS})
  endif()
endfunction()

# Each setting that changes which process serves others, or the path of a transfer: its name and what it sets.
set(TESSERA_TEST_SETTINGS
    poll PROGRESS=poll
    spin PROGRESS=spin
    rank PROGRESS=rank
    window WINDOW=off
    doorbell DOORBELL=off
    automatic METHOD=automatic
    direct METHOD=direct
    packed METHOD=packed
    batched METHOD=batched)

# tessera_add_settings_tests(name full|filter argument of tessera_add_mpi_test...)
#
# Runs a program on two pretended nodes in each setting of the runtime, as name_poll, name_rank, ..., all in the full
# set.
# A GoogleTest filter adds a run of the matching tests to the quick set, in poll mode, as name_poll_some. Poll mode
# hangs most easily and is slow where ranks share cores.
# Under sanitizers only poll mode runs, and only in the full set. The paths of transfers make no difference to them.
function(tessera_add_settings_tests name some)
  set(settings ${TESSERA_TEST_SETTINGS})
  while(settings)
    list(POP_FRONT settings setting variable)
    set(shape NP 4 NODE_SIZES 2)
    if(setting STREQUAL "rank") # one rank of each node only serves
      set(shape NP 6 NODE_SIZES 3)
    endif()
    if(setting STREQUAL "poll" OR NOT TESSERA_TEST_SANITIZED)
      cmake_parse_arguments(PARSE_ARGV 2 more "" "PROGRAM;TIMEOUT;PRINTS" "ARGS;ENVIRONMENT")
      tessera_add_mpi_test(
        ${name}_${setting} PROGRAM ${more_PROGRAM} TIMEOUT ${more_TIMEOUT} ${shape} NETWORKS none OFF_NODE FULL
        ARGS ${more_ARGS} PRINTS ${more_PRINTS} ENVIRONMENT ${more_ENVIRONMENT} TESSERA_${variable})
    endif()
    if(setting STREQUAL "poll" AND NOT some STREQUAL "full" AND NOT TESSERA_TEST_SANITIZED)
      tessera_add_mpi_test(
        ${name}_poll_some PROGRAM ${more_PROGRAM} TIMEOUT ${more_TIMEOUT} ${shape} NETWORKS none OFF_NODE
        ARGS --gtest_filter=${some} ENVIRONMENT ${more_ENVIRONMENT} TESSERA_${variable})
    endif()
  endwhile()
endfunction()

# One run of the test that tessera_add_mpi_test is adding. The arguments after the command are its environment.
function(_tessera_mpi_run np topology speed command)
  set(test ${name}/np${np})
  if(NOT topology STREQUAL "node")
    string(APPEND test -${topology})
  endif()
  # The launcher's own limit comes first. It ends every rank, while ctest would end only the launcher.
  math(EXPR limit "${arg_TIMEOUT} + 15")
  # Before that, a job that stands still reports where.
  math(EXPR patience "${arg_TIMEOUT} * 2 / 3")
  _tessera_test(${test} ${speed} ${limit} COMMAND ${command} ENVIRONMENT MPIEXEC_TIMEOUT=${arg_TIMEOUT}
                TESSERA_DEBUG=hang:${patience} ${ARGN} ${arg_ENVIRONMENT})
  set(test ${TESSERA_TEST_PREFIX}${test})
  set_property(TEST ${test} PROPERTY PROCESSORS ${np})
  set_property(TEST ${test} APPEND PROPERTY LABELS np-${np} topology-${topology})
endfunction()

function(_tessera_test_program name sources libraries)
  add_executable(test_${name} ${sources})
  tessera_leave_out(test_${name})
  target_link_libraries(test_${name} PRIVATE ${libraries})
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support)
  set_target_properties(test_${name} PROPERTIES CXX_EXTENSIONS OFF)
  tessera_warnings(test_${name})
endfunction()

# Programs that are built only if asked for by name. What runs them is disabled.
set(TESSERA_TESTS_NOT_BUILT "" CACHE STRING "Test programs to leave out")
mark_as_advanced(TESSERA_TESTS_NOT_BUILT)
string(REPLACE ";" "|" TESSERA_NOT_BUILT "${TESSERA_TESTS_NOT_BUILT}")

# Leaves a test program out of the build, if it is one of them.
function(tessera_leave_out target)
  if(target IN_LIST TESSERA_TESTS_NOT_BUILT)
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()

function(_tessera_test name speed timeout)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "" "COMMAND;ENVIRONMENT")
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME module)
  set(test ${TESSERA_TEST_PREFIX}${name})
  add_test(NAME ${test} COMMAND ${arg_COMMAND})
  # MPICH says at the end which messages were sent and never received.
  set_tests_properties(
    ${test} PROPERTIES FAIL_REGULAR_EXPRESSION "tag-receive descriptor .* was not matched"
                       TIMEOUT ${timeout} SKIP_RETURN_CODE 77 LABELS "${speed};module-${module}"
                       ENVIRONMENT "${TESSERA_TEST_ENVIRONMENT};${arg_ENVIRONMENT}")
  if(TESSERA_NOT_BUILT AND "${arg_COMMAND}" MATCHES "(^|[:;])(${TESSERA_NOT_BUILT})(>|;|$)")
    set_tests_properties(${test} PROPERTIES DISABLED ON)
  endif()
endfunction()
