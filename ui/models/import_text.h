// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/table_import.h"

#include <QString>
#include <QStringList>

namespace ui {

/// What the import page says.
QString wayText(const io::table::ModeRecipe&); ///< "text", "hour", "10 equal bins"
QString roleText(const io::table::Recipe&, const std::string& column); ///< "Mode: hour", "2 modes", "Value", "Unused"
QString kindText(io::table::Kind);
QString factsText(const io::table::ColumnFacts&, bool isWhole); ///< of a column, some lines
QString aggregateText(io::table::Aggregate);
QString testText(io::table::Filter::Test);
QString transformText(io::table::Transform::Kind);
QString tableText(const app::TableImport&); ///< "CSV · 19 columns · 336,776 rows"
QString sizeText(const app::TableImport&, std::size_t mode); ///< "105", "about 105", "" where it is not known

} // namespace ui
