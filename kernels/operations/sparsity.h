// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/models/model.h"

namespace kernels {

/// How many numbers of a model are 0.
struct Sparsity {
    Count coreZeros = 0, coreNumbers = 0; ///< tucker
    Count factorZeros = 0, factorNumbers = 0;

    bool any() const { return coreZeros + factorZeros > 0; }
    double corePercent() const { return percent(coreZeros, coreNumbers); }
    double factorPercent() const { return percent(factorZeros, factorNumbers); }

private:
    static double percent(Count part, Count of) { return of ? 100.0 * static_cast<double>(part) / static_cast<double>(of) : 0; }
};

Sparsity sparsityOf(const Model&);

} // namespace kernels
