// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session.h"

#include <QStringList>
#include <QWidget>

class QLabel;
class QVBoxLayout;

namespace ui {

/// What the centre shows while nothing is open: four ways in, and what was open before.
class WelcomePage : public QWidget {
    Q_OBJECT
public:
    explicit WelcomePage(const app::Session& session, QWidget* parent = nullptr);
    void setRecentFiles(const QStringList& paths);

Q_SIGNALS:
    void sampleRequested();
    void importRequested();
    void openRequested();
    void generateRequested();
    void fileRequested(const QString& path);

private:
    QVBoxLayout* m_recent;
    QWidget* m_recentBox;
};

} // namespace ui
