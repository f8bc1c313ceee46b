// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/gui_driver.h"
#include "support/temporary_files.h"
#include "ui/pages/data_page.h"
#include "ui/panels/empty_cells_question.h"

#include <QLabel>
#include <QScrollBar>
#include <QToolButton>

using kernels::EmptyCells;

namespace {

constexpr const char* counts = "1 1 1 1\n2 2 1 4\n3 1 2 1\n4 3 2 2\n1 3 2 1\n2 3 1 1\n";
constexpr const char* ratings = "1 1 1 1.5\n2 2 1 4\n3 1 2 5\n4 3 2 4\n1 3 2 5\n2 3 1 2.5\n";

} // namespace

/// What an empty cell means is asked once, beside the form, and what the form proposes follows.
class TestEmptyCellsQuestion : public QObject {
    Q_OBJECT

    PersonSettings m_settings;
    test::TemporaryFiles m_files;
    std::unique_ptr<GuiDriver> m_gui;

    ui::RunForm* form() const { return m_gui->window.runForm(); }
    QComboBox* algorithm() const { return form()->findChild<QComboBox*>(QStringLiteral("algorithm")); }
    QString chosen() const { return algorithm()->currentData().toString(); }
    QWidget* question() const { return form()->findChild<ui::EmptyCellsQuestion*>(); }
    QPushButton* answer(const char* name) const { return form()->findChild<QPushButton*>(QLatin1String(name)); }
    app::OpenTensorPtr current() const { return m_gui->window.workspace()->currentTensor(); }
    bool open(const char* text) { return m_gui->openFirst(QString::fromStdString(m_files.write("cells.tns", text))); }
    QString mismatch() const
    {
        for (const QLabel* label : form()->findChildren<QLabel*>(QStringLiteral("warningText")))
            if (label->isVisible())
                return label->text();
        return {};
    }
    QToolButton* chip() const ///< shown a moment after it is made
    {
        for (auto* each : m_gui->window.dataPage()->findChildren<QToolButton*>(QStringLiteral("chip")))
            if (!each->isHidden() && each->property("row") == QStringLiteral("empty-cells"))
                return each;
        return nullptr;
    }
    QString chipText() const { return chip() ? chip()->text() : QString(); }
    void pick(const char* id) const // as a person does
    {
        const int row = algorithm()->findData(QLatin1String(id));
        algorithm()->setCurrentIndex(row);
        Q_EMIT algorithm()->activated(row);
    }

private Q_SLOTS:
    void init()
    {
        m_gui = std::make_unique<GuiDriver>();
        QVERIFY(m_gui->shown());
    }
    void cleanup() { m_gui.reset(); }

    void countsProposeZeroAndCpAls()
    {
        QVERIFY(open(counts));
        QVERIFY(question()->isVisible());
        QVERIFY(answer("empty-zero")->property("proposed").toBool() && !answer("empty-unknown")->property("proposed").toBool());
        QCOMPARE(chosen(), QStringLiteral("cp-als"));
        QVERIFY(m_gui->startRun()->isEnabled()); // it can be left unanswered
        QTRY_COMPARE(chipText(), QStringLiteral("not said"));
        m_gui->click(answer("empty-zero"));
        QTRY_VERIFY(!question()->isVisible());
        QVERIFY(current()->emptyCells() == EmptyCells::Zero);
        QCOMPARE(chosen(), QStringLiteral("cp-als"));
        QTRY_COMPARE(chipText(), QStringLiteral("zero"));
        QCOMPARE(mismatch(), QString());
        QVERIFY(algorithm()->hasFocus()); // the button that had it is gone
    }

    void ratingsProposeUnknownAndFastTuckerPlus()
    {
        QVERIFY(open(ratings));
        QVERIFY(answer("empty-unknown")->property("proposed").toBool());
        QCOMPARE(chosen(), QStringLiteral("fasttucker-plus"));
        m_gui->click(answer("empty-unknown"));
        QTRY_VERIFY(current()->emptyCells() == EmptyCells::Unknown);
        QCOMPARE(chosen(), QStringLiteral("fasttucker-plus"));
        QVERIFY(form()->isReady());
    }

    void theAnswerChoosesTheAlgorithm()
    {
        QVERIFY(open(ratings));
        m_gui->click(answer("empty-zero")); // against the proposal
        QTRY_COMPARE(chosen(), QStringLiteral("cp-als"));
        QTRY_VERIFY(form()->isReady());
        QCOMPARE(form()->config().split.kind, kernels::SplitKind::None);
        app::Run* run = m_gui->startWithForm();
        QVERIFY(run);
        QTRY_VERIFY_WITH_TIMEOUT(!run->isActive(), 60'000);
        QCOMPARE(run->state(), app::RunState::Finished);
        QVERIFY2(run->command().contains(QStringLiteral("--empty zero")), qPrintable(run->command()));
    }

    void whatFitsComesFirstInTheList()
    {
        QVERIFY(open(ratings));
        m_gui->click(answer("empty-zero"));
        QTRY_COMPARE(algorithm()->itemData(0).toString(), QStringLiteral("cp-als"));
        QCOMPARE(algorithm()->itemData(1).toString(), QStringLiteral("tucker-hooi"));
        QCOMPARE(algorithm()->itemText(0), QStringLiteral("CP-ALS"));
        QCOMPARE(algorithm()->itemText(2), QStringLiteral("FastTuckerPlus – fits stored entries"));
        QCOMPARE(algorithm()->count(), int(kernels::algorithms().size()));
        m_gui->session.sayEmptyCells(current()->id, EmptyCells::Unknown);
        QTRY_COMPARE(algorithm()->itemText(0), QStringLiteral("FastTuckerPlus"));
        QCOMPARE(algorithm()->itemText(11), QStringLiteral("Tucker HOOI – fits all cells"));
    }

    void aMismatchIsSaidNearStart()
    {
        QVERIFY(open(counts));
        m_gui->click(answer("empty-zero"));
        QTRY_VERIFY(!question()->isVisible());
        pick("ntf");
        QTRY_COMPARE(mismatch(),
                     QStringLiteral("Empty cells of this tensor mean zero, but Non-negative CP fits only stored entries. "
                                    "CP-ALS fits all cells."));
        QVERIFY(m_gui->startRun()->isEnabled());
        app::Run* run = m_gui->startWithForm(); // it may start
        QVERIFY(run);
        run->stop();
        pick("tucker-hooi");
        QTRY_COMPARE(mismatch(), QString());
    }

    /// A person's own choice stays if it fits.
    void aChosenAlgorithmStays()
    {
        QVERIFY(open(counts));
        pick("tucker-hooi");
        m_gui->click(answer("empty-zero"));
        QTRY_VERIFY(!question()->isVisible());
        QCOMPARE(chosen(), QStringLiteral("tucker-hooi"));
        m_gui->session.sayEmptyCells(current()->id, EmptyCells::Unknown);
        QTRY_COMPARE(chosen(), QStringLiteral("ntf")); // counts of which some are not known
    }

    void itCanBeChangedOnTheDataPage()
    {
        QVERIFY(open(counts));
        m_gui->click(answer("empty-unknown"));
        QTRY_COMPARE(chipText(), QStringLiteral("unknown"));
        auto* zero = chip()->findChild<QAction*>(QStringLiteral("empty-zero"));
        QVERIFY(zero && !zero->isChecked());
        zero->trigger();
        QTRY_VERIFY(current()->emptyCells() == EmptyCells::Zero);
        QTRY_COMPARE(chipText(), QStringLiteral("zero"));
        QTRY_COMPARE(chosen(), QStringLiteral("cp-als"));
    }

    void nothingIsAskedOfTheSampleOrAFullTensor()
    {
        QVERIFY(open("1 1 1\n1 2 1\n2 1 4\n2 2 1\n"));
        QVERIFY(!question()->isVisible());
        QTest::qWait(100); // what is new is shown a moment later
        QVERIFY(!chip());
        m_gui->session.openSample();
        QTRY_VERIFY_WITH_TIMEOUT(m_gui->session.tensors().size() == 2 && form()->isReady(), 20'000);
        QVERIFY(!question()->isVisible());
        QCOMPARE(chosen(), QStringLiteral("cp-als"));
        QCOMPARE(mismatch(), QString());
    }

    /// Each tensor has its own answer, and what was set for it.
    void anotherTensorIsAskedForItself()
    {
        QVERIFY(open(counts));
        m_gui->click(answer("empty-zero"));
        QTRY_VERIFY(!question()->isVisible());
        const int first = current()->id;
        m_gui->window.openFiles({QString::fromStdString(m_files.write("ratings.tns", ratings))});
        QTRY_VERIFY_WITH_TIMEOUT(current() && current()->id != first, 20'000);
        QVERIFY(question()->isVisible());
        QCOMPARE(chosen(), QStringLiteral("fasttucker-plus"));
        m_gui->window.workspace()->setCurrentTensor(first);
        QTRY_COMPARE(chosen(), QStringLiteral("cp-als"));
        QVERIFY(!question()->isVisible());
    }

    void startStaysInSightOnASmallScreen()
    {
        m_gui->window.resize(1024, 600);
        QVERIFY(open(counts));
        QVERIFY(question()->isVisible());
        const QPushButton* start = m_gui->startRun();
        QVERIFY(form()->rect().contains(QRect(start->mapTo(form(), QPoint()), start->size())));
        for (const char* name : {"empty-zero", "empty-unknown"})
            QVERIFY2(answer(name)->width() >= answer(name)->sizeHint().width(), name);
    }
};

QTEST_MAIN(TestEmptyCellsQuestion)
#include "tst_empty_cells_question.moc"
