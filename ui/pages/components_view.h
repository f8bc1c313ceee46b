// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/background_job.h"
#include "app/run.h"
#include "ui/models/factor_data.h"

#include <QPointer>
#include <QWidget>

class QCheckBox;
class QComboBox;
class QUndoStack;

namespace ui {

class ComponentList;
class SegmentedControl;

/// The page Factors' cards and what they are shown by. Names go to the run and can be taken back.
class ComponentsView : public QWidget {
    Q_OBJECT
public:
    explicit ComponentsView(QWidget* parent = nullptr);

    void setFactors(const FactorDataPtr& factors, app::Run* run);
    void setNormalised(bool normalised);
    ComponentList* list() const { return m_list; }
    SegmentedControl* chartSwitch() const { return m_chart; }
    QCheckBox* normaliseBox() const { return m_normalise; }
    QComboBox* strongModeChooser() const { return m_strongMode; }
    QComboBox* strongCountChooser() const { return m_strongCount; }
    QUndoStack* undoStack() const { return m_undo; }

    bool saveImage(unsigned component, const QString& path) const; ///< PNG at twice the size
    void saveNumbers(unsigned component, const QString& path); ///< CSV, written by a thread

Q_SIGNALS:
    void normalisedChanged(bool normalised);
    void saveFailed(const QString& sentence);
    void saved(const QString& path);

private:
    QWidget* makeControls();
    void nameComponent(unsigned component, const QString& name);
    void findRanks();
    QString askForPath(unsigned component, const QString& caption, const QString& filter, const QString& suffix);

    ComponentList* m_list;
    SegmentedControl* m_chart;
    QCheckBox* m_normalise;
    QComboBox* m_strongMode;
    QComboBox* m_strongCount;
    QUndoStack* m_undo;
    FactorDataPtr m_factors;
    QPointer<app::Run> m_run;
    app::BackgroundJob m_ranks; ///< sorts columns
    app::BackgroundJob m_writing;
};

} // namespace ui
