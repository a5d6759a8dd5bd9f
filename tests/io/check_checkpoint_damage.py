# SPDX-License-Identifier: BSD-3-Clause
# SPDX-FileCopyrightText: the Tessera developers
"""check_checkpoint_damage.py [--rounds N] [--seed S] JOB TOOL -- LAUNCHER...

Does at random what befalls checkpoints: jobs on any number of ranks that write, are killed or run out of disk (the latter
in TESSERA_TEST_FULL_DISK, a small file system); files that lose bits or ends, are copied, removed, or replaced by what is
no file. After each the next job has to find the newest generation that is whole, and to say how many it has skipped; what
is whole is known from a model of the directory. JOB is checkpoint_job, TOOL tessera-ckpt or "none"."""

import argparse
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("--rounds", type=int, default=15)
parser.add_argument("--seed", type=int, default=int(time.time()))
parser.add_argument("job")
parser.add_argument("tool")
split = sys.argv.index("--")
options = parser.parse_args(sys.argv[1:split])
launcher = sys.argv[split + 1:]
random.seed(options.seed)
print(f"seed {options.seed}", flush=True)
small_disk = os.environ.get("TESSERA_TEST_FULL_DISK")
failures = []


def expect(what, condition, output=""):
    if not condition:
        failures.append(what)
        print(output)
    print(f"{'ok   ' if condition else 'WRONG'} {what}", flush=True)


class Place:
    """A directory with generations, and the model of them: the step in each whole file, None for what is none."""

    def __init__(self, directory, elsewhere):
        self.directory = pathlib.Path(directory)
        self.prefix = self.directory / "run"
        self.log = pathlib.Path(elsewhere) / "run.log"  # what is said must not need room on a full disk
        (self.directory / "run.log").symlink_to(self.log)
        self.steps = {}

    def paths(self):
        return {int(m[1]): p for p in self.directory.iterdir() if (m := re.fullmatch(r"run\.(\d{6,})\.h5", p.name))}

    def learn(self):
        """What a job has written and removed; only it does either."""
        paths = self.paths()
        self.steps = {n: s for n, s in self.steps.items() if n in paths}
        for number, path in paths.items():
            if number not in self.steps:
                found = re.search(rb"step (\d+)\ngeneration (\d+)\n", path.read_bytes())
                expect(f"{path.name} says its step and number", found and int(found[2]) == number)
                self.steps[number] = int(found[1])

    def expected(self):
        """The step that restore has to find, and how many it skips; step 0 if there is nothing, None for an error."""
        skipped = 0
        for number in sorted(self.steps, reverse=True):
            if self.steps[number] is not None:
                return self.steps[number], skipped
            skipped += 1
        return (None if skipped else 0), skipped

    def restored(self):
        found = re.findall(r"restored (\d+) skipped (\d+)\n", self.log.read_text() if self.log.exists() else "")
        return [(int(a), int(b)) for a, b in found]

    def start(self, ranks, *arguments):
        for file in self.directory.glob("run.pid.*"):
            file.unlink()
        return subprocess.Popen([*launcher, "-n", str(ranks), options.job, str(self.prefix), *map(str, arguments)],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)

    def processes(self):
        return [int(file.read_text() or 0) for file in sorted(self.directory.glob("run.pid.*"))]


def finish(job, limit=60):
    try:
        output, _ = job.communicate(timeout=limit)
        return job.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(job.pid, signal.SIGKILL)
        expect("the job ends in time", False)
        return -1, job.communicate()[0]


def kill(processes):
    for process in processes:
        try:
            if process > 0:
                os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass


def check(place, what):
    wanted, skipped = place.expected()
    before = len(place.restored())
    ranks = random.choice([1, 2, 3, 4])
    status, output = finish(place.start(ranks, "check"))
    found = place.restored()[before:]
    if wanted is None:
        good = status == 3 and not found and "no generation can be restored" in output
    else:
        good = status == 0 and found == [(wanted, skipped)]
    expect(f"{what}: {ranks} ranks found {found}, status {status}, of {place.steps}", good, output)


def list_with_tool(place):
    done = subprocess.run([options.tool, "--list", str(place.prefix)], capture_output=True, text=True, timeout=60)
    whole = sum(step is not None for step in place.steps.values())
    damaged = len(place.steps) - whole
    good = (done.stdout.count("  valid\n") == whole and done.stdout.count("  DAMAGED: ") == damaged
            and done.returncode == (1 if damaged or not place.steps else 0))
    expect(f"the tool finds {whole} whole and {damaged} others", good, done.stdout + done.stderr)


def write(place):
    steps = random.randint(1, 3)
    status, output = finish(place.start(random.choice([1, 2, 3]), "run", steps))
    wanted, _ = place.expected()
    full = "No space left" in output or "cannot be had on its file system" in output
    if wanted is None:
        expect("a job does not begin from the start", status == 3 and "no generation can be restored" in output, output)
        return f"no write over {place.steps}"
    good = status == 0 or (small_disk is not None and status == 3 and full and "untouched" in output)
    expect(f"a job writes {steps} (status {status})", good, output)
    place.learn()
    newest = max((step for step in place.steps.values() if step is not None), default=0)
    if status == 0:
        expect(f"of steps {wanted + 1} to {wanted + steps}", newest == wanted + steps)
    leftovers = [file.name for file in place.directory.iterdir() if ".tmp-" in file.name]
    expect(f"nothing is left over: {leftovers}", not leftovers)
    return f"written {steps}, full: {full}"


def be_killed(place):
    if place.expected()[0] is None:
        return "nothing to kill"
    ranks = random.choice([2, 3])
    job = place.start(ranks, "run", 1000)
    end = time.monotonic() + 20
    while len(place.processes()) < ranks and job.poll() is None and time.monotonic() < end:
        time.sleep(0.01)
    time.sleep(random.uniform(0, 0.6))
    processes = place.processes()
    kill(processes if random.random() < 0.5 else random.sample(processes, min(1, len(processes))))
    finish(job)
    kill(processes)
    place.learn()
    return f"killed on {ranks}"


def pick(place):
    numbers = [n for n, path in place.paths().items() if path.is_file() and not path.is_symlink()
               and path.stat().st_size > 0]
    return random.choice(numbers) if numbers else None


def damage(place):
    number = pick(place)
    if number is None:
        return "nothing to damage"
    path = place.paths()[number]
    content = bytearray(path.read_bytes())
    size = len(content)
    kind = random.choice(["bit", "bit", "bit", "end", "more", "hole", "empty", "swap"])
    at = random.randrange(size) if random.random() < 0.5 else random.randrange(min(size, 8192))
    before = bytes(content)
    if kind == "bit":
        content[at] ^= 1 << random.randrange(8)
    elif kind == "end":
        del content[at:]
    elif kind == "more":
        content += bytes(random.randrange(1, 5000))
    elif kind == "hole":
        content[at:at + 4096] = bytes(len(content[at:at + 4096]))
    elif kind == "empty":
        content.clear()
    else:
        other = random.randrange(max(1, size - 4096))
        content[at:at + 512], content[other:other + 512] = content[other:other + 512], content[at:at + 512]
    if bytes(content) != before:
        path.write_bytes(content)
        place.steps[number] = None
    return f"{kind} of {number} at {at}"


def remove(place):
    paths = place.paths()
    if not paths:
        return "nothing to remove"
    number = random.choice(list(paths))
    path = paths[number]
    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    place.steps.pop(number, None)
    return f"removed {number}"


def plant(place):
    number = max(place.paths(), default=0) + random.randint(1, 3)
    path = place.directory / f"run.{number:06}.h5"
    kind = random.choice(["nowhere", "loop", "fifo", "directory", "zero", "text"])
    if kind == "nowhere":
        path.symlink_to("nowhere")
    elif kind == "loop":
        path.symlink_to(path.name)
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "directory":
        path.mkdir()
    elif kind == "zero":
        path.symlink_to("/dev/zero")
    else:
        path.write_text("Tessera checkpoint, format 1\nsize 99999999999\n")
    place.steps[number] = None
    return f"planted {kind} as {number}"


def copy(place):
    """The same generation under another number, or a link to it."""
    number = pick(place)
    if number is None or place.steps.get(number) is None:
        return "nothing to copy"
    other = max(place.paths()) + 1
    path = place.directory / f"run.{other:06}.h5"
    if small_disk or random.random() < 0.5:
        path.symlink_to(place.paths()[number].name)
        check_link = place.steps.copy()
        check_link[other] = check_link[number]
        place.steps = check_link
        check(place, "a link to a generation")
        path.unlink()
        del place.steps[other]
        return "linked"
    shutil.copy(place.paths()[number], path)
    place.steps[other] = place.steps[number]
    return f"copied {number} to {other}"


def fill(place):
    if not small_disk:
        return "no disk to fill"
    file = place.directory / "filler"
    free = shutil.disk_usage(place.directory).free
    size = random.choice([0, free - 4096 * random.randrange(12), free - random.randrange(max(free, 1)), free // 2])
    file.write_bytes(bytes(max(0, size)))
    return f"filler of {size}"


def lock(place):
    """A lock of a job that is gone, or that somebody has removed."""
    file = place.directory / "run.lock"
    if random.random() < 0.5:
        file.unlink(missing_ok=True)
    else:
        file.write_text("")
    return "lock changed"


with tempfile.TemporaryDirectory(dir=small_disk) as directory, tempfile.TemporaryDirectory() as elsewhere:
    place = Place(directory, elsewhere)
    actions = [write, write, write, be_killed, damage, damage, remove, plant, copy, fill, lock]
    for number in range(options.rounds):
        what = random.choice(actions)(place)
        check(place, f"{number}: {what}")
        if place.expected()[0] is None and random.random() < 0.5:  # somebody makes room for a new start
            while place.paths():
                remove(place)
        if options.tool != "none" and random.random() < 0.3:
            list_with_tool(place)
print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
