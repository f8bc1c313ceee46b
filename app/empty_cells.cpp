// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/empty_cells.h"

#include "app/divergence_choice.h"

#include <QCoreApplication>

#include <algorithm>

namespace app {
namespace {

using kernels::EmptyCells;

QString tr(const char* text) { return QCoreApplication::translate("empty cells", text); }

QString because(const kernels::EmptyCellsAdvice& advice)
{
    using enum kernels::EmptyCellsAdvice::Reason;
    switch (advice.reason) {
    case NoValues:
        break;
    case Negative:
        return tr("Some values are below zero: they look like measurements.");
    case Ratings:
        return tr("The values are a few steps from %1 to %2: they look like ratings.").arg(advice.lowest).arg(advice.highest);
    case Measured:
        return tr("The values look like measurements or means.");
    case StoredZeros:
        return tr("Some values are zero, so an empty cell is probably something else.");
    case FarFromZero:
        return tr("The smallest value is %1, which is far from zero: they look like measurements.").arg(advice.lowest);
    case Added:
        return tr("The rows of each cell were counted or added up.");
    case Aggregated:
        return tr("Each value sums up the rows of its cell, and an empty cell has none.");
    case Counts:
        return tr("The values are whole numbers from %1 on: they look like counts.").arg(advice.lowest);
    }
    return tr("The tensor holds no values.");
}

/// One for the same kind of model that fits the other cells. There is none for the FastTucker family: CP stands in.
const kernels::AlgorithmInfo& counterpart(const kernels::AlgorithmInfo& info)
{
    const auto& all = kernels::algorithms();
    const auto suits = [&](kernels::ModelKind kind) {
        return std::find_if(all.begin(), all.end(),
                            [&](const auto& each) { return each.model == kind && each.objective != info.objective; });
    };
    const auto same = suits(info.model);
    return same != all.end() ? *same : *suits(kernels::ModelKind::Cp);
}

} // namespace

bool asksForEmptyCells(const OpenTensor& tensor)
{
    return tensor.emptyCells() == EmptyCells::Unsaid && tensor.tensor.entries() > 0 && kernels::hasEmptyCells(tensor.tensor);
}

kernels::EmptyCellsAdvice emptyCellsAdvice(const OpenTensor& tensor)
{
    using io::table::Aggregate;
    using Reason = kernels::EmptyCellsAdvice::Reason;
    const std::vector<double>& sample = tensor.statistics.sortedSample;
    kernels::EmptyCellsAdvice advice = sample.empty() ? kernels::adviseEmptyCells(tensor.tensor) : kernels::adviseEmptyCells(sample);
    if (!tensor.recipe || advice.reason == Reason::NoValues)
        return advice;
    const Aggregate aggregate = tensor.recipe->aggregate;
    const bool added = aggregate == Aggregate::Count || aggregate == Aggregate::Sum || aggregate == Aggregate::Any;
    advice.meaning = added ? EmptyCells::Zero : EmptyCells::Unknown;
    advice.reason = added ? Reason::Added : Reason::Aggregated;
    return advice;
}

EmptyCells likelyEmptyCells(const OpenTensor& tensor)
{
    if (!kernels::hasEmptyCells(tensor.tensor))
        return EmptyCells::Unsaid;
    return tensor.emptyCells() == EmptyCells::Unsaid ? emptyCellsAdvice(tensor).meaning : tensor.emptyCells();
}

QString emptyCellsText(EmptyCells meaning)
{
    return meaning == EmptyCells::Zero ? tr("zero") : meaning == EmptyCells::Unknown ? tr("unknown") : tr("not said");
}

QString emptyCellsProposal(const kernels::EmptyCellsAdvice& advice)
{
    const QString reason = because(advice);
    if (advice.meaning == EmptyCells::Unsaid)
        return reason;
    return reason + QLatin1Char(' ')
        + (advice.meaning == EmptyCells::Zero ? tr("Empty cells probably mean zero.") : tr("Empty cells are probably unknown."));
}

std::string proposedAlgorithm(const OpenTensor& tensor)
{
    const EmptyCells meaning = likelyEmptyCells(tensor);
    if (meaning == EmptyCells::Zero)
        return "cp-als";
    const bool varies = meaning == EmptyCells::Unknown && divergenceAdvice(tensor).divergence != kernels::Divergence::Euclidean;
    return varies ? "ntf" : kernels::algorithms().front().id;
}

QString emptyCellsWarning(const kernels::AlgorithmInfo& info, const OpenTensor& tensor)
{
    if (info.fits(tensor.emptyCells()) || !kernels::hasEmptyCells(tensor.tensor))
        return {};
    const QString text = info.objective == kernels::Objective::Observed
        ? tr("Empty cells of this tensor mean zero, but %1 fits only stored entries. %2 fits all cells.")
        : tr("Empty cells of this tensor are unknown, but %1 takes them as zero. %2 fits only stored entries.");
    return text.arg(QString::fromStdString(info.title), QString::fromStdString(counterpart(info).title));
}

} // namespace app
