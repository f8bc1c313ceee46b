// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/run_job.h"
#include "kernels/operations/residuals.h"

#include <memory>
#include <vector>

namespace app {

/// An entry that a run knew.
struct KnownEntry {
    kernels::Index index = 0; ///< along the mode that was asked for
    double value = 0;
    bool test = false;
};

/// An entry and what a model makes of it.
struct JudgedEntry {
    std::vector<kernels::Index> index;
    double x = 0, predicted = 0;
    bool test = false;
    double residual() const { return x - predicted; }
};

struct RunResiduals {
    kernels::PartResiduals train, test;
    std::vector<JudgedEntry> worst; ///< of both parts and signs, largest first
};

/// What a run was trained and tested on, as it looked at it, found again where it lies: nothing is copied. Immutable.
class RunEntries {
public:
    /// Reads the test file where the run had one of its own; throws as reading does.
    RunEntries(OpenTensorPtr, const kernels::RunConfig& resolved, std::shared_ptr<const RunOutcome>, kernels::Progress&);
    /// Whether that takes its time.
    static bool wantsReading(const kernels::RunConfig& config);

    bool hasTest() const { return m_test || !m_outcome->testPositions.empty(); }
    /// All entries of one cell: of duplicates there are several.
    std::vector<KnownEntry> at(const std::vector<kernels::Index>& index) const;
    /// Those with this index in every mode but one, ascending by it.
    std::vector<KnownEntry> along(const std::vector<kernels::Index>& index, unsigned freeMode, kernels::Progress* = nullptr) const;
    /// Of the run's model; `worst` entries of each part and sign.
    RunResiduals residuals(std::size_t worst, kernels::Progress&) const;

private:
    std::vector<KnownEntry> known(const kernels::SparseTensor&, const std::vector<kernels::Count>& entries, unsigned mode) const;

    OpenTensorPtr m_tensor;
    std::shared_ptr<const RunOutcome> m_outcome;
    std::shared_ptr<const kernels::SparseTensor> m_test; ///< a test part that is no part of the tensor; null: none
};

} // namespace app
