# SPDX-License-Identifier: BSD-3-Clause
# SPDX-FileCopyrightText: the Tessera developers

# Energies must agree within 1e-7 hartree with NWChem 7.0.2 (all electrons correlated).
# OPTIONS, the arguments of the program, come last.
function(ccsd_energies name molecule basis mp2 ccsd ccsd_t)
  cmake_parse_arguments(PARSE_ARGV 6 CASE "" "" "OPTIONS")
  tessera_add_mpi_test(
    ${name}
    PROGRAM example_ccsd
    ARGS ${data}/${molecule}.xyz --basis ${basis} ${CASE_OPTIONS}
    PRINTS "MP2 energy +${mp2}[0-9]+\n.*CCSD energy +${ccsd}[0-9]+\n.*CCSD.T. energy +${ccsd_t}[0-9]+\n"
    TIMEOUT 200
    ${CASE_UNPARSED_ARGUMENTS})
endfunction()
# -76.2307856392, -76.2401089316 and -76.2431689552
ccsd_energies(ccsd_water_dz water cc-pVDZ -76[.]2307856 -76[.]2401089 -76[.]2431689 NP 1 2 3 4 NODE_SIZES 1 SETTINGS full)
# -76.3322463975, -76.3379936620 and -76.3457702312
ccsd_energies(ccsd_water_tz water cc-pVTZ -76[.]3322463 -76[.]3379936 -76[.]3457702 NP 1 2 3 4 NODE_SIZES 1 FULL)
# -152.4734315054, -152.4912438830 and -152.4977224330
ccsd_energies(ccsd_dimer water-dimer cc-pVDZ -152[.]4734315 -152[.]4912439[0-7] -152[.]4977224 NP 1 2 3 4 NODE_SIZES 1 FULL)

# -228.7274184728, -228.7529893814 and -228.7631190575
ccsd_energies(ccsd_trimer water-trimer cc-pVDZ -228[.]7274184 -228[.]752989[34] -228[.]763119[01] NP 2 NODE_SIZES 1 NETWORKS none FULL)

# One occupied and one virtual orbital: singles and doubles are all there is. -1.1298973825 and -1.1372838424
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/hydrogen.xyz "2\nhydrogen\nH 0 0 0\nH 0 0 0.74\n")
# Fewer orbitals than ranks: -2.8809888168 and -2.8875948311
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/helium.xyz "1\nhelium\nHe 0 0 0\n")
foreach(case IN ITEMS hydrogen:sto-3g:-1[.]12989738:-1[.]1372838[34] helium:cc-pVDZ:-2[.]88098881:-2[.]8875948[23])
  string(REPLACE ":" ";" case ${case})
  list(GET case 0 molecule)
  list(GET case 1 basis)
  list(GET case 2 mp2)
  list(GET case 3 ccsd)
  tessera_add_mpi_test(
    ccsd_${molecule}
    PROGRAM example_ccsd
    ARGS ${CMAKE_CURRENT_BINARY_DIR}/${molecule}.xyz --basis ${basis}
    PRINTS "MP2 energy +${mp2}[0-9]+\n.*CCSD energy +${ccsd}[0-9]+\n.*CCSD.T. energy +${ccsd}[0-9]+\n"
    NP 1 4 7
    NODE_SIZES 1
    NETWORKS none
    TIMEOUT 100
    FULL)
endforeach()
# -76.2284483778, -76.2380144547 and -76.2410522584
ccsd_energies(ccsd_frozen_core water cc-pVDZ -76[.]2284483 -76[.]2380144 -76[.]2410522 NP 2 NODE_SIZES 1 FULL OPTIONS --frozen-core)

# The largest tensors in files. The dimer has less than a third of the memory that it needs without.
ccsd_energies(ccsd_disk water cc-pVDZ -76[.]2307856 -76[.]2401089 -76[.]2431689 NP 1 3 NODE_SIZES 1 FULL OPTIONS --disk ${CMAKE_CURRENT_BINARY_DIR})
ccsd_energies(ccsd_disk_dimer water-dimer cc-pVDZ -152[.]4734315 -152[.]4912439[0-7] -152[.]4977224
              NP 2 NODE_SIZES 1 FULL ENVIRONMENT TESSERA_MEMORY_LIMIT=14M OPTIONS --convergence 1e-9 --disk ${CMAKE_CURRENT_BINARY_DIR})
foreach(disk IN ITEMS "" _disk)
  set(options)
  if(disk)
    set(options --disk ${CMAKE_CURRENT_BINARY_DIR})
  endif()
  tessera_add_mpi_test(
    ccsd_mp2${disk}
    PROGRAM example_ccsd
    ARGS ${data}/water.xyz --method mp2 ${options}
    PRINTS "MP2 energy +-76[.]2307856"
    NP 1 2 7
    NODE_SIZES 1
    NETWORKS none
    TIMEOUT 100
    FULL)
endforeach()

tessera_add_command_test(
  ccsd_restart
  COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/restart-ccsd $<TARGET_FILE:example_ccsd> ${data} ${TESSERA_TEST_LAUNCH}
  RANKS 3
  TIMEOUT 240)

# Mistakes of a user: one sentence, from one rank, on standard error, and no hang.
# LIMIT, the memory of a process, comes first.
function(ccsd_error name message)
  cmake_parse_arguments(PARSE_ARGV 2 CASE "" "LIMIT" "")
  set(environment)
  if(CASE_LIMIT)
    set(environment ENVIRONMENT TESSERA_MEMORY_LIMIT=${CASE_LIMIT})
  endif()
  tessera_add_mpi_test(
    ccsd_error_${name}
    PROGRAM example_ccsd
    NP 2
    NODE_SIZES none
    NETWORKS none
    FULL
    TIMEOUT 60
    ARGS ${CASE_UNPARSED_ARGUMENTS} ${environment}
    FAILS_WITH "${message}")
endfunction()
ccsd_error(no_file "^ccsd: .*nowhere.xyz: no such file" ${CMAKE_CURRENT_BINARY_DIR}/nowhere.xyz)
ccsd_error(iterations "ccsd: no convergence of the amplitudes in 2 iterations" ${data}/water.xyz --max-iterations 2)
ccsd_error(restart "ccsd: there is no checkpoint .*water.<number>.h5" ${data}/water.xyz --restart ${data}/water)
ccsd_error(mp2 "ccsd: MP2 has no iterations" ${data}/water.xyz --method mp2 --checkpoint ${CMAKE_CURRENT_BINARY_DIR}/mp2)
ccsd_error(disk "ccsd: no directory can be made in /no/such/place: No such file" ${data}/water.xyz --disk /no/such/place)
ccsd_error(scf "ccsd: no convergence of Hartree-Fock in 1 iteration .--scf-iterations allows more" ${data}/water.xyz --scf-iterations 1)
ccsd_error(method "--method: \"cc3\" is none of ccsd, ccsd.t., mp2" ${data}/water.xyz --method cc3)
ccsd_error(memory "ccsd: the tensors take [89][0-9][.][0-9]+ MB, which is 4[0-9][.][0-9]+ MB on each of 2 ranks. rank 0 may take [0-9.]+ MB" LIMIT 30M ${data}/water-dimer.xyz)
# (H2O)5 in aug-cc-pVTZ: nothing is computed before it is refused.
ccsd_error(pentamer "ccsd: the tensors take 968[.]19 GB, which is 484[.]09 GB on each of 2 ranks. rank 0 may take 1[.]" LIMIT 1G
           ${data}/water-pentamer.xyz --basis aug-cc-pVTZ)
tessera_add_mpi_test(
  ccsd_help
  PROGRAM example_ccsd
  NP 2
  NODE_SIZES none
  NETWORKS none
  ARGS --help
  PRINTS "^MP2, CCSD and CCSD.T..*--method.*--frozen-core.*--checkpoint.*--restart")
