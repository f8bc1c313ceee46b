// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session.h"
#include "ui/dialogs/export_form.h"

#include <QDialog>

#include <vector>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace ui {

/// Takes a run, all visible runs or a tensor home in any form there is. The session writes, on a thread of its own.
class ExportDialog : public QDialog {
    Q_OBJECT
public:
    /// Begins with the run, else with the tensor; either may be null.
    ExportDialog(app::Session& session, const app::Run* run, const app::OpenTensorPtr& tensor, QWidget* parent = nullptr);
    void chooseReport(); ///< of all visible runs, or of the one

private:
    void setUpControls();
    void offerSources(const app::Run* run, const app::OpenTensorPtr& tensor);
    void sourcePicked();
    void formPicked();
    void browse();
    void fileChosen(const QString& path, int form);
    void check();
    void accept() override;
    app::Run* run() const; ///< null: something else is chosen
    std::vector<app::Run*> visibleRuns() const; ///< where they are chosen
    app::OpenTensorPtr tensor() const;
    const ExportForm* form() const;
    QString problem() const; ///< why nothing can be written so; empty: it can

    app::Session& m_session;
    std::vector<ExportForm> m_forms; ///< of the source, in the combo box' order
    QString m_ending; ///< of the form that the path was last made for
    QComboBox* m_source;
    QComboBox* m_form;
    QLabel* m_purpose;
    QLineEdit* m_path;
    QLabel* m_hint;
    QPushButton* m_browse;
    QPushButton* m_export;
    QPushButton* m_cancel;
};

} // namespace ui
