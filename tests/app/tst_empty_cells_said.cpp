// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_line.h"
#include "app/empty_cells.h"
#include "app/session.h"
#include "app/tensor_reference.h"
#include "app/tensor_source.h"
#include "io/exports/export_model.h"
#include "io/model_file.h"
#include "support/temporary_files.h"

#include <QSignalSpy>
#include <QtTest>

using namespace app;
using kernels::EmptyCells;

namespace {

constexpr int patience = 60'000; // ms
constexpr const char* counts = "1 1 1 1\n2 2 1 4\n3 1 2 1\n4 3 2 2\n1 3 2 1\n";
constexpr const char* ratings = "1 1 1 1.5\n2 2 1 4\n3 1 2 5\n4 3 2 4\n1 3 2 5\n";

} // namespace

/// What was said of empty cells goes wherever the tensor goes, and chooses what is proposed.
class TestEmptyCellsSaid : public QObject {
    Q_OBJECT

    test::TemporaryFiles m_files;
    kernels::Progress m_progress;

    std::shared_ptr<OpenTensor> opened(const char* text, EmptyCells meaning = EmptyCells::Unsaid)
    {
        io::ReadOptions options;
        options.emptyCells = meaning;
        return openTensorFile(m_files.write("cells.tns", text), options, Statistics::Compute, m_progress);
    }

    static bool finished(Session& session, LoadJob* job)
    {
        const QSignalSpy ended(&session, &Session::loadEnded);
        return job && QTest::qWaitFor([&] { return ended.count() > 0 && session.loadJobs().empty(); }, patience);
    }

private Q_SLOTS:
    void proposalsAreSentences()
    {
        const auto proposal = [this](const char* text) { return emptyCellsProposal(kernels::adviseEmptyCells(opened(text)->tensor)); };
        QCOMPARE(proposal(counts),
                 QStringLiteral("The values are whole numbers from 1 on: they look like counts. Empty cells probably mean zero."));
        QCOMPARE(proposal(ratings),
                 QStringLiteral("The values are a few steps from 1.5 to 5: they look like ratings. Empty cells are probably unknown."));
        QVERIFY(proposal("1 1 1 -1\n2 2 2 1\n").startsWith(QStringLiteral("Some values are below zero")));
    }

    void theAlgorithmFollowsTheMeaning()
    {
        QCOMPARE(proposedAlgorithm(*opened(counts)), std::string("cp-als"));
        QCOMPARE(proposedAlgorithm(*opened(ratings)), std::string("fasttucker-plus"));
        QCOMPARE(proposedAlgorithm(*opened(ratings, EmptyCells::Zero)), std::string("cp-als"));
        QCOMPARE(proposedAlgorithm(*opened(counts, EmptyCells::Unknown)), std::string("ntf")); // counts of which some are not known
    }

    void mismatchesAreSaid()
    {
        const auto warning = [](const char* id, const OpenTensor& tensor) { return emptyCellsWarning(kernels::algorithm(id), tensor); };
        const auto zero = opened(counts, EmptyCells::Zero), unknown = opened(counts, EmptyCells::Unknown);
        QCOMPARE(
            warning("fasttucker-plus", *zero),
            QStringLiteral("Empty cells of this tensor mean zero, but FastTuckerPlus fits only stored entries. CP-ALS fits all cells."));
        QVERIFY(warning("ntf", *zero).endsWith(QStringLiteral("CP-ALS fits all cells.")));
        QVERIFY(warning("tucker-als", *zero).endsWith(QStringLiteral("Tucker HOOI fits all cells.")));
        QCOMPARE(warning("cp-als", *unknown),
                 QStringLiteral("Empty cells of this tensor are unknown, but CP-ALS takes them as zero. "
                                "CP completion ALS fits only stored entries."));
        QCOMPARE(warning("cp-als", *zero), QString());
        QCOMPARE(warning("fasttucker-plus", *unknown), QString());
        for (const kernels::AlgorithmInfo& info : kernels::algorithms()) {
            QCOMPARE(emptyCellsWarning(info, *opened(counts)), QString()); // nobody has said it
            QCOMPARE(emptyCellsWarning(info, *opened("1 1 1\n1 2 1\n2 1 4\n2 2 1\n", EmptyCells::Zero)), QString()); // no empty cells
        }
    }

    void nothingIsAskedWhereNothingIsOpen()
    {
        QVERIFY(asksForEmptyCells(*opened(counts)));
        QVERIFY(!asksForEmptyCells(*opened(counts, EmptyCells::Zero)));
        const auto full = opened("1 1 1\n1 2 1\n2 1 4\n2 2 1\n");
        QVERIFY(!asksForEmptyCells(*full));
        QVERIFY(likelyEmptyCells(*full) == EmptyCells::Unsaid);
        const auto preset = openPreset("netflix-like", 1e-5, 1, Statistics::Compute, m_progress);
        QVERIFY(!asksForEmptyCells(*preset));
        QVERIFY(preset->emptyCells() == EmptyCells::Unknown);
    }

    void commandsRepeatIt()
    {
        io::ReadOptions options;
        options.emptyCells = EmptyCells::Zero;
        options.dims = {5, 6, 7};
        QCOMPARE(commandLine({}, TensorCommand{"x.tns", readOptionArguments(options), {}, {}}),
                 std::string("polyad-cli run x.tns --empty zero --dims 5,6,7 --algorithm fasttucker-plus --device cpu"));
        // Names of modes stay the end of the line: they are replaced there.
        auto open = withNaming(*opened(counts), {0, "users", {}}, m_progress);
        sayEmptyCells(*open, EmptyCells::Unknown);
        sayEmptyCells(*open, EmptyCells::Zero);
        open = withNaming(*open, {0, "people", {}}, m_progress);
        QCOMPARE(open->command.options, (std::vector<std::string>{"--empty", "zero", "--mode-name", "1=people"}));
        QVERIFY(open->emptyCells() == EmptyCells::Zero);
    }

    void referencesKeepIt()
    {
        const auto back = [this](const OpenTensor& tensor) { return openReference(referenceTo(tensor), Statistics::Skip, m_progress); };
        QVERIFY(back(*opened(counts))->emptyCells() == EmptyCells::Unsaid);
        QVERIFY(back(*opened(counts, EmptyCells::Zero))->emptyCells() == EmptyCells::Zero);
        auto preset = openPreset("netflix-like", 1e-5, 1, Statistics::Skip, m_progress);
        sayEmptyCells(*preset, EmptyCells::Zero);
        QVERIFY(back(*preset)->emptyCells() == EmptyCells::Zero);
        std::string broken = referenceTo(*preset);
        broken.replace(broken.find("\"zero\""), 6, "\"maybe\"");
        QVERIFY(test::sentenceOf([&] { openReference(broken, Statistics::Skip, m_progress); }).find("zero or unknown")
                != std::string::npos);
    }

    /// Changed by what is in memory, it stays said.
    void openedOtherwiseItStays()
    {
        const auto from = opened("1 1 1 1\n2 2 1 4\n3 1 2 0\n", EmptyCells::Zero);
        io::ReadOptions options = from->readOptions;
        options.keepZeros = false;
        QVERIFY(openOtherwise(*from, options, Statistics::Skip, m_progress)->emptyCells() == EmptyCells::Zero);
    }

    void sessionsModelsAndExportsKeepIt()
    {
        const QString file = QString::fromStdString(m_files.path("said.polyad"));
        const QString model = QString::fromStdString(m_files.path("said-model.h5")), out = QString::fromStdString(m_files.path("said.h5"));
        {
            Session session;
            const QSignalSpy written(&session, &Session::exportFinished), renamed(&session, &Session::tensorRenamed);
            QVERIFY(finished(session, session.openFile(QString::fromStdString(m_files.write("said.tns", counts)))));
            const int id = session.tensors().front()->id;
            session.sayEmptyCells(id, EmptyCells::Zero);
            session.sayEmptyCells(id, EmptyCells::Zero); // is so already
            QCOMPARE(renamed.count(), 1);
            QVERIFY(session.tensor(id)->emptyCells() == EmptyCells::Zero);
            kernels::RunConfig config;
            config.algorithm = "cp-als";
            config.ranks = {2};
            config.stopping.iterations = 2;
            Run* const run = session.start(config, session.tensor(id));
            QTRY_VERIFY_WITH_TIMEOUT(!run->isActive(), patience);
            session.exportRun(run, io::exportKind("h5"), model);
            session.exportTensor(session.tensor(id), out);
            session.save(file, QStringLiteral("{}"));
            QTRY_COMPARE_WITH_TIMEOUT(written.count(), 3, patience);
        }
        QVERIFY(io::readModel(model.toStdString()).input.emptyCells == EmptyCells::Zero);
        QVERIFY(test::load(out.toStdString()).tensor.emptyCells == EmptyCells::Zero);
        Session session;
        QVERIFY(finished(session, session.openSession(file)));
        QTRY_COMPARE_WITH_TIMEOUT(session.tensors().size(), std::size_t{1}, patience);
        QVERIFY(session.tensors().front()->emptyCells() == EmptyCells::Zero);
    }

    /// Naming takes a moment. What is said meanwhile is not lost, and neither is the name.
    void sayingItDuringANamingLosesNeither()
    {
        Session session;
        QVERIFY(finished(session, session.openFile(QString::fromStdString(m_files.write("both.tns", counts)))));
        const int id = session.tensors().front()->id;
        session.nameMode(id, {0, "users", {}});
        session.sayEmptyCells(id, EmptyCells::Unknown);
        QTRY_COMPARE_WITH_TIMEOUT(session.tensor(id)->modeName(0), std::string("users"), patience);
        QVERIFY(session.tensor(id)->emptyCells() == EmptyCells::Unknown);
    }

    /// The sample counts flights: no connection, no flight. What it suggests must not be warned of.
    void theSampleSuggestsWhatSuitsIt()
    {
        Session session;
        QVERIFY(finished(session, session.openSample()));
        const OpenTensorPtr sample = session.tensors().front();
        QVERIFY(sample->emptyCells() == EmptyCells::Zero);
        QVERIFY(kernels::adviseEmptyCells(sample->tensor).meaning == EmptyCells::Zero);
        QVERIFY(sample->suggested);
        QCOMPARE(emptyCellsWarning(kernels::algorithm(sample->suggested->algorithm), *sample), QString());
    }
};

QTEST_GUILESS_MAIN(TestEmptyCellsSaid)
#include "tst_empty_cells_said.moc"
