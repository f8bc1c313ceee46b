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

with file("no_text_table.h5") as f:
    f["ratings"] = np.zeros(4, [("i", "<i4"), ("j", "S8"), ("rating", "f8")])
with file("no_swapped_table.h5") as f:  # the value is not the last member
    f["ratings"] = np.zeros(4, [("rating", "f8"), ("i", "<i4"), ("j", "<i4")])
with file("no_nan_table.h5") as f:
    f["ratings"] = np.where(columns == 3, np.nan, columns)
with file("no_nan_value_table.h5") as f:
    f["ratings"] = columns * [1, 1, 1, np.nan]
with file("no_negative_table.h5") as f:
    f["ratings"] = columns - [1, 0, 0, 0]
with file("no_large_table.h5") as f:
    f["ratings"] = columns + [2.0**33, 0, 0, 0]
with file("no_wide_table.h5") as f:
    f["ratings"] = np.zeros((4, 20))
with file("no_line.h5") as f:
    f["line"] = values
with file("no_text_cube.h5") as f:
    f["cube"] = np.zeros(dims, "S4")
with file("no_data_cube.h5") as f:  # 2^60 elements, none stored
    f.create_dataset("cube", (2**20, 2**20, 2**20), "f4", chunks=(64, 64, 64), compression="gzip")
with file("no_data_table.h5") as f:
    f.create_dataset("ratings", (2**38, 4), "f8", chunks=(1024, 4), compression="gzip")
with file("no_past_cube.h5") as f:  # a mode of more than 2^32 - 1
    f.create_dataset("cube", (2**33, 2, 2), "f4", chunks=(1024, 2, 2), compression="gzip")

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
with file("no_object.mat", 512) as f:
    f["#subsystem#/x"] = 1
    f["X"] = np.zeros((6, 1), "u4")

# Compressed: the same entries in other orders of storage, and matrices of 3 rows and 4 columns.
def describe(f, form, shape, nnz, levels=None, transpose=None, types=None, **more):
    text = {"version": "0.1", "format": form, "shape": shape, "number_of_stored_values": nnz, "data_types": types or {"values": "float64"}, **more}
    if levels:
        level = {"level_desc": "element"}
        for kind, rank in reversed(levels):
            level = {"level_desc": kind, "rank": rank, "level": level}
        text["custom"] = {"level": level}
        if transpose:
            text["custom"]["transpose"] = transpose
    f.attrs["binsparse"] = json.dumps({"binsparse": text})


def compress(order_of_storage, ranks):
    """indices_k and pointers_to_k of sparse levels of these ranks, and the values, from the 4 entries."""
    order = np.lexsort(tuple(index[:, m] for m in reversed(order_of_storage)))
    at, data = index[order][:, order_of_storage], {}
    parents = np.zeros(len(at), int)
    first = 0
    for rank in ranks:
        keys, own = np.unique(np.column_stack([parents, at[:, first:first + rank]]), axis=0, return_inverse=True)
        for k in range(rank):
            data[f"indices_{first + k}"] = keys[:, 1 + k].astype(["u1", "u4", "i8"][first + k])
        if first:
            data[f"pointers_to_{first}"] = np.searchsorted(keys[:, 0], np.arange(parents.max() + 2)).astype("u8")
        parents, first = own.ravel(), first + rank
    data["values"] = values[order]
    return data


def put(f, data):
    for name, array in data.items():
        f[name] = array


for name, storage, ranks in (("csf", (0, 1, 2), (1, 1, 1)), ("csf_turned", (2, 0, 1), (1, 1, 1)), ("csf_pair", (1, 0, 2), (1, 2))):
    with file(f"binsparse_{name}.h5") as f:
        put(f, compress(list(storage), ranks))
        describe(f, "custom", dims, 4, [("sparse", rank) for rank in ranks], list(storage))
with file("binsparse_dense_outside.h5") as f:  # 4 x 3 lists of mode 2
    order = np.lexsort(index.T[::-1])
    f["pointers_to_2"] = np.searchsorted(index[order] @ [3, 1, 0], np.arange(13)).astype("i4")
    f["indices_2"] = index[order][:, 2].astype("u2")
    f["values"] = values[order]
    describe(f, "custom", dims, 4, [("dense", 2), ("sparse", 1)])
filled = np.zeros(dims)
filled[tuple(index.T)] = values
with file("zeros_dense_inside.h5") as f:  # pairs (0, 1) with all of mode 2
    pairs = np.argwhere(filled.any(axis=2))
    f["indices_0"], f["indices_1"] = pairs.T
    f["values"] = filled[tuple(pairs.T)].ravel()
    describe(f, "custom", dims, 12, [("sparse", 2), ("dense", 1)])
with file("zeros_dense_turned.h5") as f:
    f.create_dataset("values", data=filled.transpose(2, 0, 1).ravel(), chunks=(5,), compression="gzip")
    describe(f, "custom", dims, 36, [("dense", 1), ("dense", 2)], [2, 0, 1])

matrix = np.array([[0, 1.5, 0, 2], [0, 0, 0, 0], [3, 0, 4.25, 0]])
rows, columns = np.nonzero(matrix)
turned = np.lexsort((rows, columns))
pointers = lambda at, size: np.searchsorted(at, np.arange(size + 1))
csr = {"indptr": pointers(rows, 3), "indices": columns, "data": matrix[rows, columns]}
csc = {"indptr": pointers(columns[turned], 4), "indices": rows[turned], "data": matrix[rows, columns][turned]}
dcsr = {"indices_0": [0, 2], "pointers_to_1": [0, 2, 4], "indices_1": columns, "values": matrix[rows, columns]}
dcsc = {"indices_0": [0, 1, 2, 3], "pointers_to_1": [0, 1, 2, 3, 4], "indices_1": rows[turned], "values": csc["data"]}
as_binsparse = lambda parts: {"pointers_to_1": parts["indptr"], "indices_1": parts["indices"], "values": parts["data"]}
for form, parts in (("CSR", as_binsparse(csr)), ("CSC", as_binsparse(csc)), ("DCSR", dcsr), ("DCSC", dcsc),
                    ("COOR", {"indices_0": rows, "indices_1": columns, "values": csr["data"]}),
                    ("COOC", {"indices_0": columns[turned], "indices_1": rows[turned], "values": csc["data"]})):
    with file(f"matrix_{form}.h5") as f:
        put(f, parts)
        describe(f, form, [3, 4], 4)
for name, parts, attributes in (("anndata_csr", csr, {"encoding-type": "csr_matrix", "encoding-version": "0.1.0", "shape": [3, 4]}),
                                ("anndata_csc", csc, {"encoding-type": "csc_matrix", "encoding-version": "0.1.0", "shape": [3, 4]}),
                                ("h5sparse_csr", csr, {"h5sparse_format": "csr", "h5sparse_shape": [3, 4]}),
                                ("h5sparse_csc", csc, {"h5sparse_format": "csc", "h5sparse_shape": [3, 4]}),
                                ("bare_csr", csr, {"shape": [3, 4]}), ("bare_csc", csc, {"shape": [3, 4]})):
    with file(f"matrix_{name}.h5") as f:
        put(f, {"X/" + key: value for key, value in parts.items()})
        f["obs/_index"] = ["a", "b", "c"]
        f["obs"].attrs["encoding-type"] = "dataframe"
        for key, value in attributes.items():
            f["X"].attrs[key] = value
with file("matrix_10x.h5") as f:
    put(f, {"matrix/" + key: value for key, value in csc.items()})
    f["matrix/shape"] = np.array([3, 4], "i4")
    f["matrix/barcodes"] = ["a", "b", "c", "d"]
with file("iso_csr.h5") as f:
    put(f, {"pointers_to_1": csr["indptr"], "indices_1": columns, "values": [7.0]})
    describe(f, "CSR", [3, 4], 4, types={"values": "iso[float64]"})


def lie(name, change, form="CSR", parts=None, levels=None, shape=(3, 4), nnz=4, **more):
    parts = dict(parts or as_binsparse(csr))
    with file(name) as f:
        parts.update(change)
        put(f, {key: value for key, value in parts.items() if value is not None})
        describe(f, form, list(shape), nnz, levels, **more)


lie("no_pointers_fall.h5", {"pointers_to_1": [0, 3, 2, 4]})
lie("no_pointers_negative.h5", {"pointers_to_1": [0, -2, 2, 4]})
lie("no_pointers_from_one.h5", {"pointers_to_1": [1, 2, 2, 4]})
lie("no_pointers_past.h5", {"pointers_to_1": [0, 2, 2, 5]})
lie("no_pointers_short.h5", {"pointers_to_1": [0, 2, 2, 3]})
lie("no_pointers_few.h5", {"pointers_to_1": [0, 2, 4]})
lie("no_pointers_none.h5", {"pointers_to_1": None})
lie("no_values_few.h5", {"values": [1.0, 2, 3]})
lie("no_index_past.h5", {"indices_1": [1, 4, 0, 2]})
lie("no_index_negative.h5", {"indices_1": [1, -3, 0, 2]})
lie("no_levels.h5", {}, "custom")
lie("no_format.h5", {}, "ELL")
lie("no_level_kind.h5", {}, "custom", levels=[("dense", 1), ("banded", 1)])
lie("no_level_ranks.h5", {}, "custom", levels=[("dense", 1), ("sparse", 2)])
lie("no_level_missing.h5", {}, "custom", levels=[("dense", 1)])
lie("no_cube_as_csr.h5", {}, shape=(3, 4, 2))
lie("no_structure.h5", {}, structure="symmetric_lower")
lie("no_complex_csr.h5", {}, types={"values": "complex[float64]"})
lie("no_fill.h5", {"fill_value": [1.0]})
lie("no_iso_huge.h5", {"values": [1.0], "pointers_to_1": None, "indices_1": None}, "custom", levels=[("dense", 2)], shape=(4294967295, 4294967295),
    nnz=2**40, types={"values": "iso[float64]"})
with file("no_square.h5") as f:
    put(f, {"indptr": [0, 1, 2], "indices": [0, 1], "data": [1.0, 2.0], "shape": [2, 2]})
with file("no_indptr_length.h5") as f:
    put(f, {"indptr": [0, 1], "indices": [0, 1], "data": [1.0, 2.0], "shape": [3, 4]})
with file("no_encoding.h5") as f:
    put(f, {**csr, "shape": [3, 4]})
    f.attrs["encoding-type"] = "bsr_matrix"
