// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/watch_dialog.h"

#include "ui/widgets/file_field.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QDir>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

namespace ui {

WatchDialog::WatchDialog(const QString& runName, QWidget* parent)
    : QDialog(parent)
    , m_folder(new FileField(tr("Folder to watch"), {}, QStringLiteral("watchedFolder"), this, FileField::Wanted::Folder))
    , m_there(new QCheckBox(tr("Also add the files that are there already"), this))
    , m_meaning(new QLabel(this))
    , m_explanation(
          tr("Tensor files that come into the folder are added, one after the other, to a run beside %1, until you end it or close "
             "the session. A file is added when it has stopped growing.")
              .arg(runName))
{
    setWindowTitle(tr("Watch a folder for %1").arg(runName));
    setMinimumWidth(500);
    m_folder->line()->setAccessibleName(tr("Folder"));
    m_meaning->setObjectName(QStringLiteral("subtitle"));
    m_meaning->setWordWrap(true);
    m_meaning->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_meaning->setMinimumHeight(3 * fontMetrics().lineSpacing()); // no sentence moves the dialog
    m_meaning->setText(m_explanation);
    auto* rows = new QFormLayout;
    rows->setVerticalSpacing(10);
    rows->setHorizontalSpacing(14);
    rows->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    rows->addRow(tr("Folder"), m_folder);
    rows->addRow(QString(), m_there);
    rows->addRow(m_meaning);
    auto* watch = new QPushButton(tr("Watch"), this);
    watch->setObjectName(QStringLiteral("primary"));
    watch->setDefault(true);
    watch->setEnabled(false);
    auto* cancel = new QPushButton(tr("Cancel"), this);
    auto* buttons = new QHBoxLayout;
    buttons->addStretch();
    buttons->addWidget(cancel);
    buttons->addWidget(watch);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 18, 20, 16);
    layout->setSpacing(12);
    layout->addLayout(rows);
    layout->addLayout(buttons);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(watch, &QPushButton::clicked, this, &WatchDialog::choose);
    connect(m_folder, &FileField::edited, this, [this, watch] {
        watch->setEnabled(!m_folder->path().isEmpty());
        m_meaning->setText(m_explanation);
    });
}

void WatchDialog::choose()
{
    const QFileInfo folder(m_folder->path());
    if (!folder.isDir()) {
        m_meaning->setText(folder.exists() ? tr("%1 is no folder.").arg(QDir::toNativeSeparators(m_folder->path()))
                                           : tr("There is no folder %1.").arg(QDir::toNativeSeparators(m_folder->path())));
        m_folder->line()->setFocus();
        return;
    }
    accept();
    Q_EMIT chosen(folder.absoluteFilePath(),
                  m_there->isChecked() ? app::WatchedFolder::There::Told : app::WatchedFolder::There::PassedOver);
}

} // namespace ui
