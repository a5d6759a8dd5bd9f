# SPDX-License-Identifier: BSD-3-Clause
# SPDX-FileCopyrightText: the Tessera developers

set(euler $<TARGET_FILE:example_euler>)
add_restart_test(example_euler/restart STEPS 30 RANKS 3 2 ARGS ${euler} --case blast --size 20 --end 1000 OTHER
                 "case is blast, but this run's is vortex" --case vortex --size 20 --end 1000)
add_restart_test(example_euler/restart-7 FULL STEPS 30 RANKS 7 4 ARGS ${euler} --case vortex --size 24 --end 1000 OTHER
                 "Courant number is 0.4, but this run's is 0.3" --case vortex --size 24 --end 1000 --cfl 0.3)
add_restart_test(example_euler/restart-nodes FULL STEPS 30 RANKS 4 3 ARGS ${euler} --case sod --size 40 --end 1000 ENVIRONMENT
                 TESSERA_NODE_SIZE=1)

set(drift "drift -?(0[.]0e[+]00|[0-9.]+e-1[5-9])")
foreach(case IN ITEMS vortex blast)
  tessera_add_mpi_test(
    example_euler_${case}
    PROGRAM example_euler
    ARGS --case ${case} --size 32 --steps 40
    SETTINGS full
    FULL
    PRINTS "mass: [^T]*${drift}.*along x: [^T]*${drift}.*along y: [^T]*${drift}.*energy: [^TML]*${drift}.*per second")
endforeach()
# Shocks have order 1, contacts less (2/3 for this reconstruction); smooth flows have order 2.
tessera_add_mpi_test(example_euler_sod_order PROGRAM example_euler NP 2 NODE_SIZES 1 NETWORKS none TIMEOUT 120 FULL
                     ARGS --case sod --size 50 --convergence --quiet PRINTS "order 0.[89].*order 0.[89].*order 0.8")
tessera_add_mpi_test(example_euler_vortex_order PROGRAM example_euler NP 2 NODE_SIZES 1 NETWORKS none TIMEOUT 200 FULL
                     ARGS --case vortex --size 16 --convergence --quiet PRINTS "order 2.[0-4].*order 2.[0-4]")
tessera_add_mpi_test(example_euler_steps PROGRAM example_euler NP 2 NODE_SIZES none NETWORKS none FULL
                     ARGS --convergence --steps 5 FAILS_WITH "convergence compares .* takes no .*--steps")
tessera_add_mpi_test(example_euler_cfl PROGRAM example_euler NP 2 NODE_SIZES none NETWORKS none FULL ARGS --cfl 0.7
                     FAILS_WITH "0.7 is not stable: the largest is 0.5")
