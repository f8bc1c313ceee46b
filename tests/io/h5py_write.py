# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes one 4-entry tensor in every spelling that people and programs use, into the folder given.

Entries (from 0): (0,1,2) 1.5   (3,0,1) 2   (1,2,0) 3   (2,2,2) 4.25   dims 4 × 3 × 3
"""
import json
import os
import sys

import h5py
import numpy as np

index = np.array([[0, 1, 2], [3, 0, 1], [1, 2, 0], [2, 2, 2]])
values = np.array([1.5, 2, 3, 4.25])
dims = [4, 3, 3]
matlab = np.bytes_("double")


def file(name, userblock=0):
    return h5py.File(os.path.join(sys.argv[1], name), "w", libver="earliest", userblock_size=userblock)


def attribute_matlab(dataset):
    dataset.attrs["MATLAB_class"] = matlab


with file("pytorch.h5") as f:
    f["indices"] = index.T.astype("i8")
    f["values"] = values.astype("f4")
with file("pydata.h5") as f:
    f["coords"] = index.T.astype("u8")
    f["data"] = values
    f["shape"] = dims
with file("tensorflow.h5") as f:
    f["indices"] = index.astype("i8")
    f["values"] = values.astype("f2")
    f["dense_shape"] = dims
with file("matlab.mat", 512) as f:
    for name, data in (("subs", index.T + 1.0), ("vals", values.reshape(1, 4)), ("size", np.array([dims], float).T)):
        f[name] = data
        attribute_matlab(f[name])
with file("pyttb.h5") as f:
    f["subs"] = index
    f["vals"] = values.reshape(4, 1)
    f.attrs["shape"] = dims
with file("shape_on_values.h5") as f:
    f["Subscripts"] = index.astype("i2")
    f["Value"] = values
    f["Value"].attrs["DIMS"] = dims
with file("shape_on_group.h5") as f:
    f["indices"] = index
    f["data"] = values
    f.attrs["Dense_Shape"] = [5, 6, 7]
with file("from_one.h5") as f:
    f["idx"] = index + 1
    f["val"] = values
    f["size"] = dims
with file("matlab_from_zero.h5") as f:
    f["subs"] = index.T.astype("f8")
    attribute_matlab(f["subs"])
    f["vals"] = values
for prefix, first in (("indices_", 0), ("mode_", 1), ("idx_", 0), ("i_", 1)):
    with file(f"per_mode_{prefix}{first}.h5") as f:
        for n in range(3):
            f[f"{prefix}{n + first}"] = index[:, n].astype(["u1", "i4", "u8"][n])
        f["values"] = values
with file("in_a_group.h5") as f:
    f["other/thing"] = 1
    f["deep/down/coordinates"] = index
    f["deep/down/values"] = values
with file("packed.h5") as f:
    f.create_dataset("subs", data=index, chunks=(3, 2), compression="gzip", shuffle=True, fletcher32=True)
    f.create_dataset("vals", data=values, chunks=(3,), compression="gzip")
with file("big_endian.h5") as f:
    f["subs"] = index.astype(">i4")
    f["vals"] = values.astype(">f8")
with file("binsparse_custom.h5") as f:
    for k, mode in enumerate((2, 0, 1)):
        f[f"indices_{k}"] = index[:, mode].astype("u8")
    f["values"] = values
    f.attrs["binsparse"] = json.dumps({"binsparse": {
        "version": "0.1", "format": "custom", "shape": dims, "number_of_stored_values": 4,
        "data_types": {"values": "float64"},
        "custom": {"transpose": [2, 0, 1], "level": {"level_desc": "sparse", "rank": 3, "level": {"level_desc": "element"}}}}})

# Read on request only.
compound = np.zeros(4, [("i", "<i4"), ("j", ">u2"), ("k", "u1"), ("rating", "f8")])
for name, column in zip(("i", "j", "k", "rating"), (*index.T, values)):
    compound[name] = column
columns = np.column_stack([index, values])
with file("table_compound.h5") as f:
    f.create_dataset("deep/ratings", data=compound, chunks=(3,), compression="gzip")
    f["deep/shape"] = dims
with file("table_floats.h5") as f:
    f["ratings"] = columns.astype("f4")
with file("table_from_one.h5") as f:
    f["ratings"] = columns + [1, 1, 1, 0]
    f["ratings"].attrs["shape"] = dims
array = np.full(dims, np.nan)
array[tuple(index.T)] = values
array[0, 0, 0] = 0
with file("dense.h5") as f:
    f.create_dataset("cube", data=array, chunks=(3, 2, 2), compression="gzip")
with file("dense_integers.h5") as f:
    f["cube"] = np.nan_to_num(array * 4).astype("i8")
with file("no_fraction_table.h5") as f:
    f["ratings"] = columns + [0, 0.5, 0, 0]
with file("no_matrix.h5") as f:
    f["plane"] = array[0]
with file("no_infinity.h5") as f:
    f["cube"] = array + [[[np.inf, 0, 0]]]

square = np.arange(9).reshape(3, 3)
with file("as_many_as_modes_subs.h5") as f:  # nnz = N: subs holds an entry a row …
    f["subs"] = square
    f["vals"] = [1.0, 2, 3]
with file("as_many_as_modes_indices.h5") as f:  # … indices a mode a row
    f["indices"] = square
    f["values"] = [1.0, 2, 3]
with file("binsparse_coo.h5") as f:
    f["indices_0"] = np.array([0, 1], "u4")
    f["indices_1"] = np.array([1, 0], "u4")
    f["values"] = np.array([7], "i4")
    f.attrs["binsparse"] = json.dumps({"version": "0.1.0", "format": "COO", "shape": [2, 2], "number_of_stored_values": 2,
                                       "data_types": {"values": "iso[int32]"}})
with file("booleans.h5") as f:
    f["coords"] = index.T
    f["data"] = np.array([True, False, True, True])
with file("integers.h5") as f:
    f["coords"] = index.T
    f["data"] = np.array([1, 2, 3, 2**24 + 1], "i8")

# Refused, each for its own reason.
with file("no_two_tensors.h5") as f:
    for group in "ab":
        f[group + "/subs"] = index
        f[group + "/vals"] = values
with file("no_indices.h5") as f:
    f["vals"] = values
with file("no_rows.h5") as f:
    f["indptr"] = [0, 1, 2]
    f["indices"] = [0, 1]
    f["data"] = [1.0, 2.0]
with file("no_negative.h5") as f:
    f["subs"] = index - 1
    f["vals"] = values
with file("no_fraction.h5") as f:
    f["subs"] = index + 0.5
    f["vals"] = values
with file("no_nan.h5") as f:
    f["subs"] = index
    f["vals"] = values * np.nan
with file("no_past_shape.h5") as f:
    f["subs"] = index
    f["vals"] = values
    f["size"] = [3, 3, 3]
with file("no_complex.h5") as f:
    f["subs"] = index
    f["vals"] = values + 1j
with file("no_lengths.h5") as f:
    f["subs"] = index
    f["vals"] = values[:2]
with file("no_csr.h5") as f:
    f["values"] = values
    f.attrs["binsparse"] = json.dumps({"version": "0.1", "format": "CSR", "shape": [2, 2], "number_of_stored_values": 4})
with file("no_object.mat", 512) as f:
    f["#subsystem#/x"] = 1
    f["X"] = np.zeros((6, 1), "u4")
