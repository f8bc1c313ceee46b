// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/formatting.h"

#include <QLocale>
#include <QTest>

#include <limits>

using namespace ui;

class tst_formatting : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void groupsArePartedByNarrowSpaces()
    {
        QCOMPARE(formatting::grouped(480189), QStringLiteral("480\u202f189"));
        QCOMPARE(formatting::grouped(999), QStringLiteral("999"));
        QCOMPARE(formatting::grouped(1000), QStringLiteral("1\u202f000"));
        QCOMPARE(formatting::grouped(99072112), QStringLiteral("99\u202f072\u202f112"));
        QCOMPARE(formatting::grouped(std::numeric_limits<quint64>::max()),
                 QStringLiteral("18\u202f446\u202f744\u202f073\u202f709\u202f551\u202f615"));
    }

    void countsGetAPrefixFromAMillionOn()
    {
        QCOMPARE(formatting::count(12409), QStringLiteral("12\u202f409"));
        QCOMPARE(formatting::count(99072112), QStringLiteral("99.1\u202fM"));
        QCOMPARE(formatting::count(3.3e6), QStringLiteral("3.3\u202fM"));
        QCOMPARE(formatting::count(2.5e9), QStringLiteral("2.5\u202fG"));
    }

    void axisCountsAreShort()
    {
        QCOMPARE(formatting::axisCount(500), QStringLiteral("500"));
        QCOMPARE(formatting::axisCount(10000), QStringLiteral("10\u202fk"));
        QCOMPARE(formatting::axisCount(3.3e7), QStringLiteral("33\u202fM"));
    }

    void bytesUseBinaryPrefixes()
    {
        QCOMPARE(formatting::bytes(0), QStringLiteral("0\u202fB"));
        QCOMPARE(formatting::bytes(1536), QStringLiteral("1.5\u202fKiB"));
        QCOMPARE(formatting::bytes(quint64{3650722202}), QStringLiteral("3.4\u202fGiB")); // 3.4 × 2^30
        QCOMPARE(formatting::bytes((quint64{1} << 20) - 1), QStringLiteral("1.0\u202fMiB")); // not 1024 KiB
    }

    void timesAreForPeople()
    {
        QCOMPARE(formatting::duration(0.61), QStringLiteral("0.61\u202fs"));
        QCOMPARE(formatting::duration(0.0042), QStringLiteral("4.2\u202fms"));
        QCOMPARE(formatting::duration(12.34), QStringLiteral("12.3\u202fs"));
        QCOMPARE(formatting::duration(185), QStringLiteral("3 min 05 s"));
        QCOMPARE(formatting::duration(7260), QStringLiteral("2 h 01 min"));
        QCOMPARE(formatting::duration(-1), QStringLiteral("–"));
        QCOMPARE(formatting::roughDuration(0.0042), QStringLiteral("4.2\u202fms"));
        QCOMPARE(formatting::roughDuration(0.061), QStringLiteral("61\u202fms"));
        QCOMPARE(formatting::roughDuration(0.25), QStringLiteral("0.25\u202fs"));
        QCOMPARE(formatting::roughDuration(1.42), QStringLiteral("1.4\u202fs"));
        QCOMPARE(formatting::roughDuration(132), QStringLiteral("2.2\u202fmin"));
        QCOMPARE(formatting::roughRange(1.42, 1.42), QStringLiteral("1.4\u202fs"));
        QCOMPARE(formatting::roughRange(0.1, 0.4), QStringLiteral("< 1\u202fs"));
        QCOMPARE(formatting::roughRange(2, 132), QStringLiteral("2\u202fs – 2.2\u202fmin"));
        QCOMPARE(formatting::milliseconds(0.0161), QStringLiteral("16.1"));
    }

    void axisValuesShowTheDigitsOfTheirStep()
    {
        QCOMPARE(formatting::axisValue(0.95, 0.05), QStringLiteral("0.95"));
        QCOMPARE(formatting::axisValue(1, 0.05), QStringLiteral("1.00"));
        QCOMPARE(formatting::axisValue(20, 10), QStringLiteral("20"));
        QCOMPARE(formatting::axisValue(1e-17, 0.1), QStringLiteral("0")); // rounding of a tick at zero
    }

    void smallNumbersAreWrittenWithPowers()
    {
        QCOMPARE(formatting::scientific(5.3e-6), QStringLiteral("5.3 × 10⁻⁶"));
        QCOMPARE(formatting::scientific(9.99e-6), QStringLiteral("1.0 × 10⁻⁵"));
        QCOMPARE(formatting::number(5.3e-6, 2), QStringLiteral("5.3e-6"));
        QCOMPARE(formatting::exact(1e-4), QStringLiteral("1e-4"));
    }

    void whatIsNotMeasuredIsADash()
    {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        QCOMPARE(formatting::metric(nan), QStringLiteral("–"));
        QCOMPARE(formatting::number(nan), QStringLiteral("–"));
        QCOMPARE(formatting::metric(0.92138), QStringLiteral("0.9214"));
    }

    void ranksAreOneNumberWhereTheyAgree()
    {
        QCOMPARE(formatting::ranks({16, 16, 16}), QStringLiteral("16"));
        QCOMPARE(formatting::ranks({16, 8}), QStringLiteral("16, 8"));
        QCOMPARE(formatting::dims({480189, 17770}), QStringLiteral("480\u202f189 × 17\u202f770"));
    }
};

QTEST_GUILESS_MAIN(tst_formatting)
#include "tst_formatting.moc"
