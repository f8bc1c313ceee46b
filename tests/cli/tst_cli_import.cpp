// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/cli_process.h"

#include "support/temporary_files.h"

#include <QRegularExpression>

#include <cmath>

using namespace cli_test;

/// A table on the command line: looked at, imported, used for runs, and the recipe for what comes next.
class TestCliImport : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void infoProposesAnImport();
    void importReportsAndWrites();
    void proposalsKeepChosenFormats();
    void aRecipeServesTheNextTable();
    void optionsReplaceARecipe();
    void runsTakeTablesAndRepeatThemselves();
    void modelsKnowTheirTable();
    void predictionsAreChangedBack();
    void optionsOverrideTheModelsRecipe();
    void tablesOfAModelHaveTheirOwnDialect();
    void linesAndTablesArePredicted();
    void theTensorHasStandardOutputForItself();
    void endingsThatAreOnlyReadAreRefused();
    void nothingIsMadeOfNothing_data();
    void nothingIsMadeOfNothing();
    void rowsThatCannotBeReadAreAdvisedOn();
    void roundedValuesAreCounted();
    void aNewFolderIsExportedTo();
    void tablesComeThroughPipes();
    void mistakesGetASentence_data();
    void mistakesGetASentence();

private:
    QString path(const char* name) const { return QString::fromStdString(m_files.path(name)); }

    test::TemporaryFiles m_files;
    QString m_table;
};

/// 60 users, 25 items, 12 months; the value grows with the item.
void TestCliImport::initTestCase()
{
    QByteArray bytes("user;item;when;stars\n");
    for (int i = 0; i < 4000; ++i) {
        const int user = i * 7 % 60, item = i * 11 % 25, month = i * 5 % 12 + 1;
        bytes += "u" + QByteArray::number(user) + ";" + QByteArray::number(100 + item) + ";2023-"
            + QByteArray::number(month).rightJustified(2, '0') + "-15 08:30;"
            + QByteArray::number(1 + item * 0.16, 'f', 2).replace('.', ',') + "\n";
    }
    m_table = QString::fromStdString(m_files.write("ratings.csv", bytes));
}

void TestCliImport::infoProposesAnImport()
{
    const Answer answer = polyad({"info", m_table});
    QVERIFY2(answer.code == 0, answer.all());
    QVERIFY2(answer.out.contains("CSV with semicolons, decimal comma, 4 columns"), answer.out);
    QVERIFY2(answer.out.contains("4,000 rows in all"), answer.out);
    const QByteArray wanted = "polyad-cli import " + m_table.toUtf8() + " --modes 'user,item,date=date(when)' --value stars -o ratings.h5";
    QVERIFY2(answer.out.contains(wanted), answer.out);

    const QJsonObject object = polyad({"info", m_table, "--json"}).object();
    QCOMPARE(object["kind"].toString(), QString("table"));
    QCOMPARE(object["columns"].toArray().size(), 4);
    QCOMPARE(object["proposal"].toObject()["value"].toString(), QString("stars"));
}

void TestCliImport::importReportsAndWrites()
{
    const Answer answer = polyad({"import", m_table, "--modes", "user,item,month=month(when)", "--value", "stars", "-o", path("r.h5"),
                                  "--save-recipe", path("recipe.json")});
    QVERIFY2(answer.code == 0, answer.all());
    QVERIFY2(answer.out.contains("4,000 rows became"), answer.out);
    QVERIFY2(answer.out.contains("item     25  100 … 124"), answer.out);
    const QJsonObject info = polyad({"info", path("r.h5"), "--json"}).object();
    QCOMPARE(info["dims"].toArray(), (QJsonArray{60, 25, 12}));

    // A tensor written before is kept.
    const Answer again = polyad({"import", m_table, "-o", path("r.h5")});
    QVERIFY2(again.code == 2 && again.err.contains("--force"), again.all());
}

void TestCliImport::aRecipeServesTheNextTable()
{
    const QString next = QString::fromStdString(
        m_files.write("next.csv", "user;item;when;stars\nu1;101;2024-03-01 10:00;2,5\nu2;102;2024-03-02 10:00;3,5\n"));
    const Answer answer = polyad({"import", next, "--recipe", path("recipe.json")});
    QVERIFY2(answer.code == 0 && answer.out.contains("2 rows became 2 entries"), answer.all());
    const Answer other = polyad({"import", next, "--recipe", path("recipe.json"), "--where", "stars>3"});
    QVERIFY2(other.out.contains("1 row became 1 entry"), other.all());
}

void TestCliImport::proposalsKeepChosenFormats()
{
    QByteArray bytes("d\tk\tv\n");
    for (int i = 0; i < 60; ++i)
        bytes += "0" + QByteArray::number(1 + i % 9) + "/03/2024\tk" + QByteArray::number(i % 4) + "\t" + QByteArray::number(i % 7) + "\n";
    const QString table = QString::fromStdString(m_files.write("day.csv", bytes));
    const Answer found = polyad({"info", table});
    QVERIFY2(found.code == 0 && found.out.contains("polyad-cli import") && !found.out.contains("--day-first")
                 && !found.out.contains("--separator") && !found.out.contains("--header-row"),
             found.all());
    const Answer chosen = polyad({"info", table, "--day-first", "yes", "--separator", "tab", "--decimal", ".", "--thousands", "blank",
                                  "--header-row", "yes", "--encoding", "latin-1"});
    QVERIFY2(chosen.out.contains("--separator tab --decimal . --thousands blank --header-row yes --day-first yes --encoding latin-1"),
             chosen.all());
}

void TestCliImport::optionsReplaceARecipe()
{
    const QString table = QString::fromStdString(m_files.write("replace.csv", "a,b,v\nx,1,1\nx,2,10\ny,1,100\ny,2,1000\n"));
    const QString recipe = path("replace.json");
    const Answer first =
        polyad({"import", table, "--modes", "a,b", "--value", "v", "--where", "a=x", "--transform", "scale:10", "--save-recipe", recipe});
    QVERIFY2(first.code == 0 && first.out.contains("2 rows became 2 entries"), first.all());
    const Answer kept = polyad({"import", table, "--recipe", recipe});
    QVERIFY2(kept.out.contains("2 rows became 2 entries"), kept.all());
    const Answer replaced = polyad(
        {"import", table, "--recipe", recipe, "--where", "v<1000", "--transform", "scale:100", "--save-recipe", path("replaced.json")});
    QVERIFY2(replaced.out.contains("3 rows became 3 entries"), replaced.all());
    const QJsonObject json = QJsonDocument::fromJson(test::contentOf(m_files.path("replaced.json"))).object();
    QCOMPARE(json["where"].toArray().size(), 1);
    QCOMPARE(json["transforms"].toArray().size(), 1);
    QCOMPARE(json["transforms"].toArray().first().toObject()["high"].toDouble(), 100.0);
}

void TestCliImport::runsTakeTablesAndRepeatThemselves()
{
    const Answer run = polyad({"run", m_table, "--modes", "user,item", "--value", "stars", "--rank", "2", "--iterations", "5",
                               "--deterministic", "--output", path("m.h5")});
    QVERIFY2(run.code == 0, run.all());
    const QJsonObject model = polyad({"info", path("m.h5"), "--json"}).object();
    const QString command = model["command"].toString();
    QVERIFY2(command.contains("--modes user,item --value stars"), qPrintable(command));
    // Without columns the proposal is taken, and said.
    const Answer proposed = polyad({"run", m_table, "--rank", "2", "--iterations", "2"});
    QVERIFY2(proposed.code == 0 && proposed.err.contains("The columns were chosen automatically"), proposed.all());
}

void TestCliImport::modelsKnowTheirTable()
{
    const QString next =
        QString::fromStdString(m_files.write("new.csv", "when;item;user;stars\nx;101;u1;2,0\nx;999;u1;2,0\nx;102;u59;9,5\n"));
    const Answer evaluated = polyad({"evaluate", path("m.h5"), next, "--json"});
    QVERIFY2(evaluated.code == 0, evaluated.all());
    QCOMPARE(evaluated.object()["entries"].toInt(), 2);
    QVERIFY2(evaluated.err.contains("1 entry has labels that the model does not know and was left out"), evaluated.err);

    const Answer predicted = polyad({"predict", path("m.h5"), "--file", next});
    QVERIFY2(predicted.code == 0, predicted.all());
    const QList<QByteArray> lines = predicted.out.trimmed().split('\n');
    QCOMPARE(lines.size(), 4);
    QCOMPARE(lines[0], QByteArray("when;item;user;stars;prediction"));
    QCOMPARE(lines[2], QByteArray("x;999;u1;2,0;"));
    const double byIndex = polyad({"predict", path("m.h5"), "--index", "u59,102", "--json"}).object()["value"].toDouble();
    const QByteArray written = lines[3].mid(lines[3].lastIndexOf(';') + 1);
    QVERIFY2(written.contains(',') && written.size() <= 13, written);
    QVERIFY(std::abs(QByteArray(written).replace(',', '.').toDouble() - byIndex) < 1e-6 * std::abs(byIndex));
    QVERIFY2(predicted.err.contains("1 row has no prediction"), predicted.err);
}

/// 10 to the power of the item: a model of logarithms predicts what the table holds.
void TestCliImport::predictionsAreChangedBack()
{
    QByteArray bytes("a,b,v\n");
    for (int a = 0; a < 12; ++a)
        for (int b = 0; b < 4; ++b)
            bytes += "a" + QByteArray::number(a) + ",b" + QByteArray::number(b) + "," + QByteArray::number(std::pow(10.0, b)) + "\n";
    const QString table = QString::fromStdString(m_files.write("powers.csv", bytes));
    const Answer run = polyad({"run", table, "--modes", "a,b", "--value", "v", "--transform", "log1p", "--algorithm", "cp-als", "--rank",
                               "1", "--iterations", "50", "--output", path("p.h5")});
    QVERIFY2(run.code == 0, run.all());
    const double value = polyad({"predict", path("p.h5"), "--index", "a3,b3", "--json"}).object()["value"].toDouble();
    QVERIFY2(std::abs(value - 1000) < 5, QByteArray::number(value));
    const QJsonArray best = polyad({"predict", path("p.h5"), "--index", "a3,*", "--json"}).array();
    QVERIFY(std::abs(best.first().toObject()["value"].toDouble() - 1000) < 5);
    QVERIFY(std::abs(best.last().toObject()["value"].toDouble() - 1) < 0.05);
    // Errors, too: of the changed values and of the table's.
    const Answer judged = polyad({"evaluate", path("p.h5"), table});
    QVERIFY2(judged.code == 0 && judged.out.contains(" of the changed values (log1p)") && judged.out.contains(" of the original values"),
             judged.all());
    const QJsonObject errors = polyad({"evaluate", path("p.h5"), table, "--json"}).object();
    double squared = 0;
    for (int b = 0; b < 4; ++b) {
        const QString index = QStringLiteral("a0,b%1").arg(b);
        const double error = polyad({"predict", path("p.h5"), "--index", index, "--json"}).object()["value"].toDouble() - std::pow(10.0, b);
        squared += error * error / 4; // each a is the same
    }
    const double original = errors["original"].toObject()["rmse"].toDouble();
    QVERIFY2(std::abs(original - std::sqrt(squared)) < 0.01 * original + 1e-3, QByteArray::number(original));
    QCOMPARE(errors["changes"].toString(), QStringLiteral("log1p"));
}

/// An option given with a model changes its part of the model's recipe alone.
void TestCliImport::optionsOverrideTheModelsRecipe()
{
    const QString bad =
        QString::fromStdString(m_files.write("bad.csv", "when;item;user;stars\nx;101;u1;2,0\nx;101;u2;many\nx;102;u59;9,5\n"));
    const Answer stopped = polyad({"evaluate", path("m.h5"), bad});
    QVERIFY2(stopped.code == 3 && stopped.err.contains("row 2 (line 3), column stars"), stopped.all());
    const Answer skipped = polyad({"evaluate", path("m.h5"), bad, "--on-error", "skip", "--json"});
    QVERIFY2(skipped.code == 0 && !skipped.err.contains("The columns were chosen"), skipped.all());
    QCOMPARE(skipped.object()["entries"].toInt(), 2);
    const Answer some = polyad({"evaluate", path("m.h5"), bad, "--on-error", "skip", "--where", "user=u1", "--json"});
    QCOMPARE(some.object()["entries"].toInt(), 1);
    QVERIFY(some.object()["rmse"].toDouble() < 1);
    const QString commas = QString::fromStdString(m_files.write("commas.csv", "user,item,stars\nu1,101,1.16\nu2,102,1.32\n"));
    const Answer other = polyad({"evaluate", path("m.h5"), commas, "--separator", ",", "--decimal", ".", "--json"});
    QVERIFY2(other.code == 0 && other.object()["rmse"].toDouble() < 1, other.all());
    QCOMPARE(other.object()["entries"].toInt(), 2);
}

/// What was chosen for the model's table is no choice for the next one.
void TestCliImport::tablesOfAModelHaveTheirOwnDialect()
{
    QByteArray rows("user;item;stars\n");
    for (int i = 0; i < 40; ++i)
        rows += "u" + QByteArray::number(i % 5) + ";i" + QByteArray::number(i % 8) + ";" + QByteArray::number(i % 4) + ",5\n";
    const QString table = QString::fromStdString(m_files.write("chosen.csv", rows));
    const Answer made = polyad({"run",          table, "--modes",    "user,item",       "--value",     "stars", "--separator", ";",
                                "--decimal",    ",",   "--encoding", "latin-1",         "--algorithm", "ntf",   "--rank",      "2",
                                "--iterations", "3",   "-o",         path("chosen.h5"), "--force"});
    QVERIFY2(made.code == 0, made.all());
    const QString next = QString::fromStdString(m_files.write("next.csv", "user,item,stars\nu0,i0,1.25\nu1,i1,0.75\nu\xc3\xa9,i1,0.75\n"));
    const Answer judged = polyad({"evaluate", path("chosen.h5"), next, "--where", "user!=ué", "--json"});
    QVERIFY2(judged.code == 0 && judged.object()["entries"].toInt() == 2, judged.all());
    const Answer updated = polyad({"update", path("chosen.h5"), next, "-o", path("updated.h5"), "--force"});
    QVERIFY2(updated.code == 0, updated.all());
    const Answer predicted = polyad({"predict", path("updated.h5"), "--index", "ué,i1"});
    QVERIFY2(predicted.code == 0, predicted.all());
}

void TestCliImport::linesAndTablesArePredicted()
{
    const auto value = [&](const QString& index) {
        return polyad({"predict", path("m.h5"), "--index", index, "--json"}).object()["value"].toDouble();
    };
    const QString lines = QString::fromStdString(m_files.write("q.txt", "u1,101\nu59,102\n#3,#4\n"));
    const Answer answer = polyad({"predict", path("m.h5"), "--file", lines});
    QVERIFY2(answer.code == 0, answer.all());
    const QList<QByteArray> rows = answer.out.trimmed().split('\n');
    QCOMPARE(rows.size(), 3);
    QCOMPARE(rows[0].split(' ').last().toDouble(), value("u1,101"));
    QCOMPARE(rows[2].split(' ').last().toDouble(), value("#3,#4"));
    for (const char* text : {"u1,101", "#3,#4"}) {
        QProcess process;
        process.start("sh", {"-c", QString("echo '%1' | '%2' predict '%3' --file -").arg(text, program(), path("m.h5"))});
        const Answer piped = wait(process);
        QVERIFY2(piped.code == 0 && piped.err.isEmpty(), piped.all());
        QCOMPARE(piped.out.trimmed().split(' ').last().toDouble(), value(text));
    }
    // The first line of a table with other columns is no line of labels.
    const QString foreign = QString::fromStdString(m_files.write("foreign.csv", "kunde,artikel\nu1,101\n"));
    const Answer misread = polyad({"predict", path("m.h5"), "--file", foreign});
    QVERIFY2(misread.code == 3 && misread.err.contains("name its columns as the model's table does: user, item."), misread.all());
    // A table is read as it is written, or as options say.
    const QString table = QString::fromStdString(m_files.write("q.csv", "item,user\n101,u1\n102,u59\n"));
    const Answer found = polyad({"predict", path("m.h5"), "--file", table});
    QVERIFY2(found.code == 0 && found.out.startsWith("item,user,prediction\n101,u1,"), found.all());
    const QString odd = QString::fromStdString(m_files.write("odd.csv", "item/user\n101/u1\n102/u59\n"));
    const Answer told = polyad({"predict", path("m.h5"), "--file", odd, "--separator", "/", "--decimal", ","});
    QVERIFY2(told.code == 0 && told.out.startsWith("item/user/prediction\n101/u1/"), told.all());
    for (const QStringList& vain : {QStringList{"--index", "u1,101", "--separator", ";"},
                                    {"--file", lines, "--decimal", ","},
                                    {"--file", table, "--modes", "user,item"}}) {
        const Answer refused = polyad(QStringList{"predict", path("m.h5")} + vain);
        QVERIFY2(refused.code == 2 && refused.err.contains("has no effect") && refused.out.isEmpty(), refused.all());
    }
    const Answer near = polyad({"predict", path("m.h5"), "--index", "u1,0101"});
    QVERIFY2(near.code == 2 && near.err.contains("Did you mean 101?"), near.all());
}

void TestCliImport::theTensorHasStandardOutputForItself()
{
    const Answer written = polyad({"import", m_table, "--modes", "user,item", "--value", "stars", "-o", "-"});
    QVERIFY2(written.code == 0 && written.err.contains("rows became"), written.all());
    QVERIFY2(written.out.startsWith("1 1 ") && !written.out.contains("rows became"), written.out.left(200));
    QProcess process;
    process.start("sh", {"-c", QString("cat '%1' | '%2' info -").arg(m_table, program())});
    const Answer info = wait(process);
    QVERIFY2(info.out.contains("import - --modes") && info.out.trimmed().endsWith("-o tensor.h5"), info.all());
}

void TestCliImport::endingsThatAreOnlyReadAreRefused()
{
    for (const char* name : {"x.mat", "x.he5", "x.h5ad", "x.xlsx", "x.npz"}) {
        const Answer answer = polyad({"import", m_table, "-o", path(name)});
        QVERIFY2(answer.code == 2 && answer.err.contains("the ending names no format that can be written")
                     && answer.err.contains(".h5, .hdf5") && !answer.err.contains(".mat,") && !answer.err.contains(".he5,"),
                 answer.all());
        QVERIFY(!QFile::exists(path(name)));
    }
}

void TestCliImport::nothingIsMadeOfNothing_data()
{
    QTest::addColumn<QByteArray>("table");
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QByteArray>("reason");
    QTest::newRow("header only") << QByteArray("user;item;stars\n") << QStringList() << QByteArray("The table has no rows");
    QTest::newRow("no values") << QByteArray("user;item;stars\nu1;101;\nu2;102;NA\n") << QStringList()
                               << QByteArray("2 rows had no value in column stars");
    QTest::newRow("filter") << QByteArray("user;item;stars\nu1;101;1,5\n") << QStringList{"--where", "stars>9"}
                            << QByteArray("1 row did not pass the filters");
    QTest::newRow("labels") << QByteArray("user;item;stars\nx;y;1,5\n") << QStringList{"evaluate"}
                            << QByteArray("1 entry has labels that the model does not know");
}

void TestCliImport::nothingIsMadeOfNothing()
{
    QFETCH(const QByteArray, table);
    QFETCH(QStringList, options);
    QFETCH(const QByteArray, reason);
    const QString file = QString::fromStdString(m_files.write("nothing.csv", table));
    const bool onlyEvaluated = options.removeAll("evaluate") > 0;
    const Answer evaluated = polyad(QStringList{"evaluate", path("m.h5"), file} + options);
    COMPARE_CODE(evaluated, 3);
    VERIFY_ONE_SENTENCE(evaluated);
    QVERIFY2(evaluated.err.contains(reason) && evaluated.out.isEmpty(), evaluated.all());
    if (onlyEvaluated)
        return;
    const Answer imported =
        polyad(QStringList{"import", file, "--modes", "user,item", "--value", "stars", "-o", path("nothing.h5")} + options);
    COMPARE_CODE(imported, 3);
    VERIFY_ONE_SENTENCE(imported);
    QVERIFY2(imported.err.contains("leaves no entries") && imported.err.contains(reason) && imported.out.isEmpty(), imported.all());
    QVERIFY(!QFile::exists(path("nothing.h5")));
}

void TestCliImport::rowsThatCannotBeReadAreAdvisedOn()
{
    const QString bad = QString::fromStdString(m_files.write("late.csv", "user,item,stars\nu1,101,2\nu2,101,late\nu3,102,9\n"));
    const QStringList import{"import", bad, "--modes", "user,item", "--value", "stars"};
    const Answer stopped = polyad(import);
    QVERIFY2(stopped.code == 3 && stopped.err.contains("--on-error skip"), stopped.all());
    const Answer skipped = polyad(import + QStringList{"--on-error", "skip"});
    QVERIFY2(skipped.code == 0 && skipped.err.contains("is no number") && !skipped.err.contains("skip"), skipped.all());
    const Answer separator = polyad(import + QStringList{"--separator", ";"});
    QVERIFY2(separator.code == 3 && separator.err.contains("the separator does not fit") && !separator.err.contains("Did you mean"),
             separator.all());
    VERIFY_ONE_SENTENCE(separator);
}

void TestCliImport::roundedValuesAreCounted()
{
    const QString wide =
        QString::fromStdString(m_files.write("wide.csv", "user,item,amount\nu1,101,16777217\nu2,101,5\nu3,102,33554433\n"));
    const QStringList import{"import", wide, "--modes", "user,item", "--value", "amount"};
    const Answer single = polyad(import);
    QVERIFY2(single.code == 0 && single.out.contains("2 values were rounded to single precision") && single.out.contains("--values fp64"),
             single.all());
    QVERIFY2(single.out.contains("3 of 6 cells hold a value"), single.out);
    const Answer twice = polyad(import + QStringList{"--values", "fp64"});
    QVERIFY2(twice.code == 0 && !twice.out.contains("rounded"), twice.all());
}

void TestCliImport::aNewFolderIsExportedTo()
{
    const Answer answer = polyad({"export", path("m.h5"), path("tables")});
    QVERIFY2(answer.code == 0 && QFile::exists(path("tables/factor_0.csv")), answer.all());
    const Answer unknown = polyad({"export", path("m.h5"), path("tables.xyz")});
    QVERIFY2(unknown.code == 2, unknown.all());
}

void TestCliImport::tablesComeThroughPipes()
{
    QProcess process;
    process.start("sh", {"-c", QString("cat '%1' | '%2' import - --modes user,item --count").arg(m_table, program())});
    const Answer answer = wait(process);
    QVERIFY2(answer.code == 0 && answer.out.contains("4,000 rows became"), answer.all());
}

void TestCliImport::mistakesGetASentence_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("sentence");
    QTest::newRow("no such column") << QStringList{"--modes", "user,itm"} << QByteArray("Did you mean item?");
    QTest::newRow("one mode") << QStringList{"--modes", "user"} << QByteArray("a tensor needs at least two modes");
    QTest::newRow("no such way") << QStringList{"--modes", "user,hours(when)"} << QByteArray("there is no such way to make a mode");
    QTest::newRow("bins without number") << QStringList{"--modes", "user,bins(stars)"} << QByteArray("a number is missing");
    QTest::newRow("text as value") << QStringList{"--modes", "item,when", "--value", "user"}
                                   << QByteArray("ratings.csv row 1 (line 2), column user: is no number");
    QTest::newRow("no filter") << QStringList{"--modes", "user,item", "--where", "stars"} << QByteArray("this is no filter");
    QTest::newRow("sum of nothing") << QStringList{"--modes", "user,item", "--aggregate", "sum"} << QByteArray("sum needs a value column");
    QTest::newRow("same name") << QStringList{"--modes", "user,user"} << QByteArray("two modes have the same name");
    QTest::newRow("separator") << QStringList{"--separator", "ab"} << QByteArray("one character, tab or blank");
}

void TestCliImport::mistakesGetASentence()
{
    QFETCH(const QStringList, arguments);
    QFETCH(const QByteArray, sentence);
    const Answer answer = polyad(QStringList{"import", m_table} + arguments);
    QVERIFY2((answer.code == 2 || answer.code == 3) && answer.err.contains(sentence), answer.all());
    QCOMPARE(answer.err.trimmed().count('\n'), 0);
}

QTEST_GUILESS_MAIN(TestCliImport)
#include "tst_cli_import.moc"
