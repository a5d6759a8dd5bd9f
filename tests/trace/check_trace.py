# SPDX-License-Identifier: BSD-3-Clause
# SPDX-FileCopyrightText: the Tessera developers
"""check_trace.py TASK PROGRAM TOOL RANKS -- LAUNCH...

Runs PROGRAM (traced.cpp) with TESSERA_TRACE, and checks the file against counts of its own. RANKS is the size of the
world. LAUNCH starts the processes.
"""
import glob
import html.parser
import json
import math
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ODD = "a\"b'</script><script>alert(1)</script>\n\x01\\ä\ufffd"


def run(command, trace, expected=0):
    environment = dict(os.environ, TESSERA_TRACE=trace)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace", timeout=100)
    assert done.returncode == expected, f"status {done.returncode}: {done.stdout}{done.stderr}"
    return done


def sums(process, key):
    """The operations and bytes of a process, by key(array, traffic)."""
    found = {}
    for array in process["arrays"]:
        for traffic in array["traffic"]:
            sum = found.setdefault(key(array, traffic), [0, 0])
            sum[0] += traffic["operations"]
            sum[1] += traffic["bytes"]
    return found


def check_schema(trace, ranks):
    """What viewers and the tool rely on."""
    assert trace["displayTimeUnit"] == "ns"
    for event in trace["traceEvents"]:
        assert event["ph"] in ("X", "M") and isinstance(event["name"], str)
        assert 0 <= event["pid"] < ranks
        if event["ph"] == "M":
            continue
        assert event["cat"] in ("operation", "phase", "wait") and isinstance(event["tid"], int)
        assert event["dur"] >= 0 and math.isfinite(event["ts"])
        if event["cat"] == "operation":
            assert event["name"] in ("put", "get", "accumulate", "atomic")
            assert event["args"]["path"] in ("node", "window", "agent") and 0 <= event["args"]["target"] < ranks
    assert trace["tessera"]["version"] == 1 and trace["tessera"]["ranks"] == ranks


def expected_counts(ranks, s):
    """By array, operation and target; the formulas of traced.cpp."""
    found = {}
    for t in range(ranks):
        found["a", "put", t] = [(s + 1) * (t + 2), (s + 1) * (t + 2) * 8 * (t + 1)]
        found[ODD, "get", t] = [s + 2, (s + 2) * 8 * (t + 1)]
        found[ODD, "accumulate", t] = [t + 1, (t + 1) * 8 * (t + 1)]
        found["a", "atomic", t] = [1, 8]
    found["again", "put", 0] = [2, 16]
    return found


def check_process(trace, process, ranks):
    s = process["rank"]
    found = sums(process, lambda array, traffic: (array["name"], traffic["operation"], traffic["target"]))
    assert found == expected_counts(ranks, s), (s, found, expected_counts(ranks, s))
    assert {a["name"]: a["segments"] for a in process["arrays"]} == {"a": 1, ODD: 1, "again": 2}
    # Nothing was dropped: the events are all operations.
    kept = process["events"]["operations"]
    assert kept["every"] == 1 and kept["kept"] == kept["seen"] == sum(n for n, _ in found.values())
    events = {}
    begin_of, end_of = {}, {}
    for event in trace["traceEvents"]:
        if event["pid"] != s or event["ph"] != "X":
            continue
        if event["cat"] == "operation":
            one = events.setdefault((event["args"]["array"], event["name"], event["args"]["target"],
                                     event["args"]["path"]), [0, 0])
            one[0] += 1
            one[1] += event["args"]["bytes"]
        else:
            begin_of[event["name"]] = event["ts"]
            end_of[event["name"]] = event["ts"] + event["dur"]
    by_path = sums(process, lambda array, traffic: (array["name"], traffic["operation"], traffic["target"],
                                                    traffic["path"]))
    assert events == by_path
    # Each operation was timed: the sums are those of the events, which have nanoseconds.
    timed = sum(e["dur"] for e in trace["traceEvents"] if e["pid"] == s and e.get("cat") == "operation")
    seconds = sum(t["seconds"] for a in process["arrays"] for t in a["traffic"])
    # Events are in the time of rank 0, whose readings are less exact on a machine that is busy.
    clock = process["clock"]
    drift = abs(clock[-1]["offset_ns"] - clock[0]["offset_ns"]) * 1e-9 / max(clock[-1]["at"] - clock[0]["at"], 1e-9)
    assert abs(seconds - timed * 1e-6) <= (1e-3 + drift) * seconds + 2e-9 * kept["seen"], (seconds, timed, drift)
    # Phases: the inner is inside the outer, and each has its own time.
    phases = {phase["name"]: phase for phase in process["phases"]}
    outer, inner = phases["outer"], phases[ODD]
    assert outer["calls"] == inner["calls"] == 1
    assert abs(outer["seconds"] - outer["self"] - inner["seconds"]) < 1e-6
    assert 0.03 <= outer["self"] and 0.02 <= inner["self"]
    assert begin_of["outer"] <= begin_of[ODD] and end_of[ODD] <= end_of["outer"]
    assert phases["sync"]["calls"] >= 3
    for phase in process["phases"]:
        assert -1e-9 <= phase["waits"] <= phase["self"] + 1e-6 and phase["self"] <= phase["seconds"] + 1e-9, phase
    # All wait for rank 0 in the sync, and it does not.
    if ranks > 1 and s > 0:
        assert phases["sync"]["self"] > 0.1, phases["sync"]
    return begin_of["barrier"], end_of["barrier"]


def counts(program, tool, ranks, launch, directory):
    file = os.path.join(directory, "trace \"of ä.json")
    done = run(launch + [program, "counts"], file)
    assert "the result" in done.stdout
    assert os.listdir(directory) == [os.path.basename(file)], os.listdir(directory)
    with open(file, encoding="utf-8") as stream:
        trace = json.load(stream)
    check_schema(trace, ranks)
    processes = trace["tessera"]["processes"]
    assert [p["rank"] for p in processes] == list(range(ranks)) and trace["tessera"]["complete"] is True
    barriers = [check_process(trace, p, ranks) for p in processes]
    for process in processes:
        first, last = process["clock"]
        assert 0 <= first["round_trip_ns"] < 10**9 and first["at"] <= last["at"]
        # One host has one clock, so the measured offset is an error. It is within its bound.
        for reading in process["clock"]:
            assert abs(reading["offset_ns"]) <= reading["round_trip_ns"] / 2 + 1000, reading
    # No rank leaves the barrier before the last has come, but for the error of the clocks (in microseconds).
    error = max(r["round_trip_ns"] for p in processes for r in p["clock"]) * 1e-3 + 1
    assert max(begin for begin, _ in barriers) <= min(end for _, end in barriers) + error, (barriers, error)
    check_page(tool, file, ranks)


class Page(html.parser.HTMLParser):
    """The tags of a page, and the text of its scripts."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.scripts, self.inside = [], [], False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.inside = tag == "script"
        if self.inside:
            self.scripts.append("")

    def handle_endtag(self, tag):
        self.inside = False

    def handle_data(self, text):
        if self.inside:
            self.scripts[-1] += text


def check_page(tool, file, ranks):
    done = subprocess.run([tool, file], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stdout.endswith(file + ".html\n"), done
    with open(file + ".html", encoding="utf-8") as stream:
        text = stream.read()
    page = Page(text)
    assert len(page.scripts) == 2, "the odd name has made a script"
    data = json.loads(page.scripts[0])
    assert data["ranks"] == ranks and ODD in data["names"]
    assert not any(key in ("src", "href") and not value.startswith("data:") for _, attributes in page.tags
                   for key, value in attributes.items()), "the page loads something"
    return text


def many(program, tool, ranks, launch, directory):
    operations = 1_000_000
    file = os.path.join(directory, "trace.json")
    done = run(launch + [program, "many", str(operations)], file)
    print(done.stdout)
    assert os.path.getsize(file) < 40e6, os.path.getsize(file)
    with open(file, encoding="utf-8") as stream:
        trace = json.load(stream)
    check_schema(trace, ranks)
    process = trace["tessera"]["processes"][0]
    assert sums(process, lambda array, traffic: (array["name"], traffic["operation"], traffic["target"])) == {
        ("a", "put", ranks - 1): [operations, 8 * operations]}
    steps = [p for p in process["phases"] if p["name"] == "step"][0]
    assert steps["calls"] == operations
    for kind, category in (("operations", "operation"), ("phases", "phase")):
        kept = process["events"][kind]
        events = [e for e in trace["traceEvents"] if e["pid"] == 0 and e.get("cat") == category]
        assert kept["seen"] >= operations and kept["every"] >= 32 and len(events) == kept["kept"]
        assert operations / kept["every"] * 0.9 <= len(events) <= 32768, (kept, len(events))
        # They are spread over the whole run: half of them lie in its first half.
        times = sorted(e["ts"] for e in events)
        middle = times[len(times) // 2] - times[0]
        assert 0.2 < middle / (times[-1] - times[0]) < 0.8


def unwritable(program, tool, ranks, launch, directory):
    for file, words in ((os.path.join(directory, "none", "trace.json"), "No such file or directory"),
                        (directory, "is no regular file"), ("/dev/full", "is no regular file")):
        done = run(launch + [program, "counts"], file)
        assert "the result" in done.stdout
        lines = [line for line in done.stderr.splitlines() if "TESSERA_TRACE" in line]
        assert len(lines) == 1 and words in lines[0] and file in lines[0], done.stderr
    assert os.listdir(directory) == []


def full_disk(program, tool, ranks, launch, directory):
    directory = os.environ["TESSERA_TEST_FULL_DISK"]
    file = os.path.join(directory, "trace.json")
    done = run(launch + [program, "many", "60000"], file)
    assert "the result" in done.stdout
    lines = [line for line in done.stderr.splitlines() if "TESSERA_TRACE" in line]
    assert len(lines) == 1 and "No space left on device" in lines[0], done.stderr
    assert [f for f in os.listdir(directory) if f != "trace.json"] == [], os.listdir(directory)


def killed(program, tool, ranks, launch, directory):
    file = os.path.join(directory, "trace.json")
    job = subprocess.Popen(launch + [program, "counts", "60"], env=dict(os.environ, TESSERA_TRACE=file),
                           start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    # The ranks save once a second. The operations are over by then.
    wanted = [f"{file}.rank{r}" for r in range(ranks)]
    try:
        until = time.monotonic() + 40
        while not all(os.path.exists(f) and "again" in open(f, encoding="utf-8").read() for f in wanted):
            assert time.monotonic() < until, os.listdir(directory)
            time.sleep(0.1)
    finally:
        os.killpg(job.pid, signal.SIGKILL)
        job.wait()
    for name in wanted:
        with open(name, encoding="utf-8") as stream:
            trace = json.load(stream)
        check_schema(trace, ranks)
        assert trace["tessera"]["complete"] is False
        check_process(trace, trace["tessera"]["processes"][0], ranks)
    done = subprocess.run([tool, "-o", file + ".html", *sorted(glob.glob(file + ".rank?"))], capture_output=True,
                          text=True, timeout=60)
    assert done.returncode == 0 and os.path.getsize(file + ".html") > 10000, done
    assert "ranks are in these files" not in done.stderr, done
    # The page is named after the trace. One that is there stays if the new one cannot be written.
    victim = os.path.join(os.path.dirname(file), "victim")
    with open(victim, "w", encoding="utf-8") as stream:
        stream.write("kept")
    os.symlink(victim, file + ".html.part")  # it must not be followed
    for small in (False, True):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        done = subprocess.run([tool, *sorted(glob.glob(file + ".rank*"))], capture_output=True, text=True, timeout=60,
                              preexec_fn=limit if small else None)
        assert done.returncode == (1 if small else 0), done
        assert file + ".html" in (done.stderr if small else done.stdout), done
        assert os.path.getsize(file + ".html") > 10000 and not glob.glob(file + "*.part"), done
        with open(victim, encoding="utf-8") as stream:
            assert stream.read() == "kept"
    with open(wanted[0], "rb") as stream:
        before = stream.read()
    done = subprocess.run([tool, "-o", wanted[0], wanted[0]], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "is the trace itself" in done.stderr, done
    with open(wanted[0], "rb") as stream:
        assert stream.read() == before
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([tool, "-o", file + ".html", wanted[0]], stdout=full, stderr=subprocess.PIPE, text=True,
                              timeout=60)
    assert done.returncode == 1 and "the output is not complete" in done.stderr, done
    done = subprocess.run([tool, "--hints", wanted[0]], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and f": 1 of {ranks} ranks are in these files" in done.stderr, done


def browser(program, tool, ranks, launch, directory):
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        print("skipped: no chromium (Debian: chromium), so no browser opens the page")
        sys.exit(77)
    file = os.path.join(directory, "trace.json")
    run(launch + [program, "counts"], file)
    check_page(tool, file, ranks)
    done = subprocess.run([chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                           f"--user-data-dir={directory}/profile", "--enable-logging=stderr", "--v=0",
                           "--virtual-time-budget=5000", "--dump-dom", f"file://{file}.html"],
                          capture_output=True, text=True, timeout=90)
    assert done.returncode == 0, done.stderr
    assert "CONSOLE" not in done.stderr, done.stderr
    page = Page(done.stdout)
    assert any(tag == "body" and attributes.get("data-ready") == "yes" for tag, attributes in page.tags)
    assert len(page.scripts) == 2
    # The matrix shows the bytes of all arrays and operations.
    with open(file, encoding="utf-8") as stream:
        trace = json.load(stream)
    expected = {}
    for process in trace["tessera"]["processes"]:
        for target, (_, amount) in sums(process, lambda array, traffic: traffic["target"]).items():
            expected[process["rank"], target] = amount
    shown = {(int(a["data-source"]), int(a["data-target"])): float(a["data-value"]) for tag, a in page.tags
             if tag == "rect" and "data-value" in a}
    assert shown == expected, (shown, expected)


def main():
    task, program, tool, ranks = sys.argv[1:5]
    assert sys.argv[5] == "--"
    directory = tempfile.mkdtemp()
    try:
        globals()[task](program, tool, int(ranks), sys.argv[6:], directory)
    finally:
        shutil.rmtree(directory)


main()
