// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/language.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QSettings>
#include <QTranslator>

namespace ui {
namespace {

const QString english = QStringLiteral("en"), chinese = QStringLiteral("zh_CN");

/// Asks in all places where the catalogue may have a text. lupdate files it under the class or namespace around it, functions
/// outside of classes ask under a name of their own.
class Catalogue : public QTranslator {
public:
    using QTranslator::QTranslator;

    QString translate(const char* context, const char* text, const char* disambiguation, int n) const override
    {
        const QByteArray name(context);
        for (const QByteArray& each : {name, "ui::" + name, "app::" + name, QByteArray("ui"), QByteArray("app")})
            if (const QString found = QTranslator::translate(each.constData(), text, disambiguation, n); !found.isEmpty())
                return found;
        return {};
    }
};

} // namespace

const std::vector<Language>& languages()
{
    static const std::vector<Language> all{{{}, QCoreApplication::translate("Language", "As the desktop")},
                                           {english, QStringLiteral("English")},
                                           {chinese, QStringLiteral("简体中文")}};
    return all;
}

QString chosenLanguage()
{
    const QString asked = qEnvironmentVariable("POLYAD_LANGUAGE");
    return asked.isEmpty() ? QSettings().value(QStringLiteral("language")).toString() : asked;
}

void chooseLanguage(const QString& id) { QSettings().setValue(QStringLiteral("language"), id); }

QString languageFor(const QStringList& wanted)
{
    for (const QString& each : wanted) {
        const QLocale locale(each);
        if (locale.language() == QLocale::English)
            return english;
        if (locale.language() == QLocale::Chinese && locale.script() != QLocale::TraditionalHanScript)
            return chinese;
    }
    return english;
}

void installLanguage(QCoreApplication& application, const QString& chosen)
{
    const QString id = chosen.isEmpty() ? languageFor(QLocale::system().uiLanguages()) : chosen;
    if (id == english)
        return;
    auto* ofQt = new QTranslator(&application); // buttons of Qt's own dialogs, where Qt's catalogue is installed
    if (ofQt->load(QStringLiteral("qtbase_") + id, QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
        QCoreApplication::installTranslator(ofQt);
    auto* ours = new Catalogue(&application);
    if (ours->load(QStringLiteral("polyad_") + id,
                   QCoreApplication::applicationDirPath() + QStringLiteral("/../share/polyad/translations")))
        QCoreApplication::installTranslator(ours);
}

} // namespace ui
