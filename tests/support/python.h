// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProcess>
#include <QString>
#include <QStringList>

namespace test {

/// The other side of a format: Debian's Python, or the one POLYAD_TEST_PYTHON names (one with more packages).
inline QString python() { return qEnvironmentVariable("POLYAD_TEST_PYTHON", QStringLiteral("/usr/bin/python3")); }

inline bool pythonHas(const char* modules) { return QProcess::execute(python(), {"-c", QStringLiteral("import ") + modules}) == 0; }

/// Runs a script (text, or the path of a file ending in .py); its own words when it fails, nothing when it is content.
inline QString runPython(const QString& script, const QStringList& arguments)
{
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    const QStringList how = script.endsWith(QLatin1String(".py")) ? QStringList{script} : QStringList{"-c", script};
    process.start(python(), how + arguments);
    process.waitForFinished(120000);
    const bool fine = process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0;
    return fine ? QString() : QStringLiteral("python failed: ") + QString::fromUtf8(process.readAll()) + process.errorString();
}

} // namespace test
