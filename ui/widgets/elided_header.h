// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHeaderView>

namespace ui {

/// A horizontal head whose long names lose their middle: their ends tell them apart. Style sheets make Qt cut them instead.
class ElidedHeader : public QHeaderView {
    Q_OBJECT
public:
    explicit ElidedHeader(QWidget* parent = nullptr);

    int wholeWidth(int section) const; ///< that its name needs; of a very long one as much as is sensible
    QString shownText(int section) const; ///< as much of the name as its column has room for

protected:
    void initStyleOptionForIndex(QStyleOptionHeader* option, int logicalIndex) const override;
};

} // namespace ui
