# SPDX-License-Identifier: BSD-3-Clause
# SPDX-FileCopyrightText: the Tessera developers

set(cavity $<TARGET_FILE:example_cavity>)
add_restart_test(example_cavity/restart STEPS 60 RANKS 3 2 ARGS ${cavity} --size 20 OTHER
                 "speed of the lid is 0.1, but this run's is 0.2" --size 20 --lid 0.2)
add_restart_test(example_cavity/restart-7 FULL STEPS 40 RANKS 7 4 ARGS ${cavity} --size 30 OTHER
                 "Reynolds number is 100, but this run's is 50" --size 30 --reynolds 50)
add_restart_test(example_cavity/restart-nodes FULL STEPS 40 RANKS 4 3 ARGS ${cavity} --size 12 --dimensions 3 OTHER
                 "span is walls, but this run's is periodic" --size 12 --dimensions 3 --span periodic ENVIRONMENT
                 TESSERA_NODE_SIZE=1)
tessera_add_command_test(
  example_cavity/model FULL
  COMMAND ${TESSERA_PYTHON3} ${CMAKE_CURRENT_LIST_DIR}/check_model.py ${cavity} -- ${TESSERA_TEST_LAUNCH}
  RANKS 3
  TIMEOUT 120
  ENVIRONMENT MPIEXEC_TIMEOUT=50)

# The numbers that are printed depend on no number of ranks, and on no setting.
set(mass "Mass 2704. drift -?[0-9.]+e-1[5-9] ")
tessera_add_mpi_test(
  example_cavity
  PROGRAM example_cavity
  ARGS --size 26 --dimensions 3 --depth 4 --steps 50 --lid 0.2
  SETTINGS full
  FULL
  PRINTS "asymmetry of the span: [0-9.]+e-1[5-9].*${mass}.*MLUPS")
# Steady at Re 100: within 0.0011 of the spectral extremes. Ghia, Ghia and Shin are 0.0085 away from these.
tessera_add_mpi_test(
  example_cavity_steady
  PROGRAM example_cavity
  NP 2
  NODE_SIZES 1
  NETWORKS none
  TIMEOUT 120
  ARGS --size 65 --steps 20000 --until-steady 1e-4 --quiet
  FULL
  PRINTS "least -0.21[34].*Shin 0.00[0-4].*least -0.25[34].*greatest 0.179.*Shin -0.00[0-8].*drift -?[0-9.]+e-1[5-9] ")
# Without a change at half of the steps none is named.
foreach(mistake IN ITEMS "lid 0.5;largest speed is 0.25" "reynolds 2000;at least 100" "picture /no/such/place.png;cannot be written into /no/such: No such file" "steps 100 --until-steady 1e-6;not steady after 100 steps: [a-z0-9.+ '-]* per turnover. take more")
  list(GET mistake 0 arguments)
  list(GET mistake 1 message)
  string(REGEX MATCH "^[a-z]+" name "${arguments}")
  separate_arguments(arguments)
  list(POP_FRONT arguments option)
  tessera_add_mpi_test(example_cavity_${name} PROGRAM example_cavity NP 2 NODE_SIZES none NETWORKS none FULL
                       ARGS --size 20 --${option} ${arguments} FAILS_WITH "${message}")
endforeach()
