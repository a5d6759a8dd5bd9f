# SPDX-License-Identifier: BSD-3-Clause
# SPDX-FileCopyrightText: the Tessera developers
"""check_checkpoint_jobs.py [--kills N] [--every-step] JOB TOOL -- LAUNCHER...

Kills jobs while they write checkpoints: N times at a random moment, one rank or all of them, and at steps of the commit
(at some, or with --every-step at each). The next job, on another number of ranks, has to find what was committed last,
every element of it. Then: two jobs on one path, one that reads while another writes, signals, and what the tool says.
JOB is checkpoint_job, TOOL tessera-ckpt or "none"."""

import argparse
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

try:
    import h5py
except ImportError:
    h5py = None

parser = argparse.ArgumentParser()
parser.add_argument("--kills", type=int, default=4)
parser.add_argument("--every-step", action="store_true")
parser.add_argument("--seed", type=int, default=int(time.time()))
parser.add_argument("job")
parser.add_argument("tool")
split = sys.argv.index("--")
options = parser.parse_args(sys.argv[1:split])
launcher = sys.argv[split + 1:]
random.seed(options.seed)
print(f"seed {options.seed}", flush=True)
failures = []


def expect(what, condition):
    if not condition:
        failures.append(what)
    print(f"{'ok   ' if condition else 'WRONG'} {what}", flush=True)


class Prefix:
    """The files of one checkpoint."""

    def __init__(self, directory):
        self.path = pathlib.Path(directory) / "run"

    def log(self):
        file = pathlib.Path(f"{self.path}.log")
        return file.read_text() if file.exists() else ""

    def committed(self):
        return max([int(n) for n in re.findall(r"committed (\d+)\n", self.log())], default=0)

    def restored(self):
        return [(int(a), int(b)) for a, b in re.findall(r"restored (\d+) skipped (\d+)\n", self.log())]

    def processes(self):
        return [int(file.read_text()) for file in sorted(self.path.parent.glob("run.pid.*"))]

    def forget_processes(self):
        for file in self.path.parent.glob("run.pid.*"):
            file.unlink()

    def files(self):
        return sorted(file.name for file in self.path.parent.iterdir() if re.search(r"\.h5|lock", file.name))


def start(prefix, ranks, *arguments):
    prefix.forget_processes()
    return subprocess.Popen([*launcher, "-n", str(ranks), options.job, str(prefix.path), *map(str, arguments)],
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)


def finish(process, limit=60):
    """Its status and output; a job that hangs is a failure."""
    try:
        output, _ = process.communicate(timeout=limit)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        expect("the job ends in time", False)
        return -1, process.communicate()[0]


def wait_for(condition, what, limit=40):
    end = time.monotonic() + limit
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    if not condition():
        expect(f"{what} in time", False)


def kill(processes):
    for process in processes:
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass


def check(prefix, what, allowed):
    before = len(prefix.restored())
    status, output = finish(start(prefix, random.choice([1, 2, 4]), "check"))
    found = prefix.restored()[before:]
    good = status == 0 and len(found) == 1 and found[0][0] in allowed and found[0][1] == 0
    expect(f"{what}: found {found}, of {sorted(allowed)}", good)
    if not good:
        print(f"status {status}: {output}\n{prefix.files()}")


def kill_at_random(prefix, number):
    ranks = random.choice([2, 3])
    first = prefix.committed()
    job = start(prefix, ranks, "run", 1000)
    wait_for(lambda: prefix.committed() > first or job.poll() is not None, "the first checkpoint")
    if job.poll() is not None:
        expect(f"the job goes on until it is killed: {job.communicate()[0]}", False)
    time.sleep(random.uniform(0, 0.3))
    processes = prefix.processes()
    victims = processes if number % 2 == 0 else [random.choice(processes)]
    kill(victims)
    status, _ = finish(job)
    last = prefix.committed()
    expect(f"a job of which {len(victims)} of {ranks} were killed fails", status != 0)
    kill(processes)  # whoever the launcher has left
    check(prefix, f"killed {len(victims)} of {ranks} after {last} checkpoints", {last, last + 1})


def kill_at_step(prefix, step, who):
    job = start(prefix, 3, "run", 1000, step, who)
    status, _ = finish(job)
    kill(prefix.processes())
    last = prefix.committed()
    allowed = {last + 1} if step in ("renamed", "listed", "pruned") else {last}
    expect(f"the job fails at {step}", status != 0)
    check(prefix, f"killed {who} at step {step}", allowed)
    # The log has no line for a checkpoint that was complete all the same.
    found = prefix.restored()[-1][0] if prefix.restored() else 0
    with open(f"{prefix.path}.log", "a") as log:
        log.write(f"committed {found}\n")


def two_jobs(prefix):
    first = start(prefix, 2, "hold")
    wait_for(lambda: "claimed" in prefix.log(), "the path")
    holder = prefix.processes()[0]
    status, output = finish(start(prefix, 2, "run", 1))
    host = os.uname().nodename
    expect("the second job fails", status == 3)
    expect(f"it names process {holder} on host {host}: {output}", f"process {holder} on host {host}" in output)
    os.kill(holder, signal.SIGKILL)
    finish(first)
    status, output = finish(start(prefix, 2, "run", 1))
    expect(f"the lock of a killed job is taken over {output}", status == 0)


def reader_beside_writer(prefix):
    writer = start(prefix, 2, "run", 12)
    reader = subprocess.Popen([*launcher, "-n", "2", options.job, str(prefix.path), "read"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, start_new_session=True)
    status, output = finish(writer)
    expect(f"the writer beside a reader {output}", status == 0)
    pathlib.Path(f"{prefix.path}.stop").touch()
    status, output = finish(reader)
    expect(f"the reader beside a writer {output}", status == 0)
    reads = re.search(r"read (\d+)\n", prefix.log())
    expect(f"it read {reads and reads[1]} times", reads is not None)
    expect("it skipped none", all(skipped == 0 for _, skipped in prefix.restored()))


def signals(prefix):
    job = start(prefix, 2, "wait")
    wait_for(lambda: "waiting" in prefix.log(), "the job")
    os.kill(prefix.processes()[1], signal.SIGUSR1)
    wait_for(lambda: prefix.committed() > 0, "the checkpoint after SIGUSR1")
    first = prefix.committed()
    os.kill(prefix.processes()[0], signal.SIGTERM)
    status, output = finish(job)
    expect(f"the job ends after SIGTERM {output}", status == 0 and "stopped" in prefix.log())
    expect("with another checkpoint", prefix.committed() > first)
    check(prefix, "after SIGTERM", {prefix.committed()})


def tool(prefix):
    def run(*arguments):
        done = subprocess.run([*arguments], capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout + done.stderr

    files = [str(prefix.path.parent / name) for name in prefix.files() if name.endswith(".h5")]
    for command in ([options.tool], [*launcher, "-n", "3", options.tool]):
        status, output = run(*command, "--list", str(prefix.path))
        expect(f"--list: {output}", status == 0 and output.count("  valid\n") == len(files) == 2
               and "600 x 500 of float64" in output and "500000 of bytes of size 3" in output and "text" in output)
        status, output = run(*command, "--verify", *files)
        expect("--verify", status == 0 and output.count("  valid\n") == 2)
        status, output = run(*command, "--list", str(prefix.path) + "x")
        expect("--list of nothing", status == 1 and "there is no checkpoint" in output)
        status, output = run(*command, "--wrong")
        expect("a wrong option", status not in (0, 1))
        status, output = run(*command, "--help")
        expect("--help", status == 0 and "--verify" in output)
    with open(files[0], "r+b") as file:
        file.seek(-100000, 2)
        byte = file.read(1)[0]
        file.seek(-1, 1)
        file.write(bytes([byte ^ 1]))
    status, output = run(options.tool, "--list", str(prefix.path))
    expect(f"--list with a damaged file: {output}", status == 1 and "DAMAGED" in output and output.count("  valid\n") == 1)
    status, output = run(options.tool, "--quick", "--verify", *files)
    expect("--quick does not look", status == 0)


def independent_reader(prefix):
    """What h5py finds in the newest file."""
    name = [name for name in prefix.files() if name.endswith(".h5")][-1]
    with h5py.File(prefix.path.parent / name, "r") as file:
        step = int(file.attrs["step"])
        field = file["field"][()]
        expect("field", field.shape == (600, 500) and field.dtype == "float64"
               and field[599, 499] == (599 * 500 + 499) + 1e-3 * step and field[0, 0] == 1e-3 * step)
        colours = file["deep/colours"]
        expect(f"colours: {colours.dtype}", colours.shape == (500000,) and colours.dtype.itemsize == 3
               and bytes(colours[7:9].tobytes()) == bytes(b for i in (7, 8) for b in
                                                          ((31 * i + step) & 255, (31 * i + step) >> 8 & 255, step & 255)))
        expect("time", file["time"][()] == 0.5 * step)
        expect(f"notes: {file['notes'][()]}", file["notes"][()] == b"x" * (step % 10))
        expect("manifest", f"step {step}\n".encode() in file["tessera_manifest"][()])
        expect("checksums", file["tessera_checksums"].shape == (6 + (step % 10 > 0),))
        expect("contiguous", field.nbytes == file["field"].id.get_storage_size() and file["field"].chunks is None)


with tempfile.TemporaryDirectory() as directory:
    kills = Prefix(directory)
    for number in range(options.kills):
        kill_at_random(kills, number)
with tempfile.TemporaryDirectory() as directory:
    steps = Prefix(directory)
    places = [("created", "last"), ("flushed", "all"), ("sealed", "root"), ("renamed", "root")]
    if options.every_step:
        places = [(step, who) for step in ("created", "written", "flushed") for who in ("root", "last", "all")]
        places += [(step, "root") for step in ("summed", "sealed", "renamed", "listed", "pruned")]
    for step, who in places:
        kill_at_step(steps, step, who)
with tempfile.TemporaryDirectory() as directory:
    two_jobs(Prefix(directory))
    reader_beside_writer(Prefix(directory))
    if options.tool != "none":
        if h5py:
            independent_reader(Prefix(directory))
        tool(Prefix(directory))
with tempfile.TemporaryDirectory() as directory:
    signals(Prefix(directory))
print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
