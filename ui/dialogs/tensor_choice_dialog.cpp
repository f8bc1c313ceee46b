// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/tensor_choice_dialog.h"

#include <QBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>

namespace ui {

TensorChoiceDialog::TensorChoiceDialog(const QString& fileName, const QStringList& groups, QWidget* parent)
    : QDialog(parent)
    , m_groups(new QListWidget(this))
{
    setWindowTitle(tr("Choose a tensor"));
    auto* question = new QLabel(tr("%1 holds several tensors. Which one?").arg(fileName), this);
    question->setTextFormat(Qt::PlainText);
    question->setWordWrap(true);
    m_groups->setObjectName(QStringLiteral("choices"));
    m_groups->setAccessibleName(tr("Tensors in the file"));
    m_groups->addItems(groups);
    m_groups->setCurrentRow(0);
    auto* choose = new QPushButton(tr("Choose"), this);
    choose->setObjectName(QStringLiteral("primary"));
    choose->setDefault(true);
    auto* cancel = new QPushButton(tr("Cancel"), this);
    auto* buttons = new QHBoxLayout;
    buttons->addStretch();
    buttons->addWidget(cancel);
    buttons->addWidget(choose);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 18, 20, 16);
    layout->setSpacing(12);
    layout->addWidget(question);
    layout->addWidget(m_groups);
    layout->addLayout(buttons);
    resize(460, 300);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(choose, &QPushButton::clicked, this, &QDialog::accept);
    connect(m_groups, &QListWidget::itemDoubleClicked, this, &QDialog::accept);
    connect(this, &QDialog::accepted, this, [this] { Q_EMIT chosen(m_groups->currentItem()->text()); });
    m_groups->setFocus();
}

} // namespace ui
