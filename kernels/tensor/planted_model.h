// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/progress.h"
#include "kernels/models/model.h"
#include "kernels/tensor/synthetic.h"

namespace kernels {

/// What a purpose draws from a spec's seed; index draws of mode n come from stream n.
enum SyntheticStream : std::uint64_t {
    FactorStream = 32,
    CoreStream = 64,
    NoiseStream = 96,
    ValueStream = 97,
    SurplusStream = 98,
    TestStream = 99
};

/// A random model of the spec's kind with elements ≥ 0 and predictions of about the spec's mean: factors are
/// U(0, 1); cores are U(0, 1)³, few large and many small, so that their terms differ.
Model plantedModel(const SyntheticSpec&, Progress* = nullptr);

/// Throws Error(BadArgument) for ranks out of range, OutOfMemory when the model has no room.
void checkPlantedModel(const SyntheticSpec&);

} // namespace kernels
