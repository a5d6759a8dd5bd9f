# SPDX-License-Identifier: BSD-3-Clause
# SPDX-FileCopyrightText: the Tessera developers
"""check_memory.py WAY DATAGRAMS JOB LAUNCHER...: another user tries to read and to disturb a job of 2 ranks that shares
memory in this WAY (memfd, shm or mpi): descriptors, mappings, memory, names in /dev/shm, and DATAGRAMS datagrams for each
port of the job. As a control, the owner's own attempts must succeed."""

import json
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import time

from users import OWNER, STRANGER, as_user, end, expect, require

way, datagrams, job, launcher = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4:]
script = pathlib.Path(__file__).with_name("stranger.py")
require(job, str(script))


def stranger(*arguments, user=STRANGER):
    """What stranger.py printed, by its lines."""
    command = as_user(user, [sys.executable, "-B", str(script), *map(str, arguments)])
    return subprocess.run(command, check=True, timeout=60, stdout=subprocess.PIPE, text=True).stdout.splitlines()


def successes(lines):
    return [line for line in lines if line.startswith("SUCCEEDED")]


def wait_for(condition, seconds=30):
    end_time = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end_time or running.poll() is not None:
            return False
        time.sleep(0.01)
    return True


def facts_of(file):
    pid, secret = map(int, file.read_text(encoding="utf-8").split())
    inodes = set()
    descriptors = [int(name) for name in os.listdir(f"/proc/{pid}/fd")]
    for number in descriptors:
        try:
            found = re.fullmatch(r"socket:\[(\d+)\]", os.readlink(f"/proc/{pid}/fd/{number}"))
        except FileNotFoundError:
            continue  # it has just been closed
        if found:
            inodes.add(found[1])
    rows = [line.split() for line in pathlib.Path(f"/proc/{pid}/net/udp").read_text(encoding="utf-8").splitlines()[1:]]
    return {"pid": pid, "secret": secret, "descriptors": descriptors, "mappings": os.listdir(f"/proc/{pid}/map_files"),
            "ports": [int(row[1].split(":")[1], 16) for row in rows if row[9] in inodes]}


def shared_files(process):
    """Names and modes of the files in memory that a process maps or has open."""
    pid, found = process["pid"], {}
    for place in [f"fd/{n}" for n in process["descriptors"]] + [f"map_files/{m}" for m in process["mappings"]]:
        path = f"/proc/{pid}/{place}"
        try:
            name = os.readlink(path)
            if name.startswith(("/memfd:", "/dev/shm/")):
                found[name] = stat.S_IMODE(os.stat(path).st_mode)
        except FileNotFoundError:
            pass  # it has just been closed
    return found


def switches(processes):
    """How often the threads of the job went to sleep."""
    count = 0
    for process in processes:
        for status in pathlib.Path(f"/proc/{process['pid']}/task").glob("*/status"):
            count += int(re.search(r"^voluntary_ctxt_switches:\s*(\d+)", status.read_text(encoding="utf-8"), re.M)[1])
    return count


def rounds():
    """The number of rounds that the job has done. The job is writing that file, so it may be empty."""
    while not (text := (directory / "rounds").read_text(encoding="utf-8")).endswith("\n"):
        time.sleep(0.001)
    return int(text)


def rounds_during(action):
    """Rounds in a second while something happens."""
    before, begin = rounds(), time.monotonic()
    action()
    return (rounds() - before) / (time.monotonic() - begin)


directory = pathlib.Path(tempfile.mkdtemp())
os.chmod(directory, 0o755)
os.chown(directory, OWNER, OWNER)
environment = dict(os.environ, HOME=str(directory), TESSERA_SHARED_MEMORY=way, TESSERA_WARNINGS="off",
                   TESSERA_PROGRESS="thread")
running = subprocess.Popen(as_user(OWNER, [*launcher, "-n", "2", job, "hold", str(directory)]), env=environment,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, umask=0o022)
try:
    expect("the job begins", wait_for(lambda: (directory / "rounds").exists()))
    processes = [facts_of(file) for file in sorted(directory.glob("rank.*"))]
    expect("it has two ranks", len(processes) == 2)

    # Memory.
    facts = directory / "facts"
    facts.write_text(json.dumps(processes), encoding="utf-8")
    files = {name: mode for process in processes for name, mode in shared_files(process).items()}
    wide = {name: oct(mode) for name, mode in files.items() if mode & 0o077}
    expect(f"the memory's {len(files)} files are the owner's alone", files and not wide, wide)
    found = successes(stranger("read", facts))
    expect("a stranger reads nothing", not found, "\n".join(found))
    found = successes(stranger("read", facts, user=OWNER))
    expect("the owner would", any("memory" in line for line in found) and any("descriptor" in line for line in found))

    # Names in /dev/shm, while they are there.
    lines = stranger("names", 0.7)
    ours = [f" tessera-{process['pid']}-" for process in processes]  # other jobs have names there, too
    named = [line for line in lines if line.startswith("seen") and any(name in line for name in ours)]
    found = [line for line in successes(lines) if any(name in line for name in ours)]
    expect(f"{len(named)} names appeared", bool(named) == (way == "shm"))
    expect("and none could be opened", not found, "\n".join(found))

    # Datagrams.
    ports = [port for process in processes for port in process["ports"]]
    if "TESSERA_NODE_SIZE" in environment:
        expect(f"the job has {len(ports)} ports", len(ports) >= 2)
    if ports:
        (directory / "pause").touch()
        expect("it pauses", wait_for(lambda: (directory / "paused").exists()))
        before, begin = switches(processes), time.monotonic()
        sent = int(stranger("flood", datagrams, *ports)[0].split()[1])
        seconds = time.monotonic() - begin
        woken = switches(processes) - before
        print(f"{sent} datagrams in {seconds:.1f} s woke the threads {woken} times")
        expect("nearly none wakes a thread", woken < 0.02 * sent + 500 * seconds)
        (directory / "pause").unlink()
        calm = rounds_during(lambda: time.sleep(0.5))
        busy = rounds_during(lambda: stranger("flood", datagrams, *ports))
        print(f"{calm:.0f} rounds in a second, {busy:.0f} of them in a flood")
        expect("a flood does not hold the job up", busy > min(calm / 10, 2))  # a loaded machine varies more
finally:
    (directory / "stop").touch()
    try:
        output = running.communicate(timeout=30)[0]
        status = running.returncode
    except subprocess.TimeoutExpired:
        running.kill()
        output, status = running.communicate()[0], "none: it hung"
    shutil.rmtree(directory)
expect(f"the job ends right (status {status})", status == 0 and re.search(r"[1-9]\d* rounds, 0 wrong", output), output)
end()
