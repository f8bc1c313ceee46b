// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session.h"

#include <QDialog>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace ui {

class SegmentedControl;

/// A run's model as HDF5, or its metrics as CSV. The file is written beside its target and renamed.
class ExportDialog : public QDialog {
    Q_OBJECT
public:
    ExportDialog(const app::Session& session, app::Run* current, QWidget* parent = nullptr);

Q_SIGNALS:
    void exportChosen(int runId, const app::ExportRequest& request);

private:
    void kindChanged();
    void runPicked();
    void browse();
    void check();
    void accept() override;
    app::Run* run() const;
    bool wantsModel() const;

    const app::Session& m_session;
    QComboBox* m_run;
    SegmentedControl* m_kind;
    QLineEdit* m_path;
    QLabel* m_problem;
    QPushButton* m_export;
};

} // namespace ui
