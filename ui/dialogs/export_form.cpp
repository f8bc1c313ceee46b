// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/export_form.h"

#include <QCoreApplication>

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

} // namespace

QString ExportForm::nameFilter() const { return QStringLiteral("%1: %2 (*%3)").arg(title, purpose, endings.join(QStringLiteral(" *"))); }

bool ExportForm::fits(const QString& path) const { return !format || io::formatForWriting(path.toStdString()) == format; }

std::vector<ExportForm> exportForms(const app::Run& run)
{
    std::vector<ExportForm> forms;
    for (const io::ExportKind& kind : io::exportKinds()) {
        ExportForm form{&kind,       nullptr, QString::fromUtf8(kind.title), QString::fromUtf8(kind.purpose), refusalOf(kind, run),
                        kind.target, {}};
        for (const char* ending : kind.endings)
            form.endings += QString::fromUtf8(ending);
        if (form.endings.isEmpty())
            form.endings += QLatin1Char('-') + QString::fromUtf8(kind.id);
        forms.push_back(form);
    }
    return forms;
}

std::vector<ExportForm> exportForms(const app::OpenTensor&)
{
    std::vector<ExportForm> forms;
    for (const io::FileFormat& format : io::fileFormats()) {
        if (!format.write)
            continue;
        ExportForm form{nullptr, &format, QString::fromStdString(format.title), QString::fromStdString(format.purpose), {}, {}, {}};
        for (const std::string& extension : format.extensions)
            form.endings += QLatin1Char('.') + QString::fromStdString(extension);
        forms.push_back(form);
    }
    return forms;
}

} // namespace ui
