// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/report.h"

#include "app/baseline_text.h"
#include "app/formatting.h"
#include "app/report_charts.h"
#include "app/report_figures.h"
#include "app/setting_differences.h"
#include "io/atomic_file.h"
#include "kernels/base/error.h"
#include "kernels/base/version.h"

#include <QCoreApplication>
#include <QDateTime>

#include <algorithm>
#include <span>

namespace app {
namespace {

using io::SessionRun;
using Runs = std::span<const SessionRun>;

QString tr(const char* text) { return QCoreApplication::translate("Report", text); }
QString words(const std::string& text) { return QString::fromStdString(text); }
QString element(const char* tag, const QString& content) { return QStringLiteral("<%1>%2</%1>\n").arg(QLatin1String(tag), content); }
QString escaped(const std::string& text) { return words(text).toHtmlEscaped(); }

/// Lines as they are, however long.
QString verbatim(const std::string& text) { return QStringLiteral("<pre>%1</pre>\n").arg(words(text).trimmed().toHtmlEscaped()); }

QString sign(Marker marker)
{
    constexpr const char* signs[] = {"●", "■", "▲", "◆", "✕", "▼", "✚", "⬟"}; // in the order of Marker
    return QString::fromUtf8(signs[static_cast<int>(marker)]);
}

/// The run's marker in its colour, and its name.
QString nameCell(const SessionRun& run)
{
    const RunLook look = runLook(static_cast<int>(run.color), false);
    return QStringLiteral("<span style=\"color:#%1\">%2</span> %3")
        .arg(look.rgb, 6, 16, QLatin1Char('0'))
        .arg(sign(look.marker), escaped(run.name));
}

/// Cells are HTML already. Numbers stand to the right.
QString table(const QStringList& heads, const std::vector<QStringList>& rows, const std::vector<bool>& right = {})
{
    const auto cells = [&right](const char* tag, const QStringList& from) {
        QString line;
        for (qsizetype i = 0; i < from.size(); ++i) {
            const bool number = static_cast<std::size_t>(i) < right.size() && right[static_cast<std::size_t>(i)];
            line +=
                QStringLiteral("<%1%2>%3</%1>").arg(QLatin1String(tag), number ? QStringLiteral(" align=\"right\"") : QString(), from[i]);
        }
        return element("tr", line);
    };
    QString body;
    for (const QStringList& row : rows)
        body += cells("td", row);
    const QString head = heads.isEmpty() ? QString() : QStringLiteral("<thead>%1</thead>").arg(cells("th", heads));
    return QStringLiteral("<div class=\"wide\"><table cellspacing=\"0\" cellpadding=\"4\">%1<tbody>%2</tbody></table></div>\n")
        .arg(head, body);
}

QString figuresTable(const Runs& runs, std::span<const ReportFigure> figures)
{
    QStringList heads{tr("run")};
    std::vector<bool> right{false};
    std::vector<QStringList> rows;
    for (const SessionRun& run : runs)
        rows.push_back({nameCell(run)});
    for (const ReportFigure& figure : figures) {
        heads += figure.title.toHtmlEscaped();
        right.push_back(figure.isNumber);
        for (std::size_t i = 0; i < runs.size(); ++i)
            rows[i] += figure.values[static_cast<qsizetype>(i)].toHtmlEscaped();
    }
    return table(heads, rows, right);
}

/// A page has room for half of them beside each other; there words would be cut anywhere.
QString figuresTables(const Runs& runs, Report::For reader)
{
    const std::vector<ReportFigure> figures = reportFigures(runs);
    const std::span<const ReportFigure> all(figures);
    if (reader == Report::For::Browser || all.size() < 2)
        return figuresTable(runs, all);
    const std::size_t half = (all.size() + 1) / 2;
    return figuresTable(runs, all.first(half)) + figuresTable(runs, all.subspan(half));
}

QString differencesTable(const Runs& runs)
{
    std::vector<kernels::RunConfig> configs;
    QStringList heads{tr("setting")};
    for (const SessionRun& run : runs) {
        configs.push_back(run.file.config);
        heads += nameCell(run);
    }
    std::vector<QStringList> rows;
    for (const SettingRow& row : settingDifferences(configs)) {
        rows.push_back({row.label.toHtmlEscaped()});
        for (const QString& value : row.values)
            rows.back() += value.toHtmlEscaped();
    }
    return rows.empty() ? element("p", tr("All settings are alike.")) : table(heads, rows);
}

QString settingsTable(const SessionRun& run)
{
    std::vector<QStringList> rows;
    for (const SettingRow& row : settingRows({run.file.config}))
        rows.push_back({row.label.toHtmlEscaped(), row.values.value(0).toHtmlEscaped()});
    return table({}, rows);
}

QString dataText(const io::InputDescription& input)
{
    QStringList parts{escaped(input.fileName.empty() ? std::string("–") : input.fileName)};
    if (!input.dims.empty())
        parts += formatting::dims(input.dims);
    if (input.entries)
        parts += tr("%1 entries").arg(formatting::grouped(input.entries));
    if (input.trainEntries)
        parts += tr("%1 for training, %2 for testing").arg(formatting::grouped(input.trainEntries), formatting::grouped(input.testEntries));
    if (!input.sha256.empty())
        parts += QStringLiteral("SHA-256 <code>%1</code>").arg(escaped(input.sha256));
    return parts.join(QStringLiteral(" · "));
}

QString baselinesOf(const io::ModelFile& file)
{
    const auto best =
        std::find_if(file.history.begin(), file.history.end(), [&](const auto& row) { return row.iteration == file.bestIteration; });
    const auto comparison = file.baselines && best != file.history.end() ? compareWith(*file.baselines, *best) : std::nullopt;
    if (!comparison)
        return {};
    const QString verdict = baselineVerdict(*comparison).toHtmlEscaped();
    return element("p", baselinesText(*comparison).toHtmlEscaped())
        + (verdict.isEmpty() ? verdict : QStringLiteral("<p class=\"error\">%1</p>\n").arg(verdict));
}

QString section(const SessionRun& run, bool heading)
{
    QString text = heading ? element("h2", nameCell(run)) : QString();
    if (!run.note.empty())
        text += QStringLiteral("<p class=\"note\">%1</p>\n").arg(escaped(run.note).replace(QLatin1Char('\n'), QStringLiteral("<br>")));
    if (!run.error.empty())
        text += QStringLiteral("<p class=\"error\">%1</p>\n").arg(escaped(run.error));
    text += element("h3", tr("Data")) + element("p", dataText(run.file.input)) + baselinesOf(run.file);
    if (!run.file.command.empty())
        text += element("h3", tr("The command that repeats it")) + verbatim(run.file.command);
    if (!run.file.config.algorithm.empty()) // of a model from elsewhere nobody knows them
        text += element("h3", tr("Settings")) + settingsTable(run);
    if (!run.file.equation.empty())
        text += element("h3", tr("Model")) + verbatim(run.file.equation);
    if (!run.file.log.empty())
        text += element("h3", tr("Log")) + verbatim(run.file.log);
    return text;
}

/// Once where all runs had the same.
QString environments(const Runs& runs)
{
    std::vector<std::pair<std::string, QStringList>> found;
    for (const SessionRun& run : runs) {
        if (run.file.environment.empty())
            continue;
        const auto same = [&](const auto& each) { return each.first == run.file.environment; };
        auto at = std::find_if(found.begin(), found.end(), same);
        if (at == found.end())
            at = found.insert(found.end(), {run.file.environment, {}});
        at->second += escaped(run.name);
    }
    QString text;
    for (const auto& [environment, names] : found)
        text += (found.size() > 1 ? element("p", names.join(QStringLiteral(", "))) : QString()) + verbatim(environment);
    return text.isEmpty() ? text : element("h2", tr("Environment")) + text;
}

/// Of the runs that have a curve there.
QString legend(const Runs& runs, const SvgChart& chart)
{
    QStringList names;
    for (const SessionRun& run : runs)
        if (std::any_of(chart.curves.begin(), chart.curves.end(), [&](const SvgCurve& curve) { return curve.name == words(run.name); }))
            names += nameCell(run);
    return names.join(QStringLiteral(" &nbsp; "));
}

/// Numbers of different tensors do not compare. A failed run knows only its tensor's number in the session.
bool haveOneTensor(const SessionRun& a, const SessionRun& b)
{
    const io::InputDescription &one = a.file.input, &other = b.file.input;
    if (one.fileName.empty() != other.fileName.empty())
        return a.tensor > 0 && a.tensor == b.tensor;
    if (one.fileName.empty())
        return a.tensor == b.tensor && one.dims == other.dims;
    if (one.recipe && other.recipe && one.recipe != other.recipe)
        return false;
    if (!one.sha256.empty() && !other.sha256.empty())
        return one.sha256 == other.sha256;
    return one.fileName == other.fileName && one.dims == other.dims;
}

/// Places of the runs, in the order of each tensor's first run.
std::vector<std::vector<std::size_t>> placesByTensor(const Runs& runs)
{
    std::vector<std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto has = [&](const std::vector<std::size_t>& group) {
            return std::any_of(group.begin(), group.end(), [&](std::size_t place) { return haveOneTensor(runs[place], runs[i]); });
        };
        const auto at = std::find_if(groups.begin(), groups.end(), has);
        (at == groups.end() ? groups.emplace_back() : *at).push_back(i);
    }
    return groups;
}

/// "flights.tns · 220 × 223 × 24", by the first run that knows it.
QString tensorTitle(const Runs& group)
{
    const auto known = std::find_if(group.begin(), group.end(), [](const SessionRun& run) { return !run.file.input.fileName.empty(); });
    if (known == group.end())
        return tr("Unknown tensor");
    const io::InputDescription& input = known->file.input;
    return input.dims.empty() ? escaped(input.fileName) : escaped(input.fileName) + QStringLiteral(" · ") + formatting::dims(input.dims);
}

QString titleOf(const Runs& runs) { return runs.size() == 1 ? words(runs.front().name) : tr("Comparison of %1 runs").arg(runs.size()); }

QString byline()
{
    const QString time = QDateTime::currentDateTimeUtc().toString(QStringLiteral("yyyy-MM-dd HH:mm"));
    return tr("Polyad %1 · %2 UTC").arg(words(std::string(kernels::version())), time).toHtmlEscaped();
}

/// What browsers get besides; pages know a part of it.
constexpr const char* style = R"(
body { font: 14px/1.5 Inter, system-ui, "Segoe UI", Helvetica, Arial, sans-serif; color: #1b2130; background: #fff; max-width: 60rem; margin: 2.5rem auto; padding: 0 1.5rem; }
h1 { font-size: 1.6rem; margin: 0 0 .2rem; } h2 { font-size: 1.2rem; margin: 2.2rem 0 .6rem; } h3 { font-size: 1rem; margin: 1.4rem 0 .4rem; }
.muted, figcaption { color: #667085; } .error { color: #b42318; } .note { border-left: 3px solid #e1e4ea; padding-left: .8rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid #eceef2; vertical-align: top; white-space: nowrap; }
th { color: #667085; font-weight: 600; } td[align=right], th[align=right] { text-align: right; }
pre { background: #f6f7f9; border-radius: 8px; padding: .8rem 1rem; overflow-x: auto; font-size: .85rem; white-space: pre-wrap; overflow-wrap: anywhere; }
figure { margin: 1rem 0; } figure svg { max-width: 100%; height: auto; } figure svg text { font-family: inherit; }
)";

QString page(const QString& title, const QString& body, Report::For reader)
{
    const QString css = reader == Report::For::Browser
        ? QLatin1String(style)
        : QStringLiteral("h1, h2, h3 { color: #1b2130; } table { margin-top: 6px; margin-bottom: 6px; } p, td { color: #1b2130; } th, "
                         ".muted { color: #667085; font-weight: 600; text-align: left; } "
                         ".error { color: #b42318; } pre { background-color: #f6f7f9; font-size: 7pt; white-space: pre-wrap; }");
    return QStringLiteral("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>%1</title>\n<style>%2</style>\n"
                          "</head>\n<body>\n%3</body>\n</html>\n")
        .arg(title.toHtmlEscaped(), css, body);
}

} // namespace

QString drawingPlace(std::size_t drawing) { return QStringLiteral("[[drawing %1]]").arg(drawing); }

namespace {

/// The figures and the charts of one tensor's runs.
QString tensorPart(const Runs& runs, Report::For reader, const char* heading, bool named, Report& report, kernels::Progress& progress)
{
    QString body = figuresTables(runs, reader);
    for (const ReportChart& chart : reportCharts(runs)) {
        progress.throwIfCancelled();
        const QByteArray drawing = svgOf(chart.chart);
        const QString caption =
            named ? legend(runs, chart.chart) + QStringLiteral("<br>") + chart.caption.toHtmlEscaped() : chart.caption.toHtmlEscaped();
        body += element(heading, chart.chart.title.toHtmlEscaped());
        if (reader == Report::For::Browser) {
            body += QStringLiteral("<figure>%1<figcaption>%2</figcaption></figure>\n").arg(QString::fromUtf8(drawing), caption);
        } else {
            body += element("p", drawingPlace(report.drawings.size())) + QStringLiteral("<p class=\"muted\">%1</p>\n").arg(caption);
            report.drawings.push_back(drawing);
        }
    }
    return body;
}

} // namespace

Report makeReport(const std::vector<SessionRun>& all, Report::For reader, kernels::Progress& progress)
{
    const std::vector<std::vector<std::size_t>> places = placesByTensor(all);
    std::vector<SessionRun> ordered;
    if (places.size() > 1) // else nothing needs a copy
        for (const std::vector<std::size_t>& group : places)
            for (const std::size_t place : group)
                ordered.push_back(all[place]);
    const Runs runs = places.size() > 1 ? Runs(ordered) : Runs(all);
    std::vector<Runs> groups;
    for (std::size_t begin = 0; const std::vector<std::size_t>& group : places) {
        groups.push_back(runs.subspan(begin, group.size()));
        begin += group.size();
    }
    Report report;
    report.title = titleOf(runs);
    QString body = element("h1", report.title.toHtmlEscaped()) + QStringLiteral("<p class=\"muted\">%1</p>\n").arg(byline());
    for (const Runs& group : groups) {
        if (groups.size() > 1)
            body += element("h2", tensorTitle(group));
        body += tensorPart(group, reader, groups.size() > 1 ? "h3" : "h2", runs.size() > 1, report, progress);
    }
    if (runs.size() > 1)
        body += element("h2", tr("Settings that differ")) + differencesTable(runs);
    for (const SessionRun& run : runs)
        body += section(run, runs.size() > 1);
    body += environments(runs);
    report.html = page(report.title, body, reader);
    return report;
}

void writeHtmlReport(const std::string& path, const std::vector<SessionRun>& runs, kernels::Progress& progress)
{
    io::AtomicFile file(path);
    file.write(makeReport(runs, Report::For::Browser, progress).html.toStdString());
    file.commit();
}

} // namespace app
