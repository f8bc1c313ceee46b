// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_columns.h"

#include "kernels/base/registry.h"
#include "ui/formatting.h"
#include "ui/models/run_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

using app::Measure;
using app::Part;
using app::Run;
using kernels::notMeasured;
using Shown = RunColumn::Shown;

QString tr(const char* text) { return QCoreApplication::translate("columns", text); }

QString percentText(double percent) { return formatting::percent(percent / 100, 0); }
QString countText(double number) { return formatting::count(number); }
QString bytesText(double amount) { return formatting::bytes(static_cast<quint64>(amount)); }
QString wholeText(double number) { return formatting::grouped(static_cast<quint64>(std::max(0.0, number))); }
QString plainText(double number) { return QString::number(number, 'f', 0); }

auto ofBest(double kernels::IterationRecord::*value)
{
    return [value](const Run& run, const RunScope&) {
        const kernels::IterationRecord* best = bestRecord(run);
        return best ? best->*value : notMeasured;
    };
}

/// Of the part that runs are judged by.
auto ofBest(Measure measure)
{
    return [measure](const Run& run, const RunScope& scope) {
        const kernels::IterationRecord* best = bestRecord(run);
        return best ? app::measuredOf(*best, measure, scope.part()) : notMeasured;
    };
}

RunColumn withBaseline(RunColumn column, double kernels::BaselineErrors::*number)
{
    column.baseline = [number](const kernels::BaselineErrors& errors, const RunScope&) { return errors.*number; };
    return column;
}

/// Of the part that runs are judged by.
RunColumn withBaseline(RunColumn column, double kernels::BaselineErrors::*test, double kernels::BaselineErrors::*train)
{
    column.baseline = [test, train](const kernels::BaselineErrors& errors, const RunScope& scope) {
        return errors.*(scope.part() == Part::Test ? test : train);
    };
    return column;
}

double meanUse(const Run& run, bool ofCpu)
{
    double sum = 0;
    std::size_t count = 0;
    for (const io::TelemetrySeries& series : run.telemetry())
        if ((series.info.id == "cpu") == ofCpu)
            for (const kernels::telemetry::Sample& sample : series.samples)
                if (std::isfinite(sample.smPercent)) {
                    sum += static_cast<double>(sample.smPercent);
                    ++count;
                }
    return count ? sum / static_cast<double>(count) : notMeasured;
}

double peakBytes(const Run& run, const RunScope&)
{
    if (!run.outcome())
        return notMeasured;
    const kernels::MemoryUse& use = run.outcome()->result.memory;
    const std::uint64_t bytes = run.config().devices.front().kind == kernels::DeviceKind::Cpu ? use.hostBytes : use.deviceBytes;
    return bytes ? static_cast<double>(bytes) : notMeasured;
}

template <class Of> auto perHistory(const Of& of)
{
    return [of](const Run& run, const RunScope&) { return run.history().empty() ? notMeasured : of(run); };
}

QString iterationsText(const Run& run)
{
    const QString done = formatting::grouped(run.history().size());
    return run.history().size() < run.plannedIterations() ? tr("%1 of %2").arg(done, formatting::grouped(run.plannedIterations())) : done;
}

QString ranksText(const Run& run)
{
    const kernels::RunConfig& config = run.config();
    const bool core = kernels::algorithm(config.algorithm).model == kernels::ModelKind::FastTucker;
    return core ? QStringLiteral("%1 / %2").arg(formatting::ranks(config.ranks)).arg(config.effectiveCoreRank())
                : formatting::ranks(config.ranks);
}

QString variantText(const Run& run)
{
    for (const kernels::AlgorithmVariant& variant : kernels::algorithm(run.config().algorithm).variants)
        if (variant.id == run.config().variant)
            return QString::fromStdString(variant.title);
    return QString::fromStdString(run.config().variant);
}

RunColumn wordsColumn(const char* id, const QString& name, const QString& tip, Shown shown, std::function<QString(const Run&)> words)
{
    RunColumn column;
    column.id = QLatin1String(id);
    column.name = name;
    column.toolTip = tip;
    column.shown = shown;
    column.right = false;
    column.words = std::move(words);
    return column;
}

RunColumn numberColumn(const char* id, const QString& name, const QString& tip, Shown shown, QString (*format)(double),
                       std::function<double(const Run&, const RunScope&)> number, const QString& missing, const QString& unit = {})
{
    RunColumn column;
    column.id = QLatin1String(id);
    column.name = name;
    column.toolTip = tip;
    column.shown = shown;
    column.format = format;
    column.number = std::move(number);
    column.missing = missing;
    column.unit = unit;
    return column;
}

RunColumn asCost(RunColumn column)
{
    column.cost = true;
    return column;
}

RunColumn titled(RunColumn column, std::function<QString(const RunScope&)> title)
{
    column.title = std::move(title);
    return column;
}

RunColumn worded(RunColumn column, std::function<QString(const Run&)> words)
{
    column.words = std::move(words);
    return column;
}

std::function<QString(const RunScope&)> partTitle(const QString& test, const QString& train)
{
    return [test, train](const RunScope& scope) { return scope.part() == Part::Test ? test : train; };
}

void addSettings(std::vector<RunColumn>& columns)
{
    columns.push_back(wordsColumn("run", tr("run"), tr("Click its square, or press Space, to show or hide a run in every chart"),
                                  Shown::AtFirst, [](const Run& run) { return run.name(); }));
    columns.push_back(wordsColumn("state", tr("state"), tr("What the run does"), Shown::OnRequest,
                                  [](const Run& run) { return stateText(run.state()); }));
    columns.push_back(wordsColumn("note", tr("note"), tr("Your own words on it"), Shown::OnRequest,
                                  [](const Run& run) { return run.note().simplified(); }));
    columns.push_back(wordsColumn("tensor", tr("tensor"), tr("What it decomposes"), Shown::OnRequest,
                                  [](const Run& run) { return run.tensor() ? run.tensor()->name : QString(); }));
    columns.push_back(wordsColumn("algorithm", tr("algorithm"), tr("How it decomposes"), Shown::OnRequest,
                                  [](const Run& run) { return run.algorithmTitle(); }));
    columns.push_back(wordsColumn("variant", tr("variant"), tr("Variant of the algorithm"), Shown::OnRequest, variantText));
    columns.push_back(
        wordsColumn("setting", tr("setting"), tr("Precision of the products and format of the tensor"), Shown::AtFirst, [](const Run& run) {
            return precisionText(run.config().precision) + QStringLiteral(" · ") + formatTitle(run.config().format);
        }));
    columns.push_back(wordsColumn("precision", tr("precision"), tr("Precision of the products"), Shown::OnRequest,
                                  [](const Run& run) { return precisionText(run.config().precision); }));
    columns.push_back(wordsColumn("format", tr("format"), tr("How the tensor's entries are laid out"), Shown::OnRequest,
                                  [](const Run& run) { return formatTitle(run.config().format); }));
    columns.push_back(wordsColumn("device", tr("device"), tr("What it computes on"), Shown::OnRequest,
                                  [](const Run& run) { return deviceText(run.config().devices); }));
    columns.push_back(wordsColumn("ranks", tr("ranks"), tr("J / R: columns of the factors and of the core factors; of CP one rank"),
                                  Shown::AtFirst, ranksText));
    columns.back().number = [](const Run& run, const RunScope&) { return static_cast<double>(run.config().largestRank()); };
    columns.push_back(numberColumn("seed", tr("seed"), tr("Where its random numbers begin"), Shown::OnRequest, plainText,
                                   [](const Run& run, const RunScope&) { return static_cast<double>(run.config().seed); }, {}));
    columns.back().words = [](const Run& run) { return QString::number(run.config().seed); };
}

void addAccuracy(std::vector<RunColumn>& columns)
{
    const QString unmeasured = tr("not measured by this run");
    const QString best = tr("Of the best iteration, whose factors the model has");
    using Errors = kernels::BaselineErrors;
    columns.push_back(withBaseline(
        titled(numberColumn("rmse", tr("RMSE"), best + tr("; of the test part where any run has one"), Shown::AtFirst, formatting::metric,
                            ofBest(Measure::Rmse), tr("nothing was held out for testing, or it is not at hand")),
               partTitle(tr("test RMSE"), tr("train RMSE"))),
        &Errors::testRmse, &Errors::trainRmse));
    columns.push_back(withBaseline(
        titled(numberColumn("mae", tr("MAE"), best + tr("; of the test part where any run has one"), Shown::OnRequest, formatting::metric,
                            ofBest(Measure::Mae), tr("nothing was held out for testing, or it is not at hand")),
               partTitle(tr("test MAE"), tr("train MAE"))),
        &Errors::testMae, &Errors::trainMae));
    columns.push_back(withBaseline(numberColumn("train-rmse", tr("RMSE in training"), best, Shown::OnRequest, formatting::metric,
                                                ofBest(&kernels::IterationRecord::trainRmse), unmeasured),
                                   &Errors::trainRmse));
    columns.push_back(withBaseline(numberColumn("train-mae", tr("MAE in training"), best, Shown::OnRequest, formatting::metric,
                                                ofBest(&kernels::IterationRecord::trainMae), unmeasured),
                                   &Errors::trainMae));
    columns.push_back(withBaseline(numberColumn("fit", tr("fit"), tr("1 − norm(X − X̂) / norm(X) over all cells, of the best iteration"),
                                                Shown::WhenKnown, formatting::metric, ofBest(&kernels::IterationRecord::fit),
                                                tr("only algorithms that fit all cells measure it")),
                                   &Errors::fit));
}

void addTimes(std::vector<RunColumn>& columns)
{
    const auto seconds = [](const RunScope& scope) { return tr("time to %1").arg(scope.targetText()); };
    columns.push_back(worded(numberColumn("iterations", tr("iterations"), tr("Done, of those that were planned"), Shown::AtFirst, wholeText,
                                          perHistory([](const Run& run) { return static_cast<double>(run.history().size()); }), {}),
                             [](const Run& run) { return run.history().empty() ? QString() : iterationsText(run); }));
    columns.push_back(asCost(titled(numberColumn(
                                        "target-time", tr("time to the target"),
                                        tr("Compute time, without evaluation, until the first iteration that meets the target"),
                                        Shown::AtFirst, formatting::duration,
                                        [](const Run& run, const RunScope& scope) {
                                            const auto* reached = scope.curve(run).reached(scope.target());
                                            return reached ? reached->seconds : notMeasured;
                                        },
                                        tr("the target was not reached"), QStringLiteral("s")),
                                    seconds)));
    columns.push_back(asCost(numberColumn(
        "best-time", tr("time to the best"), tr("Compute time, without evaluation, until the best iteration"), Shown::OnRequest,
        formatting::duration,
        [](const Run& run, const RunScope&) {
            const kernels::IterationRecord* best = bestRecord(run);
            return best ? best->elapsed : notMeasured;
        },
        {}, QStringLiteral("s"))));
    columns.push_back(asCost(numberColumn(
        "time", tr("compute time"), tr("Of all iterations, without evaluation and pauses"), Shown::OnRequest, formatting::duration,
        perHistory([](const Run& run) { return run.history().back().elapsed; }), {}, QStringLiteral("s"))));
    columns.push_back(asCost(numberColumn(
        "iteration-time", tr("ms / iter"), tr("Mean compute time of an iteration, without evaluation"), Shown::AtFirst,
        [](double ms) { return formatting::milliseconds(ms / 1e3); },
        perHistory([](const Run& run) { return run.history().back().elapsed * 1e3 / static_cast<double>(run.history().size()); }), {},
        QStringLiteral("ms"))));
    columns.push_back(numberColumn("throughput", tr("entries / s"), tr("Entries visited in a second of compute"), Shown::OnRequest,
                                   countText, perHistory([](const Run& run) {
                                       const kernels::IterationRecord& last = run.history().back();
                                       return last.elapsed > 0 ? static_cast<double>(last.nonzeros) / last.elapsed : notMeasured;
                                   }),
                                   {}));
}

void addMachine(std::vector<RunColumn>& columns)
{
    columns.push_back(asCost(numberColumn("memory", tr("peak memory"), tr("The most it held at once, on its device"), Shown::AtFirst,
                                          bytesText, peakBytes, tr("known when the run has ended"), QStringLiteral("B"))));
    columns.push_back(numberColumn(
        "sm", tr("SM"), tr("Mean throughput of the GPU's processors while it ran"), Shown::WhenKnown, percentText,
        [](const Run& run, const RunScope&) { return meanUse(run, false); }, tr("measured on GPUs only"), QStringLiteral("%")));
    columns.push_back(numberColumn(
        "cpu", tr("CPU use"), tr("Mean use of all cores by this program while it ran on the CPU"), Shown::OnRequest, percentText,
        [](const Run& run, const RunScope&) { return meanUse(run, true); }, tr("measured of runs on the CPU only"), QStringLiteral("%")));
}

} // namespace

const std::vector<RunColumn>& runColumns()
{
    static const std::vector<RunColumn> columns = [] {
        std::vector<RunColumn> all;
        addSettings(all);
        addAccuracy(all);
        addTimes(all);
        addMachine(all);
        return all;
    }();
    return columns;
}

const RunColumn* runColumn(const QString& id)
{
    const auto& all = runColumns();
    const auto at = std::find_if(all.begin(), all.end(), [&](const RunColumn& column) { return column.id == id; });
    return at == all.end() ? nullptr : &*at;
}

double runNumber(const RunColumn& column, const Run& run, const RunScope& scope)
{
    return column.number ? column.number(run, scope) : notMeasured;
}

QString runCellText(const RunColumn& column, const Run& run, const RunScope& scope)
{
    QString text;
    if (column.words)
        text = column.words(run);
    else if (const double number = runNumber(column, run, scope); std::isfinite(number))
        text = column.format(number);
    return text.isEmpty() ? QStringLiteral("–") : text;
}

QString runCellExact(const RunColumn& column, const Run& run, const RunScope& scope)
{
    if (!column.format)
        return column.words ? column.words(run) : QString();
    const double number = runNumber(column, run, scope);
    return std::isfinite(number) ? formatting::exact(number) : QString();
}

QString runCellMissing(const RunColumn& column, const Run& run)
{
    if (run.state() == app::RunState::Failed && !run.error().isEmpty())
        return run.error();
    if (run.history().empty())
        return tr("no iteration yet: %1").arg(stateText(run.state()));
    return column.missing;
}

} // namespace ui
