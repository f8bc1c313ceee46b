// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/nearest_name.h"

#include <QtTest>

using namespace kernels;

class NearestNameTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void slipsAreForgiven_data()
    {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("meant");
        QTest::newRow("a letter less") << "--algoritm"
                                       << "--algorithm";
        QTest::newRow("a letter more") << "--rankk"
                                       << "--rank";
        QTest::newRow("a wrong one") << "--ramk"
                                     << "--rank";
        QTest::newRow("two swapped") << "--sede"
                                     << "--seed";
        QTest::newRow("of two the nearer") << "--iteration"
                                           << "--iterations";
        QTest::newRow("the beginning") << "--iter"
                                       << "--iterations";
        QTest::newRow("another case") << "--RANK"
                                      << "--rank";
        QTest::newRow("the beginning in another case") << "--Iter"
                                                       << "--iterations";
        QTest::newRow("another word") << "--colour"
                                      << "";
        QTest::newRow("half of it wrong") << "rank"
                                          << "";
        QTest::newRow("too little to tell") << "--"
                                            << "";
        QTest::newRow("nothing") << ""
                                 << "";
    }
    void slipsAreForgiven()
    {
        QFETCH(QString, typed);
        QFETCH(QString, meant);
        const std::vector<std::string> known{"--algorithm", "--iterations", "--rank", "--seed", "--interactive"};
        QCOMPARE(QString::fromStdString(nearestName(typed.toStdString(), known)), meant);
        const QString sentence = meant.isEmpty() ? QString() : "Did you mean \"" + meant + "\"?";
        QCOMPARE(QString::fromStdString(didYouMean(typed.toStdString(), known)), sentence);
    }
};

QTEST_GUILESS_MAIN(NearestNameTest)
#include "tst_nearest_name.moc"
