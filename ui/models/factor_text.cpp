// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/factor_text.h"

#include "ui/formatting.h"

#include <QCoreApplication>
#include <QIODevice>
#include <QStringList>

#include <algorithm>

namespace ui {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("FactorText", text); }

QString label(const FactorData& data, unsigned mode, std::size_t row)
{
    const auto& labels = data.tensor->modes()[mode].labels;
    return row < labels.size() ? formatting::csvCell(QString::fromStdString(labels[row])) : QString();
}

/// Calls each(mode, rank from 1, row).
template <class Each> void forStrongest(const FactorData& data, unsigned component, unsigned count, const Each& each)
{
    for (unsigned n = 0; n < data.modes(); ++n) {
        if (!data.has(n, component))
            continue;
        const auto& rows = data.column(n, component).strongest;
        for (unsigned i = 0; i < std::min<std::size_t>(count, rows.size()); ++i)
            each(n, i + 1, rows[i]);
    }
}

} // namespace

QString strongestRowText(const FactorData& data, unsigned mode, unsigned component, kernels::Index row, bool normalised)
{
    const bool below = data.value(mode, component, row, normalised) < 0;
    return below ? QStringLiteral("\u2212 ") + data.rowText(mode, row) : data.rowText(mode, row);
}

QString strongestText(const FactorData& data, unsigned component, const QString& title, unsigned count, bool normalised)
{
    QString text = tr("%1, weight %2").arg(title, formatting::number(data.weight(component))) + QLatin1Char('\n');
    forStrongest(data, component, count, [&](unsigned mode, unsigned rank, kernels::Index row) {
        if (rank == 1)
            text += data.modeName(mode) + QLatin1Char('\n');
        text += QStringLiteral("  %1\t%2\n").arg(data.rowText(mode, row), formatting::number(data.value(mode, component, row, normalised)));
    });
    return text;
}

QString strongestCsv(const FactorData& data, unsigned component, const QString& name, unsigned count, bool normalised)
{
    QString text = QStringLiteral("component,name,mode,rank,index1,label,value\r\n");
    forStrongest(data, component, count, [&](unsigned mode, unsigned rank, kernels::Index row) {
        text += QStringLiteral("%1,%2,%3,").arg(component + 1).arg(formatting::csvCell(name), formatting::csvCell(data.modeName(mode)));
        text += QStringLiteral("%1,%2,%3,%4\r\n")
                    .arg(rank)
                    .arg(row + 1)
                    .arg(label(data, mode, row), formatting::exact(data.value(mode, component, row, normalised)));
    });
    return text;
}

bool writeComponentCsv(const FactorData& data, unsigned component, bool normalised, QIODevice& out, kernels::Progress& progress)
{
    constexpr qsizetype block = 1 << 20;
    QString text = QStringLiteral("mode,index1,label,value\r\n");
    const auto flush = [&] {
        progress.throwIfCancelled();
        const QByteArray bytes = text.toUtf8();
        text.clear();
        return out.write(bytes) == bytes.size();
    };
    for (unsigned n = 0; n < data.modes(); ++n) {
        if (!data.has(n, component))
            continue;
        const QString mode = formatting::csvCell(data.modeName(n));
        for (kernels::Index row = 0; row < data.model().dims[n]; ++row) {
            text += mode + QLatin1Char(',') + QString::number(quint64{row} + 1) + QLatin1Char(',') + label(data, n, row) + QLatin1Char(',')
                + formatting::exact(data.value(n, component, row, normalised)) + QStringLiteral("\r\n");
            if (text.size() > block && !flush())
                return false;
        }
    }
    return flush();
}

QString conventionText(const FactorData& data, bool normalised)
{
    QString what = data.isCp()
        ? tr("A component is one column of every mode.")
        : tr("A row is the columns of one number in the factor matrices: the core tells which columns of the modes belong together.");
    if (data.model().kind == kernels::ModelKind::Tucker && data.sparsity.any())
        what += QLatin1Char(' ')
            + tr("%1 % of the core's numbers and %2 % of the factors' are 0.")
                  .arg(formatting::number(data.sparsity.corePercent(), 3), formatting::number(data.sparsity.factorPercent(), 3));
    if (!normalised)
        return what + QLatin1Char(' ') + tr("Numbers, signs and lengths as the model has them.");
    return what + QLatin1Char(' ')
        + (data.isCp() ? tr("Columns have length 1 and a positive largest element; their lengths and signs are in the weight.")
                       : tr("Columns have length 1 and a positive largest element; the weight is what the prediction loses without the "
                            "heaviest of a row."));
}

QString degeneracyText(const FactorData& data)
{
    const auto found = kernels::degeneracies(data.facts);
    if (found.empty())
        return {};
    const auto& worst = found.front();
    QString text =
        tr("Components %1 and %2 all but cancel each other (congruence %3, below %4): a degenerate solution. Fewer components, or "
           "factors held ≥ 0, avoid it.")
            .arg(worst.first + 1)
            .arg(worst.second + 1)
            .arg(formatting::number(worst.congruence, 3), formatting::number(kernels::degenerateCongruence, 2));
    if (found.size() > 1)
        text += QLatin1Char(' ') + tr("Pairs like this: %1.").arg(found.size());
    return text;
}

} // namespace ui
