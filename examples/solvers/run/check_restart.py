#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# SPDX-FileCopyrightText: the Tessera developers
"""check_restart.py STEPS RANKS OTHER_RANKS PROGRAM [ARGUMENT...] -- [MESSAGE OTHER_ARGUMENT...] -- LAUNCHER...

Runs a solver to a number of steps in two parts, the second on another number of ranks, and in one part on one rank.
The last checkpoints must be the same bit for bit. Then a run is ended by SIGTERM, and must have the bits of a run of
as many steps. With other arguments the program must refuse the checkpoint, and say the message. Without h5py to read
the checkpoints, the exit status is 77."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

try:
    import h5py
    import numpy
except ImportError as missing:
    print(f"checkpoints cannot be read: {missing}")
    sys.exit(77)

split = sys.argv.index("--")
second = sys.argv.index("--", split + 1)
steps, ranks, other_ranks = map(int, sys.argv[1:4])
program, other, launcher = sys.argv[4:split], sys.argv[split + 1:second], sys.argv[second + 1:]


def start(processes, count, prefix, command=program):
    return subprocess.Popen([*launcher, "-n", str(processes), *command, "--quiet", "--steps", str(count), "--checkpoint",
                             str(prefix)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def finish(job):
    output, _ = job.communicate(timeout=50)
    if job.returncode != 0:
        sys.exit(f"the program failed with status {job.returncode}: {output}")
    return output


def fields(prefix):
    """All arrays and numbers of the newest checkpoint."""
    found = {}
    newest = sorted(prefix.parent.glob(f"{prefix.name}.*.h5"))[-1]

    def visit(name, data):
        if isinstance(data, h5py.Dataset) and not name.startswith("tessera_"):
            found[name] = data[()]
    with h5py.File(newest, "r") as file:
        file.visititems(visit)
    return found


def compare(what, found, wanted):
    if not found or found.keys() != wanted.keys():
        sys.exit(f"{what}: {sorted(found)} instead of {sorted(wanted)}")
    for name, data in wanted.items():
        if numpy.asarray(found[name]).tobytes() != numpy.asarray(data).tobytes():
            sys.exit(f"{what}: {name} differs by {numpy.abs(found[name] - data).max()}")
    print(f"{what}: the same bits of {', '.join(sorted(wanted))}", flush=True)


def processes_of(job):
    """The processes below the launcher that run the program."""
    parents, names = {}, {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            number, name, rest = re.fullmatch(r"(\d+) \((.*)\) (.*)\n?", stat.read_text(), re.DOTALL).groups()
        except OSError:
            continue
        parents[int(number)], names[int(number)] = int(rest.split()[1]), name
    below = {job.pid}
    for _ in range(4):
        below |= {child for child, parent in parents.items() if parent in below}
    wanted = pathlib.Path(program[0]).name[:15]
    return sorted(number for number in below if names.get(number) == wanted)


with tempfile.TemporaryDirectory() as directory:
    folder = pathlib.Path(directory)
    finish(start(ranks, steps // 2, folder / "parts"))
    output = finish(start(other_ranks, steps, folder / "parts"))
    if f"step {steps // 2}\n" not in output:
        sys.exit(f"it did not go on from its checkpoint: {output}")
    finish(start(1, steps, folder / "whole"))
    compare(f"{steps} steps on {ranks} and {other_ranks} ranks", fields(folder / "parts"), fields(folder / "whole"))

    if other:
        job = start(ranks, steps, folder / "whole", [program[0], *other[1:]])
        output, _ = job.communicate(timeout=50)
        if job.returncode == 0 or f"is of another problem: its {other[0]}" not in output:
            sys.exit(f"{other[1:]} took the checkpoint of another problem: {output}")

    job = start(ranks, 10**9, folder / "ended")
    end = time.monotonic() + 30
    while not any(folder.glob("ended*")) and job.poll() is None and time.monotonic() < end:
        time.sleep(0.01)
    time.sleep(0.3)
    os.kill(processes_of(job)[-1], signal.SIGTERM)
    output = finish(job)
    stopped = re.search(r"Stopped after step (\d+) of", output)
    if not stopped:
        sys.exit(f"SIGTERM did not end it: {output}")
    finish(start(1, int(stopped[1]), folder / "as_many"))
    compare(f"SIGTERM after {stopped[1]} steps", fields(folder / "ended"), fields(folder / "as_many"))
