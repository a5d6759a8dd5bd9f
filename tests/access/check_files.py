# SPDX-License-Identifier: BSD-3-Clause
# SPDX-FileCopyrightText: the Tessera developers
"""check_files.py [--all] PRELOAD JOB LAUNCHER...: the modes of the files that a job makes, and what becomes of names that
another user has planted before, in a directory where everybody may write. PRELOAD is the library that lists the files
that are made. --all: with each umask, each kind of plant, and as root, too."""

import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tempfile

from users import OWNER, STRANGER, as_user, end, expect, require

everything = sys.argv[1] == "--all"
preload, job, *launcher = sys.argv[2 if everything else 1:]
require(job, preload)
written = ["saved.h5", "file.h5", "disk.h5", "picture.png", "series.xdmf", "series.step000000.h5", "probes.csv",
           "probes.h5", "run.000001.h5", "trace.json"]
# Names that the job has for a while, and that can be guessed.
for_a_while = [".trace.json.new"] + [f"{dot}trace.json.rank{rank}{end}" for rank in range(2) for dot, end in (("", ""), (".", ".new"))]


def run(directory, user, umask, log):
    """Starts the job; returns its status and what it said of each file."""
    open(log, "w", encoding="utf-8").close()
    os.chmod(log, 0o666)
    variables = dict(os.environ, HOME=str(home), TESSERA_TRACE=str(directory / "trace.json"), TESSERA_WARNINGS="off",
                     TESSERA_TEST_CREATED=str(log))
    variables["LD_PRELOAD"] = variables.get("LD_PRELOAD", "") + ":" + preload
    command = as_user(user, [*launcher, "-n", "2", job, "write", str(directory)])
    done = subprocess.run(command, env=variables, timeout=60, umask=umask, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said = dict(re.findall(r"^(\S+): (written|refused: .*)$", done.stdout, re.M))
    return done.returncode, said, done.stdout


def modes(directory):
    return {path.name: stat.S_IMODE(path.lstat().st_mode) for path in directory.iterdir()}


def made_in(directory, log):
    """What was done to files there: how, mode, flags, name."""
    all_lines = [line.split(" ", 3) for line in log.read_text(encoding="utf-8").splitlines()]
    return [(how, int(mode, 8), int(flags, 8), path) for how, mode, flags, path in all_lines
            if path.startswith(str(directory))]


def check_umask(umask):
    directory = home / f"umask{umask:03o}"
    directory.mkdir()
    os.chown(directory, OWNER, OWNER)
    log = home / "log"
    wanted = 0o666 & ~umask
    status, said, output = run(directory, OWNER, umask, log)
    expect(f"umask {umask:03o}: all files are written", status == 0 and set(said.values()) == {"written"}, output)
    found = modes(directory)
    expect("they are all there", all(name in found for name in written), found)
    wrong = {name: oct(mode) for name, mode in found.items() if mode != wanted}
    expect(f"their modes are {wanted:o}", not wrong, wrong)
    made = made_in(directory, log)
    expect("none was wider before", len(made) >= len(written) and all(mode & ~umask == wanted for _, mode, _, _ in made),
           made)
    check_again(directory, umask, log)


def check_again(directory, umask, log):
    """Files that are replaced keep the mode that their owner has given them, and are at no time wider."""
    for path in directory.iterdir():
        path.chmod(0o600)
    status, _, output = run(directory, OWNER, umask, log)
    expect("they are written again", status == 0, output)
    # A trace and a new step are new files.
    replaced = ["saved.h5", "picture.png", "series.xdmf", "file.h5", "disk.h5", "probes.csv", "probes.h5"]
    found = modes(directory)
    wrong = {name: oct(found[name]) for name in replaced if found[name] != 0o600}
    expect("and keep their modes", not wrong, wrong)
    pattern = re.compile("/(" + "|".join(map(re.escape, replaced)) + ")(\\.tmp-[0-9a-f]+)?$")
    wide = [line for line in made_in(directory, log) if ".tmp-" in line[3] and pattern.search(line[3])
            and line[1] & 0o077]
    expect("and were not wider for a while", not wide, wide)


def plant(kind, path, victim, originals):
    """Puts something into the place of a file. It is the stranger's, but for the hard link, which Linux may forbid them."""
    if kind == "link":
        path.symlink_to(victim)
    elif kind == "dangling":
        path.symlink_to(victim.with_name("made-by-" + path.name))
    elif kind == "hard":
        os.link(victim, path)
        return
    elif kind == "fifo":
        os.mkfifo(path)
        path.chmod(0o666)
    else:  # a file like the one that is expected
        source = originals / path.name
        path.write_bytes(source.read_bytes() if source.exists() else b"")
        path.chmod(0o666)
    os.chown(path, STRANGER, STRANGER, follow_symlinks=False)


def contents(path):
    """What a plant is and has; None for a FIFO."""
    if path.is_symlink():
        return os.readlink(path)
    return path.read_bytes() if path.is_file() else None


def check_plants(kind, user, originals):
    print(f"-- {kind}, user {user}")
    directory = home / f"{kind}{user}"
    directory.mkdir()
    owned = home / f"victims-{kind}{user}"
    owned.mkdir()
    os.chown(owned, user, user)
    victim = owned / "victim"
    victim.write_bytes(b"precious")
    victim.chmod(0o600)
    os.chown(victim, user, user)
    directory.chmod(0o1777)
    names = [directory / name for name in written + for_a_while]
    for path in names:
        plant(kind, path, victim, originals)
    before = {path: contents(path) for path in names}
    log = home / "log"
    status, said, output = run(directory, user, 0o077, log)
    expect(f"the job ends (status {status})", status == 0 and "run" in said, output)
    expect("the victim is whole", victim.read_bytes() == b"precious")
    expect("and alone", [path.name for path in owned.iterdir()] == ["victim"], list(owned.iterdir()))
    changed = [path.name for path in names
               if path.is_symlink() | path.exists() and path.lstat().st_uid == STRANGER and contents(path) != before[path]]
    expect("what is the stranger's has nothing of ours", not changed, changed)
    # Hard links to the owner's file are the owner's.
    mine = [path for path in directory.iterdir() if path.lstat().st_uid == user and not path.samefile(victim)]
    wide = {path.name: oct(path.lstat().st_mode) for path in mine if path.lstat().st_mode & 0o077}
    expect(f"{len(mine)} files are written, with the modes of the umask", not wide, wide)
    for name, result in said.items():
        print("     ", name, result[:150])


home = pathlib.Path(tempfile.mkdtemp())
try:
    os.chown(home, OWNER, OWNER)
    home.chmod(0o755)
    for mask in (0o077, 0o022, 0o027) if everything else (0o027,):
        check_umask(mask)
    clean = home / ("umask077" if everything else "umask027")
    if everything:
        for name in ("link", "dangling", "hard", "fifo", "file"):
            for who in (OWNER, 0):
                check_plants(name, who, clean)
    else:
        check_plants("link", OWNER, clean)
        check_plants("hard", OWNER, clean)
        check_plants("file", 0, clean)
finally:
    shutil.rmtree(home)
end()
