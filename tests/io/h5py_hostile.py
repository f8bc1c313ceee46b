# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes HDF5 files that lie about what they hold, into the folder given. The small ones are also kept in tests/data/bad."""
import json
import os
import struct
import sys

import h5py
import numpy as np

index = np.array([[0, 1, 2], [3, 0, 1], [1, 2, 0], [2, 2, 2]])
values = np.array([1.5, 2, 3, 4.25])


def path(name):
    return os.path.join(sys.argv[1], name)


def file(name):
    return h5py.File(path(name), "w", libver="earliest")


def patch(name, old, new):
    """Old headers carry no checksum, so a number in them can simply be replaced."""
    with open(path(name), "rb") as f:
        data = f.read()
    assert old in data, name
    with open(path(name), "wb") as f:
        f.write(data.replace(old, new))


with file("no_data_packed.h5") as f:
    f.create_dataset("subs", shape=(2**40, 3), dtype="i8", chunks=(1024, 3), compression="gzip")
    f.create_dataset("vals", shape=(2**40,), dtype="f8", chunks=(1024,), compression="gzip")
with file("no_data_plain.h5") as f:
    f["subs"] = index
    f.create_dataset("vals", shape=(4,), dtype="f8")
with file("no_data_past_end.h5") as f:
    f["subs"] = index
    f.create_dataset("vals", data=np.arange(1234.0))
patch("no_data_past_end.h5", struct.pack("<Q", 1234), struct.pack("<Q", 2**37))
patch("no_data_past_end.h5", struct.pack("<Q", 1234 * 8), struct.pack("<Q", 2**40))
with file("huge_chunk.h5") as f:
    f["subs"] = index
    f.create_dataset("vals", data=np.ones((4, 1)), chunks=(4, 1), maxshape=(None, None), compression="gzip")
patch("huge_chunk.h5", struct.pack("<III", 4, 1, 8), struct.pack("<III", 2**20, 2**20, 8))
with file("large_chunk.h5") as f:
    f["subs"] = index
    f.create_dataset("vals", data=values, chunks=(2**26,), maxshape=(None,), compression="gzip")
with file("external_raw.h5") as f:
    f["subs"] = index
    f.create_dataset("vals", shape=(4,), dtype="f8", external=[("/etc/passwd", 0, 32)])
with file("external_link.h5") as f:
    f["subs"] = index
    f["vals"] = h5py.ExternalLink("other.h5", "/vals")
with file("external_link_named.h5") as f:
    f["group"] = h5py.ExternalLink("other.h5", "/")
with file("soft_link.h5") as f:
    f["tensor/indices_0"] = index[:, 0]
    f["tensor/indices_1"] = h5py.SoftLink("/elsewhere")
    f["tensor/values"] = values
    f["tensor"].attrs["binsparse"] = json.dumps({"version": "0.1", "format": "COO", "shape": [9, 9], "number_of_stored_values": 4})
with h5py.File(path("virtual.h5"), "w") as f:
    f["subs"] = index
    layout = h5py.VirtualLayout(shape=(4,), dtype="f8")
    layout[:] = h5py.VirtualSource("other.h5", "vals", shape=(4,))
    f.create_virtual_dataset("vals", layout)
with file("unknown_filter.h5") as f:
    f["subs"] = index
    f.create_dataset("vals", data=values, compression="lzf")
for name, shape, number in (("nnz_2_63.h5", [9, 9], 2**63), ("dims_overflow.h5", [2**63, 2**63], 4), ("dims_zero.h5", [0, 9], 4),
                            ("order_17.h5", [2] * 17, 4), ("order_1.h5", [9], 4)):
    with file(name) as f:
        f["indices_0"] = index[:, 0].astype("u4")
        f["indices_1"] = index[:, 1].astype("u4")
        f["values"] = values
        f.attrs["binsparse"] = json.dumps({"binsparse": {"version": "0.1", "format": "COO", "shape": shape, "number_of_stored_values": number}})
with file("rank_overflow.h5") as f:
    f.create_dataset("subs", shape=(2**32, 2**32, 2**32), dtype="i1", chunks=(64, 64, 64), compression="gzip")
    f["vals"] = values
with file("iso_dense.h5") as f:
    f["values"] = values[:1]
    f.attrs["binsparse"] = json.dumps({"binsparse": {"version": "0.1", "format": "DMAT", "shape": [8192, 8192], "number_of_stored_values": 2**26,
                                                     "data_types": {"values": "iso[float64]"}}})
for name, text in (("nest.h5", "[" * 60000), ("not_json.h5", "{]"),
                   ("deep_structure.h5", '{"binsparse": {"version": "0.1", "structure": ' + "[" * 200000 + "]" * 200000 + "}}"),
                   ("long_structure.h5", json.dumps({"binsparse": {"version": "0.1", "structure": "x" * 100000}}))):
    with file(name) as f:
        f["values"] = values
        f.attrs["binsparse"] = text
with file("loop.h5") as f:
    for n in range(3):
        f[f"a{n}"] = f["/"]
with file("many.h5") as f:
    for n in range(11000):
        f.create_group(f"g{n}")
