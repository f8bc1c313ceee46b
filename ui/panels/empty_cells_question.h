// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/open_tensor.h"

#include <QFrame>

class QLabel;
class QPushButton;

namespace ui {

/// Asks what an empty cell of a tensor means, until it is answered. What the values propose stands out.
class EmptyCellsQuestion : public QFrame {
    Q_OBJECT
public:
    explicit EmptyCellsQuestion(QWidget* parent = nullptr);

    void setTensor(const app::OpenTensorPtr& tensor); ///< hidden where nothing is to be asked

Q_SIGNALS:
    void answered(kernels::EmptyCells meaning);

private:
    QPushButton* addAnswer(const char* name, const QString& text, kernels::EmptyCells meaning);

    QLabel* m_reason;
    QPushButton* m_zero;
    QPushButton* m_unknown;
};

} // namespace ui
