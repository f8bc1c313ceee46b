// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>
#include <QStringList>

#include <vector>

namespace ui {

/// A table as it leaves the program.
struct TextTable {
    QStringList heads;
    QList<QStringList> rows;
    std::vector<bool> right; ///< per column: numbers
};

QString alignedText(const TextTable&); ///< columns as wide as their widest cell
QString csvText(const TextTable&); ///< RFC 4180
QString markdownText(const TextTable&);
QString latexText(const TextTable&); ///< a tabular with booktabs' rules

} // namespace ui
