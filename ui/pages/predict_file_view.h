// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/background_job.h"
#include "app/predict_file.h"
#include "ui/pages/predict_subject.h"

#include <QTimer>
#include <QWidget>

class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;

namespace ui {

/// Many predictions at once: reads a file of indices or labels, or a table, and writes the same lines with a prediction each.
class PredictFileView : public QWidget {
    Q_OBJECT
public:
    explicit PredictFileView(QWidget* parent = nullptr);

    void setSubject(const PredictSubjectPtr& subject);
    QString outcome() const; ///< what is told of the last one, or of the one at work

private:
    QWidget* makeRow(const QString& label, QLineEdit* line, QPushButton* browse);
    void browse(bool target);
    void sourceChanged();
    void start();
    void tell(const QString& text, bool problem = false);
    void showProgress();
    void updateButtons();

    PredictSubjectPtr m_subject;
    app::BackgroundJob m_task;
    std::shared_ptr<app::Predicted> m_done; ///< by the newest task
    QTimer m_timer;
    QLabel* m_help;
    QLineEdit* m_source;
    QLineEdit* m_target;
    QString m_proposed; ///< the target nobody has changed
    QPushButton* m_start;
    QPushButton* m_cancel;
    QProgressBar* m_bar;
    QLabel* m_outcome;
};

} // namespace ui
