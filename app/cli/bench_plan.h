// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/run_options.h"
#include "app/open_tensor.h"
#include "kernels/base/types.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cli {

/// Which algorithms a bench of iterations compares.
enum class BenchFamily {
    FastTucker, ///< an algorithm unless more are named
    Tucker, ///< all with a Tucker model, its core factored or dense
    Cp ///< all that fit a CP model to the observed entries
};

/// One tensor of a bench; made when its turn comes, so that there is one at a time.
struct BenchTensor {
    std::string label;
    std::function<app::OpenTensorPtr()> open;
};

/// What a bench goes through: the lists of its options, each as it was typed, or those of a named table.
struct BenchPlan {
    BenchFamily family = BenchFamily::FastTucker;
    std::optional<std::string> table, algorithms, variants, precisions, ranks;
    std::optional<std::string> orders, densities; ///< "3:10", or a list
    std::optional<std::string> entries, modeSize; ///< of generated tensors
    bool access = false;
    bool stale = false; ///< a table's: times variants that keep projections with a factor pass by them, too

    /// Lays the table's lists under what was given; whole families but FastTucker's have one where none is named. Throws Error(BadArgument)
    /// with the known tables.
    void applyTable();
    /// Every combination, in the order of the lists; a table's lists leave out the variants that an algorithm has not.
    std::vector<MethodOptions> methods(const MethodOptions&) const;
    bool sweeps() const { return orders || densities; }
    /// Of a sweep. onGpu decides how large they are where nobody said.
    std::vector<BenchTensor> tensors(bool onGpu) const;

private:
    bool m_variantsOfTable = false;
    bool m_onCudaCores = false; ///< fp32's products
};

/// Ids of its algorithms.
std::vector<std::string> membersOf(BenchFamily);
/// "iteration", … and what each compares, a line each.
std::string benchTablesHelp(BenchFamily);

} // namespace cli
