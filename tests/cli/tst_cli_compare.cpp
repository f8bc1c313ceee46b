// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/cli_process.h"
#include "io/model_file.h"

#include <QTemporaryDir>

#include <algorithm>
#include <cmath>

using namespace cli_test;

/// Models side by side.
class TestCliCompare : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString at(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)); }

    Answer make(const char* name, const QStringList& more, const char* algorithm = "cp-als") const
    {
        return polyad(QStringList{"run", sample(), "--algorithm", algorithm, "--device", "cpu", "--tolerance", "0", "-o", at(name)} + more);
    }

private Q_SLOTS:
    void initTestCase()
    {
        COMPARE_CODE(make("a.h5", {"--rank", "3", "--iterations", "6"}), 0);
        COMPARE_CODE(make("b.h5", {"--rank", "5", "--iterations", "6", "--seed", "7"}), 0);
        COMPARE_CODE(make("tucker.h5", {"--rank", "4", "--iterations", "3"}, "fasttucker"), 0);
    }

    void aModelIsItself()
    {
        const Answer answer = polyad({"compare", at("a.h5"), at("a.h5")});
        COMPARE_CODE(answer, 0);
        QVERIFY2(answer.out.contains("find the same 3 components (agreement 1.00)."), answer.out);
        QVERIFY2(answer.out.contains("all settings alike"), answer.out);
    }

    void figuresSettingsAndComponentsStandSideBySide()
    {
        const Answer answer = polyad({"compare", at("a.h5"), at("b.h5"), "--measure", "fit", "--target", "-10"});
        COMPARE_CODE(answer, 0);
        for (const char* says : {"a.h5", "b.h5", "train RMSE", "fit", "time per iteration", "time to fit -10", "settings that differ",
                                 "Rank", "Seed", "a.h5 and b.h5 "})
            QVERIFY2(answer.out.contains(says), (QByteArray(says) + "\n" + answer.out).constData());
        QVERIFY2(!answer.out.contains("test RMSE") && !answer.out.contains("Tolerance"), answer.out);
    }

    void programsReadTheSame()
    {
        const Answer answer = polyad({"compare", at("a.h5"), at("b.h5"), at("tucker.h5"), "--json", "--measure", "fit", "--target", "2"});
        COMPARE_CODE(answer, 0);
        const QJsonObject object = answer.object();
        QCOMPARE(object["models"].toArray().size(), 3);
        QCOMPARE(object["agreement"].toArray().size(), 3);
        const io::ModelFile file = io::readModel(at("a.h5").toStdString());
        const QJsonObject first = object["models"].toArray()[0].toObject();
        const auto best = std::find_if(file.history.begin(), file.history.end(),
                                       [&](const auto& record) { return record.iteration == file.bestIteration; });
        QCOMPARE(first["fit"].toDouble(), best->fit);
        QCOMPARE(first["iterations"].toInt(), 6);
        QVERIFY(first["seconds_to_target"].isNull()); // no fit is larger than 1
        const QJsonObject pair = object["agreement"].toArray()[0].toObject();
        QCOMPARE(pair["pairs"].toArray().size(), 3);
        QCOMPARE(pair["of"].toString(), QStringLiteral("components"));
        QVERIFY(pair["only_in_second"].toArray().size() >= 2);
        const QJsonObject spaces = object["agreement"].toArray()[1].toObject();
        QCOMPARE(spaces["of"].toString(), QStringLiteral("spaces"));
        QCOMPARE(spaces["cosines"].toArray().size(), 3);
        QCOMPARE(spaces["cosines"].toArray()[0].toArray().size(), 3); // the smaller rank
        QVERIFY(spaces["sentence"].toString().contains(QStringLiteral("directions in common")));
    }

    /// Six pairs are too many sentences: a table, and the pairs that agree most and least in words.
    void manyModelsAreATable()
    {
        COMPARE_CODE(make("c.h5", {"--rank", "3", "--iterations", "3", "--seed", "9"}), 0);
        const QStringList four{"compare", at("a.h5"), at("b.h5"), at("c.h5"), at("tucker.h5")};
        const Answer answer = polyad(four);
        COMPARE_CODE(answer, 0);
        const QJsonArray pairs = polyad(four + QStringList{"--json"}).object()["agreement"].toArray();
        QCOMPARE(pairs.size(), 6);
        double least = 2, most = -1;
        QString leastAlike, mostAlike;
        QMap<QString, QStringList> scores; // by model, in the order of the columns
        for (const QJsonValue& value : pairs) {
            const QJsonObject pair = value.toObject();
            const double agreement = pair["agreement"].toDouble();
            const QString text = QString::number(std::round(agreement * 100) / 100 + 0.0, 'f', 2); // no "-0.00"
            scores[pair["first"].toString()] += text;
            scores[pair["second"].toString()] += text;
            if (agreement < least) {
                least = agreement;
                leastAlike = pair["sentence"].toString();
            }
            if (agreement >= most) {
                most = agreement;
                mostAlike = pair["sentence"].toString();
            }
        }
        const QStringList lines = QString::fromUtf8(answer.out).split('\n');
        const QStringList names{"a.h5", "b.h5", "c.h5", "tucker.h5"};
        const auto head = std::find_if(lines.begin(), lines.end(), [](const QString& line) { return line.startsWith("agreement"); });
        QVERIFY2(lines.end() - head > 5, answer.out);
        for (int i = 0; i < 4; ++i) {
            QStringList expected = scores[names[i]];
            expected.insert(i, "-");
            QCOMPARE((head + 1 + i)->simplified().split(' '), QStringList{names[i]} + expected);
        }
        QVERIFY2(lines.contains("Most alike:  " + mostAlike) && lines.contains("Least alike: " + leastAlike), answer.out);
        QCOMPARE(answer.out.count(" and "), (mostAlike + leastAlike).count(" and ")); // no pair besides
    }

    void theTargetIsMetWhereTheHistorySaysSo()
    {
        const io::ModelFile file = io::readModel(at("tucker.h5").toStdString());
        const double target = file.history[1].testRmse;
        const Answer answer = polyad({"compare", at("tucker.h5"), at("a.h5"), "--json", "--target", QString::number(target, 'g', 17)});
        COMPARE_CODE(answer, 0);
        const QJsonArray models = answer.object()["models"].toArray();
        const auto met = std::find_if(file.history.begin(), file.history.end(), [&](const auto& r) { return r.testRmse <= target; });
        QCOMPARE(models[0].toObject()["seconds_to_target"].toDouble(), met->elapsed);
        QVERIFY(models[1].toObject()["seconds_to_target"].isNull()); // it has no test part
    }

    void otherSizesAreRefusedInASentence()
    {
        const QString other = at("other.tns");
        QVERIFY(writeFile(other, "1 1 1 1.5\n2 2 2 2.5\n1 2 1 3\n"));
        COMPARE_CODE(
            polyad({"run", other, "--algorithm", "cp-als", "--device", "cpu", "--rank", "1", "--iterations", "2", "-o", at("other.h5")}),
            0);
        const Answer answer = polyad({"compare", at("a.h5"), at("other.h5")});
        COMPARE_CODE(answer, 2);
        VERIFY_ONE_SENTENCE(answer);
        QVERIFY2(answer.err.contains("a.h5 and other.h5") && answer.err.contains("2 x 2 x 2"), answer.err);
    }

    void slipsAreRefused()
    {
        COMPARE_CODE(polyad({"compare", at("a.h5")}), 2);
        const Answer measure = polyad({"compare", at("a.h5"), at("b.h5"), "--measure", "speed"});
        COMPARE_CODE(measure, 2);
        VERIFY_ONE_SENTENCE(measure);
        const Answer tensor = polyad({"compare", at("a.h5"), sample()});
        COMPARE_CODE(tensor, 3);
        QVERIFY2(tensor.err.contains("is a tensor, not a model"), tensor.err);
    }
};

QTEST_GUILESS_MAIN(TestCliCompare)
#include "tst_cli_compare.moc"
