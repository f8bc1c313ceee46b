// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/gui_driver.h"
#include "ui/pages/data_page.h"
#include "ui/pages/import_page.h"
#include "ui/widgets/role_header.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QToolButton>

#include <sqlite3.h>

#include <algorithm>
#include <memory>

using Figures = app::TableImport::Figures;

/// A table that is opened in the window: what is proposed, what a person changes, and the tensor it becomes.
class tst_import_page : public QObject {
    Q_OBJECT

    PersonSettings m_settings;
    QTemporaryDir m_folder;
    std::unique_ptr<GuiDriver> m_gui;

    static constexpr int patience = 20'000;

    QString write(const char* name, const QByteArray& text) const
    {
        QFile file(m_folder.filePath(QLatin1String(name)));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
            qFatal("cannot write %s", name);
        return file.fileName();
    }
    /// 90 flights: 3 airlines, 5 places, 10 days; one delay is what `odd` says.
    QString flights(const char* name, const QByteArray& odd = "7.5") const
    {
        QByteArray text = "airline,dest,when,delay\n";
        for (int n = 0; n < 90; ++n)
            text += QByteArray("A") + QByteArray::number(n % 3) + ",P" + QByteArray::number(n % 5) + ",2024-03-"
                + QByteArray::number(10 + n % 10) + " 08:00:00," + (n == 60 ? odd : QByteArray::number(n % 7 + 0.5)) + "\n";
        return write(name, text);
    }

    ui::ImportPage* page() const { return m_gui->window.importPage(); }
    app::TableImport& import() const { return page()->import(); }
    QPushButton* open() const { return m_gui->button(page(), QStringLiteral("Open")); }
    QLabel* problem() const { return page()->findChild<QLabel*>(QStringLiteral("importProblem")); }
    QString figures() const
    {
        for (const QLabel* label : page()->findChildren<QLabel*>())
            if (label->property("part") == QLatin1String("importFigures"))
                return label->text();
        return {};
    }
    bool shows(const QString& words) const
    {
        const auto labels = page()->findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(),
                           [&](const QLabel* label) { return label->isVisible() && label->text().contains(words); });
    }
    bool counted() const
    {
        return QTest::qWaitFor([this] { return page()->isVisible() && import().figures() == Figures::Known; }, patience);
    }

    /// By the chip above the column.
    bool choose(int column, const QString& text) const
    {
        ui::RoleHeader* head = page()->head();
        const QPoint at(head->sectionViewportPosition(column) + head->sectionSize(column) / 2, head->height() - 18);
        QTest::mouseClick(head->viewport(), Qt::LeftButton, {}, at);
        auto* menu = page()->findChild<QMenu*>(QStringLiteral("roleMenu"));
        if (!menu || !menu->isVisible())
            return false;
        for (QAction* action : menu->actions())
            if (action->text() == text) {
                QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
                return QTest::qWaitFor([this] { return !page()->findChild<QMenu*>(QStringLiteral("roleMenu")); });
            }
        return false;
    }

private Q_SLOTS:
    void init()
    {
        m_gui = std::make_unique<GuiDriver>();
        QVERIFY(m_gui->shown());
    }
    void cleanup() { m_gui.reset(); }

    void aDroppedTableBecomesATensor()
    {
        m_gui->drop({flights("flights.csv")});
        QVERIFY(counted());
        QVERIFY(!m_gui->window.showsWelcome() && !m_gui->window.runForm()->isVisible());
        QVERIFY(m_gui->session.tensors().empty());
        QCOMPARE(page()->table()->model()->columnCount(), 4);
        QCOMPARE(import().recipe().value, std::string("delay"));
        const QString before = figures();
        QVERIFY2(before.contains(QStringLiteral("entries: 90")) || before.contains(QStringLiteral("entries: 30")), qPrintable(before));

        QVERIFY(choose(1, QStringLiteral("Unused")));
        QTRY_VERIFY_WITH_TIMEOUT(import().figures() == Figures::Known && figures() != before, patience);
        QVERIFY(choose(1, QStringLiteral("Mode: text")));
        QTRY_COMPARE_WITH_TIMEOUT(figures(), before, patience);

        QVERIFY(open()->isEnabled());
        m_gui->click(open());
        QTRY_COMPARE_WITH_TIMEOUT(m_gui->session.tensors().size(), std::size_t{1}, patience);
        const app::OpenTensorPtr tensor = m_gui->session.tensors().front();
        QCOMPARE(tensor->name, QStringLiteral("flights.csv"));
        QVERIFY(tensor->recipe && tensor->readOptions.recipe);
        QCOMPARE(tensor->modes()[0].name, std::string("airline"));
        QCOMPARE(tensor->modes()[0].labels, (std::vector<std::string>{"A0", "A1", "A2"}));
        QVERIFY(!page()->isVisible() && m_gui->window.dataPage()->isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(m_gui->startRun()->isVisible() && m_gui->startRun()->isEnabled(), patience); // the second click
    }

    void enterOpensAndEscapeDoesNot()
    {
        m_gui->drop({flights("flights.csv")});
        QVERIFY(counted());
        QTest::keyClick(page()->table(), Qt::Key_Escape);
        QTRY_VERIFY(m_gui->window.showsWelcome() && !import().isOpen());
        QVERIFY(m_gui->session.tensors().empty());
        m_gui->drop({flights("flights.csv")});
        QVERIFY(counted());
        QTest::keyClick(page()->table(), Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(m_gui->session.tensors().size(), std::size_t{1}, patience);
    }

    /// Nobody waits for the figures: what is not counted is read when it is opened.
    void openDoesNotWaitForTheFigures()
    {
        import().countByItselfUpTo(10);
        m_gui->drop({flights("flights.csv")});
        QTRY_COMPARE_WITH_TIMEOUT(import().figures(), Figures::OnRequest, patience);
        QVERIFY2(figures().contains(QStringLiteral("about 3")), qPrintable(figures()));
        QVERIFY(m_gui->button(page(), QStringLiteral("Count"))->isVisible());
        m_gui->click(open());
        QTRY_COMPARE_WITH_TIMEOUT(m_gui->session.tensors().size(), std::size_t{1}, patience);
        QVERIFY(m_gui->session.tensors().front()->recipe);
    }

    void aBadRowIsSaidAndSkipped()
    {
        m_gui->drop({flights("bad.csv", "late")});
        QTRY_VERIFY_WITH_TIMEOUT(page()->isVisible() && import().survey(), patience);
        if (import().recipe().value.empty()) // few rows: a text among numbers may make the column one
            QVERIFY(choose(3, QStringLiteral("Value")));
        QTRY_COMPARE_WITH_TIMEOUT(import().figures(), Figures::Failed, patience);
        QVERIFY(problem()->isVisible());
        for (const char* part : {"bad.csv", "row 61", "delay", "late"})
            QVERIFY2(problem()->text().contains(QLatin1String(part)), qPrintable(problem()->text()));
        QVERIFY(!open()->isEnabled());
        m_gui->click(m_gui->button(page(), QStringLiteral("Skip such rows")));
        QTRY_COMPARE_WITH_TIMEOUT(import().figures(), Figures::Known, patience);
        QVERIFY(!problem()->isVisible());
        QTRY_VERIFY(page()->findChild<QCheckBox*>(QStringLiteral("skipRows"))->isChecked());
        m_gui->click(open());
        QTRY_COMPARE_WITH_TIMEOUT(m_gui->session.tensors().size(), std::size_t{1}, patience);
        QCOMPARE(m_gui->session.tensors().front()->report.entriesRead, kernels::Count{89});
    }

    void tensorsAreNotAskedAbout()
    {
        m_gui->drop({write("pair.tns", "1 1 2\n2 2 4\n")});
        QTRY_COMPARE_WITH_TIMEOUT(m_gui->session.tensors().size(), std::size_t{1}, patience);
        QVERIFY(!import().isOpen() && !page()->isVisible());
        QVERIFY(m_gui->window.messageBar()->messages().isEmpty());
    }

    void severalTablesComeOneAfterTheOther()
    {
        m_gui->window.openFiles({flights("one.csv"), flights("two.csv")});
        QVERIFY(counted());
        const QString first = import().path();
        QTRY_VERIFY(m_gui->session.loadJobs().empty());
        m_gui->click(open());
        QTRY_VERIFY_WITH_TIMEOUT(import().isOpen() && import().path() != first, patience);
        QVERIFY(counted());
        m_gui->click(open());
        QTRY_COMPARE_WITH_TIMEOUT(m_gui->session.tensors().size(), std::size_t{2}, patience);
        QVERIFY(!import().isOpen());
    }

    /// What was chosen once is taken again; Change import… asks once more.
    void recentTablesAreNotAskedAboutAgain()
    {
        const QString path = flights("again.csv");
        m_gui->drop({path});
        QVERIFY(counted());
        QVERIFY(choose(0, QStringLiteral("Unused")));
        QTRY_COMPARE_WITH_TIMEOUT(import().figures(), Figures::Known, patience);
        m_gui->click(open());
        QTRY_COMPARE_WITH_TIMEOUT(m_gui->session.tensors().size(), std::size_t{1}, patience);
        const auto dims = m_gui->session.tensors().front()->tensor.dims();
        m_gui->window.actions().openRecent->actions().front()->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(m_gui->session.tensors().size(), std::size_t{2}, patience);
        QVERIFY(!import().isOpen());
        QCOMPARE(m_gui->session.tensors().back()->tensor.dims(), dims);

        QToolButton* change = nullptr;
        const auto found = [&] {
            for (auto* each : m_gui->window.dataPage()->findChildren<QToolButton*>())
                if (each->property("action") == QLatin1String("changeImport") && each->isVisible())
                    change = each;
            return change;
        };
        QTRY_VERIFY(found());
        m_gui->click(change);
        QVERIFY(counted());
        QCOMPARE(import().tensor()->tensor.dims(), dims);
    }

    /// A tensor that no run uses is replaced when its import is changed; else the new one has a name of its own.
    void changedImportsReplaceTheirTensor()
    {
        m_gui->drop({flights("flights.csv")});
        QVERIFY(counted());
        m_gui->click(open());
        QTRY_COMPARE_WITH_TIMEOUT(m_gui->session.tensors().size(), std::size_t{1}, patience);
        const int first = m_gui->session.tensors().front()->id;
        const auto changeImport = [this] {
            Q_EMIT m_gui->window.dataPage()->importChangeRequested(m_gui->session.tensors().back());
            if (!counted() || !choose(0, import().recipe().modes.size() == 3 ? QStringLiteral("Unused") : QStringLiteral("Mode: text")))
                return false;
            return QTest::qWaitFor([this] { return import().figures() == Figures::Known; }, patience);
        };
        QVERIFY(changeImport());
        m_gui->click(open());
        QTRY_VERIFY_WITH_TIMEOUT(m_gui->session.tensors().size() == 1 && m_gui->session.tensors().front()->id != first, patience);
        QCOMPARE(m_gui->session.tensors().front()->name, QStringLiteral("flights.csv"));
        QCOMPARE(m_gui->session.tensors().front()->tensor.order(), 2u);

        kernels::RunConfig config;
        config.algorithm = "cp-als";
        config.ranks = {2};
        config.threads = 1;
        config.split = {kernels::SplitKind::None, 0, {}};
        config.stopping.iterations = 2;
        app::Run* const run = m_gui->session.start(config, m_gui->session.tensors().front());
        QVERIFY(QTest::qWaitFor([run] { return !run->isActive(); }, patience));
        QVERIFY(changeImport());
        m_gui->click(open());
        QTRY_COMPARE_WITH_TIMEOUT(m_gui->session.tensors().size(), std::size_t{2}, patience);
        QCOMPARE(m_gui->session.tensors().back()->name, QStringLiteral("flights.csv (2)"));
        QCOMPARE(m_gui->session.tensors().back()->tensor.order(), 3u);
    }

    void aNewFilterLeavesNothingOut()
    {
        m_gui->drop({flights("flights.csv")});
        QVERIFY(counted());
        const QString before = figures();
        QPushButton* add = nullptr;
        for (auto* each : page()->findChildren<QPushButton*>())
            if (each->property("action") == QLatin1String("addFilter"))
                add = each;
        QVERIFY(add);
        add->click();
        auto* value = page()->findChild<QLineEdit*>(QStringLiteral("filter-value-1"));
        QVERIFY(value && value->isVisible());
        QTRY_VERIFY(value->hasFocus());
        QVERIFY(import().recipe().filters.empty());
        QCOMPARE(figures(), before);
        QTest::keyClicks(value, QStringLiteral("A1"));
        QCOMPARE(import().recipe().filters.size(), std::size_t{1});
        QCOMPARE(import().recipe().filters.front().value, std::string("A1"));
        QCOMPARE(page()->findChildren<QLineEdit*>(QStringLiteral("filter-value-1")).size(), 1);
        QVERIFY(value->hasFocus()); // its row has not been made anew
        QTRY_VERIFY_WITH_TIMEOUT(import().figures() == Figures::Known && figures() != before, patience);
        QCOMPARE(import().tensor()->modes()[0].labels, std::vector<std::string>{"A1"});
    }

    void oneOfSeveralTablesIsChosen()
    {
        const QString path = m_folder.filePath(QStringLiteral("shop.db"));
        QFile::remove(path);
        sqlite3* database = nullptr;
        QCOMPARE(sqlite3_open(path.toUtf8().constData(), &database), SQLITE_OK);
        const char* const sql =
            "CREATE TABLE sales(who, what, day); INSERT INTO sales VALUES('a','x','mo'),('b','y','tu'),('a','y','mo');"
            "CREATE TABLE places(town, country, people INTEGER); INSERT INTO places VALUES('p','q',3),('r','s',4),('p','s',1);";
        QCOMPARE(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK);
        sqlite3_close(database);
        m_gui->drop({path});
        auto* part = page()->findChild<QComboBox*>(QStringLiteral("tablePart"));
        QTRY_VERIFY_WITH_TIMEOUT(page()->isVisible() && import().asksForPart() && part->isVisible(), patience);
        QCOMPARE(part->count(), 2);
        QCOMPARE(part->currentIndex(), -1);
        QVERIFY(part->hasFocus() && !problem()->isVisible() && !open()->isEnabled());
        QTest::keyClick(part, Qt::Key_Down);
        QVERIFY(counted());
        QCOMPARE(import().recipe().part, std::string("sales"));
        QCOMPARE(part->currentText(), QStringLiteral("sales"));
        QTest::keyClick(part, Qt::Key_Down);
        QTRY_VERIFY_WITH_TIMEOUT(import().survey() && import().recipe().part == "places", patience);
        QVERIFY(counted());
        m_gui->click(open());
        QTRY_COMPARE_WITH_TIMEOUT(m_gui->session.tensors().size(), std::size_t{1}, patience);
        QCOMPARE(m_gui->session.tensors().front()->recipe->part, std::string("places"));

        Q_EMIT m_gui->window.dataPage()->importChangeRequested(m_gui->session.tensors().front());
        QVERIFY(counted());
        QCOMPARE(part->currentText(), QStringLiteral("places"));
        QTest::keyClick(page()->table(), Qt::Key_Escape);
        m_gui->drop({flights("flights.csv")});
        QVERIFY(counted());
        QVERIFY(!part->isVisible());
    }

    void timesAreConvertedToAZone()
    {
        QByteArray text = "who,when\n";
        for (int n = 0; n < 40; ++n)
            text += "w" + QByteArray::number(n % 3) + ",2024-03-" + QByteArray::number(10 + n % 10) + "T23:30:00-02:00\n";
        m_gui->drop({write("zones.csv", text)});
        QVERIFY(counted());
        const std::vector<std::string> before = import().tensor()->modes()[1].labels;
        QCOMPARE(before.front(), std::string("2024-03-10"));
        auto* zone = page()->findChild<QComboBox*>(QStringLiteral("mode-zone-2"));
        QVERIFY(zone && zone->currentIndex() == 0);
        QTest::keyClick(zone, Qt::Key_Down);
        QCOMPARE(import().recipe().modes[1].zone, std::string("UTC"));
        QTRY_VERIFY_WITH_TIMEOUT(import().figures() == Figures::Known && import().tensor(), patience);
        QCOMPARE(import().tensor()->modes()[1].labels.front(), std::string("2024-03-11"));
    }

    void modesAreRenamedAndRemoved()
    {
        m_gui->drop({flights("flights.csv")});
        QVERIFY(counted());
        const auto modes = import().recipe().modes.size();
        auto* name = page()->findChild<QLineEdit*>(QStringLiteral("mode-name-1"));
        QVERIFY(name);
        m_gui->click(name);
        name->selectAll();
        QTest::keyClicks(name, QStringLiteral("carrier"));
        QTest::keyClick(name, Qt::Key_Return);
        QCOMPARE(import().recipe().modes[0].name, std::string("carrier"));
        QVERIFY(import().isOpen()); // Enter has ended the name, no more
        QVERIFY(choose(2, QStringLiteral("Unused")));
        QTRY_VERIFY(import().recipe().modes.size() < modes);
        QTRY_COMPARE_WITH_TIMEOUT(import().figures(), Figures::Known, patience);
        QCOMPARE(import().tensor()->modes()[0].name, std::string("carrier"));
    }

    void theActionAsksForATable()
    {
        m_gui->click(m_gui->welcomeCard("import"));
        auto* dialog = m_gui->window.findChild<QFileDialog*>();
        QVERIFY(dialog && dialog->isVisible());
        QVERIFY2(dialog->nameFilters().front().contains(QStringLiteral("*.csv")), qPrintable(dialog->nameFilters().front()));
        QVERIFY(!dialog->nameFilters().front().contains(QStringLiteral("*.tns")));
        dialog->findChild<QLineEdit*>()->setText(flights("asked.csv"));
        QTest::keyClick(dialog->findChild<QLineEdit*>(), Qt::Key_Return);
        QVERIFY(counted());
    }

    /// Pictures of what a person may meet, where a folder for them is named.
    void theFormatSeparatesThousands()
    {
        QByteArray text = "who;what;when;paid\n";
        for (int n = 0; n < 40; ++n)
            text += "a" + QByteArray::number(n % 4) + ";b" + QByteArray::number(n % 5) + ";0" + QByteArray::number(1 + n % 9) + "/03/2024;"
                + QByteArray::number(n + 1) + ".234,5\n";
        m_gui->drop({write("thousands.csv", text)});
        QVERIFY(counted());
        QVERIFY(import().recipe().value.empty());
        for (QToolButton* button : page()->findChildren<QToolButton*>())
            if (button->text() == QStringLiteral("Format…"))
                button->click();
        auto* const dialog = page()->findChild<QDialog*>();
        QVERIFY(dialog && QTest::qWaitForWindowExposed(dialog));
        QVERIFY(dialog->minimumSizeHint().height() <= 570); // of a small screen
        auto* const thousands = dialog->findChild<QComboBox*>(QStringLiteral("thousands"));
        thousands->setCurrentIndex(thousands->findData(QStringLiteral(".")));
        dialog->accept();
        QTRY_VERIFY_WITH_TIMEOUT(import().survey() && import().survey()->columns.back().high > 40'000, patience);
        QVERIFY(counted());
        // Its dates could have the day first: the page says how they were read.
        QTRY_VERIFY_WITH_TIMEOUT(shows(QStringLiteral("could have the day or the month first")), patience);
    }

    void pictures_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("text");
        QByteArray wide;
        for (int n = -1; n < 60; ++n) {
            for (int c = 0; c < 300; ++c)
                wide +=
                    (c ? "," : "") + (n < 0 ? QByteArray("measurement_") : QByteArray()) + QByteArray::number(n < 0 ? c : (n * c + n) % 9);
            wide += "\n";
        }
        const QByteArray longName(160, 'n');
        QByteArray longNames = "a" + longName + ",b" + longName + ",x\n";
        for (int n = 0; n < 60; ++n)
            longNames += longName + QByteArray::number(n % 3) + "," + longName + QByteArray::number(n % 4) + ",1.5\n";
        QTest::newRow("wide") << "wide" << wide;
        QTest::newRow("long") << "long" << longNames;
    }
    void pictures()
    {
        QFETCH(const QString, name);
        QFETCH(const QByteArray, text);
        m_gui->drop({write("picture.csv", text)});
        QTRY_VERIFY_WITH_TIMEOUT(page()->isVisible() && import().survey() && import().figures() != Figures::Counting, patience);
        QVERIFY(page()->width() <= m_gui->window.width()); // nothing pushes the window wider
        QVERIFY(m_gui->window.width() <= 1440);
        const QString folder = qEnvironmentVariable("POLYAD_PICTURES");
        if (!folder.isEmpty())
            QVERIFY(m_gui->window.grab().save(QDir(folder).filePath(QStringLiteral("import-") + name + QStringLiteral(".png"))));
    }
};

QTEST_MAIN(tst_import_page)
#include "tst_import_page.moc"
