// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/index_reader.h"
#include "ui/models/label_search.h"

#include <QWidget>

#include <optional>

class QCompleter;
class QLabel;
class QLineEdit;
class QStandardItemModel;
class QToolButton;

namespace ui {

/// One mode's index: typed as any part of a label, with the labels that hold it below the field, or as a number from 1. A label
/// wins over an index, and "#9" is always index 9. "any" leaves the mode open. One line beneath says what was understood, or what would be.
class IndexField : public QWidget {
    Q_OBJECT
public:
    /// The reader and the mode must outlive it.
    IndexField(const app::IndexReader& reader, const kernels::Mode& mode, unsigned number, const QString& name, QWidget* parent = nullptr);

    std::optional<kernels::Index> index() const { return m_index; } ///< nothing while the text is none, or "any" is chosen
    bool isAny() const;
    void setIndex(kernels::Index index); ///< as if it was chosen
    void setAny(bool any);
    QLineEdit* line() const { return m_line; }
    QToolButton* anyButton() const { return m_any; }
    QString hint() const;

Q_SIGNALS:
    void edited(); ///< index() or isAny() may be another
    void anyChosen();

private:
    void setUpCompletion();
    void complete(const QString& text);
    void read();
    void showHint(const QString& text, const QString& problem = {});
    QString whyNot(bool isNumber, bool anyHits) const;
    QString understood(kernels::Index index, const QString& text) const;

    const app::IndexReader& m_reader;
    const kernels::Mode& m_mode;
    unsigned m_number;
    LabelSearch m_search;
    std::optional<kernels::Index> m_index;
    std::optional<kernels::Index> m_picked; ///< stands until the text is another: labels may occur twice, or look like numbers
    QString m_pickedText;
    QLineEdit* m_line;
    QToolButton* m_any;
    QLabel* m_hint;
    QCompleter* m_completer = nullptr;
    QStandardItemModel* m_hits = nullptr;
};

} // namespace ui
