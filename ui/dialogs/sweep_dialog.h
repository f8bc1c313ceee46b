// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/background_job.h"
#include "app/session.h"
#include "app/sweep_plan.h"

#include <QDialog>
#include <QTimer>

#include <vector>

class QComboBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QTableView;
class QToolButton;

namespace ui {

class SweepPlanModel;

/// Which settings are to be tried: fields with their values on top, below them the plan with what every run needs. Fields and
/// replicates are remembered.
class SweepDialog : public QDialog {
    Q_OBJECT
public:
    /// base: the settings of every run where they are not varied.
    SweepDialog(app::Session& session, const kernels::RunConfig& base, const app::OpenTensorPtr& tensor, QWidget* parent = nullptr);

    SweepPlanModel* model() const { return m_model; }
    QSpinBox* replicates() const { return m_replicates; }
    QLineEdit* values(int row) const { return m_rows[static_cast<std::size_t>(row)].values; }
    QComboBox* field(int row) const { return m_rows[static_cast<std::size_t>(row)].field; }
    int fieldCount() const { return static_cast<int>(m_rows.size()); }
    QPushButton* addButton() const { return m_add; }
    QPushButton* startButton() const { return m_start; }
    QPushButton* queueButton() const { return m_queue; }
    QPushButton* commandButton() const { return m_command; }
    QString problem() const;
    QString summary() const;
    QString seeds() const; ///< what replicates differ in
    bool isPlanning() const { return m_later.isActive() || m_job.isRunning(); }

Q_SIGNALS:
    void planned(const app::SweepPlan& plan, app::Turn turn);
    void commandRequested(const QString& command); ///< the polyad-cli line that does the same

private:
    struct Row {
        QComboBox* field;
        QLineEdit* values;
        QToolButton* remove;
    };

    void setUpFields();
    void setUpPlan();
    void addRow(const std::string& field, const QString& values);
    void removeRow(QToolButton* button);
    void layOutRows();
    void describe(const Row& row);
    std::string unusedField() const;
    QString suggestion(const std::string& field) const;
    std::vector<std::string> algorithms() const;
    std::vector<app::SweepAxis> axes(); ///< throws kernels::Error; marks the field it is about
    void edited();
    void plan();
    void showSeeds(const app::SweepPlan& plan);
    void showPlan(app::SweepPlan plan, const QString& problem);
    void fitColumns();
    void take(app::Turn turn);
    QString command() const;
    void restore();
    void remember() const;

    app::Session& m_session;
    const kernels::RunConfig m_base;
    const app::OpenTensorPtr m_tensor;
    std::vector<app::SweepField> m_fields;
    std::vector<Row> m_rows;
    QGridLayout* m_grid = nullptr;
    QPushButton* m_add = nullptr;
    QSpinBox* m_replicates = nullptr;
    QLabel* m_seeds = nullptr;
    SweepPlanModel* m_model = nullptr;
    QTableView* m_table = nullptr;
    QLabel* m_summary = nullptr;
    QLabel* m_problem = nullptr;
    QPushButton* m_queue = nullptr;
    QPushButton* m_command = nullptr;
    QPushButton* m_start = nullptr;
    QTimer m_later;
    app::BackgroundJob m_job; // last: ends first
};

} // namespace ui
