// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/background_job.h"
#include "app/run.h"
#include "ui/models/factor_data.h"
#include "ui/models/run_edits.h"

#include <QPointer>
#include <QWidget>

class QCheckBox;
class QComboBox;

namespace ui {

class ComponentList;
class SegmentedControl;

/// The page Factors' cards and what they are shown by. Names go to the run and can be taken back.
class ComponentsView : public QWidget {
    Q_OBJECT
public:
    explicit ComponentsView(RunEdits& edits, QWidget* parent = nullptr);

    void setFactors(const FactorDataPtr& factors, app::Run* run);
    void setNormalised(bool normalised);
    ComponentList* list() const { return m_list; }
    SegmentedControl* chartSwitch() const { return m_chart; }
    QCheckBox* normaliseBox() const { return m_normalise; }
    QComboBox* strongModeChooser() const { return m_strongMode; }
    QComboBox* strongCountChooser() const { return m_strongCount; }

    QString saveImage(unsigned component, const QString& path) const; ///< as the ending says; returns the sentence why not
    void saveNumbers(unsigned component, const QString& path); ///< CSV, written by a thread

Q_SIGNALS:
    void normalisedChanged(bool normalised);
    void saveFailed(const QString& sentence);
    void saved(const QString& path);

private:
    QWidget* makeControls();
    void findRanks();
    QString askForPath(unsigned component, const QString& caption, const QString& filters, const QStringList& endings);

    RunEdits& m_edits;
    ComponentList* m_list;
    SegmentedControl* m_chart;
    QCheckBox* m_normalise;
    QComboBox* m_strongMode;
    unsigned m_chosenMode = 0; ///< by the person, whatever run is shown
    QComboBox* m_strongCount;
    FactorDataPtr m_factors;
    QPointer<app::Run> m_run;
    app::BackgroundJob m_ranks; ///< sorts columns
    app::BackgroundJob m_writing;
};

} // namespace ui
