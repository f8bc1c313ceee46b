// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/models/tensor_scope.h"

#include <vector>

namespace ui {

/// The baselines that charts and tables show of a tensor: those of the split that most of its runs have.
struct ShownBaselines {
    int tensor = -1;
    QString tensorName;
    kernels::Baselines baselines; ///< errors of observed entries and fits of all cells, as far as runs of either kind are shown
};

/// In the order of the runs, of those whose baselines are known.
std::vector<ShownBaselines> shownBaselines(const std::vector<app::Run*>& runs, const TensorScope& scope);

QString baselineName(bool additive); ///< "Mean", "Additive model"
QString baselineToolTip(bool additive);

} // namespace ui
