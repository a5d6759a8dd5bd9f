# SPDX-License-Identifier: BSD-3-Clause
# SPDX-FileCopyrightText: the Tessera developers
"""check_pictures.py PROGRAM -- LAUNCHER...: has PROGRAM write pictures and time series on several numbers of ranks and
nodes, and reads them: PNG with zlib alone, CSV with Python's csv module, HDF5 with h5py, if it is there."""

import csv
import math
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

try:
    import h5py
    import numpy
except ImportError as error:
    h5py = None
    print(f"check_pictures: without h5py ({error})")

failures = []


def expect(what, condition):
    if not condition:
        failures.append(what)
        print(f"check_pictures: WRONG: {what}")


def chunks_of(data):
    """The chunks of a PNG file, whose checksums are right (PNG specification, third edition, 5.3)."""
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError("no PNG file")
    at = 8
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if zlib.crc32(kind + body) != struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0]:
            raise ValueError(f"wrong checksum of {kind}")
        yield kind, body
        at += 12 + size


def paeth(left, above, corner):
    guess = left + above - corner
    return min((left, above, corner), key=lambda each: abs(guess - each))


def unfiltered(data, width, height):
    """The bytes of pixels of one byte each (9.2)."""
    above = [0] * width
    for y in range(height):
        kind, row = data[y * (width + 1)], list(data[y * (width + 1) + 1:(y + 1) * (width + 1)])
        if kind > 4:
            raise ValueError(f"filter {kind}")
        for x in range(width if kind else 0):
            left, corner = (row[x - 1], above[x - 1]) if x else (0, 0)
            row[x] = (row[x] + [0, left, above[x], (left + above[x]) // 2, paeth(left, above[x], corner)][kind]) & 255
        yield row
        above = row


def picture(path):
    """The rows of colours, and the palette."""
    chunks = list(chunks_of(path.read_bytes()))
    expect(f"chunks of {path.name}", [kind for kind, _ in chunks if kind != b"IDAT"] == [b"IHDR", b"sRGB", b"PLTE", b"IEND"])
    width, height, depth, colour, compression, filtering, interlace = struct.unpack(">IIBBBBB", dict(chunks)[b"IHDR"])
    expect(f"kind of {path.name}", (depth, colour, compression, filtering, interlace) == (8, 3, 0, 0, 0))
    palette = dict(chunks)[b"PLTE"]
    palette = [tuple(palette[i:i + 3]) for i in range(0, len(palette), 3)]
    pixels = zlib.decompress(b"".join(body for kind, body in chunks if kind == b"IDAT"))
    expect(f"size of {path.name}", len(pixels) == height * (width + 1))
    return [[palette[i] for i in row] for row in unfiltered(pixels, width, height)], palette


def check_pictures(directory):
    rows, _ = picture(directory / "field.png")
    wanted = [[(round((7 * i + 13 * j) % 251 * 255 / 250 + 1e-9),) * 3 for j in range(60)] for i in range(40)]
    expect("pixels of field.png", rows == wanted)
    _, palette = picture(directory / "map.png")
    expect("ends of viridis", (palette[0], palette[250]) == ((0x44, 0x01, 0x54), (0xfd, 0xe7, 0x25)))
    luminance = [0.2126 * (r / 255)**2.2 + 0.7152 * (g / 255)**2.2 + 0.0722 * (b / 255)**2.2 for r, g, b in palette[:251]]
    expect("viridis becomes lighter", all(a < b for a, b in zip(luminance[::5], luminance[5::5])))
    try:
        from matplotlib import colormaps
    except ImportError:
        return
    colours = colormaps["viridis"].colors
    for i in range(251):
        before, part = divmod(i * 255, 250)
        after = colours[min(before + 1, 255)]
        near = [255 * (a * (250 - part) + b * part) / 250 for a, b in zip(colours[before], after)]
        expect(f"colour {i} of viridis: {palette[i]}", all(abs(a - b) <= 1.6 for a, b in zip(near, palette[i])))


def same(found, wanted):
    return len(found) == len(wanted) and all(a == b or (math.isnan(a) and math.isnan(b)) for a, b in zip(found, wanted))


def wanted_row(step):
    v = math.nan if step == 3 else -math.inf if step == 4 else 1e300 * step
    return [(step + i) / 3 for i in (0, 7, 3)] + [v] * 3


def check_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        header, *rows = list(csv.reader(file))
    names = ['größe, "a" (0, 0)', "(7, 8)", "(3, 4)"]
    expect(f"header: {header}", header == ["time"] + ["u " + name for name in names] + ["v " + name for name in names])
    expect(f"rows: {rows}", len(rows) == 5)
    for step, row in enumerate(rows):
        expect(f"row {step}: {row}", same([float(text) for text in row], [0.1 * step] + wanted_row(step)))
    try:
        import pandas
    except ImportError:
        return
    frame = pandas.read_csv(path)
    expect("what pandas reads", all(same(list(frame.iloc[step]), [0.1 * step] + wanted_row(step)) for step in range(5)))


def check_hdf5(directory):
    with h5py.File(directory / "probes.h5", "r") as file:
        expect(f"datasets: {sorted(file)}", sorted(file) == ["positions", "time", "u", "v"])
        expect("times", same(list(file["time"]), [0.1 * step for step in range(5)]))
        expect("positions", file["positions"][()].tolist() == [[0, 0], [7, 8], [3, 4]])
        expect("names", list(file["positions"].attrs["names"]) == ['größe, "a"', "(7, 8)", "(3, 4)"])
        for step in range(5):
            expect(f"values {step}", same(list(file["u"][step]) + list(file["v"][step]), wanted_row(step)))
        expect("it can grow", (file["u"].maxshape, file["time"].maxshape) == ((None, 3), (None,)))
    with h5py.File(directory / "integers.hdf5", "r") as file:
        values = file["values"]
        expect("integers", values.dtype == numpy.int64 and values.shape == (2000, 3) and (values[()] == -2**63).all())
        expect("their times", file["time"][()].tolist() == list(range(2000)))


def main():
    program, separator, *launcher = sys.argv[1:]
    if separator != "--":
        sys.exit(__doc__)
    first = None
    with tempfile.TemporaryDirectory() as top:
        for ranks, node_size in (1, None), (2, None), (3, None), (3, 1), (4, 2):
            directory = pathlib.Path(top) / f"{ranks}-{node_size}"
            directory.mkdir()
            environment = dict(os.environ)
            if node_size:
                environment["TESSERA_NODE_SIZE"] = str(node_size)
            subprocess.run([*launcher, "-n", str(ranks), program, str(directory)], check=True, env=environment, timeout=120)
            files = {path.name: path.read_bytes() for path in directory.iterdir() if path.suffix in (".png", ".csv")}
            first = first or (directory, files)
            expect(f"files of {ranks} ranks on nodes of {node_size}", files == first[1])
        directory, files = first
        if "field.png" in files:
            check_pictures(directory)
        else:
            print("check_pictures: without pictures")
        check_csv(directory / "probes.csv")
        if h5py:
            check_hdf5(directory)
    print(f"check_pictures: {len(failures)} wrong")
    sys.exit(1 if failures else 0)


main()
