// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/table_import.h"

#include <QWidget>

#include <functional>
#include <optional>

class QCheckBox;
class QComboBox;
class QVBoxLayout;

namespace ui {

/// What becomes of rows and values: the value column, rows that meet in a cell, rows to keep, changes of values.
class ImportRows : public QWidget {
    Q_OBJECT
public:
    explicit ImportRows(app::TableImport& import, QWidget* parent = nullptr);

private:
    void makeValue(QVBoxLayout* layout);
    void show();
    void showColumns();
    void showValue();
    void makeFilters();
    void startFilter();
    void changeFilter(std::size_t filter, const std::function<void(io::table::Filter&)>& change);
    void removeFilter(std::size_t filter);
    void makeTransforms();
    void addFilterRow(std::size_t filter);
    void addTransformRow(std::size_t transform);
    QWidget* makeOperand(std::size_t transform, QWidget* parent);
    void showNewOf(const io::table::Recipe& before);
    template <typename Change> void change(Change&& change);

    app::TableImport& m_import;
    QComboBox* m_value;
    QComboBox* m_aggregate;
    QCheckBox* m_skip;
    QWidget* m_filters;
    QWidget* m_transforms;
    std::optional<io::table::Filter> m_newFilter; ///< has no value yet, so that no row is left out by it; shown last
    io::table::Recipe m_shown; ///< what the rows were made for
};

} // namespace ui
