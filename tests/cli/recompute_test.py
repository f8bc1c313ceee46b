#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Polyad authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What runs claim must be what another program computes: recompute_test.py POLYAD_CLI FLIGHTS.tns"""
import os
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


def check_that_a_wrong_claim_is_seen(model, tensor):
    """A checker that cannot fail checks nothing."""
    with h5py.File(model, "r+") as file:
        file["metrics/test_rmse"][...] = file["metrics/test_rmse"][...] * 1.01
    assert recompute.main([model, tensor]) == 1


with tempfile.TemporaryDirectory() as folder:
    model = os.path.join(folder, "model.h5")
    for precision in ("fp32", "fp64"):
        run("run", sample, "--device", "cpu", "--rank", "5,4,3", "--core-rank", 6, "--iterations", 15, "--precision", precision, "--output", model, "--progress", "none")
        check(f"flights, {precision}", model, sample)
    run("run", sample, "--device", "cpu", "--rank", 4, "--iterations", 6, "--test-fraction", 0, "--output", model, "--progress", "none")
    check("flights without a test set", model, sample)

    train = os.path.join(folder, "planted.h5")
    test = os.path.join(folder, "planted.test.h5")
    run("generate", "--dims", "60,50,40,30", "--nnz", 20000, "--test-nnz", 2000, "--rank", 3, "--noise", 0.1, "-o", train)
    run("run", train, "--device", "cpu", "--test", test, "--rank", 3, "--iterations", 10, "--output", model, "--progress", "none")
    check("a planted tensor of order 4 with a test file", model, train, test)

    run("run", sample, "--device", "cpu", "--rank", 4, "--iterations", 3, "--output", model, "--progress", "none")
    check_that_a_wrong_claim_is_seen(model, sample)
