// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/gui_driver.h"
#include "io/exports/export_model.h"
#include "io/file_format.h"
#include "io/model_file.h"
#include "support/temporary_files.h"
#include "ui/dialogs/filter_dialog.h"
#include "ui/formatting.h"
#include "ui/models/entry_model.h"
#include "ui/models/label_order.h"
#include "ui/pages/data_page.h"
#include "ui/pages/entries_card.h"
#include "ui/widgets/elided_header.h"
#include "ui/widgets/elided_link.h"
#include "ui/widgets/mode_row.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QClipboard>
#include <QDropEvent>
#include <QElapsedTimer>
#include <QFile>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QSignalSpy>
#include <QTableView>
#include <QToolButton>
#include <QUrl>

#include <algorithm>
#include <memory>

using kernels::Count;

namespace {

constexpr int patience = 60'000; // ms

/// A sanitizer makes everything ten times as slow and more.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int slow = 20;
#else
constexpr int slow = 1;
#endif

/// The longest the window's thread was away, asked every few milliseconds.
class LongestWait : public QObject {
public:
    LongestWait()
    {
        m_clock.start();
        startTimer(5);
    }
    qint64 milliseconds() const { return m_longest; }

protected:
    void timerEvent(QTimerEvent*) override { m_longest = std::max(m_longest, m_clock.restart()); }

private:
    QElapsedTimer m_clock;
    qint64 m_longest = 0;
};

} // namespace

/// The Data tab by clicks and keys.
class TestDataPage : public QObject {
    Q_OBJECT

    PersonSettings m_settings;
    test::TemporaryFiles m_files;
    std::unique_ptr<GuiDriver> m_gui;

private Q_SLOTS:
    void init()
    {
        m_gui = std::make_unique<GuiDriver>();
        QVERIFY(m_gui->shown());
    }
    void cleanup() { m_gui.reset(); }

    void aClickOnAHeadSortsUpwardsDownwardsAndNotAtAll()
    {
        QVERIFY(m_gui->openSample());
        const kernels::SparseTensor& tensor = current()->tensor;
        const QAbstractItemModelTester tester(model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        clickHead(3);
        QVERIFY(settled());
        QCOMPARE(model()->entries(), tensor.entries());
        QCOMPARE(value(0), current()->statistics.valueMin);
        for (int row = 1; row < model()->rowCount(); ++row)
            QVERIFY(value(row - 1) <= value(row));
        QVERIFY2(status().contains(QStringLiteral("smallest value first")), qPrintable(status()));
        clickHead(3);
        QVERIFY(settled());
        QCOMPARE(value(0), current()->statistics.valueMax);
        model()->showFrom(tensor.entries());
        QCOMPARE(value(model()->rowCount() - 1), current()->statistics.valueMin);
        clickHead(3);
        QVERIFY(settled());
        QVERIFY(!model()->view());
        QCOMPARE(model()->entryAt(0), Count{0});
        QVERIFY(!head()->isSortIndicatorShown());
        // A column with labels is sorted by what it shows; by a key, too.
        card()->table()->setCurrentIndex(model()->index(0, 0));
        card()->table()->setFocus();
        QTest::keyClick(card()->table(), Qt::Key_S);
        QVERIFY(settled());
        QVERIFY2(status().contains(QStringLiteral("A to Z")), qPrintable(status()));
        clickHead(0);
        QVERIFY(settled());
        QVERIFY2(status().contains(QStringLiteral("Z to A")), qPrintable(status()));
        for (int row = 1; row < model()->rowCount(); ++row)
            QVERIFY(!ui::standsBefore(label(row - 1).toStdString(), label(row).toStdString()));
    }

    void theFilterLeavesWhatItSays()
    {
        QVERIFY(m_gui->openSample());
        const kernels::SparseTensor& tensor = current()->tensor;
        ui::FilterDialog* dialog = openFilter();
        QVERIFY(dialog);
        QPushButton* show = m_gui->button(dialog, QStringLiteral("Show"));
        // What cannot be meant is said at the field and not taken.
        type(dialog, "filter-1", QStringLiteral("nowhere at all"));
        QVERIFY(!show->isEnabled());
        QVERIFY(says(dialog, QStringLiteral("no label holds it")));
        type(dialog, "filter-1", QStringLiteral("chicago"));
        type(dialog, "filter-3", QStringLiteral("7-9; 20"));
        type(dialog, "filter-from", QStringLiteral("9"));
        type(dialog, "filter-to", QStringLiteral("3"));
        QVERIFY(!show->isEnabled() && says(dialog, QStringLiteral("ends below its beginning")));
        type(dialog, "filter-from", QStringLiteral("3"));
        type(dialog, "filter-to", QStringLiteral("900,5")); // no number here
        type(dialog, "filter-to", QStringLiteral("900"));
        QVERIFY(show->isEnabled());
        m_gui->click(show);
        QVERIFY(settled());
        std::vector<Count> expected;
        for (Count e = 0; e < tensor.entries(); ++e) {
            const QString origin = QString::fromStdString(tensor.modes[0].labels[tensor.indices[0][e]]);
            const kernels::Index hour = tensor.indices[2][e] + 1;
            if (origin.contains(QStringLiteral("chicago"), Qt::CaseInsensitive) && ((hour >= 7 && hour <= 9) || hour == 20)
                && tensor.value(e) >= 3 && tensor.value(e) <= 900)
                expected.push_back(e);
        }
        QVERIFY(!expected.empty());
        QCOMPARE(model()->entries(), quint64{expected.size()});
        for (int row = 0; row < model()->rowCount(); ++row)
            QCOMPARE(model()->entryAt(row), expected[static_cast<std::size_t>(row)]);
        QVERIFY2(status().startsWith(ui::formatting::grouped(expected.size()) + QStringLiteral(" of ")
                                     + ui::formatting::grouped(tensor.entries())),
                 qPrintable(status()));
        // Sorted, it is still filtered; the dialog has what was typed.
        clickHead(3);
        QVERIFY(settled());
        QCOMPARE(model()->entries(), quint64{expected.size()});
        dialog = openFilter();
        QVERIFY(dialog);
        QCOMPARE(dialog->findChild<QLineEdit*>(QStringLiteral("filter-1"))->text(), QStringLiteral("chicago"));
        m_gui->click(m_gui->button(dialog, QStringLiteral("Cancel")));
        m_gui->click(m_gui->button(card(), QStringLiteral("Show all")));
        QVERIFY(settled());
        QCOMPARE(model()->entries(), quint64{tensor.entries()});
        QVERIFY2(status().startsWith(QStringLiteral("All ")), qPrintable(status()));
    }

    void aHeavySliceIsAClickAway()
    {
        QVERIFY(m_gui->openSample());
        const kernels::Slice& slice = current()->statistics.modes[1].heaviest[1];
        auto* link = page()->findChild<ui::ElidedLink*>(QStringLiteral("slice-2-2"));
        QVERIFY(link);
        m_gui->click(link);
        QVERIFY(settled());
        QCOMPARE(model()->entries(), quint64{slice.entries});
        for (int row = 0; row < model()->rowCount(); ++row)
            QCOMPARE(current()->tensor.indices[1][model()->entryAt(row)], slice.index);
        // By keys, too.
        auto* other = page()->findChild<ui::ElidedLink*>(QStringLiteral("slice-1-1"));
        QVERIFY(other);
        other->setFocus();
        QTest::keyClick(other, Qt::Key_Return);
        QVERIFY(settled());
        QCOMPARE(model()->entries(), quint64{current()->statistics.modes[0].heaviest[0].entries});
    }

    void keysTurnPages()
    {
        QVERIFY(m_gui->openSample());
        QTableView* table = card()->table();
        const quint64 all = model()->entries();
        table->setFocus();
        table->setCurrentIndex(model()->index(99, 1));
        QTest::keyClick(table, Qt::Key_Down);
        QCOMPARE(model()->pageStart(), quint64{100});
        QCOMPARE(table->currentIndex().row(), 0);
        QTest::keyClick(table, Qt::Key_Up);
        QCOMPARE(model()->pageStart(), quint64{0});
        QCOMPARE(table->currentIndex().row(), 99);
        QTest::keyClick(table, Qt::Key_PageDown, Qt::ControlModifier);
        QTest::keyClick(table, Qt::Key_PageDown, Qt::ControlModifier);
        QCOMPARE(model()->pageStart(), quint64{200});
        QTest::keyClick(table, Qt::Key_End, Qt::ControlModifier);
        QCOMPARE(model()->pageEnd(), all);
        QCOMPARE(model()->entryAt(table->currentIndex().row()), Count{all - 1});
        QTest::keyClick(table, Qt::Key_Down); // there is no further one
        QCOMPARE(model()->pageEnd(), all);
        QTest::keyClick(table, Qt::Key_Home, Qt::ControlModifier);
        QCOMPARE(model()->pageStart(), quint64{0});
    }

    void selectedRowsAreCopiedWithHeads()
    {
        QVERIFY(m_gui->openSample());
        QTableView* table = card()->table();
        table->setFocus();
        table->selectRow(2);
        table->selectionModel()->select(model()->index(5, 0), QItemSelectionModel::Select | QItemSelectionModel::Rows);
        QTest::keyClick(table, Qt::Key_C, Qt::ControlModifier);
        const QStringList lines = QApplication::clipboard()->text().split(u'\n', Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 3);
        QCOMPARE(lines[0], QStringLiteral("origin\tdestination\thour\tvalue"));
        const QStringList cells = lines[2].split(u'\t');
        QCOMPARE(cells[0], u'"' + label(5) + u'"'); // it holds a comma
        QCOMPARE(cells[3], ui::formatting::exact(value(5)));
    }

    void whatIsLeftIsSavedAsATensor()
    {
        QVERIFY(m_gui->openSample());
        m_gui->click(page()->findChild<ui::ElidedLink*>(QStringLiteral("slice-1-1")));
        QVERIFY(settled());
        const quint64 entries = model()->entries();
        clickHead(3); // the order is of no account in a file
        QVERIFY(settled());
        const QString path = QString::fromStdString(m_files.path("slice.h5"));
        m_gui->click(m_gui->button(card(), QStringLiteral("Save as…")));
        auto* dialog = page()->findChild<QFileDialog*>();
        QVERIFY(dialog);
        dialog->findChild<QLineEdit*>()->setText(path);
        QSignalSpy written(&m_gui->session, &app::Session::exportFinished);
        QTest::keyClick(dialog->findChild<QLineEdit*>(), Qt::Key_Return);
        QVERIFY(written.wait(patience));
        kernels::Progress progress;
        const io::LoadedTensor loaded = io::readTensor(path.toStdString(), {}, progress);
        QCOMPARE(quint64{loaded.tensor.entries()}, entries);
        QCOMPARE(loaded.tensor.dims(), current()->tensor.dims());
        QCOMPARE(loaded.tensor.modes[0].labels, current()->tensor.modes[0].labels);
        const kernels::Index heaviest = current()->statistics.modes[0].heaviest[0].index;
        QVERIFY(std::all_of(loaded.tensor.indices[0].begin(), loaded.tensor.indices[0].end(), [&](auto i) { return i == heaviest; }));
    }

    void cancelLeavesTheTableAsItWas()
    {
        QVERIFY(openLarge());
        clickHead(2);
        QVERIFY(settled());
        const Count first = model()->entryAt(0);
        clickHead(3);
        QVERIFY(card()->isWorking());
        QCOMPARE(head()->sortIndicatorSection(), 3);
        QTRY_VERIFY(m_gui->button(card(), QStringLiteral("Cancel"))->isVisible());
        m_gui->click(m_gui->button(card(), QStringLiteral("Cancel")));
        QVERIFY(!card()->isWorking());
        QCOMPARE(model()->entryAt(0), first);
        QCOMPARE(head()->sortIndicatorSection(), 2);
        QVERIFY(!m_gui->button(card(), QStringLiteral("Cancel"))->isVisible());
    }

    /// 4 M entries: sorting, filtering and paging keep the window's thread free.
    void nothingBlocksWithManyEntries()
    {
        QVERIFY(openLarge());
        const LongestWait wait;
        QTest::qWait(30);
        for (const int column : {3, 1, 3, 0, 3}) {
            clickHead(column);
            QVERIFY(settled());
        }
        QElapsedTimer clock;
        clock.start();
        const quint64 all = model()->entries();
        for (quint64 page = 0; page < 200; ++page)
            model()->showFrom(page * 7919 * 100 % all);
        QVERIFY2(clock.elapsed() < 1000 * slow, qPrintable(QString::number(clock.elapsed()))); // 5 ms a page, with its layout
        ui::EntryWish wish;
        wish.modes = {QStringLiteral("100-4000"), {}, {}};
        card()->showEntries(wish);
        QVERIFY(settled());
        QVERIFY(model()->entries() > 0 && model()->entries() < all);
        // 50 ms is what is wanted, on a machine with nothing else to do; a sort on this thread would take more than this.
        QVERIFY2(wait.milliseconds() < 400 * slow, qPrintable(QString::number(wait.milliseconds())));
        card()->showSlice(1, 3);
        card()->showSlice(1, 4); // the newest counts
        QVERIFY(settled());
        QCOMPARE(current()->tensor.indices[1][model()->entryAt(0)], kernels::Index{4});
    }

    void duplicatesAreShownAndRemedied()
    {
        const QByteArray bytes = "1 1 2\n2 2 4\n1 1 6\n3 1 0\n2 2 1\n1 1 1\n";
        const std::string path = m_files.write("ratings.tns", bytes);
        io::ReadOptions keep;
        keep.duplicates = kernels::Duplicates::Keep;
        m_gui->session.openFile(QString::fromStdString(path), keep);
        QTRY_COMPARE_WITH_TIMEOUT(m_gui->session.tensors().size(), std::size_t{1}, patience);
        QToolButton* duplicates = chip(QStringLiteral("duplicates"));
        QVERIFY(duplicates);
        QVERIFY2(duplicates->text().startsWith(QStringLiteral("3 duplicates, kept")), qPrintable(duplicates->text()));
        duplicates->menu()->actions().first()->trigger(); // show them
        QVERIFY(settled());
        QCOMPARE(model()->entries(), quint64{5});
        // In memory: the file need not be there.
        QVERIFY(QFile::remove(QString::fromStdString(path)));
        const struct {
            kernels::Duplicates policy;
            double first, second;
            const char* argument;
        } expected[] = {{kernels::Duplicates::Sum, 9, 5, nullptr},
                        {kernels::Duplicates::Mean, 3, 2.5, "mean"},
                        {kernels::Duplicates::Last, 1, 1, "last"},
                        {kernels::Duplicates::Max, 6, 4, "max"}};
        const app::OpenTensorPtr original = m_gui->session.tensors().front();
        std::size_t count = 1; // of tensors
        for (const auto& each : expected) {
            m_gui->window.workspace()->setCurrentTensor(original->id);
            QAction* action = remedy("duplicates", QStringLiteral("duplicates-%1").arg(static_cast<int>(each.policy)));
            QVERIFY(action);
            action->trigger();
            ++count;
            QTRY_COMPARE_WITH_TIMEOUT(m_gui->session.tensors().size(), count, patience);
            const app::OpenTensorPtr made = current();
            QVERIFY(made != original);
            QCOMPARE(made->tensor.entries(), Count{3});
            QCOMPARE(made->tensor.value(0), each.first);
            QCOMPARE(made->tensor.value(1), each.second);
            // What a command reads is the same, bit for bit.
            const std::string again = m_files.write("again.tns", bytes);
            io::ReadOptions options;
            options.duplicates = each.policy;
            kernels::Progress progress;
            const io::LoadedTensor read = io::readTensor(again, options, progress);
            QVERIFY(read.tensor.indices == made->tensor.indices && read.tensor.values == made->tensor.values);
            const auto& arguments = made->command.options;
            if (each.argument)
                QCOMPARE(arguments, (std::vector<std::string>{"--duplicates", each.argument}));
            else
                QVERIFY(arguments.empty());
        }
        // What is merged cannot be parted without the file, and says so.
        QAction* keepEach = remedy("duplicates", QStringLiteral("duplicates-%1").arg(static_cast<int>(kernels::Duplicates::Keep)));
        QVERIFY(keepEach);
        keepEach->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!m_gui->window.messageBar()->messages().isEmpty(), patience);
        QVERIFY2(m_gui->window.messageBar()->messages().first().contains(QStringLiteral("ratings.tns")),
                 qPrintable(m_gui->window.messageBar()->messages().first()));
    }

    void zerosAreShownAndLeftOut()
    {
        const std::string path = m_files.write("zeros.tns", "1 1 2\n2 2 0\n1 2 0\n3 1 5\n");
        m_gui->session.openFile(QString::fromStdString(path));
        QTRY_COMPARE_WITH_TIMEOUT(m_gui->session.tensors().size(), std::size_t{1}, patience);
        QToolButton* zeros = chip(QStringLiteral("zeros"));
        QVERIFY(zeros && zeros->text().startsWith(QStringLiteral("2 explicit zeros")));
        zeros->menu()->actions().first()->trigger();
        QVERIFY(settled());
        QCOMPARE(model()->entries(), quint64{2});
        QCOMPARE(value(0), 0.0);
        QAction* action = remedy("zeros", QStringLiteral("zeros"));
        QVERIFY(action);
        action->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(m_gui->session.tensors().size(), std::size_t{2}, patience);
        QCOMPARE(current()->tensor.entries(), Count{2});
        QCOMPARE(current()->name, QStringLiteral("zeros.tns (no zeros)"));
        QCOMPARE(current()->command.options, (std::vector<std::string>{"--zeros", "drop"}));
        zeros = chip(QStringLiteral("zeros"));
        QVERIFY(zeros && zeros->text().startsWith(QStringLiteral("2 zeros left out")));
        action = remedy("zeros", QStringLiteral("zeros"));
        QVERIFY(action);
        action->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(m_gui->session.tensors().size(), std::size_t{3}, patience);
        QCOMPARE(current()->tensor.entries(), Count{4});
    }

    void aModeIsRenamedInPlace()
    {
        QVERIFY(openPlain());
        const app::OpenTensorPtr before = current();
        ui::ModeRow* row = modeRow(1);
        QVERIFY(row);
        QTest::mouseDClick(row, Qt::LeftButton, {}, row->rect().center());
        QVERIFY(row->editor()->isVisible());
        QTest::keyClick(row->editor(), Qt::Key_Escape);
        QVERIFY(!row->editor()->isVisible());
        row->setFocus();
        QTest::keyClick(row, Qt::Key_F2);
        QVERIFY(row->editor()->isVisible());
        row->editor()->setText(QStringLiteral("items"));
        QTest::keyClick(row->editor(), Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(QString::fromStdString(current()->modeName(1)), QStringLiteral("items"), patience);
        QCOMPARE(current()->id, before->id);
        QVERIFY(current()->entries == before->entries); // nothing was copied
        QCOMPARE(model()->headerData(1, Qt::Horizontal, Qt::DisplayRole).toString(), QStringLiteral("items"));
        row = modeRow(1);
        QVERIFY(row && row->hasFocus());
        QCOMPARE(current()->command.options, (std::vector<std::string>{"--mode-name", "2=items"}));
        // Another one does not undo it.
        m_gui->session.nameMode(before->id, {0, "users", {}});
        m_gui->session.nameMode(before->id, {2, "days", {}});
        QTRY_COMPARE_WITH_TIMEOUT(QString::fromStdString(current()->modeName(2)), QStringLiteral("days"), patience);
        QCOMPARE(QString::fromStdString(current()->modeName(0) + current()->modeName(1)), QStringLiteral("usersitems"));
    }

    /// Closing a tensor takes the keyboard from an editor, which must not rename a mode of the next one, or of none.
    void aNameBegunGoesWithItsTensor()
    {
        QVERIFY(openPlain());
        m_gui->session.openFile(QString::fromStdString(m_files.write("pair.tns", "1 1 2\n2 2 4\n")));
        QTRY_COMPARE_WITH_TIMEOUT(m_gui->session.tensors().size(), std::size_t{2}, patience);
        for (const app::OpenTensorPtr& each : std::vector(m_gui->session.tensors())) {
            m_gui->window.workspace()->setCurrentTensor(each->id);
            // Namings take turns: one that was begun in the tensor before would have come by then.
            m_gui->session.nameMode(each->id, {0, "users", {}});
            QTRY_COMPARE_WITH_TIMEOUT(current()->modeName(0), std::string("users"), patience);
            QCOMPARE(current()->modeName(1), std::string("mode 2"));
            ui::ModeRow* row = modeRow(1);
            QVERIFY(row);
            QTRY_VERIFY(row->isVisible());
            row->setFocus();
            QTest::keyClick(row, Qt::Key_F2);
            QTRY_VERIFY(row->editor()->hasFocus());
            QTest::keyClicks(row->editor(), QStringLiteral("items"));
            const std::size_t before = m_gui->session.tensors().size();
            QTest::keyClick(row->editor(), Qt::Key_W, Qt::ControlModifier);
            QTRY_COMPARE(m_gui->session.tensors().size(), before - 1);
        }
        QVERIFY(m_gui->session.tensors().empty());
    }

    void detachedLabelsSortNoMore()
    {
        QVERIFY(openPlain());
        drop(1, m_files.write("films.txt", "Heat\nAlien\nBrazil\n"));
        QTRY_VERIFY_WITH_TIMEOUT(!current()->modes()[1].labels.empty(), patience);
        clickHead(1);
        QVERIFY(settled());
        QCOMPARE(model()->index(0, 1).data().toString(), QStringLiteral("Alien"));
        m_gui->session.nameMode(current()->id, {1, {}, ""});
        QTRY_VERIFY_WITH_TIMEOUT(current()->modes()[1].labels.empty(), patience);
        QVERIFY(settled());
        QCOMPARE(model()->entryAt(0), Count{0});
        QVERIFY2(status().contains(QStringLiteral("by index of")), qPrintable(status()));
        card()->showSlice(1, 1);
        QVERIFY(settled());
        QCOMPARE(model()->entries(), quint64{1});
    }

    /// Names that differ at their ends stay apart, and are whole in tooltips.
    void longHeadsLoseTheirMiddle()
    {
        QVERIFY(openPlain());
        const QString name = QStringLiteral("a quantity that was measured in every room and every minute, number %1");
        for (unsigned n = 0; n < 3; ++n) {
            m_gui->session.nameMode(current()->id, {n, name.arg(n + 1).toStdString(), {}});
            QTRY_COMPARE_WITH_TIMEOUT(current()->modeName(n), name.arg(n + 1).toStdString(), patience);
        }
        const auto* elided = qobject_cast<const ui::ElidedHeader*>(card()->table()->horizontalHeader());
        QVERIFY(elided);
        for (int n = 0; n < 3; ++n) {
            const QString shown = elided->shownText(n);
            QVERIFY2(shown.contains(QChar(0x2026)) && shown.endsWith(QString::number(n + 1)), qPrintable(shown));
            QVERIFY(elided->fontMetrics().horizontalAdvance(shown) < elided->sectionSize(n));
            QVERIFY(model()->headerData(n, Qt::Horizontal, Qt::ToolTipRole).toString().contains(name.arg(n + 1)));
        }
    }

    /// A filter that names labels is let go of with them; what is said in numbers stays.
    void detachedLabelsFilterNoMore()
    {
        QVERIFY(openPlain());
        drop(1, m_files.write("films.txt", "Heat\nAlien\nBrazil\n"));
        QTRY_VERIFY_WITH_TIMEOUT(!current()->modes()[1].labels.empty(), patience);
        const quint64 all = model()->entries();
        ui::EntryWish wish;
        wish.modes = {QString(), QStringLiteral("alien")};
        wish.to = QStringLiteral("1000");
        card()->showEntries(wish);
        QVERIFY(settled());
        const quint64 aliens = model()->entries();
        QVERIFY(aliens > 0 && aliens < all);
        m_gui->session.nameMode(current()->id, {1, {}, m_files.write("others.txt", "Up\nHer\nAlien\n")}); // stands elsewhere now
        QTRY_COMPARE_WITH_TIMEOUT(current()->modes()[1].labels.front(), std::string("Up"), patience);
        QVERIFY(settled());
        for (int row = 0; row < model()->rowCount(); ++row)
            QCOMPARE(current()->tensor.indices[1][model()->entryAt(row)], kernels::Index{2});
        m_gui->session.nameMode(current()->id, {1, {}, ""});
        QTRY_VERIFY_WITH_TIMEOUT(current()->modes()[1].labels.empty(), patience);
        QVERIFY(settled());
        QCOMPARE(model()->entries(), all);
        QVERIFY2(!status().contains(QStringLiteral("alien")) && status().contains(QStringLiteral("value")), qPrintable(status()));
    }

    void labelsAreAttachedAndTravel()
    {
        QVERIFY(openPlain());
        const int id = current()->id;
        // What does not fit says so in a sentence, and nothing changes.
        drop(1, m_files.write("few.txt", "Heat\nAlien\n"));
        QTRY_VERIFY_WITH_TIMEOUT(!m_gui->window.messageBar()->messages().isEmpty(), patience);
        QVERIFY2(m_gui->window.messageBar()->messages().first().contains(QStringLiteral("fewer labels")),
                 qPrintable(m_gui->window.messageBar()->messages().first()));
        m_gui->window.messageBar()->dismissAll();
        drop(1, m_files.write("many.txt", "film\nHeat\nAlien\nBrazil\n")); // none is cut
        QTRY_VERIFY_WITH_TIMEOUT(!m_gui->window.messageBar()->messages().isEmpty(), patience);
        QVERIFY2(m_gui->window.messageBar()->messages().first().contains(QStringLiteral("more labels")),
                 qPrintable(m_gui->window.messageBar()->messages().first()));
        m_gui->window.messageBar()->dismissAll();
        drop(1, m_files.write("latin.txt", "Heat\nAli\xe9n\nBrazil\n"));
        QTRY_VERIFY_WITH_TIMEOUT(!m_gui->window.messageBar()->messages().isEmpty(), patience);
        QVERIFY2(m_gui->window.messageBar()->messages().first().contains(QStringLiteral("UTF-8")),
                 qPrintable(m_gui->window.messageBar()->messages().first()));
        m_gui->window.messageBar()->dismissAll();
        QVERIFY(current()->modes()[1].labels.empty());

        const std::string labels = m_files.write("films.txt", "Heat\r\nAlien\r\nBrazil\r\n");
        drop(1, labels);
        QTRY_VERIFY_WITH_TIMEOUT(!current()->modes()[1].labels.empty(), patience);
        QCOMPARE(current()->modes()[1].labels, (std::vector<std::string>{"Heat", "Alien", "Brazil"}));
        QCOMPARE(current()->id, id);
        const auto texts = page()->findChildren<QLabel*>();
        QVERIFY(std::any_of(texts.begin(), texts.end(), [](const QLabel* label) {
            return label->isVisible() && label->text().contains(QStringLiteral("Labels of mode 2: films.txt."));
        }));
        QCOMPARE(model()->index(0, 1).data().toString(), QStringLiteral("Heat"));
        m_gui->session.nameMode(id, {1, "film", {}});
        QTRY_COMPARE_WITH_TIMEOUT(QString::fromStdString(current()->modeName(1)), QStringLiteral("film"), patience);

        // In the file it is exported to, in a session, in what a run is exported to and in its command.
        QSignalSpy written(&m_gui->session, &app::Session::exportFinished);
        m_gui->session.exportTensor(current(), QString::fromStdString(m_files.path("out.h5")));
        QVERIFY(written.wait(patience));
        kernels::Progress progress;
        const io::LoadedTensor read = io::readTensor(m_files.path("out.h5"), {}, progress);
        QCOMPARE(read.tensor.modes[1].name, std::string("film"));
        QCOMPARE(read.tensor.modes[1].labels[2], std::string("Brazil"));
        const QString file = QString::fromStdString(m_files.path("named.polyad"));
        m_gui->session.save(file, {});
        QVERIFY(written.wait(patience));
        m_gui = std::make_unique<GuiDriver>();
        m_gui->session.openSession(file);
        app::OpenTensorPtr back;
        QTRY_VERIFY_WITH_TIMEOUT(!m_gui->session.tensors().empty() && (back = m_gui->session.tensors().front()), patience);
        QCOMPARE(back->modeName(1), std::string("film"));
        QCOMPARE(back->modes()[1].labels[1], std::string("Alien"));
        QCOMPARE(back->command.options, (std::vector<std::string>{"--mode-name", "2=film", "--labels", "2=" + labels}));

        // Detached, and gone.
        m_gui->session.nameMode(back->id, {1, {}, ""});
        QTRY_VERIFY_WITH_TIMEOUT(m_gui->session.tensors().front()->modes()[1].labels.empty(), patience);
    }

    /// A run that there is already shows the new labels, too.
    void runsTakeTheNamesOver()
    {
        QVERIFY(m_gui->openSample());
        kernels::RunConfig config = m_gui->window.runForm()->config();
        config.stopping.iterations = 3;
        m_gui->window.runForm()->setConfig(config);
        app::Run* run = m_gui->startWithForm();
        QVERIFY(run);
        QTRY_VERIFY_WITH_TIMEOUT(run->outcome(), patience);
        m_gui->session.nameMode(run->tensor()->id, {2, "hour of day", {}});
        QTRY_COMPARE_WITH_TIMEOUT(run->tensor()->modeName(2), std::string("hour of day"), patience);
        QVERIFY(run->command().contains(QStringLiteral("--mode-name '3=hour of day'")));
        QSignalSpy written(&m_gui->session, &app::Session::exportFinished);
        m_gui->session.exportRun(run, io::exportKind("h5"), QString::fromStdString(m_files.path("model.h5")));
        QVERIFY(written.wait(patience));
        QCOMPARE(io::readModel(m_files.path("model.h5")).modes[2].name, std::string("hour of day"));
    }

private:
    ui::DataPage* page() const { return m_gui->window.dataPage(); }
    ui::EntriesCard* card() const { return page()->entries(); }
    ui::EntryModel* model() const { return page()->entryModel(); }
    QHeaderView* head() const { return card()->table()->horizontalHeader(); }
    QString status() const { return card()->statusText(); }
    app::OpenTensorPtr current() const { return m_gui->window.workspace()->currentTensor(); }
    double value(int row) const { return current()->tensor.value(model()->entryAt(row)); }
    QString label(int row) const { return model()->index(row, 0).data().toString(); }
    bool settled() const
    {
        return QTest::qWaitFor([this] { return !card()->isWorking(); }, patience);
    }

    void clickHead(int column) const
    {
        const QPoint at(head()->sectionViewportPosition(column) + head()->sectionSize(column) / 2, head()->height() / 2);
        QTest::mouseClick(head()->viewport(), Qt::LeftButton, {}, at);
    }

    ui::FilterDialog* openFilter() const
    {
        m_gui->click(m_gui->button(card(), QStringLiteral("Filter…")));
        for (auto* dialog : m_gui->window.findChildren<ui::FilterDialog*>())
            if (dialog->isVisible())
                return dialog;
        return nullptr;
    }

    void type(QWidget* dialog, const char* field, const QString& text) const
    {
        auto* line = dialog->findChild<QLineEdit*>(QLatin1String(field));
        line->clear();
        QTest::keyClicks(line, text);
    }

    bool says(const QWidget* within, const QString& text) const
    {
        const auto labels = within->findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(),
                           [&](const QLabel* each) { return each->isVisible() && each->text().contains(text); });
    }

    /// What is new is shown a moment later, what is old is hidden at once.
    template <class Widget> std::vector<Widget*> shown(const QString& name) const
    {
        std::vector<Widget*> all;
        for (auto* each : page()->findChildren<Widget*>(name))
            if (!each->isHidden())
                all.push_back(each);
        return all;
    }

    QToolButton* chip(const QString& word) const
    {
        QToolButton* found = nullptr;
        const auto look = [&] {
            for (QToolButton* each : shown<QToolButton>(QStringLiteral("chip")))
                if (each->text().contains(word))
                    found = each;
            return found != nullptr;
        };
        return QTest::qWaitFor(look, patience) ? found : nullptr;
    }

    /// What a chip's menu offers.
    QAction* remedy(const char* word, const QString& name) const
    {
        const QToolButton* on = chip(QLatin1String(word));
        return on ? on->findChild<QAction*>(name) : nullptr;
    }

    ui::ModeRow* modeRow(unsigned mode) const
    {
        const auto rows = [this] { return shown<ui::ModeRow>(QStringLiteral("modeRow")); };
        return QTest::qWaitFor([&] { return mode < rows().size(); }, patience) ? rows()[mode] : nullptr;
    }

    void drop(unsigned mode, const std::string& path) const
    {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(QString::fromStdString(path))});
        ui::ModeRow* row = modeRow(mode);
        QVERIFY(row);
        QDragEnterEvent enter(row->rect().center(), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(row, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent dropped(QPointF(row->rect().center()), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(row, &dropped);
    }

    /// 4 × 3 × 2, without names.
    bool openPlain()
    {
        const std::string path = m_files.write("plain.tns", "1 1 1 2\n2 2 1 4\n4 3 2 6\n3 1 2 1\n");
        m_gui->session.openFile(QString::fromStdString(path));
        return QTest::qWaitFor([this] { return m_gui->session.tensors().size() == 1; }, patience);
    }

    bool openLarge()
    {
        kernels::SyntheticSpec spec;
        spec.dims = {5000, 2000, 400};
        spec.entries = 4'000'000;
        spec.rank = 2;
        m_gui->session.generate(spec, QStringLiteral("large"));
        return QTest::qWaitFor([this] { return m_gui->session.tensors().size() == 1; }, 2 * patience);
    }
};

QTEST_MAIN(TestDataPage)
#include "tst_data_page.moc"
