# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rebuilds a model's predictions from what was exported: check_exports.py KIND PATH EXPECTED

EXPECTED: a line of indices (from 0) and the prediction each. KIND: npz, csv, core, splatt, ktensor (pyttb), zip64, labels, long-labels.
"""
import csv
import os
import sys
import zipfile

import numpy as np

kind, path, expected = sys.argv[1:4]


def table(name):
    with open(name, newline="", encoding="utf-8") as f:
        rows = list(csv.reader(f))
    assert [row[0] for row in rows[1:]] == [str(i + 1) for i in range(len(rows) - 1)]
    return np.array([row[2:] for row in rows[1:]], float)


def tables(prefix):
    found = []
    while os.path.exists(f"{prefix}{len(found)}.csv"):
        found.append(table(f"{prefix}{len(found)}.csv"))
    return found


def dense(name):
    with open(name) as f:
        words = f.read().split()
    assert words[0] == "tensor"
    order = int(words[1])
    return np.array(words[2 + order :], float).reshape([int(w) for w in words[2 : 2 + order]], order="F")


def from_parts(factors, weights=None, core=None, core_factors=None):
    if core is not None:
        def predict(at):
            result = core
            for factor, index in zip(factors, at):
                result = np.tensordot(factor[index], result, (0, 0))
            return result
        return predict
    if core_factors:
        factors = [a @ b for a, b in zip(factors, core_factors)]
        weights = np.ones(factors[0].shape[1])
    return lambda at: np.sum(weights * np.prod([factor[index] for factor, index in zip(factors, at)], axis=0))


tolerance = 1e-6
if kind == "npz":
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        for member in archive.infolist():
            assert member.compress_type == zipfile.ZIP_STORED
            with archive.open(member) as f:
                head = f.read(10)
                assert (10 + int.from_bytes(head[8:10], "little")) % 64 == 0, member.filename
    f = np.load(path)
    factors = [f[f"factor_{n}"] for n in range(sum(name.startswith("factor_") for name in f.files))]
    core_factors = [f[f"core_factor_{n}"] for n in range(sum(name.startswith("core_factor_") for name in f.files))]
    assert f["config"].shape == () and str(f["config"]).startswith("{") and f["config"].dtype.kind == "U"
    if "weights" in f.files:
        predicts = [from_parts(factors, f["weights"])]
    else:
        predicts = [from_parts(factors, core=f["core"])] + ([from_parts(factors, core_factors=core_factors)] if core_factors else [])
elif kind == "csv":
    factors, core_factors = tables(path + "/factor_"), tables(path + "/core_factor_")
    weights = np.loadtxt(path + "/weights.csv", delimiter=",", skiprows=1, ndmin=2)[:, 1] if os.path.exists(path + "/weights.csv") else None
    core = dense(path + "/core.tensor") if os.path.exists(path + "/core.tensor") else None
    predicts = [from_parts(factors, weights, core, core_factors)]
elif kind == "core":
    predicts = [from_parts(tables(path + ".factor_"), core=dense(path + ".core.tensor"))]
elif kind == "splatt":
    factors = []
    while os.path.exists(f"{path}/mode{len(factors) + 1}.mat"):
        factors.append(np.loadtxt(f"{path}/mode{len(factors) + 1}.mat", ndmin=2))
    predicts = [from_parts(factors, np.loadtxt(path + "/lambda.mat", ndmin=1))]
elif kind == "ktensor":
    import pyttb

    model = pyttb.import_data(path)
    assert isinstance(model, pyttb.ktensor)
    predicts = [from_parts(model.factor_matrices, model.weights)]
elif kind == "zip64":
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["a.txt", "b.txt"] and archive.read("a.txt") == b"headdata" and archive.read("b.txt") == b"x"
    sys.exit(0)
elif kind == "labels":
    f = np.load(path, allow_pickle=False)
    assert f["mode_names"].tolist() == ["origin", "", "größe"], f["mode_names"]
    assert "labels_0" not in f.files
    assert f["labels_1"].tolist() == ["plain", "with, comma", 'with "quotes"', "größer"], f["labels_1"]
    assert f["labels_2"].tolist() == ["5", "", "𝄞 clef\nline"] and f["labels_2"].dtype.kind == "U", f["labels_2"]
    sys.exit(0)
elif kind == "long-labels":
    f = np.load(path, allow_pickle=False)
    utf8, ends = f["labels_0_utf8"].tobytes(), [0, *f["labels_0_ends"].tolist()]
    labels = [utf8[a:b].decode() for a, b in zip(ends, ends[1:])]
    assert labels == ["x" * 2000 if i == 7 else f"ä{i}" for i in range(40_000)]
    assert "labels_0" not in f.files and f["mode_names"].tolist() == ["word", ""]
    sys.exit(0)
with open(expected) as f:
    for line in f:
        *at, value = line.split()
        for predict in predicts:
            found = predict([int(i) for i in at])
            assert abs(found - float(value)) <= tolerance * max(1, abs(float(value))), (at, found, value)
