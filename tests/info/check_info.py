# SPDX-License-Identifier: BSD-3-Clause
# SPDX-FileCopyrightText: the Tessera developers
"""check_info.py TOOL CONCEPTS -- LAUNCHER...

Runs tessera-info in several settings. What it prints as JSON is compared with what this script knows from the system and
from how it has started the tool. CONCEPTS is docs/concepts.md, whose table must have the same variables."""

import json
import os
import pathlib
import re
import socket
import subprocess
import sys

tool, concepts = sys.argv[1:3]
launcher = sys.argv[sys.argv.index("--") + 1:]
failures = []


def expect(what, condition):
    if not condition:
        failures.append(what)
    print(f"{'ok   ' if condition else 'WRONG'} {what}", flush=True)


def run(ranks, *arguments, **variables):
    """The finished process; ranks 0: without a launcher."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("TESSERA_")} | variables
    start = [*launcher, "-n", str(ranks)] if ranks else []
    return subprocess.run([*start, tool, *arguments], env=environment, capture_output=True, text=True, timeout=100)


def facts(ranks, *arguments, **variables):
    done = run(ranks, "--json", *arguments, **variables)
    try:
        return json.loads(done.stdout), done
    except json.JSONDecodeError:
        print(done.stdout, done.stderr)
        sys.exit(f"check_info: no JSON (status {done.returncode})")


def check_topology(found, ranks, node_size):
    nodes = [list(range(first, min(first + node_size, ranks))) for first in range(0, ranks, node_size)]
    name = f"{ranks} ranks, nodes of {node_size}:"
    expect(f"{name} ranks and nodes",
           (found["topology"]["ranks"], found["topology"]["nodes"]) == (ranks, len(nodes)))
    expect(f"{name} ranks of each node", [node["ranks"] for node in found["nodes"]] == nodes)
    expect(f"{name} hosts", all(node["host"] == socket.gethostname() for node in found["nodes"]))
    cores = sorted(os.sched_getaffinity(0))
    expect(f"{name} cores", all(set(rank["cores"]) <= set(cores) and rank["cores"] for rank in found["ranks"]))
    expect(f"{name} memory", all(0 < node["memory_available"] < 1 << 50 for node in found["nodes"]))
    room = os.statvfs("/dev/shm")
    expect(f"{name} /dev/shm", all(node["shm_size"] == room.f_blocks * room.f_frsize for node in found["nodes"]))


def check_one_rank():
    found, done = facts(0)
    expect("alone: status 0", done.returncode == 0 and found["ok"] is True)
    check_topology(found, 1, 1)
    expect("alone: nothing between nodes",
           found["between_nodes"] is None and found["progress"]["value"] == "none")
    expect("alone: no variable is set", all(variable["value"] is None for variable in found["variables"]))
    table = pathlib.Path(concepts).read_text().split("## Environment variables")[1].split("\n## ")[0]
    documented = set(re.findall(r"^\| `(TESSERA_\w+)=", table, re.MULTILINE))
    expect("alone: the variables of the documentation",
           {variable["name"] for variable in found["variables"]} == documented and len(documented) > 5)
    memory = int(re.search(r"^MemAvailable: *(\d+) kB", pathlib.Path("/proc/meminfo").read_text(), re.M)[1]) * 1024
    expect("alone: no more memory than the machine has",
           found["nodes"][0]["memory_available"] < memory + (1 << 30))
    expect("alone: every check was right", found["self_test"] and all(t["ok"] for t in found["self_test"]))


def check_pretended_nodes():
    found, done = facts(3, TESSERA_NODE_SIZE="2", TESSERA_PROGRES="poll", TESSERA_METHOD="packed",
                        TESSERA_MEMORY_LIMIT="64M")
    expect("3 ranks: status 0", done.returncode == 0 and found["ok"] is True)
    check_topology(found, 3, 2)
    expect("3 ranks: the nodes are pretended", found["topology"]["pretended_nodes"] is True)
    values = {variable["name"]: variable["value"] for variable in found["variables"] if variable["value"]}
    expect("3 ranks: variables that are set",
           values == {"TESSERA_NODE_SIZE": "2", "TESSERA_METHOD": "packed", "TESSERA_MEMORY_LIMIT": "64M"})
    expect("3 ranks: the mistyped variable", found["unknown_variables"] ==
           [{"name": "TESSERA_PROGRES", "value": "poll", "probably": "TESSERA_PROGRESS"}])
    expect("3 ranks: the memory limit", all(r["memory_limit"] == 64 << 20 for r in found["ranks"]))
    expect("3 ranks: the method's reason", found["between_nodes"]["method"]["reason"] == "TESSERA_METHOD=packed")
    done = {(t["what"], t["by"]) for t in found["self_test"] if t["ok"]}
    expect("3 ranks: agents were tested",
           {(what, "agents") for what in ("put", "get", "accumulate", "fetch_op")} <= done)
    expect("3 ranks: MPI was tested", {("MPI_Allreduce", "MPI"), ("MPI message of 8 bytes", "MPI")} <= done)


def check_settings():
    found, _ = facts(2, "--no-self-test", TESSERA_NODE_SIZE="1", TESSERA_PROGRESS="poll", TESSERA_WINDOW="off",
                     TESSERA_SHARED_MEMORY="shm", TESSERA_HUGE_PAGES="off")
    check_topology(found, 2, 1)
    expect("settings: poll, by the variable",
           found["progress"] == {"value": "poll", "reason": "TESSERA_PROGRESS=poll"})
    expect("settings: progress is not guaranteed", found["between_nodes"]["guaranteed"]["value"] == "no"
           and any("poll mode" in warning for warning in found["warnings"]))
    expect("settings: no window, by the variable", found["between_nodes"]["window"]["value"] == "not usable"
           and "TESSERA_WINDOW=off" in found["between_nodes"]["window"]["reason"])
    expect("settings: shared memory", found["within_node"]["shared_memory"] ==
           {"value": "shm", "reason": "TESSERA_SHARED_MEMORY=shm"})
    expect("settings: no huge pages", found["within_node"]["huge_pages"]["bytes"] == 0)
    expect("settings: no self-test", "self_test" not in found)


def check_one_core():
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # the ranks inherit it
    found, _ = facts(2, "--no-self-test", TESSERA_NODE_SIZE="1")
    expect("one core: it is told", all(len(rank["cores"]) == 1 for rank in found["ranks"]))
    expect("one core: crowded", found["topology"]["crowded"] is True)
    expect("one core: the agent has none of its own",
           "one core" in found["between_nodes"]["guaranteed"]["reason"]
           and any(warning.startswith("2 of 2 ranks are bound to one core") for warning in found["warnings"]))


def check_text():
    done = run(2, TESSERA_NODE_SIZE="1", TESSERA_PROGRES="poll")
    text = done.stdout
    expect("text: status 0", done.returncode == 0)
    expect("text: ranks and nodes", "2 ranks on 2 nodes" in text and text.count("2 ranks on 2 nodes") == 1)
    expect("text: the mistyped variable",
           "TESSERA_PROGRES=poll is no variable of Tessera; is it TESSERA_PROGRESS?" in " ".join(text.split()))
    count = re.search(r"(\d+) checks in [\d.]+ s: all ok", text)
    checks = sum(len(line.split(": ")[0].split(", ")) for line in text.splitlines() if line.startswith("  ok "))
    expect("text: as many checks as were right",
           count is not None and int(count[1]) == checks > 10)


def check_errors():
    done = run(2, "--no-such-option")
    expect("a bad option: a sentence, once",
           done.returncode != 0 and (done.stdout + done.stderr).count("--no-such-option") == 1)
    done = run(2, TESSERA_PROGRESS="sometimes")
    expect("a bad value: a sentence, once", done.returncode != 0 and
           (done.stdout + done.stderr).count('TESSERA_PROGRESS="sometimes" is no mode of progress') == 1)


check_one_rank()
check_pretended_nodes()
check_settings()
check_text()
check_errors()
check_one_core()
if failures:
    sys.exit(f"check_info: {len(failures)} WRONG")
