// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/error.h"
#include "io/hdf5_handles.h"
#include "io/hdf5_write.h"
#include "io/session_file.h"
#include "support/random_tensor.h"
#include "support/temporary_files.h"

#include <QtTest>

using test::sentenceOf;

/// Session files: everything survives, what does not fit together is refused, and nothing else is taken for one.
class TestSessionFile : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everythingSurvives();
    void manyRunsKeepTheirOrder();
    void runsMayHaveNoModel();
    void anEmptySessionIsOne();
    void otherFilesAreNone();
    void aRunNeedsItsTensor();
    void otherMajorVersionIsRefused();
    void brokenRunsAreToldByName();
    void incompleteModelsAreNotWritten();
    void cancelLeavesTheOldFile();

private:
    static io::SessionRun run(std::uint64_t id)
    {
        io::SessionRun run;
        run.id = id;
        run.tensor = 7;
        run.name = "Run " + std::to_string(id);
        run.note = "bei λ = 0,1\nzweite Zeile";
        run.color = 3;
        run.visible = false;
        run.file.config.algorithm = "cp-als";
        run.file.config.seed = 5;
        run.file.status = "finished";
        run.file.stopReason = "converged";
        run.file.memory.hostBytes = 1000;
        run.file.input.dims = {7, 5, 6};
        run.file.input.entries = 100;
        kernels::IterationRecord record;
        record.iteration = 1;
        record.fit = 0.25;
        run.file.history = {record};
        run.file.modes = {{7, "user", {"a", "b", "c", "d", "e", "f", "ü"}}, {5, "", {}}, {6, "time", {}}};
        run.model = std::make_shared<const kernels::Model>(test::randomModel(kernels::ModelKind::Cp, {7, 5, 6}, 3, 3, 11, false));
        return run;
    }

    static io::SessionFile sample()
    {
        io::SessionFile session;
        session.tensors = {{7, "a b.tns", R"({"file":"/data/a b.tns"})", {7, 5, 6}, 100}, {9, "other.h5", "", {3, 4}, 0}};
        session.runs = {run(12), run(3)};
        session.window = R"({"page":"compare"})";
        return session;
    }

    std::string written(const io::SessionFile& session)
    {
        const std::string path = m_files.path("session.polyad");
        io::writeSession(path, session);
        return path;
    }

    template <class Change> void change(const std::string& path, const Change& change)
    {
        const io::hdf5::Session session;
        const io::hdf5::File file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
        QVERIFY(bool(file));
        change(file.id());
    }

    test::TemporaryFiles m_files;
};

void TestSessionFile::everythingSurvives()
{
    const io::SessionFile before = sample();
    kernels::Progress progress;
    const std::string path = written(before);
    QVERIFY(io::isSessionFile(path));
    const io::SessionFile after = io::readSession(path, &progress);
    QCOMPARE(after.window, before.window);
    QCOMPARE(after.tensors.size(), std::size_t{2});
    QCOMPARE(after.tensors[0].id, std::uint64_t{7});
    QCOMPARE(after.tensors[0].name, before.tensors[0].name);
    QCOMPARE(after.tensors[0].source, before.tensors[0].source);
    QCOMPARE(after.tensors[0].dims, before.tensors[0].dims);
    QCOMPARE(after.tensors[0].entries, kernels::Count{100});
    QCOMPARE(after.tensors[1].source, std::string());
    QCOMPARE(after.runs.size(), std::size_t{2});
    const io::SessionRun& run = after.runs[0];
    QCOMPARE(run.id, std::uint64_t{12});
    QCOMPARE(run.tensor, std::uint64_t{7});
    QCOMPARE(run.name, std::string("Run 12"));
    QCOMPARE(run.note, before.runs[0].note);
    QCOMPARE(run.color, 3U);
    QVERIFY(!run.visible);
    QVERIFY(run.file.config == before.runs[0].file.config);
    QCOMPARE(run.file.history.size(), std::size_t{1});
    QCOMPARE(run.file.history[0].fit, 0.25);
    QCOMPARE(run.file.modes[0].labels, before.runs[0].file.modes[0].labels);
    QCOMPARE(run.file.stopReason, std::string("converged"));
    QVERIFY(!run.model && run.file.model.factors[2].data == before.runs[0].model->factors[2].data);
    QCOMPARE(run.file.memory.hostBytes, std::uint64_t{1000});
}

void TestSessionFile::manyRunsKeepTheirOrder()
{
    io::SessionFile session = sample();
    session.runs.clear();
    for (std::uint64_t id = 120; id > 0; --id)
        session.runs.push_back(run(id));
    const io::SessionFile after = io::readSession(written(session));
    QCOMPARE(after.runs.size(), std::size_t{120});
    for (std::size_t i = 0; i < after.runs.size(); ++i)
        QCOMPARE(after.runs[i].id, session.runs[i].id);
}

void TestSessionFile::runsMayHaveNoModel()
{
    io::SessionFile session = sample();
    session.runs[1].model.reset();
    session.runs[1].error = "GPU 0: out of memory";
    session.runs[1].file.status = "failed";
    const io::SessionFile after = io::readSession(written(session));
    QVERIFY(after.runs[0].modelToWrite() && !after.runs[1].modelToWrite());
    QCOMPARE(after.runs[1].error, session.runs[1].error);
    QCOMPARE(after.runs[1].file.status, std::string("failed"));
    QCOMPARE(after.runs[1].file.input.dims, session.runs[1].file.input.dims);
    QCOMPARE(after.runs[1].file.modes[0].labels.size(), std::size_t{7});
}

void TestSessionFile::anEmptySessionIsOne()
{
    const io::SessionFile after = io::readSession(written({}));
    QVERIFY(after.tensors.empty() && after.runs.empty() && after.window.empty());
}

void TestSessionFile::otherFilesAreNone()
{
    const io::SessionRun one = run(1);
    const std::string model = m_files.path("model.h5"), text = m_files.write("text.polyad", "1 1 1 2\n");
    io::writeModel(model, one.file, *one.model);
    QVERIFY(!io::isSessionFile(model) && !io::isSessionFile(text) && !io::isSessionFile(m_files.path("nowhere")));
    QVERIFY(sentenceOf([&] { io::readSession(model); }).find("is not a session file") != std::string::npos);
    QVERIFY(sentenceOf([&] { io::readSession(text); }) != "no error");
    const std::string session = written(sample());
    QVERIFY(!io::isModelFile(session));
    QVERIFY(sentenceOf([&] { io::readModel(session); }).find("is not a model file") != std::string::npos);
}

void TestSessionFile::aRunNeedsItsTensor()
{
    io::SessionFile session = sample();
    session.runs[1].tensor = 8;
    const std::string sentence = sentenceOf([&] { io::readSession(written(session)); });
    QVERIFY2(sentence.find("tensor 8") != std::string::npos && sentence.find("/runs/000001") != std::string::npos, sentence.c_str());
}

void TestSessionFile::otherMajorVersionIsRefused()
{
    const std::string path = written(sample());
    change(path, [](hid_t file) {
        H5Adelete(file, "polyad_format_version");
        io::hdf5::writeAttribute(file, "polyad_format_version", std::string("2.0"));
    });
    QVERIFY(sentenceOf([&] { io::readSession(path); }).find("2.0") != std::string::npos);
}

void TestSessionFile::brokenRunsAreToldByName()
{
    const std::string path = written(sample());
    change(path, [](hid_t file) { H5Ldelete(file, "runs/000000/model/factor_1", H5P_DEFAULT); });
    const std::string sentence = sentenceOf([&] { io::readSession(path); });
    QVERIFY2(sentence.find("/runs/000000 /model") != std::string::npos && sentence.find("factor_1") != std::string::npos, sentence.c_str());
}

void TestSessionFile::incompleteModelsAreNotWritten()
{
    io::SessionFile session = sample();
    auto model = std::make_shared<kernels::Model>(*session.runs[0].model);
    model->factors.pop_back();
    session.runs[0].model = model;
    QVERIFY(sentenceOf([&] { written(session); }).find("incomplete") != std::string::npos);
    QVERIFY(m_files.names().filter("part").isEmpty());
}

void TestSessionFile::cancelLeavesTheOldFile()
{
    const std::string path = written(sample());
    const QByteArray old = test::contentOf(path);
    kernels::Progress progress;
    progress.cancel();
    QVERIFY_EXCEPTION_THROWN(io::writeSession(path, sample(), &progress), kernels::Cancelled);
    QCOMPARE(test::contentOf(path), old);
    QVERIFY_EXCEPTION_THROWN(io::readSession(path, &progress), kernels::Cancelled);
}

QTEST_GUILESS_MAIN(TestSessionFile)
#include "tst_session_file.moc"
