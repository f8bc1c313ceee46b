# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Binary tensors by their descriptions alone, with struct and numpy: the other side of what the program reads and writes.

binary_formats.py write FOLDER           every variant of one 4-entry tensor of 4 x 3 x 70000
binary_formats.py check KIND FILE TEXT   FILE must hold what TEXT (.tns with a ParTI header) holds
"""
import os
import struct
import sys

import numpy as np

index = np.array([[0, 1, 2], [3, 0, 1], [1, 2, 69999], [2, 2, 2]])
values = np.array([1.5, 2, 3, 4.25])
dims = [4, 3, 70000]


def write_splatt(path, w, v):
    integer, real = {4: "<u4", 8: "<u8"}[w], {4: "<f4", 8: "<f8"}[v]
    with open(path, "wb") as f:
        f.write(struct.pack("<iQQ", 0, w, v))
        f.write(np.array([3, *dims, 4], integer).tobytes())
        f.write(index.T.astype(integer).tobytes())
        f.write(values.astype(real).tobytes())


def write_alto(path, w, v):
    integer, real = {4: "<u4", 8: "<u8"}[w], {4: "<f4", 8: "<f8"}[v]
    with open(path, "wb") as f:
        f.write(np.array([3, *dims, 4], integer).tobytes())
        f.write(index.T.astype(integer).tobytes())
        f.write(values.astype(real).tobytes())


def write_sptn(path, bits, float_bits):
    names = {16: "H", 32: "I", 64: "Q"}
    with open(path, "wb") as f:
        f.write(b"sptn" + struct.pack("<II", 3, float_bits))
        f.write(struct.pack("<3Q3QQ", *dims, *bits, 4))
        entry = "<" + "".join(names[b] for b in bits) + {32: "f", 64: "d"}[float_bits]
        for at, value in zip(index, values):
            f.write(struct.pack(entry, *map(int, at), value))


def write_dntn(path, float_bits):
    cube = np.zeros([4, 3, 5])
    cube[0, 1, 2], cube[3, 0, 1], cube[2, 2, 4] = 1.5, np.nan, -2
    with open(path, "wb") as f:
        f.write(b"dntn" + struct.pack("<II4Q", 3, float_bits, 4, 3, 5, 60))
        f.write(cube.ravel(order="F").astype({32: "<f4", 64: "<f8"}[float_bits]).tobytes())


def write(folder):
    for w in (4, 8):
        for v in (4, 8):
            write_splatt(os.path.join(folder, f"splatt_{w}_{v}.bin"), w, v)
            write_alto(os.path.join(folder, f"alto_{w}_{v}.bin"), w, v)
    for bits in ((16, 16, 32), (64, 16, 32), (64, 64, 64)):
        for float_bits in (32, 64):
            write_sptn(os.path.join(folder, f"sptn_{'_'.join(map(str, bits))}_{float_bits}.sptn"), bits, float_bits)
    for float_bits in (32, 64):
        write_dntn(os.path.join(folder, f"dntn_{float_bits}.dntn"), float_bits)


def read_splatt(data):
    magic, w, v = struct.unpack_from("<iQQ", data)
    assert magic == 0
    integer, real = {4: "<u4", 8: "<u8"}[w], {4: "<f4", 8: "<f8"}[v]
    order = int(np.frombuffer(data, integer, 1, 20)[0])
    head = np.frombuffer(data, integer, order + 2, 20)
    nnz, at = int(head[-1]), 20 + w * (order + 2)
    assert len(data) == at + w * order * nnz + v * nnz
    found = np.frombuffer(data, integer, order * nnz, at).reshape(order, nnz).T
    return list(head[1:-1]), found, np.frombuffer(data, real, nnz, at + w * order * nnz)


def read_alto(data):
    order = struct.unpack_from("<Q", data)[0]
    head = np.frombuffer(data, "<u8", order + 2)
    nnz, at = int(head[-1]), 8 * (order + 2)
    assert len(data) == at + 8 * nnz * (order + 1)
    found = np.frombuffer(data, "<u8", order * nnz, at).reshape(order, nnz).T
    return list(head[1:-1]), found, np.frombuffer(data, "<f8", nnz, at + 8 * order * nnz)


def read_sptn(data):
    assert data[:4] == b"sptn"
    order, float_bits = struct.unpack_from("<II", data, 4)
    numbers = struct.unpack_from(f"<{2 * order + 1}Q", data, 12)
    sizes, bits, nnz = numbers[:order], numbers[order : 2 * order], numbers[-1]
    entry = np.dtype([(f"i{n}", f"<u{b // 8}") for n, b in enumerate(bits)] + [("v", f"<f{float_bits // 8}")])
    at = 12 + 8 * len(numbers)
    assert len(data) == at + nnz * entry.itemsize
    table = np.frombuffer(data, entry, nnz, at)
    return list(sizes), np.column_stack([table[f"i{n}"] for n in range(order)]), table["v"]


def read_dntn(data):
    assert data[:4] == b"dntn"
    order, float_bits = struct.unpack_from("<II", data, 4)
    *sizes, cells = struct.unpack_from(f"<{order + 1}Q", data, 12)
    assert cells == np.prod(sizes)
    cube = np.frombuffer(data, f"<f{float_bits // 8}", cells, 12 + 8 * (order + 1)).reshape(sizes, order="F")
    return sizes, np.argwhere(cube), cube[cube != 0]


def check(kind, path, text):
    with open(path, "rb") as f:
        sizes, found, real = globals()["read_" + kind](f.read())
    with open(text) as f:
        lines = f.read().split("\n")
    expected = np.array([line.split() for line in lines[2:] if line], float)
    assert [int(size) for size in sizes] == [int(size) for size in lines[1].split()], sizes
    assert np.array_equal(found.astype(float) + 1, expected[:, :-1]), found
    if np.array_equal(real, real.astype("f4")):  # floats, perhaps written as doubles
        real, expected = real.astype("f4"), expected.astype("f4")
    assert np.array_equal(real, expected[:, -1]), real


if sys.argv[1] == "write":
    write(sys.argv[2])
else:
    check(*sys.argv[2:])
