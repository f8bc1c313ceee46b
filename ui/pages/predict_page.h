// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/background_job.h"
#include "app/session.h"
#include "ui/pages/predict_subject.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QStackedWidget;

namespace ui {

class PredictEntryView;
class PredictFileView;
class ResidualView;
class SegmentedControl;

/// Asks the model of a run: one entry, the best along a mode, a file of entries, and where it errs.
class PredictPage : public QWidget {
    Q_OBJECT
public:
    enum View { EntryTab, FileTab, ResidualTab };

    explicit PredictPage(app::Session& session, QWidget* parent = nullptr);

    void chooseRun(const app::Run* run); ///< null: leaves the choice as it is
    int runId() const; ///< of the chosen one; -1: none
    void showView(View view);
    QComboBox* runChooser() const { return m_run; }
    SegmentedControl* viewSwitch() const { return m_viewSwitch; }
    PredictEntryView* entryView() const { return m_entry; }
    PredictFileView* fileView() const { return m_file; }
    ResidualView* residualView() const { return m_residuals; }
    QString emptyText() const; ///< what is said where there is nothing to ask; empty: there is

Q_SIGNALS:
    void saveFailed(const QString& sentence);
    void copied(const QString& what);

private:
    QWidget* makeControls();
    void listRuns();
    void refresh();
    void setSubject(const PredictSubjectPtr& subject);
    void readEntries();
    void giveEntries(const RunEntriesPtr& entries, const QString& whyNone);
    QString whyEmpty(const app::Run* run) const;
    void tellModel();

    app::Session& m_session;
    int m_chosen = -1;
    PredictSubjectPtr m_subject;
    app::BackgroundJob m_reading; ///< of a test file
    std::shared_ptr<RunEntriesPtr> m_read; ///< what the newest reading fills
    QComboBox* m_run;
    SegmentedControl* m_viewSwitch;
    QLabel* m_model;
    QStackedWidget* m_pages;
    QLabel* m_empty;
    PredictEntryView* m_entry;
    PredictFileView* m_file;
    ResidualView* m_residuals;
};

} // namespace ui
