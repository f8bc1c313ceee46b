// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/import_choices.h"
#include "ui/models/import_columns.h"
#include "ui/models/import_text.h"

#include <QAbstractItemModelTester>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;
using io::table::Aggregate;
using io::table::ColumnFacts;
using io::table::Derive;
using io::table::ModeRecipe;
using io::table::Recipe;
using io::table::Survey;

namespace {

Survey threeColumns()
{
    Survey survey;
    for (const char* name : {"origin", "when", "delay"}) {
        ColumnFacts facts;
        facts.name = name;
        survey.columns.push_back(facts);
    }
    return survey;
}

ModeRecipe way(const char* column, Derive derive = Derive::Text)
{
    ModeRecipe mode;
    mode.column = column;
    mode.derive = derive;
    mode.name = derive == Derive::Text ? column : std::string(io::table::deriveWord(derive));
    return mode;
}

std::vector<std::string> namesOf(const Recipe& recipe)
{
    std::vector<std::string> names;
    for (const ModeRecipe& mode : recipe.modes)
        names.push_back(mode.name);
    return names;
}

} // namespace

class tst_import_models : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Edges that were found stay with a mode until it is made otherwise.
    void foundEdgesStay()
    {
        Recipe asked;
        asked.modes = {way("origin"), way("delay", Derive::Quantiles)};
        asked.modes[1].number = 4;
        asked.transforms = {{io::table::Transform::Kind::Centre, "origin", 0, 0, {1, 2}}};
        Recipe found = asked;
        found.modes[1].edges = {0, 1, 2, 3, 4};
        Recipe recipe = import_choices::withFoundEdges(asked, found);
        QCOMPARE(recipe.modes[1].edges.size(), std::size_t{5});
        QVERIFY(recipe.transforms[0].means.empty());
        import_choices::changeWay(recipe, 1, way("delay", Derive::Quantiles)); // chosen once more
        import_choices::useAsMode(recipe, threeColumns(), way("delay", Derive::Quantiles));
        QCOMPARE(recipe.modes[1].edges.size(), std::size_t{5});
        QCOMPARE(recipe.modes[1].number, 4u);
        import_choices::changeWay(recipe, 1, way("delay", Derive::Bins));
        QVERIFY(recipe.modes[1].edges.empty());
        asked.modes[1].number = 5; // edges of four bins are none of five
        QVERIFY(import_choices::withFoundEdges(asked, found).modes[1].edges.empty());
    }

    /// A mode goes where its column stands in the file, and a column that is used otherwise keeps its place.
    void modesAreInTheOrderOfTheFile()
    {
        const Survey survey = threeColumns();
        Recipe recipe;
        import_choices::useAsMode(recipe, survey, way("delay"));
        import_choices::useAsMode(recipe, survey, way("origin"));
        import_choices::useAsMode(recipe, survey, way("when", Derive::Hour));
        QCOMPARE(namesOf(recipe), (std::vector<std::string>{"origin", "hour", "delay"}));
        import_choices::addMode(recipe, way("when", Derive::Month));
        QCOMPARE(namesOf(recipe), (std::vector<std::string>{"origin", "hour", "month", "delay"}));
        import_choices::useAsMode(recipe, survey, way("when", Derive::Date));
        QCOMPARE(namesOf(recipe), (std::vector<std::string>{"origin", "date", "delay"}));
    }

    void namesStayDifferent()
    {
        const Survey survey = threeColumns();
        Recipe recipe;
        import_choices::useAsMode(recipe, survey, way("origin", Derive::Hour));
        import_choices::useAsMode(recipe, survey, way("when", Derive::Hour));
        QCOMPARE(namesOf(recipe), (std::vector<std::string>{"hour", "when hour"}));
        import_choices::renameMode(recipe, 1, "hour");
        QCOMPARE(recipe.modes[1].name, std::string("when hour"));
        import_choices::renameMode(recipe, 1, {});
        QCOMPARE(recipe.modes[1].name, std::string("when hour"));
        import_choices::renameMode(recipe, 1, "late");
        import_choices::changeWay(recipe, 1, way("when", Derive::Month));
        QCOMPARE(recipe.modes[1].name, std::string("late")); // a person's own
        import_choices::changeWay(recipe, 0, way("origin", Derive::Month));
        QCOMPARE(recipe.modes[0].name, std::string("month"));
    }

    void aValueIsNoMode()
    {
        const Survey survey = threeColumns();
        Recipe recipe;
        import_choices::useAsMode(recipe, survey, way("origin"));
        import_choices::useAsMode(recipe, survey, way("delay"));
        import_choices::useAsValue(recipe, "delay");
        QCOMPARE(namesOf(recipe), std::vector<std::string>{"origin"});
        QCOMPARE(recipe.aggregate, Aggregate::Mean);
        QCOMPARE(import_choices::roleOf(recipe, "delay"), ColumnRole::Value);
        import_choices::useAsMode(recipe, survey, way("delay"));
        QVERIFY(recipe.value.empty());
        QCOMPARE(recipe.aggregate, Aggregate::Count);
        import_choices::useAsValue(recipe, "total_amount");
        QCOMPARE(recipe.aggregate, Aggregate::Sum);
        import_choices::leaveOut(recipe, "total_amount");
        QVERIFY(recipe.value.empty());
    }

    /// What is subtracted by mode goes with the mode, and is renamed with it.
    void centresFollowTheirMode()
    {
        Recipe recipe;
        import_choices::useAsMode(recipe, threeColumns(), way("origin"));
        recipe.transforms.push_back({io::table::Transform::Kind::Centre, "origin", 0, 0, {}});
        import_choices::renameMode(recipe, 0, "from");
        QCOMPARE(recipe.transforms[0].mode, std::string("from"));
        import_choices::removeMode(recipe, 0);
        QVERIFY(recipe.transforms.empty());
    }

    void rolesAreSaid()
    {
        Recipe recipe;
        import_choices::useAsMode(recipe, threeColumns(), way("when", Derive::Hour));
        QCOMPARE(roleText(recipe, "when"), QStringLiteral("Mode: hour of the day"));
        QCOMPARE(roleText(recipe, "origin"), QStringLiteral("Unused"));
        import_choices::addMode(recipe, way("when", Derive::Month));
        QCOMPARE(roleText(recipe, "when"), QStringLiteral("2 modes"));
        import_choices::useAsValue(recipe, "delay");
        QCOMPARE(roleText(recipe, "delay"), QStringLiteral("Value"));
    }

    void theModelShowsRowsAndRoles()
    {
        QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("t.csv")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        for (int n = -1; n < 40; ++n)
            file.write(n < 0 ? "a,b,x\n" : QByteArray("a") + QByteArray::number(n % 4) + ",b" + QByteArray::number(n % 3) + ",0.5\n");
        file.close();
        app::TableImport import;
        ImportColumns model(import);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(model.columnCount(), 0);
        import.open(file.fileName());
        QTRY_COMPARE(model.columnCount(), 3);
        QCOMPARE(model.rowCount(), 40);
        QCOMPARE(model.index(1, 0).data().toString(), QStringLiteral("a1"));
        QCOMPARE(model.headerData(1, Qt::Horizontal, Qt::DisplayRole).toString(), QStringLiteral("b"));
        QCOMPARE(model.headerData(1, Qt::Horizontal, ImportColumns::Role).toInt(), static_cast<int>(ColumnRole::Mode));
        QSignalSpy changed(&model, &QAbstractItemModel::headerDataChanged);
        Recipe recipe = import.recipe();
        import_choices::leaveOut(recipe, "b");
        import.setRecipe(recipe);
        QCOMPARE(changed.size(), 1);
        QCOMPARE(model.headerData(1, Qt::Horizontal, ImportColumns::RoleText).toString(), QStringLiteral("Unused"));
        import.close();
        QCOMPARE(model.columnCount(), 0);
    }
};

QTEST_GUILESS_MAIN(tst_import_models)
#include "tst_import_models.moc"
