// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/cli_process.h"

using namespace cli_test;

/// What `bench ntf` compares beside its iterations: weights of new entries. How fast anything is, is not tested.
class TestCliBenchNtf : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void onlineTakesWeights();
    void onlineRefusesWeights();
};

/// Each begins with the same model, which its first batch changes by as much as it counts.
void TestCliBenchNtf::onlineTakesWeights()
{
    const QStringList bench{"bench",        "ntf", sample(),    "--online", "--rank",          "3",
                            "--divergence", "kl",  "--batches", "2",        "--batch-percent", "10",
                            "--iterations", "4",   "--weight",  "0.5,1,2",  "--rule",          "ours"};
    const Answer answer = polyad(bench + QStringList{"--json"});
    COMPARE_CODE(answer, 0);
    QList<double> weights, errors;
    for (const QJsonValue& updates : answer.object()["rows"].toArray()[0].toObject()["updates"].toArray()) {
        weights << updates["weight"].toDouble();
        const QJsonObject batch = updates["batches"].toArray()[0].toObject();
        QCOMPARE(batch["passes"].toInt(), 0);
        errors << batch["test"].toObject()["rmse"].toDouble();
    }
    QCOMPARE(weights, (QList<double>{0.5, 1, 2}));
    QVERIFY2(errors[0] > 0 && errors[0] != errors[1] && errors[1] != errors[2], answer.all());
    const Answer text = polyad(bench);
    QVERIFY2(text.code == 0 && text.out.contains("\nours, weight 0.5: ") && text.out.contains("\nours: "), text.all());
}

void TestCliBenchNtf::onlineRefusesWeights()
{
    const auto refused = [&](const QStringList& options, const char* part) {
        const Answer answer = polyad(QStringList{"bench", "ntf", sample(), "--rank", "2"} + options);
        return answer.code == 2 && answer.err.contains(part) && answer.err.count('\n') == 1 ? QByteArray() : answer.all();
    };
    QCOMPARE(refused({"--online", "--weight", "2", "--passes", "1"}, "count each of them once"), QByteArray());
    QCOMPARE(refused({"--online", "--weight", "2", "--pass-every", "5"}, "with such a --weight"), QByteArray());
    QCOMPARE(refused({"--online", "--weight", "1,2,1"}, "twice"), QByteArray());
    QCOMPARE(refused({"--online", "--weight", "0"}, "--weight"), QByteArray());
    QCOMPARE(refused({"--weight", "2"}, "without --online"), QByteArray());
}

QTEST_GUILESS_MAIN(TestCliBenchNtf)
#include "tst_cli_bench_ntf.moc"
