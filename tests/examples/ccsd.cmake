# SPDX-License-Identifier: BSD-3-Clause
# SPDX-FileCopyrightText: the Tessera developers

# Energies must agree within 1e-7 hartree with NWChem 7.0.2 (all electrons correlated).
function(ccsd_energies name molecule basis mp2 ccsd ccsd_t)
  tessera_add_mpi_test(
    ${name}
    PROGRAM example_ccsd
    ARGS ${data}/${molecule}.xyz --basis ${basis}
    PRINTS "MP2 energy +${mp2}[0-9]+\n.*CCSD energy +${ccsd}[0-9]+\n.*CCSD.T. energy +${ccsd_t}[0-9]+\n"
    TIMEOUT 200
    ${ARGN})
endfunction()
# -76.2307856392, -76.2401089316 and -76.2431689552
ccsd_energies(ccsd_water_dz water cc-pVDZ -76[.]2307856 -76[.]240108[89] -76[.]243168[89] NP 1 2 3 4 NODE_SIZES 1 SETTINGS full)
# -76.3322463975, -76.3379936620 and -76.3457702312
ccsd_energies(ccsd_water_tz water cc-pVTZ -76[.]332246[34] -76[.]3379936 -76[.]3457702 NP 1 2 3 4 NODE_SIZES 1 FULL)
# -152.4734315054, -152.4912438830 and -152.4977224330
ccsd_energies(ccsd_dimer water-dimer cc-pVDZ -152[.]4734315 -152[.]491243[89] -152[.]497722[45] NP 1 2 3 4 NODE_SIZES 1 FULL)

# The largest tensors in files, in less than a third of the memory.
foreach(case IN ITEMS "water -76[.]2307856 -76[.]240108[89] -76[.]243168[89] 3" "water-dimer -152[.]4734315 -152[.]491243[89] -152[.]497722[45] 2")
  string(REPLACE " " ";" case "${case}")
  list(GET case 0 molecule)
  list(GET case 1 mp2)
  list(GET case 2 ccsd)
  list(GET case 3 ccsd_t)
  list(GET case 4 ranks)
  tessera_add_mpi_test(
    ccsd_disk_${molecule}
    PROGRAM example_ccsd
    NP ${ranks}
    NODE_SIZES 1
    FULL
    TIMEOUT 200
    ARGS ${data}/${molecule}.xyz --disk ${CMAKE_CURRENT_BINARY_DIR}
    ENVIRONMENT TESSERA_MEMORY_LIMIT=14M
    PRINTS "MP2 energy +${mp2}[0-9]+\n.*CCSD energy +${ccsd}[0-9]+\n.*CCSD.T. energy +${ccsd_t}[0-9]+\n")
endforeach()

tessera_add_command_test(
  ccsd_restart
  COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/restart-ccsd $<TARGET_FILE:example_ccsd> ${data} ${TESSERA_TEST_LAUNCH}
  RANKS 3
  TIMEOUT 240)

# Mistakes of a user: one sentence, from one rank, on standard error, and no hang.
function(ccsd_error name message)
  tessera_add_mpi_test(
    ccsd_error_${name}
    PROGRAM example_ccsd
    NP 2
    NODE_SIZES none
    NETWORKS none
    FULL
    TIMEOUT 60
    ARGS ${ARGN}
    FAILS_WITH "${message}")
endfunction()
ccsd_error(no_file "^ccsd: .*nowhere.xyz: no such file" ${CMAKE_CURRENT_BINARY_DIR}/nowhere.xyz)
ccsd_error(iterations "ccsd: no convergence of the amplitudes in 2 iterations" ${data}/water.xyz --max-iterations 2)
ccsd_error(restart "ccsd: there is no checkpoint .*water.<number>.h5" ${data}/water.xyz --restart ${data}/water)
ccsd_error(method "--method" ${data}/water.xyz --method cc3)
tessera_add_mpi_test(
  ccsd_error_memory
  PROGRAM example_ccsd
  NP 2
  NODE_SIZES none
  NETWORKS none
  FULL
  TIMEOUT 60
  ARGS ${data}/water-dimer.xyz
  ENVIRONMENT TESSERA_MEMORY_LIMIT=30M
  FAILS_WITH "ccsd: the tensors take 0[.]09 GB, which is 0[.]04 GB on each of 2 ranks. rank 0 may take 0[.]0")
tessera_add_mpi_test(
  ccsd_frozen_core
  PROGRAM example_ccsd
  NP 2
  NODE_SIZES none
  NETWORKS none
  FULL
  TIMEOUT 60
  ARGS ${data}/water.xyz --frozen-core
  PRINTS "4 occupied and 19 virtual orbitals, 1 frozen.*CCSD.T. energy")
tessera_add_mpi_test(
  ccsd_help
  PROGRAM example_ccsd
  NP 2
  NODE_SIZES none
  NETWORKS none
  ARGS --help
  PRINTS "^MP2, CCSD and CCSD.T..*--method.*--frozen-core.*--checkpoint.*--restart")
