# SPDX-License-Identifier: BSD-3-Clause
# SPDX-FileCopyrightText: the Tessera developers

set(divergence "largest divergence [0-9.]+e-1[4-9]")
tessera_add_mpi_test(
  example_flow
  PROGRAM example_flow
  NP 1 2 3
  NODE_SIZES none
  NETWORKS none
  ARGS --cells 32 --time 0.05 --pressure multigrid --tolerance 1e-13 --quiet
  PRINTS "${divergence}.*closes to -?[0-9.]+e-0[5-9].*largest error of the velocity [0-9.]+e-0[56]")
tessera_add_mpi_test(example_flow_settings PROGRAM example_flow SETTINGS full FULL TIMEOUT 120
                     ARGS --case channel --cells 16 --steps 4 --tolerance 1e-13 --quiet PRINTS "${divergence}")
# Second order in space.
foreach(pressure multigrid automatic)
  tessera_add_mpi_test(
    example_flow_order_${pressure}
    PROGRAM example_flow
    NP 2
    NODE_SIZES none
    NETWORKS none
    FULL
    TIMEOUT 120
    ARGS --cells 12 --convergence --time 1 --reynolds 20 --pressure ${pressure} --quiet
    PRINTS "order of the error (1.9|2.0).*order of the error (1.9|2.0).*order of the error (1.9|2.0)")
endforeach()
tessera_add_mpi_test(
  example_flow_energy
  PROGRAM example_flow
  NP 3
  NODE_SIZES 1
  NETWORKS none
  FULL
  TIMEOUT 120
  ARGS --dimensions 3 --cells 24 --time 2 --dt 0.05 --quiet
  PRINTS "${divergence}.*closes to -?[0-9.]+e-0[5-9] of the loss")
# The Taylor-Green vortex, to the time at which small vortices begin to grow.
set(reynolds_numbers 100 1600)
set(exponents "[7-9]" "[4-9]")
foreach(reynolds exponent IN ZIP_LISTS reynolds_numbers exponents)
  tessera_add_mpi_test(
    example_flow_reynolds_${reynolds}
    PROGRAM example_flow
    NP 2
    NODE_SIZES none
    NETWORKS none
    FULL
    TIMEOUT 480
    ARGS --dimensions 3 --cells 64 --time 5 --reynolds ${reynolds} --quiet
    PRINTS "${divergence}.*closes to -?[0-9.]+e-0${exponent} of the loss")
endforeach()
tessera_add_mpi_test(
  example_flow_cavity
  PROGRAM example_flow
  NP 1
  NODE_SIZES none
  NETWORKS none
  FULL
  TIMEOUT 300
  ARGS --case cavity --cells 40 --time 15 --tolerance 1e-8 --quiet
  PRINTS "Shin: u -?0.00[0-9]+ at y = [0-9.]+, v -?0.00[0-9]+ ")
tessera_add_mpi_test(
  example_flow_channel
  PROGRAM example_flow
  NP 2
  NODE_SIZES none
  NETWORKS none
  FULL
  TIMEOUT 300
  ARGS --case channel --cells 16 --reynolds 20 --time 8 --quiet
  PRINTS "deviation from the parabola at the end [1-9].[0-9]+e-0[3-9]")
tessera_add_mpi_test(example_flow_dt PROGRAM example_flow NP 2 NODE_SIZES none NETWORKS none FULL ARGS --cells 16 --dt 1
                     FAILS_WITH "the time step 1 is not stable. the largest stable one is 0.31")
set(flow $<TARGET_FILE:example_flow> --pressure multigrid)
add_restart_test(example_flow/restart STEPS 10 RANKS 2 1 ARGS ${flow} --cells 24 OTHER
                 "time step is 0.12" --cells 24 --dt 0.01)
add_restart_test(example_flow/restart-channel FULL STEPS 6 RANKS 4 3 ARGS ${flow} --case channel --dimensions 3 --cells 12 OTHER
                 "Reynolds number is 100, but this run's is 50" --case channel --dimensions 3 --cells 12 --reynolds 50)
add_restart_test(example_flow/restart-nodes FULL STEPS 6 RANKS 3 2 ARGS ${flow} --case cavity --cells 32 ENVIRONMENT
                 TESSERA_NODE_SIZE=1)
