// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Reports of a run and of a comparison, as pages and for browsers: files to look at beside the pictures.
#include "gui/photographer.h"
#include "ui/dialogs/export_form.h"

#include <QSignalSpy>

namespace {

void write(Photographer& p, const std::vector<app::Run*>& runs, const QString& name)
{
    using Writes = ui::ExportForm::Writes;
    for (const auto& [writes, ending] : {std::pair(Writes::PdfReport, ".pdf"), std::pair(Writes::HtmlReport, ".html")}) {
        QSignalSpy finished(&p.session, &app::Session::exportFinished);
        ui::exportRuns(p.session, runs, writes, p.fileFor(name + QLatin1String(ending)));
        waitFor("the report", [&finished] { return !finished.isEmpty(); });
        std::printf("%s%s\n", qPrintable(name), ending);
    }
}

void reports(Photographer& p)
{
    p.openSample();
    kernels::RunConfig config = p.suggested();
    p.finish(config, 200, QStringLiteral("Wide"));
    config.ranks = {8};
    config.coreRank = 0;
    p.finish(config, 200, QStringLiteral("A run with quite a long name that says all its settings"));
    config.algorithm = "cp-als";
    config.format = kernels::algorithm("cp-als").formatFor({});
    config.parameters = {};
    p.finish(config, 100, QStringLiteral("CP"));
    p.session.runs().front()->setNote(QStringLiteral("The best so far.\nTry with non-negative rows."));
    write(p, {p.session.runs().front()}, QStringLiteral("report-run"));
    write(p, {p.session.runs().back()}, QStringLiteral("report-cp"));
    write(p, p.session.runs(), QStringLiteral("report-comparison"));
}

const Scene sceneReports("reports", reports);

} // namespace
