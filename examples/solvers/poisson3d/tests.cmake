# SPDX-License-Identifier: BSD-3-Clause
# SPDX-FileCopyrightText: the Tessera developers

# The same residuals on any number of ranks, as everything is exact or element by element.
tessera_add_mpi_test(example_poisson3d PROGRAM example_poisson3d NP 1 2 3 NODE_SIZES none NETWORKS none ARGS --cells 16
                     PRINTS " 5  7.21e-08.*factor 0.0[0-9]+.*largest error 2.58")
tessera_add_mpi_test(example_poisson3d_settings PROGRAM example_poisson3d ARGS --cells 32 16 16 --walls mixed SETTINGS full
                     FULL TIMEOUT 120 PRINTS "3 levels, [0-9]+ cycles")
foreach(walls neumann dirichlet mixed periodic)
  foreach(dimensions 2 3)
    tessera_add_mpi_test(
      example_poisson3d_${walls}_${dimensions}
      PROGRAM example_poisson3d
      NP 2
      NODE_SIZES 1
      NETWORKS none
      FULL
      TIMEOUT 120
      ARGS --cells 32 --grids 3 --dimensions ${dimensions} --walls ${walls} --quiet
      PRINTS "factor 0.(0[0-9]|1[0-4])[0-9].*factor 0.(0[0-9]|1[0-4])[0-9].*factor 0.(0[0-9]|1[0-4])[0-9].*order of the error (1.9[0-9]|2.0[0-9])")
  endforeach()
  tessera_add_mpi_test(
    example_poisson3d_${walls}_cg
    PROGRAM example_poisson3d
    NP 3
    NODE_SIZES none
    NETWORKS none
    FULL
    ARGS --cells 32 --walls ${walls} --cg
    PRINTS " ([5-9]|1[0-5]) iterations.*largest error")
endforeach()
# Extents that are no powers of two, and blocks that begin at odd positions.
tessera_add_mpi_test(example_poisson3d_odd PROGRAM example_poisson3d NP 3 7 NODE_SIZES none NETWORKS none FULL TIMEOUT 120
                     ARGS --cells 44 36 40 --quiet PRINTS "factor 0.[01][0-9]+.*largest error")
tessera_add_mpi_test(example_poisson3d_prime PROGRAM example_poisson3d NP 2 NODE_SIZES none NETWORKS none FULL
                     ARGS --cells 127 FAILS_WITH "127 x 127 x 127 cells.*more factors of 2")
tessera_add_mpi_test(example_poisson3d_tolerance PROGRAM example_poisson3d NP 2 NODE_SIZES none NETWORKS none FULL
                     ARGS --tolerance 1 FAILS_WITH "--tolerance: \"1\" is no positive number below 1")
tessera_add_mpi_test(example_poisson3d_walls PROGRAM example_poisson3d NP 2 NODE_SIZES none NETWORKS none FULL
                     ARGS --walls brick FAILS_WITH "\"brick\" is none of dirichlet, mixed, neumann, periodic")
tessera_add_mpi_test(example_poisson3d_cycles PROGRAM example_poisson3d NP 2 NODE_SIZES none NETWORKS none FULL
                     ARGS --cells 32 --cycles 2 FAILS_WITH "did not converge: the residual went from 1.00e.00 to")
