// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/run.h"
#include "ui/models/run_scope.h"

#include <QString>

#include <functional>
#include <vector>

namespace ui {

/// One column of the comparison: table, chooser, filter, bar chart and copies are made from this list alone.
struct RunColumn {
    enum class Shown { AtFirst, WhenKnown, OnRequest };

    QString id; ///< what settings remember
    QString name; ///< in the chooser, and above the column unless there is a title
    QString toolTip;
    Shown shown = Shown::OnRequest; ///< while nobody chose columns
    bool right = true; ///< numbers stand to the right
    std::function<double(const app::Run&, const RunScope&)> number; ///< sorted by; NaN: not known. Empty: words alone
    /// The same of what runs are compared with; empty: none.
    std::function<double(const kernels::BaselineErrors&, const RunScope&)> baseline;
    QString (*format)(double) = nullptr; ///< of a number that charts show; else words tell it
    std::function<QString(const app::Run&)> words; ///< in place of the formatted number; empty text: not known
    std::function<QString(const RunScope&)> title; ///< where it depends on what runs are judged by
    QString missing; ///< why a run may have none
    QString unit; ///< of the number as it is
    bool cost = false; ///< the less the better, against which accuracy is set

    bool isCharted() const { return number && format; }
    QString titleIn(const RunScope& scope) const { return title ? title(scope) : name; }
};

/// In the order they are shown.
const std::vector<RunColumn>& runColumns();
const RunColumn* runColumn(const QString& id); ///< null: there is none

double runNumber(const RunColumn&, const app::Run&, const RunScope&); ///< NaN: not known
QString runCellText(const RunColumn&, const app::Run&, const RunScope&); ///< "–": not known
/// All digits, for tooltips and files; empty: not known.
QString runCellExact(const RunColumn&, const app::Run&, const RunScope&);
/// Why it is not known.
QString runCellMissing(const RunColumn&, const app::Run&);

} // namespace ui
