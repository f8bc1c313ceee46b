// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session.h"
#include "io/exports/export_model.h"
#include "io/file_format.h"

#include <QStringList>

#include <vector>

namespace ui {

/// One way to write a run or a tensor, as the registries of io/ have it, or a report.
struct ExportForm {
    using Target = io::ExportKind::Target;
    enum class Writes { Model, Tensor, Histories, HtmlReport, PdfReport };

    Writes writes = Writes::Model;
    const io::ExportKind* kind = nullptr; ///< of a run
    const io::FileFormat* format = nullptr; ///< of a tensor
    QString title, purpose;
    QString refusal; ///< why it cannot be had now; empty: it can
    Target target = Target::File;
    QStringList endings; ///< ".npz"; the first is proposed. A folder has one that is only a proposal

    QString nameFilter() const; ///< for file dialogs: title, purpose and patterns
    /// Whether this path is written in this form: for a tensor its ending decides.
    bool fits(const QString& path) const;
};

std::vector<ExportForm> exportForms(const app::Run&);
std::vector<ExportForm> exportForms(const app::OpenTensor&);
std::vector<ExportForm> exportForms(const std::vector<app::Run*>&); ///< of several at once

/// Writes runs in a form that is none of the registries', on the session's thread for that; it tells how it ends.
void exportRuns(app::Session&, const std::vector<app::Run*>&, ExportForm::Writes, const QString& path);

} // namespace ui
