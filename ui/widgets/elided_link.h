// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractButton>

namespace ui {

/// A muted word that can be clicked, in one line that ends in … where there is no room; the accent's colour under the mouse and
/// with the focus.
class ElidedLink : public QAbstractButton {
    Q_OBJECT
public:
    explicit ElidedLink(const QString& text, QWidget* parent = nullptr);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {24, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
};

} // namespace ui
