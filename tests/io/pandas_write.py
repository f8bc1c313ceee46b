# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes tables as pandas and PyTables do, for tst_pandas: pandas_write.py FOLDER"""
import os
import sys
import warnings

import numpy as np
import pandas as pd
import tables

warnings.simplefilter("ignore")
folder = sys.argv[1]


def path(name):
    return os.path.join(folder, name)


frame = pd.DataFrame(
    {
        "user": ["ann", "bob", "ann", "zoë", None],
        "n": [1, 2, 3, 4, 5],
        "small": np.arange(5, dtype=np.int8) - 2,
        "price": [1.5, 2.5, np.nan, 4, 0.1],
        "single": np.array([0.1, 2, 3, 4, 5], dtype=np.float32),
        "when": pd.to_datetime(["2013-01-01 05:00", "2013-01-01 06:30", "2013-02-01", None, "1969-12-31 23:59:59.25"]),
        "ok": [True, False, True, True, False],
    }
)
numbers = frame[["n", "small", "price", "when", "ok"]]
named = frame.assign(user=frame["user"].fillna("eve")).set_index(["user", "n"])["price"].dropna()

frame.to_hdf(path("blocks.h5"), "t", format="table")
frame.to_hdf(path("columns.h5"), "t", format="table", data_columns=True)
frame.to_hdf(path("packed.h5"), "t", format="table", complib="zlib", complevel=5)
frame.assign(kind=pd.Categorical(["x", "y", "x", None, "z"])).to_hdf(path("category.h5"), "t", format="table", data_columns=True)
frame.set_index("when")[["n", "price"]].to_hdf(path("time_index.h5"), "t", format="table")
pd.DataFrame({"é a": [1, 2], "日本": [2, 3], 7: [1, 1]}, index=["p", "q"]).to_hdf(path("names.h5"), "t", format="table")
pd.DataFrame(np.arange(6.0).reshape(3, 2)).to_hdf(path("numbered.h5"), "t", format="table")
frame.assign(when=frame["when"].dt.tz_localize("Europe/Berlin")).to_hdf(path("zone.h5"), "t", format="table")
numbers.to_hdf(path("fixed.h5"), "t", format="fixed")
numbers.assign(odd=1.0)[["odd", "n", "price", "when"]].to_hdf(path("fixed_packed.h5"), "t", format="fixed", complib="zlib", complevel=5)
numbers.assign(when=numbers["when"].dt.tz_localize("UTC")).to_hdf(path("fixed_zone.h5"), "t", format="fixed")
pd.DataFrame({"n": [1, 2], "v": [0.5, 1.5]}, index=pd.Index(["p", "q"], name="who")).to_hdf(path("fixed_index.h5"), "t", format="fixed")
pd.DataFrame(np.arange(4.0).reshape(2, 2), columns=pd.MultiIndex.from_product([["a"], ["x", "y"]])).to_hdf(path("fixed_names.h5"), "t")
for layout in ("fixed", "table"):
    pd.DataFrame({"n": [1, 2]}, index=[0.5, 1.5]).to_hdf(path("index_%s.h5" % layout), "t", format=layout)
named.to_hdf(path("series_fixed.h5"), "t", format="fixed")
named.to_hdf(path("series_table.h5"), "t", format="table")
named.to_frame().to_hdf(path("frame_levels.h5"), "t", format="fixed")
frame.to_hdf(path("pickled.h5"), "t", format="fixed")
frame.to_hdf(path("blosc.h5"), "t", format="table", complib="blosc", complevel=5)
numbers.iloc[:0].to_hdf(path("empty.h5"), "t", format="fixed")
with pd.HDFStore(path("two.h5")) as store:
    store.put("day/first", frame[["n", "price"]], format="table")
    store.put("second", numbers, format="fixed")
big = pd.DataFrame({"a": np.arange(200_000) % 300, "b": np.arange(200_000) % 7, "v": np.arange(200_000) % 11 * 0.5})
big.to_hdf(path("big.h5"), "t", format="table", index=False, complib="zlib", complevel=1)


class Row(tables.IsDescription):
    name = tables.StringCol(8, pos=0)
    k = tables.Int32Col(pos=1)
    pair = tables.Float32Col(shape=(2,), pos=2)
    t = tables.Time64Col(pos=3)
    t32 = tables.Time32Col(pos=4)
    flag = tables.BoolCol(pos=5)
    z = tables.ComplexCol(itemsize=16, pos=6)


with tables.open_file(path("pytables.h5"), "w") as file:
    table = file.create_table("/", "events", Row)
    for i in range(4):
        row = table.row
        row["name"], row["k"], row["pair"] = "u%d" % (i % 2), i, (i, i + 0.5)
        row["t"], row["t32"], row["flag"] = 1e9 + i + 0.25, 10**9 + i, i % 2 == 0
        row.append()
    table.flush()
with tables.open_file(path("sparse.h5"), "w") as file:  # a tensor that PyTables wrote stays one
    file.create_array("/", "indices", np.array([[0, 1], [1, 0], [2, 2]]))
    file.create_array("/", "values", np.array([1.0, 2.0, 3.0]))
    file.create_table("/", "events", Row)
