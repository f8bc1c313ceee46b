// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/report_figures.h"

#include "app/formatting.h"
#include "kernels/base/registry.h"
#include "kernels/base/several_devices.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

using io::ModelFile;
using Record = kernels::IterationRecord;

QString tr(const char* text) { return QCoreApplication::translate("Report", text); }

const Record* bestOf(const ModelFile& file)
{
    const auto at =
        std::find_if(file.history.begin(), file.history.end(), [&](const Record& row) { return row.iteration == file.bestIteration; });
    return at != file.history.end() ? &*at : file.history.empty() ? nullptr : &file.history.back();
}

const kernels::AlgorithmInfo* algorithmOf(const ModelFile& file)
{
    const auto& all = kernels::algorithms();
    const auto at = std::find_if(all.begin(), all.end(), [&](const auto& info) { return info.id == file.config.algorithm; });
    return at == all.end() ? nullptr : &*at;
}

QString algorithmText(const ModelFile& file)
{
    const kernels::AlgorithmInfo* const info = algorithmOf(file);
    return QString::fromStdString(info ? info->title : file.config.algorithm);
}

QString ranksText(const ModelFile& file)
{
    if (file.config.ranks.empty())
        return {};
    const kernels::AlgorithmInfo* const info = algorithmOf(file);
    const QString ranks = formatting::ranks(file.config.ranks);
    return info && info->model == kernels::ModelKind::FastTucker ? QStringLiteral("%1 / %2").arg(ranks).arg(file.config.effectiveCoreRank())
                                                                 : ranks;
}

QString deviceText(const ModelFile& file)
{
    return file.config.devices.empty() ? QString() : QString::fromStdString(kernels::toString(file.config.devices));
}

QString endText(const ModelFile& file)
{
    return QString::fromStdString(file.status == "finished" && !file.stopReason.empty() ? file.stopReason : file.status);
}

QString known(double value, QString (*text)(double)) { return std::isfinite(value) ? text(value) : QString(); }

QString memoryText(const ModelFile& file)
{
    const bool cpu = file.config.devices.empty() || file.config.devices.front().kind == kernels::DeviceKind::Cpu;
    const std::uint64_t bytes = cpu ? file.memory.hostBytes : file.memory.deviceBytes;
    return bytes ? formatting::bytes(bytes) : QString();
}

} // namespace

std::vector<ReportFigure> reportFigures(std::span<const io::SessionRun> runs)
{
    std::vector<ReportFigure> figures;
    const auto add = [&](const QString& title, bool isNumber, const auto& of) {
        ReportFigure figure{title, isNumber, {}};
        for (const io::SessionRun& run : runs)
            figure.values += of(run.file);
        if (std::all_of(figure.values.begin(), figure.values.end(), [](const QString& value) { return value.isEmpty(); }))
            return;
        figure.values.replaceInStrings(QRegularExpression(QStringLiteral("^$")), QStringLiteral("–"));
        figures.push_back(std::move(figure));
    };
    const auto ofBest = [](double Record::*value) {
        return [value](const ModelFile& file) {
            const Record* best = bestOf(file);
            return best ? known(best->*value, formatting::metric) : QString();
        };
    };
    add(tr("algorithm"), false, algorithmText);
    add(tr("precision"), false, [](const ModelFile& file) {
        return file.config.algorithm.empty() ? QString() : QString::fromUtf8(kernels::toString(file.config.precision));
    });
    add(tr("ranks"), true, ranksText);
    add(tr("device"), false, deviceText);
    add(tr("test RMSE"), true, ofBest(&Record::testRmse));
    add(tr("test MAE"), true, ofBest(&Record::testMae));
    add(tr("train RMSE"), true, ofBest(&Record::trainRmse));
    add(tr("fit"), true, ofBest(&Record::fit));
    add(tr("best iteration"), true,
        [](const ModelFile& file) { return file.bestIteration ? formatting::grouped(file.bestIteration) : QString(); });
    add(tr("iterations"), true,
        [](const ModelFile& file) { return file.history.empty() ? QString() : formatting::grouped(file.history.size()); });
    add(tr("compute time"), true,
        [](const ModelFile& file) { return file.history.empty() ? QString() : formatting::duration(file.history.back().elapsed); });
    add(tr("ms / iteration"), true, [](const ModelFile& file) {
        return file.history.empty() ? QString()
                                    : formatting::milliseconds(file.history.back().elapsed / static_cast<double>(file.history.size()));
    });
    add(tr("peak memory"), true, memoryText);
    add(tr("ended by"), false, endText);
    return figures;
}

} // namespace app
