# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes NumPy files, good and bad ones, into the folder given.

tensor_*: (0,1,2) 1.5   (3,0,1) 2   (1,2,0) 3   (2,2,2) 4.25   dims 4 × 3 × 3
matrix_*: the values of `matrix` below   large_*: 70,000 entries of 300 × 500, row·1000 + column
dense_*: dims 4 × 3 × 5, element (i, j, k) is 15i + 5j + k; of bool: whether that is odd
"""
import io
import os
import struct
import sys
import zipfile

import numpy as np
import scipy.sparse as sp


def path(name):
    return os.path.join(sys.argv[1], name)


index = np.array([[0, 1, 2], [3, 0, 1], [1, 2, 0], [2, 2, 2]])
values = np.array([1.5, 2, 3, 4.25])
shape = (4, 3, 3)
matrix = np.array([[0, 1.5, 0, 2], [0, 0, 0, 0], [3, 0, 4.25, 0]])

cells = np.arange(60).reshape(4, 3, 5)
for code in ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"):
    data = cells % 2 == 1 if code == "?" else cells.astype(code)
    for order, layout in (("<", "C"), (">", "C"), ("<", "F")):
        np.save(path(f"dense_{code.replace('?', 'b')}_{'big' if order == '>' else layout}.npy"),
                np.asarray(data.astype(data.dtype.newbyteorder(order)), order=layout))
np.savez(path("dense_one.npz"), cells)
np.savez_compressed(path("dense_packed.npz"), x=cells.astype("f4"), labels=np.array(["a", "b"]), n=3)
np.savez(path("several.npz"), a=cells.astype("f8"), b=matrix, n=1)
np.save(path("order16.npy"), np.arange(2.0 ** 16).reshape((2,) * 16))
with open(path("version2.npy"), "wb") as f:
    np.lib.format.write_array(f, cells.astype("f8"), version=(2, 0))
holes = np.full((4, 3, 3), np.nan)
holes[tuple(index.T)] = values
holes[0, 0, 0] = 0
np.save(path("holes.npy"), holes)

np.savez(path("tensor_pydata.npz"), data=values, shape=shape, fill_value=0.0, coords=index.T)
np.savez_compressed(path("tensor_pydata_packed.npz"), data=values, shape=shape, fill_value=np.nan, coords=index.T.astype("u1"))
np.savez(path("tensor_torch.npz"), indices=index.T, values=values.astype("f4"))
np.savez(path("tensor_pyttb.npz"), subs=index.astype("f8"), vals=values.reshape(4, 1), shape=np.array(shape))
np.savez(path("tensor_fortran.npz"), coords=np.asfortranarray(index.T), data=values, shape=shape)
np.savez(path("tensor_big.npz"), coords=index.T.astype(">i4"), data=values.astype(">f8"), shape=shape)
np.savez(path("tensor_scipy_nd.npz"), format=b"coo", shape=shape, data=values, coords=index.T, _is_array=True)
np.savez(path("from_one.npz"), indices=index.T + 1, values=values)


def gcxs(name, axes):
    """As sparse.GCXS keeps it: the axes named are rows, all others columns."""
    others = [n for n in range(3) if n not in axes]
    rows = np.ravel_multi_index([index[:, n] for n in axes], [shape[n] for n in axes])
    columns = np.ravel_multi_index([index[:, n] for n in others], [shape[n] for n in others])
    order = np.lexsort((columns, rows))
    starts = np.searchsorted(rows[order], np.arange(np.prod([shape[n] for n in axes]) + 1))
    np.savez(path(name), data=values[order], shape=shape, fill_value=0.0, compressed_axes=axes, indices=columns[order], indptr=starts)


gcxs("tensor_gcxs_0.npz", [0])
gcxs("tensor_gcxs_12.npz", [1, 2])
gcxs("tensor_gcxs_20.npz", [2, 0])

rng = np.random.default_rng(1)
at = np.sort(rng.choice(300 * 500, 70000, replace=False))
large = sp.coo_matrix((at // 500 * 1000.0 + at % 500 + 0.0, (at // 500, at % 500)), shape=(300, 500))
large.data[large.data == 0] = 0.5
for kind, convert in (("coo", lambda m: m), ("csr", sp.csr_matrix), ("csc", sp.csc_matrix), ("dia", sp.dia_matrix),
                      ("bsr", lambda m: sp.bsr_matrix(m, blocksize=(3, 2) if m.shape[0] == 3 else (3, 5)))):
    for packed in (False, True):
        sp.save_npz(path(f"matrix_{kind}{'_packed' if packed else ''}.npz"), convert(sp.coo_matrix(matrix)), compressed=packed)
    sp.save_npz(path(f"large_{kind}.npz"), convert(large))
rows = sp.csr_matrix(matrix)
np.savez(path("matrix_idiom.npz"), data=rows.data, indices=rows.indices, indptr=rows.indptr, shape=rows.shape)
sp.save_npz(path("matrix_array.npz"), sp.csr_array(matrix))
np.savez(path("duplicates.npz"), row=[0, 0, 1], col=[1, 1, 0], data=[1.0, 2, 4], shape=[2, 2], format=b"coo")
np.savez(path("empty_coo.npz"), coords=np.zeros((3, 0), int), data=np.zeros(0), shape=shape, fill_value=0)

# --- What must be refused ---


def header(text, data=b"", version=1):
    body = text.encode()
    return b"\x93NUMPY" + bytes([version, 0]) + (struct.pack("<H", len(body)) if version == 1 else struct.pack("<I", len(body))) + body + data


def write(name, content):
    with open(path(name), "wb") as f:
        f.write(content)


def dict_text(descr, dims, fortran=False):
    return f"{{'descr': {descr!r}, 'fortran_order': {fortran}, 'shape': {dims}, }}\n"


np.save(path("bad_objects.npy"), np.array([[1, "a"], [None, 2]], dtype=object), allow_pickle=True)
np.savez(path("bad_objects.npz"), x=np.array([[1, "a"], [None, 2]], dtype=object))
np.save(path("bad_complex.npy"), np.ones((2, 2), complex))
np.save(path("bad_records.npy"), np.zeros(3, dtype=[("i", "i4"), ("v", "f8")]))
np.save(path("bad_text.npy"), np.array([["a", "b"]]))
np.save(path("bad_dates.npy"), np.zeros((2, 2), "M8[s]"))
np.save(path("bad_long.npy"), np.zeros((2, 2), np.longdouble))
np.save(path("bad_order1.npy"), np.arange(3.0))
np.save(path("bad_order17.npy"), np.ones((1,) * 17))
np.save(path("bad_no_cells.npy"), np.ones((0, 3)))
np.save(path("bad_infinite.npy"), np.array([[1, np.inf]]))
write("bad_huge.npy", header(dict_text("<f8", (1000000, 1000000, 1000000))))
write("bad_overflow.npy", header(dict_text("<f8", (2 ** 40, 2 ** 40))))
write("bad_claims.npy", header(dict_text("<f8", (1000, 1000)), bytes(80)))
write("bad_long_data.npy", header(dict_text("<f8", (2, 2)), bytes(40)))
write("bad_header.npy", header("hello"))
write("bad_shape.npy", header(dict_text("<f8", "(-1, 2)")))
write("bad_long_header.npy", b"\x93NUMPY\x02\x00\xff\xff\xff\xff{'descr'")
write("bad_version.npy", header(dict_text("<f8", (1, 1)), bytes(8), version=9))
write("bad_cut_header.npy", b"\x93NUMPY\x01\x00\x76\x00{'descr': '<f8'")
write("bad_zip.npz", b"PK\x03\x04" + bytes(200))
write("bad_nothing.npz", b"PK\x05\x06" + bytes(18))
with zipfile.ZipFile(path("bad_other.npz"), "w") as z:
    z.writestr("readme.txt", "hello")
np.savez(path("bad_model.npz"), factor_0=np.ones((3, 2)), factor_1=np.ones((2, 2)), config=np.array("{}"))
good = dict(coords=index.T, data=values, shape=shape, fill_value=0.0)
np.savez(path("bad_negative.npz"), **{**good, "coords": index.T - 1})
np.savez(path("bad_past.npz"), **{**good, "shape": (3, 3, 3)})
np.savez(path("bad_fill.npz"), **{**good, "fill_value": 1.0})
np.savez(path("bad_count.npz"), **{**good, "data": values[:3]})
np.savez(path("bad_modes.npz"), **{**good, "shape": (4, 3)})
np.savez(path("bad_shape_zero.npz"), **{**good, "shape": (4, 0, 3)})
np.savez(path("bad_shape_large.npz"), **{**good, "shape": (4, 3, 2 ** 40)})
np.savez(path("bad_half.npz"), **{**good, "coords": index.T + 0.5})
np.savez(path("bad_nan.npz"), **{**good, "data": values * np.nan})
np.savez(path("bad_words.npz"), **{**good, "coords": np.array([["a"] * 4] * 3)})
csr = dict(format=b"csr", shape=rows.shape, data=rows.data, indices=rows.indices, indptr=rows.indptr)
np.savez(path("bad_pointers.npz"), **{**csr, "indptr": [0, 3, 2, 4]})
np.savez(path("bad_pointers_end.npz"), **{**csr, "indptr": [0, 2, 2, 3]})
np.savez(path("bad_pointers_number.npz"), **{**csr, "indptr": [0, 4]})
np.savez(path("bad_rows.npz"), **{**csr, "shape": [2 ** 31, 4]})
np.savez(path("bad_column.npz"), **{**csr, "indices": [1, 3, 0, 4]})
np.savez(path("bad_format.npz"), **{**csr, "format": b"lil"})
np.savez(path("bad_part.npz"), format=b"csr", shape=rows.shape, data=rows.data)
np.savez(path("bad_blocks.npz"), format=b"bsr", shape=rows.shape, data=np.ones((1, 2, 2)), indices=[0], indptr=[0, 1])
np.savez(path("bad_diagonals.npz"), format=b"dia", shape=rows.shape, data=np.ones((2, 4)), offsets=[0])
np.savez(path("bad_axes.npz"), data=values, shape=shape, fill_value=0.0, compressed_axes=[0, 0], indices=[0] * 4, indptr=[0, 4])
np.savez(path("bad_square.npz"), data=[1.0], shape=(2, 2), indices=[0], indptr=[0, 1, 1])

# A member that unpacks to more than it may be believed, and one whose bytes are not those of its checksum.
member = io.BytesIO()
np.save(member, cells.astype("f8"))
with zipfile.ZipFile(path("bad_checksum.npz"), "w") as z:
    z.writestr("x.npy", member.getvalue())
content = bytearray(open(path("bad_checksum.npz"), "rb").read())
content[content.index(b"NUMPY") + 200] ^= 0xff
write("bad_checksum.npz", content)
with zipfile.ZipFile(path("bad_member_size.npz"), "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("x.npy", header(dict_text("<f8", (2 ** 20, 2 ** 16))))
content = bytearray(open(path("bad_member_size.npz"), "rb").read())
central = content.index(b"PK\x01\x02")
content[central + 24:central + 28] = struct.pack("<I", 2 ** 32 - 2)
write("bad_member_size.npz", content)
with zipfile.ZipFile(path("bad_method.npz"), "w", zipfile.ZIP_LZMA) as z:
    z.writestr("x.npy", member.getvalue())
