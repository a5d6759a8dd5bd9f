#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# SPDX-FileCopyrightText: the Tessera developers
"""check_model.py CAVITY -- LAUNCHER...

Compares populations with those of a lattice Boltzmann method in NumPy: two and three dimensions, walls and a periodic
span. A periodic span must also give the flow in two dimensions. Without h5py, the exit status is 77."""

import itertools
import pathlib
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy
except ImportError as missing:
    print(f"checkpoints cannot be read: {missing}")
    sys.exit(77)

split = sys.argv.index("--")
program, launcher = sys.argv[1], sys.argv[split + 1:]
LID, REYNOLDS = 0.1, 100
PAIRS = {2: [(0, 1), (1, 0), (1, 1), (1, -1)],
         3: [(0, 0, 1), (0, 1, 0), (1, 0, 0), (0, 1, 1), (0, 1, -1), (1, 0, 1), (1, 0, -1), (1, 1, 0), (1, -1, 0)]}
WEIGHTS = {2: [4 / 9, 1 / 9, 1 / 36], 3: [1 / 3, 1 / 18, 1 / 36]}


def velocities(dimensions):
    """In the order of the program: the one at rest, then each with its opposite."""
    pairs = [numpy.array(pair) for pair in PAIRS[dimensions]]
    return [0 * pairs[0], *itertools.chain.from_iterable((pair, -pair) for pair in pairs)]


def model(shape, periodic, steps):
    """Whole populations, collision by matrices, and streaming by moving arrays."""
    e = velocities(len(shape))
    w = numpy.array([WEIGHTS[len(shape)][int(v @ v)] for v in e])
    e = numpy.array(e)
    opposite = [next(k for k, v in enumerate(e) if (v == -u).all()) for u in e]
    viscosity = LID * shape[-1] / REYNOLDS
    even, odd = 1 / (3 * viscosity + 0.5), 1 / (3 / 16 / (3 * viscosity) + 0.5)
    axes = tuple(range(len(shape)))
    place = numpy.indices(shape)
    f = w.reshape(-1, *[1] * len(shape)) * numpy.ones((len(e), *shape))
    for _ in range(steps):
        streamed = numpy.empty_like(f)
        for q, v in enumerate(e):
            streamed[q] = numpy.roll(f[q], v, axes)
            source = place - v.reshape(-1, *[1] * len(shape))
            beyond = [(source[d] < 0) | (source[d] >= shape[d]) for d in axes]
            if periodic:
                beyond[0][:] = False
            y = len(shape) - 2
            lid = source[y] >= shape[y]
            for d in axes:
                if d != y:
                    lid = lid & ~beyond[d]
            wall = numpy.logical_or.reduce(beyond)
            streamed[q][wall] = f[opposite[q]][wall]
            streamed[q][lid] += 6 * w[q] * v[-1] * LID
        density = streamed.sum(0)
        u = numpy.tensordot(e.T, streamed, 1)
        along = numpy.tensordot(e, u, 1)
        rest = w.reshape(-1, *[1] * len(shape)) * (density + 3 * along + 4.5 * along**2 - 1.5 * (u**2).sum(0)) - streamed
        back = rest[opposite]
        f = streamed + even / 2 * (rest + back) + odd / 2 * (rest - back)
    return f - w.reshape(-1, *[1] * len(shape))


def run(ranks, steps, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        prefix = pathlib.Path(folder) / "run"
        done = subprocess.run([*launcher, "-n", str(ranks), program, "--quiet", "--steps", str(steps), "--lid", str(LID),
                               "--reynolds", str(REYNOLDS), "--checkpoint", str(prefix), *arguments],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=50)
        if done.returncode != 0:
            sys.exit(f"the program failed with status {done.returncode}: {done.stdout}")
        with h5py.File(f"{prefix}.000001.h5", "r") as file:
            return file["populations"][()]


def expect(what, found, wanted):
    error = abs(found - wanted).max() if found.shape == wanted.shape else float("inf")
    print(f"{what}: shape {found.shape}, largest difference {error:.1e}", flush=True)
    if not error < 1e-13:
        sys.exit(1)


plane = run(2, 100, "--size", "17")
expect("2-D", plane, model((17, 17), False, 100))
expect("3-D", run(3, 60, "--dimensions", "3", "--size", "10", "--depth", "6"), model((6, 10, 10), False, 60))
span = run(2, 100, "--dimensions", "3", "--size", "17", "--depth", "2", "--span", "periodic")
expect("periodic span", span, model((2, 17, 17), True, 100))
summed = numpy.zeros((9, 2, 17, 17))
for q, v in enumerate(velocities(3)):
    summed[next(k for k, e in enumerate(velocities(2)) if (e == v[1:]).all())] += span[q]
expect("periodic span, as in the plane", summed[:, 0], plane)
