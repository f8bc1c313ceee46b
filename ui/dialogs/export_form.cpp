// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/export_form.h"

#include "app/report.h"
#include "app/session_store.h"
#include "io/metrics_csv.h"
#include "ui/report_pdf.h"

#include <QCoreApplication>

#include <algorithm>

namespace ui {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("ExportForm", text); }

QString refusalOf(const io::ExportKind& kind, const app::Run& run)
{
    const bool needsModel = kind.needs != io::ExportKind::Needs::History;
    if (!needsModel && run.history().empty())
        return tr("No iteration has ended yet.");
    if (needsModel && !run.outcome())
        return run.isActive() ? tr("A model can be written once the run has finished or was stopped.") : tr("This run left no model.");
    io::ModelFile known;
    known.history.resize(run.history().empty() ? 0 : 1); // that there is one is all that is asked
    static const kernels::Model noModel; // a name of its own, or the run's would be copied
    const std::string reason = kind.refuses(known, needsModel ? run.outcome()->result.best : noModel);
    return reason.empty() ? QString() : tr("Not for this run: %1.").arg(QString::fromStdString(reason));
}

/// Runs that have nothing to tell yet are left out of what tells of several.
QString refusalOf(const std::vector<app::Run*>& runs)
{
    const bool some = std::any_of(runs.begin(), runs.end(), [](const app::Run* run) { return !run->history().empty(); });
    return some ? QString() : tr("No iteration has ended yet.");
}

void addReports(std::vector<ExportForm>& forms, const QString& refusal)
{
    using Writes = ExportForm::Writes;
    forms.push_back({Writes::HtmlReport,
                     nullptr,
                     nullptr,
                     tr("Report (HTML)"),
                     tr("Charts, tables, settings, machine and commands in one file for browsers, to send or to keep"),
                     refusal,
                     {},
                     {QStringLiteral(".html")}});
    forms.push_back({Writes::PdfReport,
                     nullptr,
                     nullptr,
                     tr("Report (PDF)"),
                     tr("The same on A4 pages, to print"),
                     refusal,
                     {},
                     {QStringLiteral(".pdf")}});
}

std::vector<io::SessionRun> toldRuns(const std::vector<app::RunSnapshot>& snapshots)
{
    std::vector<io::SessionRun> runs;
    for (const app::RunSnapshot& snapshot : snapshots)
        runs.push_back(app::toSessionRun(snapshot));
    return runs;
}

} // namespace

QString ExportForm::nameFilter() const { return QStringLiteral("%1: %2 (*%3)").arg(title, purpose, endings.join(QStringLiteral(" *"))); }

bool ExportForm::fits(const QString& path) const { return !format || io::formatForWriting(path.toStdString()) == format; }

std::vector<ExportForm> exportForms(const app::Run& run)
{
    std::vector<ExportForm> forms;
    for (const io::ExportKind& kind : io::exportKinds()) {
        ExportForm form{ExportForm::Writes::Model, &kind,       nullptr, QString::fromUtf8(kind.title), QString::fromUtf8(kind.purpose),
                        refusalOf(kind, run),      kind.target, {}};
        for (const char* ending : kind.endings)
            form.endings += QString::fromUtf8(ending);
        if (form.endings.isEmpty())
            form.endings += QLatin1Char('-') + QString::fromUtf8(kind.id);
        forms.push_back(form);
    }
    addReports(forms, run.history().empty() ? tr("No iteration has ended yet.") : QString());
    return forms;
}

std::vector<ExportForm> exportForms(const std::vector<app::Run*>& runs)
{
    std::vector<ExportForm> forms;
    const QString refusal = refusalOf(runs);
    addReports(forms, refusal);
    forms.push_back({ExportForm::Writes::Histories,
                     nullptr,
                     nullptr,
                     tr("Histories (CSV)"),
                     tr("Every iteration of these runs in one table, with the run's name in the first column"),
                     refusal,
                     {},
                     {QStringLiteral(".csv")}});
    return forms;
}

void exportRuns(app::Session& session, const std::vector<app::Run*>& runs, ExportForm::Writes writes, const QString& path)
{
    // What the thread writes is taken here, on the runs' own thread.
    std::vector<app::RunSnapshot> snapshots;
    for (const app::Run* run : runs)
        if (!run->history().empty())
            snapshots.push_back(run->snapshot());
    session.exportBy(path, [snapshots = std::move(snapshots), writes, file = path.toStdString()](kernels::Progress& progress) {
        const std::vector<io::SessionRun> told = toldRuns(snapshots);
        if (writes == ExportForm::Writes::PdfReport)
            return writePdfReport(file, told, progress);
        if (writes == ExportForm::Writes::HtmlReport)
            return app::writeHtmlReport(file, told, progress);
        std::vector<io::NamedHistory> histories;
        for (const io::SessionRun& run : told)
            histories.push_back({run.name, &run.file.history});
        io::writeMetricsCsv(file, histories);
    });
}

std::vector<ExportForm> exportForms(const app::OpenTensor&)
{
    std::vector<ExportForm> forms;
    for (const io::FileFormat& format : io::fileFormats()) {
        if (!format.write)
            continue;
        ExportForm form{ExportForm::Writes::Tensor,
                        nullptr,
                        &format,
                        QString::fromStdString(format.title),
                        QString::fromStdString(format.purpose),
                        {},
                        {},
                        {}};
        for (const std::string& extension : format.writtenExtensions())
            form.endings += QLatin1Char('.') + QString::fromStdString(extension);
        forms.push_back(form);
    }
    return forms;
}

} // namespace ui
