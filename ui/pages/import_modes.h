// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/table_import.h"

#include <QWidget>

#include <vector>

class QGridLayout;
class QLabel;

namespace ui {

/// The modes that a tensor will have, in their order: name, column, how they are made, size.
class ImportModes : public QWidget {
    Q_OBJECT
public:
    explicit ImportModes(app::TableImport& import, QWidget* parent = nullptr);

private:
    void makeRows();
    void showSizes();
    void addRow(std::size_t mode);
    QWidget* makeName(std::size_t mode);
    QWidget* makeWays(std::size_t mode);
    QWidget* makeZone(std::size_t mode);
    QWidget* makeNumber(std::size_t mode);
    void addButtons(std::size_t mode, int row);
    template <typename Change> void change(Change&& change);
    std::string structure() const; ///< what makes other rows necessary

    app::TableImport& m_import;
    QGridLayout* m_grid = nullptr;
    QWidget* m_rows;
    QLabel* m_nothing;
    std::vector<QLabel*> m_sizes; ///< one a mode
    std::string m_shown; ///< what the rows were made for
};

} // namespace ui
