// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/label_text.h"
#include "app/session.h"
#include "kernels/base/registry.h"
#include "ui/models/entry_model.h"
#include "ui/models/entry_wish.h"
#include "ui/models/label_order.h"
#include "ui/models/run_list_model.h"
#include "ui/models/run_text.h"
#include "ui/models/run_traces.h"
#include "ui/models/tensor_list_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

using namespace ui;
using Mode = QAbstractItemModelTester::FailureReportingMode;

namespace {

/// Entry e lies at (e mod 10, e mod 7) with value e; the first mode is labelled.
app::OpenTensorPtr smallTensor(kernels::Count entries)
{
    auto open = std::make_shared<app::OpenTensor>();
    open->tensor = kernels::SparseTensor({10, 7}, entries);
    for (int i = 0; i < 10; ++i)
        open->tensor.modes[0].labels.push_back("row " + std::to_string(i));
    open->tensor.modes[1].name = "column";
    for (kernels::Count e = 0; e < entries; ++e) {
        open->tensor.indices[0][e] = static_cast<kernels::Index>(e % 10);
        open->tensor.indices[1][e] = static_cast<kernels::Index>(e % 7);
        open->tensor.setValue(e, static_cast<double>(e));
    }
    return open;
}

app::OpenTensorPtr generated(app::Session& session)
{
    kernels::SyntheticSpec spec;
    spec.dims = {30, 20, 10};
    spec.entries = 2000;
    QSignalSpy added(&session, &app::Session::tensorAdded);
    session.generate(spec, QStringLiteral("planted"));
    return added.wait(10'000) ? session.tensors().back() : nullptr;
}

kernels::RunConfig shortRun()
{
    kernels::RunConfig config;
    config.algorithm = kernels::algorithms().front().id;
    config.format = kernels::algorithms().front().formats.front();
    config.ranks = {4};
    config.stopping.iterations = 5;
    config.stopping.tolerance = 0;
    return config;
}

} // namespace

class tst_models : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void entriesArePagedWhereTheyLie()
    {
        EntryModel model;
        QAbstractItemModelTester tester(&model, Mode::QtTest);
        QCOMPARE(model.rowCount(), 0);
        model.setTensor(smallTensor(250));
        QCOMPARE(model.rowCount(), 100);
        QCOMPARE(model.columnCount(), 3);
        model.showFrom(100);
        QCOMPARE(model.data(model.index(0, 2), Qt::DisplayRole).toString(), QStringLiteral("100"));
        QCOMPARE(model.pageEnd(), quint64{200});
    }

    void theLastPageIsFull()
    {
        EntryModel model;
        model.setTensor(smallTensor(250));
        model.showFrom(249);
        QCOMPARE(model.pageStart(), quint64{150});
        QCOMPARE(model.pageEnd(), quint64{250});
        QCOMPARE(model.data(model.index(99, 2), Qt::DisplayRole).toString(), QStringLiteral("249"));
    }

    void labelsStandForIndicesElseNumbersFromOne()
    {
        EntryModel model;
        model.setTensor(smallTensor(20));
        QCOMPARE(model.data(model.index(3, 0), Qt::DisplayRole).toString(), QStringLiteral("row 3"));
        QCOMPARE(model.data(model.index(3, 1), Qt::DisplayRole).toString(), QStringLiteral("4"));
        QCOMPARE(model.headerData(1, Qt::Horizontal, Qt::DisplayRole).toString(), QStringLiteral("column"));
        QCOMPARE(model.headerData(0, Qt::Horizontal, Qt::DisplayRole).toString(), QStringLiteral("mode 1"));
    }

    void aViewIsPagedInItsOrder()
    {
        EntryModel model;
        QAbstractItemModelTester tester(&model, Mode::QtTest);
        const app::OpenTensorPtr tensor = smallTensor(1000);
        model.setTensor(tensor);
        model.showFrom(500);
        kernels::EntryFilter filter;
        filter.modes = {{0, {{2, 4}}}};
        model.setView(std::make_shared<const kernels::EntryView>(kernels::viewEntries(tensor->tensor, filter, {2, true, {}})));
        QCOMPARE(model.entries(), quint64{300});
        QCOMPARE(model.pageStart(), quint64{0});
        QCOMPARE(model.entryAt(0), kernels::Count{994});
        QCOMPARE(model.index(0, 2).data().toString(), QStringLiteral("994"));
        model.showFrom(1000);
        QCOMPARE(model.pageStart(), quint64{200});
        QCOMPARE(model.entryAt(99), kernels::Count{2});
        filter.valueMin = 5000; // nothing is left
        model.setView(std::make_shared<const kernels::EntryView>(kernels::viewEntries(tensor->tensor, filter, {})));
        QCOMPARE(model.rowCount(), 0);
        QCOMPARE(model.columnCount(), 3);
        model.setView(nullptr);
        QCOMPARE(model.entries(), quint64{1000});
        QCOMPARE(model.text({0, 11}), QStringLiteral("\"mode 1\"\tcolumn\tvalue\n\"row 0\"\t1\t0\n\"row 1\"\t5\t11\n"));
    }

    void copiedLabelsAreReadBack()
    {
        const std::vector<std::string> labels{"plain", "two words", "a,b", "a;b", "a\tb", "say \"yes\"", "#9", "%", "", "*"};
        auto open = std::make_shared<app::OpenTensor>(*smallTensor(10));
        auto modes = std::make_shared<std::vector<kernels::Mode>>(open->modes());
        modes->at(0).labels = labels;
        open->renamed = modes;
        EntryModel model;
        model.setTensor(open);
        const QStringList lines = model.text({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}).split(u'\n');
        QCOMPARE(lines[1], QStringLiteral("plain\t1\t0"));
        QCOMPARE(lines[6], QStringLiteral("\"say \"\"yes\"\"\"\t6\t5"));
        for (std::size_t i = 0; i < labels.size(); ++i) {
            const auto items = app::listItems(lines[static_cast<qsizetype>(i) + 1].toStdString(), "\t");
            QCOMPARE(items.size(), std::size_t{3});
            QCOMPARE(items[0].text, labels[i]);
            QCOMPARE(items[2].text, std::to_string(i));
        }
    }

    void otherNamesLeaveThePage()
    {
        EntryModel model;
        QAbstractItemModelTester tester(&model, Mode::QtTest);
        const app::OpenTensorPtr tensor = smallTensor(1000);
        model.setTensor(tensor);
        model.showFrom(300);
        auto named = std::make_shared<app::OpenTensor>(*tensor);
        QCOMPARE(&named->tensor, &tensor->tensor); // a copy shares the entries
        auto modes = std::make_shared<std::vector<kernels::Mode>>(tensor->modes());
        modes->at(1).name = "pillar";
        modes->at(0).labels.clear();
        named->renamed = modes;
        QSignalSpy changed(&model, &EntryModel::dataChanged), head(&model, &EntryModel::headerDataChanged);
        model.setNames(named);
        QCOMPARE(changed.count(), 1);
        QCOMPARE(head.count(), 1);
        QCOMPARE(model.pageStart(), quint64{300});
        QCOMPARE(model.headerData(1, Qt::Horizontal, Qt::DisplayRole).toString(), QStringLiteral("pillar"));
        QCOMPARE(model.index(3, 0).data().toString(), QStringLiteral("4"));
    }

    void labelsStandWherePeopleLook()
    {
        QVERIFY(standsBefore("hour 2", "hour 10") && !standsBefore("hour 10", "hour 2"));
        QVERIFY(standsBefore("apple", "Banana") && standsBefore("Banana", "cherry"));
        QVERIFY(standsBefore("a", "ab") && !standsBefore("ab", "a") && !standsBefore("a", "a"));
        QVERIFY(standsBefore("7", "07") != standsBefore("07", "7")); // one of them, always the same
        QVERIFY(standsBefore("x 9", "x 010") && standsBefore("2004-05-03", "2004-10-01"));
        QVERIFY(standsBefore("-10", "-2") && standsBefore("-2", "0.5") && standsBefore("1.25", "1.5") && standsBefore("9", "1e2"));
        QVERIFY(standsBefore("1.5", "1.25 m") && standsBefore("10", "2 apples") && !standsBefore("2 apples", "10"));
        QCOMPARE(labelRanks({"1.5", "10", "-3", "1.25", "none", "9"}), (std::vector<kernels::Index>{2, 4, 0, 1, 5, 3}));
        const std::vector<std::string> labels{"hour 10", "Hour 2", "hour 1", "hour 2", "hour 2"};
        QCOMPARE(labelRanks(labels), (std::vector<kernels::Index>{4, 1, 0, 2, 3}));
        QCOMPARE(labelRanks({}), std::vector<kernels::Index>{});
    }

    void wishesAreRead()
    {
        const auto tensor = smallTensor(100);
        const EntryWishReader reader(tensor);
        using Ranges = kernels::IndexRanges;
        QCOMPARE(reader.indices(1, QStringLiteral("3")).ranges, (Ranges{{2, 2}}));
        QCOMPARE(reader.indices(1, QStringLiteral(" 2-4; 7 ")).ranges, (Ranges{{1, 3}, {6, 6}}));
        QCOMPARE(reader.indices(1, QStringLiteral("5..,1–2")).ranges, (Ranges{{0, 1}, {4, 6}}));
        QCOMPARE(reader.indices(1, QStringLiteral("-2")).ranges, (Ranges{{0, 1}}));
        QCOMPARE(reader.indices(0, QStringLiteral("ROW 3; 9")).ranges, (Ranges{{3, 3}, {8, 8}}));
        QCOMPARE(reader.indices(0, QStringLiteral("row")).ranges, (Ranges{{0, 9}}));
        QVERIFY(reader.indices(0, {}).ranges.empty() && reader.indices(0, {}).problem.isEmpty());
        for (const char* wrong : {"0", "8", "2-9", "x", "1-2-3", ";", "3; x", "99999999999999999999"})
            QVERIFY2(!reader.indices(1, QLatin1String(wrong)).problem.isEmpty(), wrong);
        QCOMPARE(reader.indices(1, QStringLiteral("#3; #5-#6; #7-")).ranges, (Ranges{{2, 2}, {4, 6}}));
        QCOMPARE(*EntryWishReader::number(QStringLiteral("-1.5e2")).value, -150.0);
        QVERIFY(!EntryWishReader::number(QStringLiteral("many")).problem.isEmpty());
        QVERIFY(!EntryWishReader::number(QStringLiteral("nan")).problem.isEmpty());
        QCOMPARE(reader.summary({{QStringLiteral("row 3"), QStringLiteral("2-4")}, QStringLiteral("1"), {}, false}),
                 QStringLiteral("mode 1 row 3 · column 2 – 4 · value from 1"));
    }

    /// Of labels that are numbers a number is a label, and a range one of labels.
    void labelsWinInWishes()
    {
        const auto tensor = smallTensor(100);
        tensor->entries->modes[1].labels = {"5", "6", "7", "9", "19", "8", "2"};
        tensor->entries->modes[0].labels[4] = "Chicago, IL; \"home\"";
        const EntryWishReader reader(tensor);
        using Ranges = kernels::IndexRanges;
        QCOMPARE(reader.indices(1, QStringLiteral("5")).ranges, (Ranges{{0, 0}}));
        QVERIFY2(reader.indices(1, QStringLiteral("5")).note.contains(QStringLiteral("Write #5")),
                 qPrintable(reader.indices(1, QStringLiteral("5")).note));
        QCOMPARE(reader.indices(1, QStringLiteral("#5")).ranges, (Ranges{{4, 4}}));
        QVERIFY(reader.indices(1, QStringLiteral("#5")).note.isEmpty());
        QCOMPARE(reader.indices(1, QStringLiteral("9; 2")).ranges, (Ranges{{3, 3}, {6, 6}}));
        QCOMPARE(reader.indices(1, QStringLiteral("7-9")).ranges, (Ranges{{2, 3}, {5, 5}}));
        QCOMPARE(reader.indices(1, QStringLiteral("9-")).ranges, (Ranges{{3, 4}}));
        QCOMPARE(reader.indices(1, QStringLiteral("#2-3")).ranges, (Ranges{{1, 2}}));
        for (const char* wrong : {"1", "3", "10-18", "#8"}) // 1 is part of 19, and an index
            QVERIFY2(!reader.indices(1, QLatin1String(wrong)).problem.isEmpty(), wrong);
        QVERIFY(reader.indices(1, QStringLiteral("3")).problem.contains(QStringLiteral("#1 to #7")));
        QCOMPARE(reader.indices(0, QStringLiteral("row 3; \"Chicago, IL; \"\"home\"\"\"")).ranges, (Ranges{{3, 4}}));
        QVERIFY(reader.indices(0, QStringLiteral("row 3; \"Chicago")).problem.contains(QStringLiteral("never closed")));
    }

    void tensorsAndLoadingJobsAreListed()
    {
        app::Session session;
        TensorListModel model(session);
        QAbstractItemModelTester tester(&model, Mode::QtTest);
        kernels::SyntheticSpec spec;
        spec.dims = {30, 20, 10};
        spec.entries = 2000;
        QSignalSpy ended(&session, &app::Session::loadEnded);
        app::LoadJob* job = session.generate(spec, QStringLiteral("planted"));
        QCOMPARE(model.rowCount(), 1);
        QVERIFY(model.index(0).data(TensorListModel::LoadingRole).toBool());
        QCOMPARE(model.jobAt(0), job);
        QVERIFY(ended.wait(10'000));
        QCOMPARE(model.rowCount(), 1);
        QVERIFY(!model.index(0).data(TensorListModel::LoadingRole).toBool());
        QCOMPARE(model.index(0).data(TensorListModel::DimsRole).toString(), QStringLiteral("30 × 20 × 10"));
        session.closeTensor(session.tensors().front()->id);
        QCOMPARE(model.rowCount(), 0);
    }

    void runsAreListedWithTheirWords()
    {
        app::Session session;
        RunEdits edits(session);
        RunListModel model(session, edits);
        QAbstractItemModelTester tester(&model, Mode::QtTest);
        const app::OpenTensorPtr tensor = generated(session);
        QVERIFY(tensor);
        app::Run* run = session.start(shortRun(), tensor);
        QCOMPARE(model.rowCount(), 1);
        QVERIFY(model.index(0).data(RunListModel::ActiveRole).toBool());
        QTRY_COMPARE_WITH_TIMEOUT(run->state(), app::RunState::Finished, 20'000);
        QCOMPARE(model.index(0).data(RunListModel::StateTextRole).toString(), QStringLiteral("done"));
        QVERIFY(model.index(0).data(RunListModel::SettingsRole).toString().startsWith(QStringLiteral("fp32 · J 4 R 4 · ")));
        QVERIFY(model.index(0).data(RunListModel::ProgressRole).toString().startsWith(QStringLiteral("5 iters")));
        const QString tip = model.index(0).data(Qt::ToolTipRole).toString();
        QVERIFY2(tip.contains(QStringLiteral("\nGrouped: as calculate, under a million entries\n")), qPrintable(tip));

        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
        QVERIFY(model.setData(model.index(0), Qt::Unchecked, Qt::CheckStateRole));
        QVERIFY(!run->isVisible());
        QVERIFY(model.setData(model.index(0), QStringLiteral("mine"), Qt::EditRole));
        QCOMPARE(run->name(), QStringLiteral("mine"));
        QCOMPARE(changed.count(), 2);
        QVERIFY(!model.setData(model.index(0), QStringLiteral("   "), Qt::EditRole));
        session.removeRun(run);
        QCOMPARE(model.rowCount(), 0);
    }

    void tracesKeepEveryIterationAndOnlyGrow()
    {
        app::Session session;
        const app::OpenTensorPtr tensor = generated(session);
        QVERIFY(tensor);
        app::Run* run = session.start(shortRun(), tensor);
        QTRY_COMPARE_WITH_TIMEOUT(run->state(), app::RunState::Finished, 20'000);
        RunTraces traces;
        QVERIFY(!traces.points(run->id(), TraceMetric::Rmse, TracePart::Test));
        QVERIFY(traces.meanSeconds(run->id()).empty());
        traces.update(*run, 2);
        QCOMPARE(traces.meanSeconds(run->id()).front(), (run->history()[0].secondsFactor + run->history()[1].secondsFactor) / 2);
        traces.update(*run);
        double evaluation = 0;
        for (const kernels::IterationRecord& record : run->history())
            evaluation += record.secondsEvaluate / 5;
        QVERIFY(std::abs(traces.meanSeconds(run->id()).back() - evaluation) < 1e-9 * evaluation);
        const auto points = traces.points(run->id(), TraceMetric::Rmse, TracePart::Test);
        QCOMPARE(points->size(), std::size_t{5});
        QCOMPARE(points->front(), QPointF(1, run->history().front().testRmse));
        traces.update(*run);
        QCOMPARE(points->size(), std::size_t{5});
        traces.setX(TraceX::Nonzeros);
        traces.update(*run);
        QCOMPARE(traces.points(run->id(), TraceMetric::Mae, TracePart::Train)->back().x(),
                 static_cast<double>(run->history().back().nonzeros));
    }
};

QTEST_GUILESS_MAIN(tst_models)
#include "tst_models.moc"
