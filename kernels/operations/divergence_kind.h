// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace kernels {

/// How far a prediction x̂ is from a value x ≥ 0; each is the loss of noise of its own kind.
enum class Divergence {
    Euclidean, ///< (x − x̂)²: noise of the same size everywhere
    KullbackLeibler, ///< x log(x / x̂) − x + x̂: counts
    ItakuraSaito ///< x / x̂ − log(x / x̂) − 1: noise in proportion to the value
};

} // namespace kernels
