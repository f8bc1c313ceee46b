// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/index_reader.h"
#include "app/predict_table.h"
#include "app/run.h"
#include "app/run_entries.h"
#include "app/written_values.h"

#include <memory>

namespace ui {

/// The run that the Predict page asks: what its views share with their threads. Stays whole when the run is removed or its
/// tensor closed meanwhile.
struct PredictSubject {
    explicit PredictSubject(const app::Run& run)
        : runId(run.id())
        , colorIndex(run.colorIndex())
        , objective(run.objective())
        , config(run.config())
        , tensor(run.tensor())
        , outcome(run.outcome())
        , newestRmse(newestRmseOf(run))
        , reader(outcome->result.best.dims, tensor->modes())
    {
    }
    PredictSubject(const PredictSubject&) = delete;
    PredictSubject& operator=(const PredictSubject&) = delete;

    int runId;
    int colorIndex;
    kernels::Objective objective;
    kernels::RunConfig config;
    app::OpenTensorPtr tensor;
    std::shared_ptr<const app::RunOutcome> outcome;
    double newestRmse; ///< of the entries that were learnt last, after the run; NaN: none were
    app::IndexReader reader;

    const kernels::Model& model() const { return outcome->result.best; }
    const std::vector<kernels::Mode>& modes() const { return tensor->modes(); }
    unsigned order() const { return model().order(); }
    std::vector<unsigned> firstIndicesOfLines() const
    {
        return io::firstIndicesOfLines(tensor->report.layout, tensor->report.indexBase, order());
    }
    /// Predicts tables like the one that the tensor was made from.
    app::TablePredictor ofTables() const { return {model(), modes(), tensor->recipe, {}, config.precision != kernels::Precision::Fp64}; }
    /// Predictions and entries in the values of the table that the tensor was made from.
    app::WrittenValues written() const { return app::WrittenValues(tensor->recipe); }
    QString modeName(unsigned mode) const { return QString::fromStdString(tensor->modeName(mode)); }

private:
    static double newestRmseOf(const app::Run& run)
    {
        const io::UpdateRecord* const update = run.updateAt(run.bestIteration());
        return update ? update->rmseAfter : kernels::notMeasured;
    }
};
using PredictSubjectPtr = std::shared_ptr<const PredictSubject>;
using RunEntriesPtr = std::shared_ptr<const app::RunEntries>;

} // namespace ui
