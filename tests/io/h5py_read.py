# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads what Polyad wrote as docs/FILE_FORMATS.md tells others to, and compares with the numbers beside it.

h5py_read.py tensor FILE EXPECTED.tns     the entries, in order
h5py_read.py model FILE EXPECTED.txt      lines "i j k value": predictions
"""
import json
import sys

import h5py
import numpy as np


def tensor(f, expected):
    description = json.loads(f.attrs["binsparse"])
    assert description["binsparse"]["version"] == "0.1" and description["version"].startswith("0.1")
    wrapped = dict(description["binsparse"], version=0)
    assert wrapped == dict({k: v for k, v in description.items() if k != "binsparse"}, version=0)
    order = len(wrapped["shape"])
    assert wrapped["format"] == "custom" and wrapped["custom"]["transpose"] == list(range(order))
    level = wrapped["custom"]["level"]
    assert level == {"level_desc": "sparse", "rank": order, "level": {"level_desc": "element"}}
    assert f.attrs["polyad_format"] == "tensor" and f.attrs["polyad_format_version"] == "1.0"
    indices = [f[f"indices_{n}"] for n in range(order)]
    for array in indices + [f["values"]]:
        assert array.shape == (wrapped["number_of_stored_values"],)
        if array.shape[0] > 2**16:
            assert array.chunks == (min(262144, array.shape[0]),) and array.shuffle and array.compression_opts == 1
    assert all(array.dtype == np.uint32 for array in indices)
    assert f["values"].dtype.name == wrapped["data_types"]["values"]
    assert f["modes/mode_0"].attrs["name"] == "first"
    assert [label.decode() for label in f["modes/mode_0/labels"][...]] == [f"ä{i}" for i in range(wrapped["shape"][0])]
    rows = np.column_stack([array[...] + 1.0 for array in indices] + [f["values"][...]])
    keys = [tuple(row[:order]) for row in rows]
    assert keys == sorted(set(keys))
    np.testing.assert_allclose(rows, np.loadtxt(expected, ndmin=2), rtol=1e-7)


def model(f, expected):
    group = f["model"]
    order = int(group.attrs["order"])
    factors = [group[f"factor_{n}"][...].astype(float) for n in range(order)]
    assert f.attrs["polyad_format"] == "model" and f.attrs["polyad_format_version"] == "1.0"
    assert f.attrs["generator"].startswith("Polyad ")
    assert [a.shape for a in factors] == list(zip(group.attrs["dims"], group.attrs["ranks"]))
    kind = group.attrs["kind"]
    if kind == "cp":
        core = np.zeros([len(group["weights"])] * order)
        for r, w in enumerate(group["weights"]):
            core[(r,) * order] = w
    else:
        core = group["core"][...]
    if kind == "fasttucker":  # the dense core is the sum over its factors
        parts = [group[f"core_factor_{n}"][...].astype(float) for n in range(order)]
        letters = "abcdefgh"[:order]
        rebuilt = np.einsum(",".join(c + "r" for c in letters) + "->" + letters, *parts)
        np.testing.assert_allclose(core, rebuilt, rtol=1e-6, atol=1e-6)
    for line in np.loadtxt(expected, ndmin=2):
        value = core
        for n, index in enumerate(line[:order].astype(int)):
            value = np.tensordot(factors[n][index], value, axes=(0, 0))
        np.testing.assert_allclose(value, line[order], rtol=1e-6, atol=1e-6)
    metrics = f["metrics"]
    lengths = {metrics[name].shape[0] for name in metrics}
    assert lengths == {2} and all(metrics[name].maxshape == (None,) and metrics[name].chunks == (64,) for name in metrics)
    assert metrics["iteration"].dtype == np.uint64 and np.isnan(metrics["test_rmse"][0]) and metrics["test_rmse"][1] == 0.5
    assert json.loads(f["run/config"][()])["seed"] == 42 and f["run/config"].shape == ()
    assert list(f["input/test_positions"][...]) == [1, 5] and f["input/test_positions"].chunks is not None


with h5py.File(sys.argv[2], "r") as file:
    {"tensor": tensor, "model": model}[sys.argv[1]](file, sys.argv[3])
