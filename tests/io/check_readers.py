# SPDX-License-Identifier: BSD-3-Clause
# SPDX-FileCopyrightText: the Tessera developers
"""check_readers.py -- COMMAND...: has COMMAND write a file (its last argument), and reads it with h5py and h5dump.

Ends with 77 if neither is there."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy
except ImportError as error:
    h5py = None
    print(f"check_readers: without h5py ({error})")
h5dump = shutil.which("h5dump")
if not h5dump:
    print("check_readers: without h5dump")
if not h5py and not h5dump:
    print("check_readers: skipped, there is neither h5py nor h5dump here; install python3-h5py or hdf5-tools")
    sys.exit(77)

failures = []


def expect(what, condition):
    if not condition:
        failures.append(what)
        print(f"check_readers: WRONG: {what}")


def check_with_h5py(path):
    n = numpy.arange(15.0).reshape(5, 3)
    expected = {
        "int32": (7 - 3 * n).astype("int32"),
        "int64": (7 - 3 * n).astype("int64") << 40,
        "float32": (n / 4).astype("float32"),
        "float64": n / 3,
        "complex64": (n - 2.5j).astype("complex64"),
        "complex128": n / 3 + 1j * (1 - n),
    }
    with h5py.File(path, "r") as file:
        expect("the names of the datasets", sorted(file) == sorted([*expected, "deep", "empty"]))
        for name, values in expected.items():
            dataset = file[name]
            expect(f"type of {name}: {dataset.dtype}", dataset.dtype == values.dtype)
            expect(f"values of {name}: {dataset[()]}", numpy.array_equal(dataset[()], values))
            expect(f"{name} is contiguous", dataset.chunks is None)
            expect(f"element_type of {name}: {dataset.attrs['element_type']!r}", dataset.attrs["element_type"] == name)
            expect(f"tessera_version of {name}", re.fullmatch(r"\d+\.\d+\.\d+.*", dataset.attrs["tessera_version"]))
            cyclic = "cyclic" in dataset.attrs["layout"]
            expect(f"layout of {name}: {dataset.attrs['layout']}", cyclic == (name == "float64"))
        colours = file["deep/colours"]
        expect(f"type of colours: {colours.dtype}", colours.dtype == numpy.dtype("V3"))
        levels = numpy.frombuffer(colours[()].tobytes(), "uint8").reshape(15, 3)
        count = numpy.arange(15)
        expect("values of colours", numpy.array_equal(levels, numpy.stack([count, count + 100, 255 - count], axis=1)))
        expect("extents of empty", file["empty"].shape == (0,))


def check_with_h5dump(path):
    def dump(*options):
        return subprocess.run([h5dump, *options, path], check=True, capture_output=True, text=True).stdout

    expect("h5dump of everything", "DATASET \"float64\"" in dump())
    text = dump("-d", "int32", "-y", "-w", "200")
    expect(f"h5dump of int32: {text}", "H5T_STD_I32LE" in text and "( 5, 3 ) / ( 5, 3 )" in text)
    numbers = [int(x) for x in re.search(r"DATA \{(.*?)\}", text, re.S).group(1).replace(",", " ").split()]
    expect(f"values that h5dump shows: {numbers}", numbers == [7 - 3 * n for n in range(15)])
    expect("h5dump of empty", "( 0 ) / ( 0 )" in dump("-H", "-d", "empty"))


with tempfile.TemporaryDirectory() as directory:
    path = os.path.join(directory, "sample.h5")
    subprocess.run([*sys.argv[sys.argv.index("--") + 1:], path], check=True)
    expect("nothing but the file is left", os.listdir(directory) == ["sample.h5"])
    if h5py:
        check_with_h5py(path)
    if h5dump:
        check_with_h5dump(path)
sys.exit(1 if failures else 0)
