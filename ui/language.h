// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <vector>

class QCoreApplication;

namespace ui {

/// A language of the window's words.
struct Language {
    QString id; ///< empty: the desktop's; "en", "zh_CN"
    QString title; ///< in itself
};

const std::vector<Language>& languages();

/// What the environment's POLYAD_LANGUAGE says, else what the person chose; empty: the desktop's.
QString chosenLanguage();
void chooseLanguage(const QString& id); ///< from the next start on

/// Which of ours comes first among those that a person reads (QLocale::uiLanguages), English where none does.
QString languageFor(const QStringList& wanted);

/// Before the first window. Numbers keep to the desktop's locale.
void installLanguage(QCoreApplication& application, const QString& id = chosenLanguage());

} // namespace ui
