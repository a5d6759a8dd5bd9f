# SPDX-License-Identifier: BSD-3-Clause
# SPDX-FileCopyrightText: the Tessera developers
"""stranger.py read FACTS | names SECONDS | flood COUNT PORT...: what another user tries on a job. Prints a line for each
thing that succeeded.

FACTS is a file with what root knows of the job's processes: descriptors, mappings, and the address of a secret."""

import ctypes
import json
import os
import random
import socket
import sys
import time

libc = ctypes.CDLL(None, use_errno=True)
PTRACE_SEIZE, PTRACE_DETACH = 0x4206, 17
SYS_pidfd_open, SYS_pidfd_getfd = 434, 438  # on all machines


class IoVector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("bytes", ctypes.c_size_t)]


def opens(path, flags):
    try:
        os.close(os.open(path, flags | os.O_NONBLOCK))
        return True
    except OSError:
        return False


def reads(path, at=0):
    try:
        with open(path, "rb", buffering=0) as file:
            file.seek(at)
            return bool(file.read(8))
    except OSError:
        return False


def read_vector(pid, address):
    """The word at an address of another process, by process_vm_readv; None if that is refused."""
    word = ctypes.c_int64()
    here = IoVector(ctypes.addressof(word), 8)
    there = IoVector(address, 8)
    moved = libc.process_vm_readv(pid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
    return word.value if moved == 8 else None


def try_process(process, done):
    pid = process["pid"]
    for number in process["descriptors"]:
        for flags in (os.O_RDONLY, os.O_RDWR):
            if opens(f"/proc/{pid}/fd/{number}", flags):
                done(f"descriptor {number} of {pid} was opened")
    for mapping in process["mappings"]:
        for flags in (os.O_RDONLY, os.O_RDWR):
            if opens(f"/proc/{pid}/map_files/{mapping}", flags):
                done(f"mapping {mapping} of {pid} was opened")
    for name in ("maps", "environ", "auxv", "stack"):
        if reads(f"/proc/{pid}/{name}"):
            done(f"{name} of {pid} was read")
    if reads(f"/proc/{pid}/mem", process["secret"]):
        done(f"the memory of {pid} was read through /proc")
    if read_vector(pid, process["secret"]) is not None:
        done(f"the memory of {pid} was read by process_vm_readv")
    handle = libc.syscall(SYS_pidfd_open, pid, 0)
    for number in process["descriptors"]:
        copy = libc.syscall(SYS_pidfd_getfd, handle, number, 0) if handle >= 0 else -1
        if copy >= 0:
            os.close(copy)
            done(f"descriptor {number} of {pid} was copied")
    try:
        os.kill(pid, 0)
        done(f"{pid} takes signals")
    except OSError:
        pass
    if libc.ptrace(PTRACE_SEIZE, pid, None, None) == 0:
        libc.ptrace(PTRACE_DETACH, pid, None, None)
        done(f"{pid} was traced")


def try_names(seconds, done):
    """Opens whatever appears in /dev/shm. A line "seen NAME" for each name, so that the caller sees that it looked."""
    end, seen, opened = time.monotonic() + seconds, set(), set()
    while time.monotonic() < end:
        for name in os.listdir("/dev/shm"):
            if name not in seen:
                seen.add(name)
                print("seen", name)
            for flags in (os.O_RDONLY, os.O_RDWR):
                if opens(f"/dev/shm/{name}", flags) and (name, flags) not in opened:
                    opened.add((name, flags))
                    done(f"opened {name}")


def flood(count, ports):
    """Sends datagrams: empty ones, short ones like those of bells, and long ones."""
    draw = random.Random(count)
    letters = [bytes(draw.randrange(256) for _ in range(size)) for size in (0, 1, 8, 9, 16, 17, 64, 512)]
    out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sent = 0
    while sent < count:
        for port in ports:
            for letter in letters:
                try:
                    out.sendto(letter, ("127.0.0.1", port))
                except OSError:
                    pass
                sent += 1
    print("sent", sent)


def main():
    done = lambda what: print("SUCCEEDED", what)
    if sys.argv[1] == "read":
        with open(sys.argv[2], encoding="utf-8") as file:
            for process in json.load(file):
                try_process(process, done)
    elif sys.argv[1] == "names":
        try_names(float(sys.argv[2]), done)
    else:
        flood(int(sys.argv[2]), [int(port) for port in sys.argv[3:]])


main()
