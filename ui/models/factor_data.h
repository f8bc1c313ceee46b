// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/open_tensor.h"
#include "app/run_job.h"
#include "kernels/operations/components.h"
#include "kernels/operations/sparsity.h"

#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace ui {

/// A run's model as the page Factors shows it: what was computed of it, and the words. Immutable; made on a thread.
struct FactorData {
    /// Throws Cancelled.
    FactorData(std::shared_ptr<const app::RunOutcome> of, app::OpenTensorPtr from, kernels::Progress&);

    static constexpr std::size_t strongestKept = 50, bands = 1024;

    std::shared_ptr<const app::RunOutcome> outcome;
    app::OpenTensorPtr tensor;
    kernels::ComponentFacts facts;
    std::optional<kernels::Array<double>> core; ///< tucker; fasttucker while it is small
    kernels::Sparsity sparsity;
    std::vector<unsigned> order; ///< components, the heaviest first: a view, numbers stay the model's

    const kernels::Model& model() const { return outcome->result.best; }
    bool isCp() const { return model().kind == kernels::ModelKind::Cp; }
    unsigned modes() const { return model().order(); }
    unsigned components() const { return static_cast<unsigned>(order.size()); }
    bool has(unsigned mode, unsigned component) const { return component < facts.columns[mode].size(); }
    const kernels::ColumnFacts& column(unsigned mode, unsigned component) const { return facts.columns[mode][component]; }

    /// What the component adds to x̂, as a length; cp: with the sign that is left when every column's largest element is positive.
    /// tucker kinds: the heaviest of its columns.
    double weight(unsigned component) const;
    double largestWeight() const; ///< of magnitudes
    /// What an element is multiplied by for display: 1, or what makes the column's length 1 and its largest element positive.
    double scale(unsigned mode, unsigned component, bool normalised) const;
    double value(unsigned mode, unsigned component, kernels::Index row, bool normalised) const;

    QString modeName(unsigned mode) const; ///< "origin"
    QString rowText(unsigned mode, std::size_t row) const; ///< the label, or the index counted from 1
    QString rowTextWithIndex(unsigned mode, std::size_t row) const; ///< "159 · ORD Chicago, IL"
};
using FactorDataPtr = std::shared_ptr<const FactorData>;

} // namespace ui
