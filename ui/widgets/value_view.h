// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/widgets/picture.h"

#include <QTableView>

namespace ui {

class ValueTable;

/// A calm table of a ValueTable: whole rows, no grid, sorted by a click on a head. Enter and double click take a row.
class ValueView : public QTableView {
    Q_OBJECT
public:
    ValueView(const QString& accessibleName, ValueTable* model, QWidget* parent = nullptr);

    void setEmptyText(const QString& text); ///< said where there are no rows
    Picture picture() const;
    void fitColumns(int first, int count); ///< these columns share what the others leave

Q_SIGNALS:
    void rowTaken(int row);

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void shareRoom();

    ValueTable* m_table;
    QString m_emptyText;
    int m_firstShared = 0, m_shared = 0; ///< columns that share the room
};

} // namespace ui
