// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures of the window in the states a person meets, from real runs on the bundled sample.
// screenshots FOLDER [SCENE]: one of the scenes that screenshots_*.cpp have, else "all".
#include "gui/person_settings.h"
#include "gui/photographer.h"
#include "ui/language.h"

#include <algorithm>

int main(int argc, char** argv)
{
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("screenshots"));
    const PersonSettings settings;
    if (!qEnvironmentVariableIsEmpty("POLYAD_LANGUAGE")) // else English, whatever the desktop speaks
        ui::installLanguage(application);
    const QString folder = argc > 1 ? QString::fromLocal8Bit(argv[1]) : QStringLiteral("screenshots");
    if (!QDir().mkpath(folder)) {
        std::fprintf(stderr, "%s: this folder cannot be made\n", qPrintable(folder));
        return 1;
    }
    const std::string name = argc > 2 ? argv[2] : "all";
    const auto& scenes = Scene::all();
    const auto scene = std::find_if(scenes.begin(), scenes.end(), [&](const Scene& each) { return each.name == name; });
    if (scene == scenes.end()) {
        std::fprintf(stderr, "There is no scene \"%s\", but:", name.c_str());
        for (const Scene& each : scenes)
            std::fprintf(stderr, " %s", each.name);
        std::fprintf(stderr, "\n");
        return 1;
    }
    try {
        Photographer photographer(folder);
        scene->play(photographer);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
