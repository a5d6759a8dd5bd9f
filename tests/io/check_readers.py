# SPDX-License-Identifier: BSD-3-Clause
# SPDX-FileCopyrightText: the Tessera developers
"""check_readers.py -- COMMAND... [-- TEST...]: has COMMAND write files (its last argument is the first), and reads them with
h5py and h5dump; has h5py write a file that TEST reads.

Ends with 77 if neither is there."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from xml.etree import ElementTree

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
            expect(f"shape of {name}: {dataset.attrs['shape']}", list(dataset.attrs["shape"]) == [5, 3])
            expect(f"name of {name}: {dataset.attrs['name']!r}", dataset.attrs["name"] == "unnamed")
        colours = file["deep/colours"]
        expect(f"type of colours: {colours.dtype}", colours.dtype == numpy.dtype("V3"))
        levels = numpy.frombuffer(colours[()].tobytes(), "uint8").reshape(15, 3)
        count = numpy.arange(15)
        expect("values of colours", numpy.array_equal(levels, numpy.stack([count, count + 100, 255 - count], axis=1)))
        expect("extents of empty", file["empty"].shape == (0,))


def check_files_with_h5py(path):
    n = numpy.arange(15.0).reshape(5, 3)
    with h5py.File(path + ".slice", "r") as file:
        expect(f"the slice: {file['slice'][()]}", numpy.array_equal(file["slice"][()], (n / 3)[1:5:2, ::2].T))
    with h5py.File(path + ".disk", "r") as file:
        expect("the disk array", numpy.array_equal(file["tensor"][()], (7 - 3 * n).astype("int64") << 40))
        chunked = file["deep/chunked"]
        expect("the disk array in chunks", numpy.array_equal(chunked[()], numpy.arange(140.0).reshape(20, 7)))
        expect("its chunks", chunked.chunks == (6, 4))
    with h5py.File(path + ".steps", "r") as file:
        packed, steps = file["packed"], file["run/steps"]
        expect("values of packed", numpy.array_equal(packed[()], n / 3))
        expect("how packed is stored", (packed.chunks, packed.compression, packed.compression_opts, packed.shuffle)
               == ((2, 3), "gzip", 6, True))
        expect(f"steps: {steps.shape}, {steps.maxshape}", (steps.shape, steps.maxshape) == ((3, 5, 3), (None, 5, 3)))
        expect("values of steps", all(numpy.array_equal(step, (n - 2.5j).astype("complex64")) for step in steps))
        expect(f"last: {steps.attrs['last']!r}", steps.attrs["last"] == 2 and steps.attrs["last"].dtype == "int32")
        expect(f"title: {file.attrs['title']!r}", file.attrs["title"] == "gr\u00f6\u00dfe")
        expect("times", numpy.array_equal(file["run"].attrs["times"], [0.5, 1.5, 2.5]))
        expect(f"words: {file['run'].attrs['words']}", list(file["run"].attrs["words"]) == ["a", "bc"])


def numbers(text):
    return [float(x) for x in text.split()]


def check_xdmf(path, times, dims, origin, spacing, fields):
    """The list of steps is XML, and each dataset that it names is there, with that shape and type."""
    collection = ElementTree.parse(path).getroot().find("Domain/Grid")
    expect("a collection in time", collection.attrib["CollectionType"] == "Temporal")
    grids = collection.findall("Grid")
    found = [float(grid.find("Time").attrib["Value"]) for grid in grids]
    expect(f"times of {path}: {found}", found == times)
    for grid in grids:
        topology, geometry = grid.find("Topology"), grid.find("Geometry").findall("DataItem")
        expect("the grid", topology.attrib["TopologyType"] == f"{len(dims)}DCoRectMesh")
        expect("its points", numbers(topology.attrib["Dimensions"]) == dims)
        expect("its origin and spacing", [numbers(item.text) for item in geometry] == [origin, spacing])
        seen = {}
        for attribute in grid.findall("Attribute"):
            item = attribute.find("DataItem")
            shape = [int(x) for x in item.attrib["Dimensions"].split()]
            file, dataset = item.text.strip().split(":", 1)
            seen[attribute.attrib["Name"]] = (attribute.attrib["AttributeType"], attribute.attrib["Center"], shape)
            with h5py.File(os.path.join(os.path.dirname(path), file), "r") as data:
                expect(f"{item.text} has shape {shape}", list(data[dataset].shape) == shape)
                kind = {"Float": "f", "Int": "i"}[item.attrib["NumberType"]]
                expect(f"type of {item.text}", data[dataset].dtype == kind + item.attrib["Precision"])
        expect(f"fields of {path}: {seen}", seen == fields)


def check_h5py_file(path, command):
    """What h5py writes, test_io_foreign reads."""
    n = numpy.arange(60.0).reshape(6, 10)
    with h5py.File(path, "w") as file:
        file.create_dataset("packed", data=n.astype(">f8"), chunks=(4, 3), compression="gzip", shuffle=True)
        file["half"] = (n / 4).astype("float16")
        file["truth"] = numpy.array([True, False, True])
        file["group/complex"] = (n - 1j * n).astype("complex128")
        file.attrs["title"] = "gr\u00f6\u00dfe"
        file["group"].attrs["fixed"] = numpy.bytes_("bytes")
        file["packed"].attrs["scale"] = numpy.array([1.5, 2.5], dtype="float32")
        file["packed"].attrs["flag"] = True
        file["packed"].attrs["words"] = ["a", "bc"]
    done = subprocess.run(command, env={**os.environ, "TESSERA_TEST_H5PY_FILE": path}, capture_output=True, text=True)
    expect(f"what h5py has written is read: {done.stdout}{done.stderr}",
           done.returncode == 0 and "all passed" in done.stdout and "skipped" not in done.stdout.lower())


def check_with_h5dump(path):
    def dump(*options):
        return subprocess.run([h5dump, *options, path], check=True, capture_output=True, text=True).stdout

    expect("h5dump of everything", "DATASET \"float64\"" in dump())
    text = dump("-d", "int32", "-y", "-w", "200")
    expect(f"h5dump of int32: {text}", "H5T_STD_I32LE" in text and "( 5, 3 ) / ( 5, 3 )" in text)
    numbers = [int(x) for x in re.search(r"DATA \{(.*?)\}", text, re.S).group(1).replace(",", " ").split()]
    expect(f"values that h5dump shows: {numbers}", numbers == [7 - 3 * n for n in range(15)])
    expect("h5dump of empty", "( 0 ) / ( 0 )" in dump("-H", "-d", "empty"))


arguments = sys.argv[sys.argv.index("--") + 1:]
end = arguments.index("--") if "--" in arguments else len(arguments)
command, tests = arguments[:end], arguments[end + 1:]
with tempfile.TemporaryDirectory() as directory:
    path = os.path.join(directory, "sample.h5")
    subprocess.run([*command, path], check=True)
    steps = [f"flat.step{i:06}.h5" for i in range(3)] + ["flat.xmf", "solid.step000000.h5", "solid.xmf"]
    files = ["sample.h5", "sample.h5.disk", "sample.h5.slice", "sample.h5.steps"]
    expect(f"nothing else is left: {os.listdir(directory)}", sorted(os.listdir(directory)) == sorted(steps + files))
    if h5py:
        check_with_h5py(path)
        check_files_with_h5py(path)
        check_xdmf(os.path.join(directory, "flat.xmf"), [0.0, 0.1, 0.2], [5, 3], [1, 2], [0.5, 0.25],
                   {"T": ("Scalar", "Node", [5, 3]), "p": ("Scalar", "Cell", [4, 2]), "u": ("Vector", "Node", [5, 3, 3])})
        check_xdmf(os.path.join(directory, "solid.xmf"), [1e-9], [2, 3, 4], [0, 0, 0], [1, 1, 1],
                   {"u": ("Vector", "Node", [2, 3, 4, 3]), "v": ("Vector", "Node", [2, 3, 4, 3]),
                    "n": ("Scalar", "Node", [2, 3, 4])})
        if tests:
            check_h5py_file(os.path.join(directory, "theirs.h5"), tests)
    if h5dump:
        check_with_h5dump(path)
sys.exit(1 if failures else 0)
