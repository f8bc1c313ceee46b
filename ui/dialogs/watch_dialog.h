// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/watched_folder.h"

#include <QDialog>

class QCheckBox;
class QLabel;

namespace ui {

class FileField;

/// Asks which folder a run is to learn the files of, and whether those that are there already are among them.
class WatchDialog : public QDialog {
    Q_OBJECT
public:
    explicit WatchDialog(const QString& runName, QWidget* parent = nullptr);

Q_SIGNALS:
    void chosen(const QString& folder, app::WatchedFolder::There there);

private:
    void choose();

    FileField* m_folder;
    QCheckBox* m_there;
    QLabel* m_meaning;
    QString m_explanation;
};

} // namespace ui
