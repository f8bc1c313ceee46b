// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QCoreApplication>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStringList>
#include <QTest>

#include <csignal>
#include <sys/types.h>

/// polyad-cli as a person calls it; the program lies in ../bin beside the tests.
namespace cli_test {

struct Answer {
    int code = -1;
    bool crashed = false;
    QByteArray out, err;

    /// For messages of failing tests.
    QByteArray all() const { return "code " + QByteArray::number(code) + "\n" + out + err; }
    QJsonObject object() const { return QJsonDocument::fromJson(out).object(); }
    QJsonArray array() const { return QJsonDocument::fromJson(out).array(); }
};

inline QString program() { return QCoreApplication::applicationDirPath() + QStringLiteral("/../bin/polyad-cli"); }

inline QString sample() { return QCoreApplication::applicationDirPath() + QStringLiteral("/../share/polyad/samples/flights/flights.tns"); }

/// Seconds; a sanitizer makes the program some ten times as slow.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr int longestRun = 280; // below QTest's own limit of 300
#else
constexpr int longestRun = 60;
#endif

inline Answer wait(QProcess& process)
{
    Answer answer;
    if (!process.waitForFinished(longestRun * 1000)) {
        process.kill();
        process.waitForFinished();
        answer.err = "did not end within " + QByteArray::number(longestRun) + " s";
        return answer;
    }
    answer.crashed = process.exitStatus() == QProcess::CrashExit;
    answer.code = process.exitCode();
    answer.out = process.readAllStandardOutput();
    answer.err += process.readAllStandardError();
    return answer;
}

inline Answer polyad(const QStringList& arguments)
{
    QProcess process;
    process.start(program(), arguments);
    return wait(process);
}

/// With standard output on a disk that has no space left.
inline Answer polyadToFullDisk(const QStringList& arguments)
{
    QProcess process;
    process.setStandardOutputFile(QStringLiteral("/dev/full"));
    process.start(program(), arguments);
    return wait(process);
}

/// With standard output to a program that reads one line and goes. Arguments without blanks; the code is polyad-cli's.
inline Answer polyadToHead(const QStringList& arguments)
{
    QProcess process;
    const QString line = QStringLiteral("exec 5>&1; { '%1' %2 5>&-; echo code $? >&5; } | head -1 >/dev/null");
    process.start(QStringLiteral("sh"), {QStringLiteral("-c"), line.arg(program(), arguments.join(' '))});
    Answer answer = wait(process);
    answer.code = answer.out.startsWith("code ") ? answer.out.mid(5).trimmed().toInt() : -1;
    return answer;
}

/// False when the program has ended already.
inline bool sendSignal(const QProcess& process, int signal)
{
    const auto id = static_cast<pid_t>(process.processId());
    return id > 0 && ::kill(id, signal) == 0;
}

/// Each line of `--progress json`.
inline QList<QJsonObject> jsonLines(const QByteArray& text)
{
    QList<QJsonObject> lines;
    for (const QByteArray& line : text.split('\n'))
        if (!line.isEmpty())
            lines.append(QJsonDocument::fromJson(line).object());
    return lines;
}

inline bool writeFile(const QString& path, const QByteArray& text)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
}

} // namespace cli_test

/// Shows what the program said when the code is another one. The answer is evaluated once.
#define COMPARE_CODE(answer, expected)                                                                                                     \
    do {                                                                                                                                   \
        const cli_test::Answer& given = (answer);                                                                                          \
        QVERIFY2(!given.crashed && given.code == (expected), given.all().constData());                                                     \
    } while (false)

/// One line on stderr that begins with the program's name: no stack of noise.
#define VERIFY_ONE_SENTENCE(answer)                                                                                                        \
    QVERIFY2((answer).err.startsWith("polyad-cli: ") && (answer).err.count('\n') == 1 && (answer).err.endsWith('\n'),                      \
             (answer).all().constData())
