// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>

namespace ui {

/// Ends long entries in … (a style sheet would cut them through a letter) and leaves the wheel to the form around it.
class ComboBox : public QComboBox {
    Q_OBJECT
public:
    using QComboBox::QComboBox;

    void showPopup() override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
};

/// Disables an entry and says why in its tooltip; without a reason it is enabled and has the other tooltip.
void setItemRefusal(QComboBox* combo, int row, const QString& reason, const QString& otherwise);

} // namespace ui
