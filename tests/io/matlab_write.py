# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes MATLAB files of versions 4, 5 and 7.3, good and bad ones, into the folder given.

tensor_*: (0,1,2) 1.5   (3,0,1) 2   (1,2,0) 3   (2,2,2) 4.25   dims 4 × 3 × 3
matrix_*: the values of `matrix` below   dense_*: dims 4 × 3 × 5, element (i, j, k) is 15i + 5j + k
large_*: 70,000 entries of 300 × 500, row·1000 + column
"""
import os
import struct
import sys
import zlib

import h5py
import numpy as np
import scipy.io as sio
import scipy.sparse as sp


def path(name):
    return os.path.join(sys.argv[1], name)


index = np.array([[0, 1, 2], [3, 0, 1], [1, 2, 0], [2, 2, 2]])
values = np.array([[1.5, 2, 3, 4.25]]).T
shape = np.array([[4, 3, 3]], float)
matrix = np.array([[0, 1.5, 0, 2], [0, 0, 0, 0], [3, 0, 4.25, 0]])
cells = np.arange(60).reshape(4, 3, 5)
sptensor = {"subs": index + 1.0, "vals": values, "size": shape}
rng = np.random.default_rng(1)
at = np.sort(rng.choice(300 * 500, 70000, replace=False))
large = sp.csc_matrix((np.maximum(at // 500 * 1000.0 + at % 500, 0.5), (at // 500, at % 500)), shape=(300, 500))

for packed in (False, True):
    def save(name, content, **more):
        sio.savemat(path(f"{name}5{'_packed' if packed else ''}.mat"), content, format="5", do_compression=packed, **more)
    save("dense_double_", {"X": cells.astype(float)})
    save("dense_single_", {"X": cells.astype("f4")})
    for code in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"):
        save(f"dense_{code}_", {"X": cells.astype(code)})
    save("logical_", {"X": cells % 2 == 1})
    save("matrix_sparse_", {"S": sp.csc_matrix(matrix)})
    save("matrix_dense_", {"S": np.where(matrix == 0, np.nan, matrix), "n": 3.0, "words": "hello"})
    save("large_sparse_", {"S": large})
    save("tensor_struct_", {"T": sptensor, "note": "text"})
    save("tensor_struct_integers_", {"T": {**sptensor, "subs": (index + 1).astype("u2"), "size": shape.astype("i4")}})
    save("tensor_loose_", sptensor)
    save("several_", {"A": matrix, "B": cells.astype(float), "n": 1.0})
    save("sparse_first_", {"A": matrix, "S": sp.csc_matrix(matrix)})
    save("from_zero_", {"T": {"subs": index.astype(float), "vals": values, "size": shape}})

    # What must be refused
    save("bad_complex_", {"X": cells * 1j})
    save("bad_nothing_", {"n": 3.0, "text": "hello", "c": np.array([["a", 1]], object)})
    save("bad_zero_", {"T": {**sptensor, "subs": np.where(index + 1 == 1, 0, index + 1.0), "size": shape + 0}})
    save("bad_past_", {"T": {**sptensor, "size": shape - 1}})
    save("bad_negative_", {"T": {**sptensor, "subs": index - 5.0}})
    save("bad_half_", {"T": {**sptensor, "subs": index + 1.5}})
    save("bad_count_", {"T": {**sptensor, "vals": values[:3]}})
    save("bad_order_", {"T": {**sptensor, "size": np.array([[4.0, 3]])}})
    save("bad_words_", {"T": {**sptensor, "subs": "hello"}})
    save("bad_nan_", {"T": {**sptensor, "vals": values * np.nan}})
    save("bad_infinite_", {"X": np.full((3, 4), np.inf)})
full = np.full((4, 3, 3), np.nan)
full[tuple(index.T)] = values[:, 0]
sio.savemat(path("tensor_full_5.mat"), {"T": {"data": full, "size": shape}})
sio.savemat(path("tensor_full_array_5.mat"), {"T": full})
sio.savemat(path("matrix_sparse_4.mat"), {"S": sp.csc_matrix(matrix)}, format="4")
sio.savemat(path("matrix_dense_4.mat"), {"S": np.where(matrix == 0, np.nan, matrix), "text": "hello", "n": 2.0}, format="4")
sio.savemat(path("large_sparse_4.mat"), {"S": large}, format="4")


def version4(order, mopt, rows, columns, name, data):
    return struct.pack(order + "5i", mopt, rows, columns, 0, len(name) + 1) + name + b"\0" + data


columns_of = np.where(matrix == 0, np.nan, matrix).T
for code, digit in ((">f8", 1000), ("<f4", 10)):
    with open(path(f"matrix_dense_4_{'big' if code[0] == '>' else 'float'}.mat"), "wb") as f:
        f.write(version4(code[0], digit, 3, 4, b"S", columns_of.astype(code).tobytes()))

# --- Version 5, by hand: the other byte order, objects, and headers that lie ---


def element(kind, data, order="<"):
    return struct.pack(order + "II", kind, len(data)) + data + b"\0" * (-len(data) % 8)


def array(mx, dims, name, rest, order="<", flags=0, nzmax=0):
    head = element(6, struct.pack(order + "II", mx | flags << 8, nzmax), order) + element(5, struct.pack(f"{order}{len(dims)}i", *dims), order)
    return element(14, head + element(1, name, order) + rest, order)


def file5(name, content, order="<"):
    with open(path(name), "wb") as f:
        f.write(b"MATLAB 5.0 MAT-file".ljust(124) + (b"\0\1IM" if order == "<" else b"\1\0MI") + content)


file5("matrix_dense_5_big.mat", array(6, (3, 4), b"S", element(9, columns_of.astype(">f8").tobytes(), ">"), ">"), ">")
csc = sp.csc_matrix(matrix)
parts = [(5, csc.indices.astype(">i4")), (5, csc.indptr.astype(">i4")), (9, csc.data.astype(">f8"))]
file5("matrix_sparse_5_big.mat", array(5, (3, 4), b"S", b"".join(element(k, d.tobytes(), ">") for k, d in parts), ">", nzmax=4), ">")
# MATLAB keeps room for more entries than there are, and small whole doubles as bytes.
parts = [(5, np.append(csc.indices, [0, 0]).astype("<i4")), (5, csc.indptr.astype("<i4")), (9, np.append(csc.data, [9, 9]).astype("<f8"))]
file5("matrix_room_5.mat", array(5, (3, 4), b"S", b"".join(element(k, d.tobytes()) for k, d in parts), nzmax=6))
file5("dense_bytes_5.mat", array(6, (4, 3, 5), b"X", element(2, cells.ravel(order="F").astype("u1").tobytes())))
file5("bad_object.mat", array(3, (1, 1), b"X", element(1, b"sptensor")))
file5("bad_opaque.mat", element(14, element(6, struct.pack("<II", 17, 0)) + element(1, b"X") + element(1, b"MCOS") + element(1, b"sptensor")))
file5("bad_dims.mat", array(6, (1 << 30, 1 << 30, 1 << 30), b"X", element(9, bytes(80))))
file5("bad_claims.mat", array(6, (1000, 1000), b"X", element(9, bytes(80))))
file5("bad_negative_dims.mat", array(6, (-3, 4), b"X", element(9, bytes(80))))
file5("bad_length.mat", struct.pack("<II", 14, 1 << 30) + bytes(80))
file5("bad_inner_length.mat", array(6, (10, 1), b"X", struct.pack("<II", 9, 1 << 30) + bytes(80)))
file5("bad_type.mat", array(6, (10, 1), b"X", element(99, bytes(80))))
file5("bad_element.mat", element(77, bytes(80)))
file5("bad_zlib.mat", struct.pack("<II", 15, 80) + b"\x78\x9c" + b"x" * 78)
packed = zlib.compress(array(6, (1 << 15, 1 << 10), b"X", element(9, bytes(8 << 25))))
file5("bad_bomb.mat", struct.pack("<II", 15, len(packed) // 2) + packed[:len(packed) // 2])
rise = [(5, csc.indices.astype("<i4")), (5, np.array([0, 3, 2, 3, 4], "<i4")), (9, csc.data.astype("<f8"))]
file5("bad_pointers.mat", array(5, (3, 4), b"S", b"".join(element(k, d.tobytes()) for k, d in rise)))
row = [(5, np.array([0, 3, 2, 0], "<i4")), (5, csc.indptr.astype("<i4")), (9, csc.data.astype("<f8"))]
file5("bad_row.mat", array(5, (3, 4), b"S", b"".join(element(k, d.tobytes()) for k, d in row)))
file5("bad_columns.mat", array(5, (3, 1 << 30), b"S", b"".join(element(k, d.tobytes()) for k, d in row)))
file5("bad_names.mat", array(2, (1, 1), b"T", struct.pack("<HHI", 5, 4, 1 << 31) + element(1, b"subs")))
file5("bad_head.mat", b"")
with open(path("bad_cut_head.mat"), "wb") as f:
    f.write(b"MATLAB 5.0 MAT-file, cut")
with open(path("bad_words4.mat"), "wb") as f:
    f.write(b"hello, world, this is no MATLAB file at all")
with open(path("bad_after4.mat"), "wb") as f:
    f.write(version4("<", 0, 3, 4, b"S", columns_of.astype("<f8").tobytes()) + b"rubbish")
with open(path("bad_claims4.mat"), "wb") as f:
    f.write(version4("<", 0, 30000, 40000, b"S", bytes(96)))
with open(path("bad_sizes4.mat"), "wb") as f:
    f.write(version4("<", 2, 1, 3, b"S", np.array([0.5, 3, 0]).tobytes()))

# --- Version 7.3 as MATLAB lays it out: HDF5 with a user block, dimensions reversed ---


class File73:
    def __init__(self, name):
        self.name = path(name)

    def __enter__(self):
        self.file = h5py.File(self.name, "w", libver="earliest", userblock_size=512)
        return self

    def __exit__(self, *unused):
        self.file.close()
        with open(self.name, "r+b") as f:
            f.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\0\2IM")

    def dense(self, name, data, kind="double", group=None):
        dataset = (group or self.file).create_dataset(name, data=data.T)
        dataset.attrs["MATLAB_class"] = np.bytes_(kind)
        return dataset

    def sparse(self, name, m):
        group = self.file.create_group(name)
        group.attrs["MATLAB_class"] = np.bytes_("double")
        group.attrs["MATLAB_sparse"] = np.uint64(m.shape[0])
        group["data"] = m.data
        group["ir"] = m.indices.astype("u8")
        group["jc"] = m.indptr.astype("u8")

    def struct(self, name, fields):
        group = self.file.create_group(name)
        group.attrs["MATLAB_class"] = np.bytes_("struct")
        for key, data in fields.items():
            self.dense(key, data, group=group)


with File73("matrix_sparse_73.mat") as f:
    f.sparse("S", csc)
    f.dense("A", matrix)
with File73("large_sparse_73.mat") as f:
    f.sparse("S", large)
with File73("matrix_dense_73.mat") as f:
    f.dense("S", np.where(matrix == 0, np.nan, matrix))
    f.dense("n", np.array([[3.0]]))
    f.dense("words", np.array([[104, 105]], "u2"), "char")
with File73("dense_double_73.mat") as f:
    f.dense("X", cells.astype(float))
with File73("dense_u1_73.mat") as f:
    f.dense("X", cells.astype("u1"), "uint8")
with File73("tensor_struct_73.mat") as f:
    f.struct("T", sptensor)
    f.dense("A", matrix)
with File73("tensor_full_73.mat") as f:
    f.dense("T", full)
with File73("several_73.mat") as f:
    f.dense("A", matrix)
    f.dense("B", cells.astype(float))
    f.dense("n", np.array([[1.0]]))
for name, change in (("pointers", {"jc": [0, 3, 2, 3, 4]}), ("row", {"ir": [0, 3, 2, 0]}), ("columns", {"jc": [0, 4, 3]})):
    with File73(f"bad73_{name}.mat") as f:
        f.sparse("S", csc)
        for key, data in change.items():
            del f.file["S"][key]
            f.file["S"][key] = np.array(data, "u8")
