// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/table/recipe.h"

#include <QDialog>

class QComboBox;
class QVBoxLayout;

namespace ui {

/// How a text table is written. What a person leaves open is found out from the file.
class TableFormatDialog : public QDialog {
    Q_OBJECT
public:
    TableFormatDialog(const io::table::Dialect& chosen, const io::table::Dialect& found, QWidget* parent = nullptr);

Q_SIGNALS:
    void chosen(const io::table::Dialect& dialect);

private:
    QComboBox* addField(QVBoxLayout* layout, const QString& title, const char* name, const QList<QPair<QString, QVariant>>& choices,
                        const QVariant& chosen, const QVariant& found);
    io::table::Dialect dialect() const;

    QComboBox *m_separator, *m_decimal, *m_thousands, *m_header, *m_dates, *m_encoding;
};

} // namespace ui
