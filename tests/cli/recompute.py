#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Recomputes what a model file claims from its factors and the tensor, knowing nothing of Polyad's code.

    recompute.py MODEL.h5 TENSOR.tns [TEST.tns]

Text tensors with indices from 1, or Polyad's HDF5 tensors. Prints the claimed and the recomputed RMSE and MAE of
training and test entries, and of non-negative models their divergence; exit code 1 when one differs by more than 1e-3 of itself.
Of a model that has just learnt a batch give that: its own errors are claimed in /updates then, and no training errors at all.
"""
import sys

import h5py
import numpy as np

OWN = {"train_rmse": "rmse_after", "train_mae": "mae_after", "divergence_value": "divergence_after"}  # of a batch, in /updates
TOLERANCE = 1e-3  # relative; the model stores fp32 factors, sums here are fp64


def read_tensor(path):
    """-> indices [N, nnz] counted from 0, values [nnz], sorted lexicographically with duplicates summed."""
    if h5py.is_hdf5(path):
        with h5py.File(path) as file:
            order = sum(1 for name in file if name.startswith("indices_"))
            indices = np.array([file[f"indices_{n}"][...] for n in range(order)], dtype=np.int64)
            values = file["values"][...].astype(np.float64)
    else:
        table = np.loadtxt(path, ndmin=2)
        indices, values = table[:, :-1].T.astype(np.int64) - 1, table[:, -1]
    unique, where = np.unique(indices, axis=1, return_inverse=True)  # columns in lexicographic order
    return unique, np.bincount(where.ravel(), weights=values, minlength=unique.shape[1])


def dense(part):
    """A factor or a core, which are groups where most of their numbers are 0: CSR, or places and values."""
    if isinstance(part, h5py.Dataset):
        return part[...].astype(np.float64)
    numbers = np.zeros(tuple(part.attrs["shape"]))
    if "indptr" in part:
        counts = np.diff(part["indptr"][...].astype(np.int64))
        numbers[np.repeat(np.arange(counts.size), counts), part["indices"][...]] = part["data"][...]
    else:
        numbers[tuple(part[f"indices_{n}"][...] for n in range(numbers.ndim))] = part["values"][...]
    return numbers


def predict(model, indices):
    """x^ of many entries, from the definition of each kind of model."""
    order = int(model.attrs["order"])
    kind = model.attrs["kind"]
    kind = kind.decode() if isinstance(kind, bytes) else kind
    rows = [dense(model[f"factor_{n}"])[indices[n]] for n in range(order)]
    if kind == "cp":
        product = model["weights"][...].astype(np.float64)
        for row in rows:
            product = product * row
        return product.sum(axis=1)
    if kind == "fasttucker":
        product = 1.0
        for n, row in enumerate(rows):
            product = product * (row @ model[f"core_factor_{n}"][...].astype(np.float64))
        return product.sum(axis=1)
    core = dense(model["core"])
    values = np.tensordot(rows[0], core, axes=(1, 0))  # [nnz, J_1, ...]
    for row in rows[1:]:
        values = np.einsum("ej,ej...->e...", row, values)
    return values


def errors(model, indices, values):
    difference = values - predict(model, indices)
    return np.sqrt(np.mean(difference**2)), np.mean(np.abs(difference))


def divergence(model, indices, values):
    """The mean of what a non-negative model minimised; nothing for others."""
    kind, predicted = model.attrs.get("divergence"), predict(model, indices)
    if kind == "euclidean":
        return np.mean((values - predicted) ** 2)
    if kind == "kl":
        logs = np.where(values > 0, values * np.log(np.where(values > 0, values, 1) / predicted), 0)
        return np.mean(logs - values + predicted)
    return np.mean(values / predicted - np.log(values / predicted) - 1) if kind == "is" else None


def sums(model, indices, values, mode):
    """What entries tell a mode's factor of a non-negative model: the numerator and the denominator of its updates."""
    kind, predicted = model.attrs["divergence"], predict(model, indices)
    product = 1.0
    for n in range(int(model.attrs["order"])):
        if n != mode:
            product = product * dense(model[f"factor_{n}"])[indices[n]]
    up, down = {
        "euclidean": lambda: (values, predicted),
        "kl": lambda: (values / predicted, np.ones_like(predicted)),
        "is": lambda: (values / predicted**2, 1 / predicted),
    }[kind]()
    result = []
    for weights in (up, down):
        total = np.zeros(model[f"factor_{mode}"].shape)
        np.add.at(total, indices[mode], product * weights[:, None])
        result.append(total)
    return result


def row_of_batch(file, best):
    """In /updates, of a batch that was learnt without the other entries; nothing for any other iteration."""
    if "updates" not in file:
        return None
    updates = file["updates"]
    alone = (updates["iteration"][...] == best) & (updates["passes"][...] == 0) & (updates["sums_anew"][...] == 0)
    return int(np.flatnonzero(alone)[-1]) if alone.any() else None


def main(arguments):
    if len(arguments) not in (2, 3):
        sys.exit(__doc__)
    indices, values = read_tensor(arguments[1])
    bad = 0
    with h5py.File(arguments[0]) as file:
        best = int(file["metrics"].attrs["best_iteration"])
        row = int(np.flatnonzero(file["metrics/iteration"][...] == best)[0])
        held_out = np.zeros(values.size, dtype=bool)
        if "test_positions" in file["input"]:
            held_out[file["input/test_positions"][...]] = True
        parts = {"train": (indices[:, ~held_out], values[~held_out])}
        if len(arguments) == 3:
            parts["test"] = read_tensor(arguments[2])
        elif held_out.any():
            parts["test"] = (indices[:, held_out], values[held_out])
        batch = row_of_batch(file, best)
        for name in OWN if batch is not None else ():
            if not np.isnan(file[f"metrics/{name}"][row]):
                print(f"iteration {best}  {name} is claimed, though nobody measured the training entries")
                bad += 1
        for part, (where, observed) in parts.items():
            told = dict(zip((f"{part}_rmse", f"{part}_mae"), errors(file["model"], where, observed)))
            column = "divergence_value" if part == "train" else "test_divergence_value"
            if column in file["metrics"] and (mean := divergence(file["model"], where, observed)) is not None:
                told[column] = mean
            for name, recomputed in told.items():
                own = batch is not None and name in OWN
                claimed = float(file[f"updates/{OWN[name]}"][batch] if own else file[f"metrics/{name}"][row])
                agrees = abs(claimed - recomputed) <= TOLERANCE * abs(recomputed)
                bad += not agrees
                print(f"iteration {best}  {name:16}  claimed {claimed:.7f}  recomputed {recomputed:.7f}  {'ok' if agrees else 'DIFFERS'}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
