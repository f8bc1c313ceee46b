// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLineEdit;
class QPushButton;

namespace ui {

/// The path of a file to read, or of a folder: typed, or found with a dialog.
class FileField : public QWidget {
    Q_OBJECT
public:
    enum class Wanted { File, Folder };
    /// The dialog's title and which files it offers; settingsKey: where the folder it opened last is kept.
    FileField(const QString& title, const QString& filter, const QString& settingsKey, QWidget* parent = nullptr,
              Wanted wanted = Wanted::File);

    QString path() const;
    void setPath(const QString& path);
    QLineEdit* line() const { return m_line; }
    QPushButton* button() const { return m_browse; }

Q_SIGNALS:
    void edited();

private:
    void browse();

    QString m_title, m_filter, m_settingsKey;
    Wanted m_wanted;
    QLineEdit* m_line;
    QPushButton* m_browse;
};

} // namespace ui
