# SPDX-License-Identifier: BSD-3-Clause
# SPDX-FileCopyrightText: the Tessera developers
"""Programs as other users, for the tests of this folder. Importing it ends the test where it cannot run."""

import os
import shutil
import subprocess
import sys

OWNER, STRANGER = 61001, 61002  # they need no account
failures = []


def expect(what, condition, details=""):
    print("ok   " if condition else "WRONG", what)
    if not condition:
        failures.append(what)
        if details:
            print(details)


def as_user(user, command):
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--", *command]


def skip(reason):
    print("skipped:", reason)
    sys.exit(77)


def require(*paths):
    """Ends the test with a sentence unless this is root, and other users can reach these files."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        skip("nobody else can be asked here (needs root and setpriv)")
    for path in (*paths, __file__):
        if subprocess.run(as_user(STRANGER, ["test", "-r", path]), check=False).returncode != 0:
            skip(f"another user cannot reach {path}; build in a directory that others may enter")


def end():
    print(len(failures), "failures")
    sys.exit(1 if failures else 0)
