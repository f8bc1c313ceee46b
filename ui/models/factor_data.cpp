// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/factor_data.h"

#include "ui/formatting.h"

#include <cmath>

namespace ui {

FactorData::FactorData(std::shared_ptr<const app::RunOutcome> of, app::OpenTensorPtr from, kernels::Progress& progress)
    : outcome(std::move(of))
    , tensor(std::move(from))
    , facts(kernels::componentFacts(model(), strongestKept, bands, &progress))
    , sparsity(kernels::sparsityOf(model()))
    , order(kernels::componentsByWeight(model(), facts))
{
    if (model().kind == kernels::ModelKind::Tucker)
        core = model().core;
    else if (model().kind == kernels::ModelKind::FastTucker)
        core = kernels::denseCore(model());
}

double FactorData::weight(unsigned component) const { return kernels::componentWeight(model(), facts, component); }

double FactorData::largestWeight() const { return order.empty() ? 0 : std::abs(weight(order.front())); }

double FactorData::scale(unsigned mode, unsigned component, bool normalised) const
{
    return normalised ? kernels::unitScale(column(mode, component)) : 1;
}

double FactorData::value(unsigned mode, unsigned component, kernels::Index row, bool normalised) const
{
    return model().factors[mode].at(row, component) * scale(mode, component, normalised);
}

QString FactorData::modeName(unsigned mode) const { return QString::fromStdString(tensor->modeName(mode)); }

QString FactorData::rowText(unsigned mode, std::size_t row) const
{
    const auto& labels = tensor->modes()[mode].labels;
    return row < labels.size() ? QString::fromStdString(labels[row]) : formatting::grouped(row + 1);
}

QString FactorData::rowTextWithIndex(unsigned mode, std::size_t row) const
{
    const QString index = formatting::grouped(row + 1);
    return row < tensor->modes()[mode].labels.size() ? QStringLiteral("%1 · %2").arg(index, rowText(mode, row)) : index;
}

} // namespace ui
