// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/background_job.h"
#include "kernels/base/array.h"
#include "kernels/base/types.h"
#include "ui/models/factor_data.h"

#include <QPushButton>
#include <QTimer>

namespace ui {

/// "core consistency 91 %" of a cp model: computed on a click, since it reads all entries; another click meanwhile cancels it.
class CoreConsistencyBox : public QPushButton {
    Q_OBJECT
public:
    explicit CoreConsistencyBox(QWidget* parent = nullptr);

    void setFactors(const FactorDataPtr& factors, kernels::Objective objective); ///< hidden for other kinds than cp
    bool isComputing() const { return m_job.isRunning(); }

Q_SIGNALS:
    void computed(double percent, std::shared_ptr<const kernels::Array<double>> core);
    void failed(const QString& sentence);

private:
    void compute();
    void showState();

    FactorDataPtr m_factors;
    kernels::Objective m_objective = kernels::Objective::Observed;
    std::optional<double> m_percent;
    bool m_stable = true;
    app::BackgroundJob m_job;
    QTimer m_timer;
};

} // namespace ui
