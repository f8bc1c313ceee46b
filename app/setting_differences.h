// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_config.h"

#include <QString>
#include <QStringList>

#include <vector>

namespace app {

/// One setting of several runs; a dash for a run that does not have it.
struct SettingRow {
    QString label;
    QStringList values; ///< one a run
    bool usual = false; ///< a parameter that every run which has it has as its algorithm's default
};

/// All settings of runs, in the order of the form. Labels of parameters are the registry's.
std::vector<SettingRow> settingRows(const std::vector<kernels::RunConfig>&);
/// Those of them that differ. Of several algorithms each has its own parameters: those that nobody has touched are left out.
std::vector<SettingRow> settingDifferences(const std::vector<kernels::RunConfig>&);

} // namespace app
