// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/table_import.h"

#include <QAbstractTableModel>

namespace ui {

/// The first rows of a table, and above every column what becomes of it.
class ImportColumns : public QAbstractTableModel {
    Q_OBJECT
public:
    enum HeadRole { RoleText = Qt::UserRole, Role }; ///< a text, and a ColumnRole as int

    explicit ImportColumns(const app::TableImport& import, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void take();

    const app::TableImport& m_import;
    io::table::Survey m_survey; ///< a copy: the import drops its own before it tells
};

} // namespace ui
