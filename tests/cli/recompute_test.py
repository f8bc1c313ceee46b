#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What runs claim must be what another program computes: recompute_test.py POLYAD_CLI FLIGHTS.tns"""
import os
import shutil
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}; install python3-h5py and python3-numpy")
    sys.exit(77)

import recompute

polyad, sample = sys.argv[1:3]


def run(*arguments):
    subprocess.run([polyad, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


def check(name, model, *tensors):
    print(f"== {name}")
    if recompute.main([model, *tensors]) != 0:
        sys.exit(f"{name}: the run's claims do not hold")


def check_sparse_parts(model, arrays):
    """What is written without its zeros is what is exported with them."""
    run("export", model, arrays, "--force")
    exported = np.load(arrays)
    with h5py.File(model) as file:
        parts = {name: part for name, part in file["model"].items() if name == "core" or name.startswith("factor_")}
        assert isinstance(parts["core"], h5py.Group) and isinstance(parts["factor_0"], h5py.Group)
        for name, part in parts.items():
            numbers = recompute.dense(part)
            assert np.array_equal(numbers, exported[name].astype(np.float64)), name
            stored = part["data" if "data" in part else "values"] if isinstance(part, h5py.Group) else None
            assert stored is None or 0 < stored.size == np.count_nonzero(numbers), name


def check_that_a_wrong_claim_is_seen(model, tensor):
    """A checker that cannot fail checks nothing."""
    with h5py.File(model, "r+") as file:
        file["metrics/test_rmse"][...] = file["metrics/test_rmse"][...] * 1.01
    assert recompute.main([model, tensor]) == 1


def check_that_a_batch_claims_no_training_errors(model, batch):
    with h5py.File(model, "r+") as file:
        file["metrics/train_rmse"][-1] = file["updates/rmse_after"][-1]
    assert recompute.main([model, batch]) == 1


def written(path, indices, values):
    np.savetxt(path, np.column_stack([*(indices + 1), values]), fmt="%d %d %d %.9g")
    return path


def check_kept_sums(model, tensor):
    """What later updates go on from, where all entries were just read."""
    indices, values = recompute.read_tensor(tensor)
    with h5py.File(model) as file:
        for mode in range(3):
            for name, expected in zip(("numerator", "denominator"), recompute.sums(file["model"], indices, values, mode)):
                found = file[f"state/{name}_{mode}"][...]
                assert found.shape == expected.shape and np.abs(found - expected).max() < 1e-5 * expected.max(), f"{name}_{mode}"


def check_updates(folder, divergence):
    """A stream in batches: each claims what it is, and passes over all of it make every number exact again."""
    random = np.random.default_rng(4)
    cells = random.permutation(40 * 30 * 20)[:6000]
    indices = np.stack(np.unravel_index(np.sort(cells), (20, 30, 40)))[::-1]  # in the order of the last mode
    means = sum(random.gamma(1, 1, size)[i] for size, i in zip((40, 30, 20), indices)) + 0.1
    values = {"kl": random.poisson(means) * 1.0, "is": means * random.exponential(1, means.size) + 1e-3, "euclidean": means}[divergence]
    path = lambda name: os.path.join(folder, name)
    parts = [written(path(f"part{k}.tns"), indices[:, part], values[part]) for k, part in enumerate((slice(0, 4500), slice(4500, 5200), slice(5200, 6000)))]
    everything, model = written(path("all.tns"), indices, values), path(f"{divergence}.h5")
    run("run", parts[0], "--algorithm", "ntf", "--param", f"divergence={divergence}", "--rank", 3, "--iterations", 20, "--test-fraction", 0, "-o", model, "--progress", "none")
    check(f"{divergence}, the run", model, parts[0])
    check_kept_sums(model, parts[0])
    run("update", model, parts[1], "-o", model)
    check(f"{divergence}, a batch", model, parts[1])
    spoilt = path("spoilt.h5")
    shutil.copy(model, spoilt)
    check_that_a_batch_claims_no_training_errors(spoilt, parts[1])
    run("update", model, parts[2], "-o", model, "--data", parts[0], "--data", parts[1], "--passes", 2)
    check(f"{divergence}, passes over all", model, everything)
    check_kept_sums(model, everything)


with tempfile.TemporaryDirectory() as folder:
    for divergence in ("euclidean", "kl", "is"):
        check_updates(folder, divergence)
    model = os.path.join(folder, "model.h5")
    for precision in ("fp32", "fp64"):
        run("run", sample, "--device", "cpu", "--rank", "5,4,3", "--core-rank", 6, "--iterations", 15, "--precision", precision, "--output", model, "--force", "--progress", "none")
        check(f"flights, {precision}", model, sample)
    run("run", sample, "--device", "cpu", "--rank", 4, "--iterations", 6, "--test-fraction", 0, "--output", model, "--force", "--progress", "none")
    check("flights without a test set", model, sample)

    for algorithm, variant, form in (("fasttucker", "calculate", "coo"), ("fastertucker", "coo", "coo"), ("fastertucker", "full", "bcsf"), ("cp-completion-als", "", "coo"),
                                     ("cp-ccd", "", "coo"), ("cp-sgd", "", "coo"), ("tucker-als", "", "coo"), ("tucker-sgd", "", "coo")):
        run("run", sample, "--device", "cpu", "--algorithm", algorithm, *(["--variant", variant] if variant else []), "--format", form, "--rank", 4, "--iterations", 5,
            "--output", model, "--force", "--progress", "none", "--force")
        check(f"flights, {algorithm} {variant}", model, sample)

    train = os.path.join(folder, "planted.h5")
    test = os.path.join(folder, "planted.test.h5")
    run("generate", "--dims", "60,50,40,30", "--nnz", 20000, "--test-nnz", 2000, "--rank", 3, "--noise", 0.1, "-o", train)
    run("run", train, "--device", "cpu", "--test", test, "--rank", 3, "--iterations", 10, "--output", model, "--force", "--progress", "none")
    check("a planted tensor of order 4 with a test file", model, train, test)

    for precision, form in (("fp32", "squares"), ("fp64", "sizes")):
        run("run", sample, "--device", "cpu", "--algorithm", "tucker-ccd", "--rank", "5,4,3", "--iterations", 25, "--precision", precision,
            "--param", "pruning=to-sparsity", "--param", "sparsity=0.8", "--param", f"penalty-form={form}", "--param", "penalty=0.3",
            "--output", model, "--force", "--progress", "none")
        check(f"flights, pruned, {precision}, penalty on {form}", model, sample)
        check_sparse_parts(model, os.path.join(folder, "model.npz"))

    run("run", sample, "--device", "cpu", "--rank", 4, "--iterations", 3, "--output", model, "--force", "--progress", "none")
    check_that_a_wrong_claim_is_seen(model, sample)
