// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/file_field.h"

#include <QBoxLayout>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>

namespace ui {

FileField::FileField(const QString& title, const QString& filter, const QString& settingsKey, QWidget* parent, Wanted wanted)
    : QWidget(parent)
    , m_title(title)
    , m_filter(filter)
    , m_settingsKey(settingsKey)
    , m_wanted(wanted)
    , m_line(new QLineEdit(this))
    , m_browse(new QPushButton(tr("Browse…"), this))
{
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    layout->addWidget(m_line, 1);
    layout->addWidget(m_browse);
    m_browse->setAutoDefault(false);
    setFocusProxy(m_line);
    connect(m_line, &QLineEdit::textChanged, this, &FileField::edited);
    connect(m_browse, &QPushButton::clicked, this, &FileField::browse);
}

QString FileField::path() const
{
    const QString text = m_line->text().trimmed();
    return text.startsWith(QLatin1String("~/")) ? QDir::homePath() + text.mid(1) : text;
}

void FileField::setPath(const QString& path) { m_line->setText(path); }

void FileField::browse()
{
    const QString present = path();
    const QString folder = present.isEmpty() ? QSettings().value(m_settingsKey, QDir::homePath()).toString() : QFileInfo(present).path();
    auto* dialog = new QFileDialog(this, m_title, folder, m_filter);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(m_wanted == Wanted::Folder ? QFileDialog::Directory : QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& chosen) {
        QSettings().setValue(m_settingsKey, QFileInfo(chosen).path());
        setPath(chosen);
    });
    dialog->open();
}

} // namespace ui
