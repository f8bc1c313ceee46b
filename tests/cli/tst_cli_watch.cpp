// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/cli_process.h"
#include "io/model_file.h"
#include "support/arrivals.h"

#include <QElapsedTimer>

#include <algorithm>
#include <memory>

using namespace cli_test;

/// polyad-cli update MODEL --watch FOLDER: until Ctrl-C, and whatever else ends it.
class TestCliWatch : public QObject {
    Q_OBJECT

    static constexpr int batches = 12;
    std::unique_ptr<test::Arrivals> m_arrivals;
    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_model;

    QString at(const QString& name) const { return m_folder->filePath(name); }
    bool write(const QString& name, const QByteArray& lines) const { return test::writeLines(at(name), lines); }
    static io::ModelFile read(const QString& path) { return io::readModel(path.toStdString(), nullptr, io::ReadState::Kept); }
    static std::vector<std::string> learnt(const io::ModelFile& file)
    {
        std::vector<std::string> names;
        for (const io::UpdateRecord& update : file.updates)
            names.push_back(update.fileName);
        return names;
    }
    QString freshModel(const char* name) const
    {
        QFile::remove(m_arrivals->at(QLatin1String(name)));
        return QFile::copy(m_model, m_arrivals->at(QLatin1String(name))) ? m_arrivals->at(QLatin1String(name)) : QString();
    }
    QStringList watching(const QString& model) const { return {"update", model, "--watch", m_folder->path(), "--duplicates", "keep"}; }

    static bool says(QProcess& process, QByteArray& out, const QByteArray& part, int times = 1)
    {
        return QTest::qWaitFor(
            [&] {
                out += process.readAllStandardOutput() + process.readAllStandardError();
                return out.count(part) >= times;
            },
            longestRun * 1000);
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_arrivals = std::make_unique<test::Arrivals>(batches);
        m_model = m_arrivals->at(QStringLiteral("model.h5"));
        COMPARE_CODE(polyad({"run", m_arrivals->firstFile(), "--algorithm", "ntf", "--param", "divergence=kl", "--rank", "4",
                             "--iterations", "20", "--duplicates", "keep", "-o", m_model}),
                     0);
    }
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void learnsWhatIsThereAndWhatComes()
    {
        const QString model = freshModel("watching.h5");
        QVERIFY(write("a.tns", m_arrivals->batch(0)));
        QProcess process;
        process.start(program(), watching(model));
        QByteArray out;
        QVERIFY2(says(process, out, " of a.tns in "), out);
        QVERIFY(write("bad.tns", "1 1 1 2\n1 x 1 2\n"));
        QVERIFY2(says(process, out, "bad.tns"), out);
        QVERIFY(write("b.tns.part", m_arrivals->batch(1)));
        QVERIFY(write("copy.tns", m_arrivals->batch(0)));
        QVERIFY2(says(process, out, "copy.tns: the model has learnt this file already"), out);
        QVERIFY(QFile::rename(at("b.tns.part"), at("b.tns")));
        QVERIFY2(says(process, out, " of b.tns in "), out);
        const QString aside = m_folder->path() + QStringLiteral("-aside");
        QVERIFY(QDir().rename(m_folder->path(), aside));
        QVERIFY2(says(process, out, "cannot be seen"), out);
        QVERIFY(QDir().rename(aside, m_folder->path()));
        QVERIFY2(says(process, out, "is back"), out);
        QVERIFY(write("c.tns", m_arrivals->batch(2)));
        QVERIFY2(says(process, out, " of c.tns in "), out);
        QVERIFY(sendSignal(process, SIGINT));
        QVERIFY(process.waitForFinished(longestRun * 1000));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 130);
        QCOMPARE(out.count("bad.tns"), 1);
        QCOMPARE(learnt(read(model)), (std::vector<std::string>{"a.tns", "b.tns", "c.tns"}));
    }

    /// What a program reads: a line for each file, and the model may lie in the folder itself.
    void aLineForEachFile()
    {
        QVERIFY(write("b.tns", m_arrivals->batch(1)) && write("a.tns", m_arrivals->batch(0)));
        QProcess process;
        process.start(program(), watching(m_model) + QStringList{"--json", "-o", at("learnt.h5")});
        QByteArray out;
        QVERIFY2(says(process, out, "\n", 2), out);
        QTest::qWait(2500); // learnt.h5 has changed, and is no tensor
        QVERIFY(sendSignal(process, SIGTERM));
        QVERIFY(process.waitForFinished(longestRun * 1000));
        out += process.readAllStandardOutput() + process.readAllStandardError();
        const QList<QJsonObject> lines = jsonLines(out);
        QCOMPARE(lines.size(), 2);
        QCOMPARE(lines[0]["file"].toString(), QStringLiteral("a.tns"));
        QCOMPARE(lines[1]["update"].toInt(), 2);
        QCOMPARE(learnt(read(at("learnt.h5"))), (std::vector<std::string>{"a.tns", "b.tns"}));
        QVERIFY(read(m_model).updates.empty());
    }

    /// A pass over all entries that somebody makes while the folder is watched, say.
    void aModelWrittenMeanwhileIsGoneOnFrom()
    {
        const QString model = freshModel("shared.h5");
        QVERIFY(write("a.tns", m_arrivals->batch(0)));
        QProcess process;
        process.start(program(), watching(model));
        QByteArray out;
        QVERIFY2(says(process, out, " of a.tns in "), out);
        const QString byHand = m_arrivals->at(QStringLiteral("by-hand.tns"));
        QVERIFY(test::writeLines(byHand, m_arrivals->batch(1)));
        COMPARE_CODE(polyad({"update", model, byHand, "--duplicates", "keep", "-o", model}), 0);
        QVERIFY(write("c.tns", m_arrivals->batch(2)));
        QVERIFY2(says(process, out, " of c.tns in "), out);
        QVERIFY(sendSignal(process, SIGINT));
        QVERIFY(process.waitForFinished(longestRun * 1000));
        QCOMPARE(out.count("is another file by now"), 1);
        QCOMPARE(learnt(read(model)), (std::vector<std::string>{"a.tns", "by-hand.tns", "c.tns"}));
    }

    void badRequestsAreRefused()
    {
        const auto refused = [](const QStringList& arguments, const char* part) {
            const Answer answer = polyad(arguments);
            return answer.code == 2 && answer.err.contains(part) && answer.err.count('\n') == 1 ? QByteArray() : answer.all();
        };
        QCOMPARE(refused({"update", m_model, "--watch", at("nowhere")}, "nowhere"), QByteArray());
        QCOMPARE(refused({"update", m_model, m_arrivals->firstFile(), "--watch", m_folder->path()}, "--watch"), QByteArray());
        QCOMPARE(refused({"update", m_model, "--watch", m_folder->path(), "--again"}, "--again"), QByteArray());
        QCOMPARE(refused({"update", m_model, "--watch", m_folder->path(), "--data", m_arrivals->firstFile()}, "--data"), QByteArray());
        QCOMPARE(refused({"update", m_model, "--watch", m_folder->path(), "-o", freshModel("there.h5")}, "is there already"), QByteArray());
        QCOMPARE(refused({"update", m_model}, "NEW"), QByteArray());
        QCOMPARE(refused({"update", m_model, m_arrivals->firstFile()}, "--output"), QByteArray());
    }

    /// Killed at any moment and started again: each file is learnt, and once.
    void killingLosesNothingAndRepeatsNothing()
    {
        const QString model = freshModel("killed.h5");
        std::size_t before = 0, killed = 0;
        for (int k = 0; k < batches; ++k) {
            QVERIFY(write(QStringLiteral("%1.tns").arg(k, 2, 10, QLatin1Char('0')), m_arrivals->batch(static_cast<std::size_t>(k))));
            QProcess process;
            process.start(program(), watching(model));
            QVERIFY(process.waitForStarted());
            // A file is ready after about a second; then reading, learning and writing take some tens of ms each. Some are left in peace
            // until they have written, so that on a slow machine, too, there is something to lose.
            QByteArray out;
            if (k % 3 == 2)
                QVERIFY2(says(process, out, "learnt"), out);
            else
                QTest::qWait(950 + static_cast<int>(kernels::random::uniform(5, 1, static_cast<std::uint64_t>(k)) * 400));
            process.kill();
            process.waitForFinished();
            killed += process.exitStatus() == QProcess::CrashExit;
            const io::ModelFile now = read(model);
            QVERIFY(now.updates.size() >= before && now.updates.size() <= static_cast<std::size_t>(k) + 1);
            QVERIFY(now.kept && (now.updates.empty() || now.history.back().iteration == now.bestIteration));
            before = now.updates.size();
        }
        QCOMPARE(killed, std::size_t{batches});
        QVERIFY(before > 0);
        QProcess process;
        process.start(program(), watching(model));
        QVERIFY(QTest::qWaitFor([&] { return read(model).updates.size() >= std::size_t{batches}; }, longestRun * 1000));
        QVERIFY(sendSignal(process, SIGINT));
        QVERIFY(process.waitForFinished(longestRun * 1000));
        std::vector<std::string> names = learnt(read(model)), expected;
        std::sort(names.begin(), names.end());
        for (int k = 0; k < batches; ++k)
            expected.push_back(QStringLiteral("%1.tns").arg(k, 2, 10, QLatin1Char('0')).toStdString());
        QCOMPARE(names, expected);
        QCOMPARE(QFileInfo(model).dir().entryList({"*killed.h5*"}, QDir::Files | QDir::Hidden), QStringList{"killed.h5"});
    }
};

QTEST_GUILESS_MAIN(TestCliWatch)
#include "tst_cli_watch.moc"
