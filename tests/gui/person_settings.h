// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme.h"

#include <QApplication>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>

/// What the program does before its window, with a folder of its own for settings, so that a person's stay as they are.
/// A test has one as its first member.
class PersonSettings {
public:
    explicit PersonSettings(const QString& name = QCoreApplication::applicationName())
    {
        QCoreApplication::setOrganizationName(QStringLiteral("polyad-") + name);
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder.path());
        QStandardPaths::setTestModeEnabled(true);
        QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
        ui::Theme::instance().install(*qApp);
    }

private:
    QTemporaryDir m_folder;
};
