// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/gui_driver.h"

#include <QFileDialog>
#include <QLayout>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QToolButton>

#include <cmath>
#include <memory>

using app::RunState;

class tst_run_form : public QObject {
    Q_OBJECT

    PersonSettings m_settings;
    QTemporaryDir m_folder;
    std::unique_ptr<GuiDriver> m_gui;

private Q_SLOTS:
    void init()
    {
        m_gui = std::make_unique<GuiDriver>();
        QVERIFY(m_gui->shown());
    }
    void cleanup() { m_gui.reset(); }

    void whatCannotWorkIsDisabledAndSaysWhy()
    {
        QVERIFY(m_gui->openSample());
        auto* precision = m_gui->window.runForm()->findChild<ui::SegmentedControl*>();
        QVERIFY(precision);
        QCOMPARE(m_gui->window.runForm()->device().kind, kernels::DeviceKind::Cpu);
        const int bf16 = 4;
        QTRY_VERIFY(!precision->isChoiceEnabled(bf16));
        QVERIFY(!precision->choiceToolTip(bf16).isEmpty());
        QVERIFY(precision->isChoiceEnabled(1)); // fp32
    }

    void everyAlgorithmIsOfferedAndRuns()
    {
        QVERIFY(m_gui->openSample());
        auto* list = m_gui->window.runForm()->findChild<QComboBox*>(QStringLiteral("algorithm"));
        QCOMPARE(list->count(), int(kernels::algorithms().size()));
        for (int i = 0; i < list->count(); ++i) {
            list->setCurrentIndex(i);
            kernels::RunConfig config = m_gui->window.runForm()->config();
            QCOMPARE(QString::fromStdString(config.algorithm), list->itemData(i).toString());
            config.stopping.iterations = 2;
            m_gui->window.runForm()->setConfig(config);
            app::Run* run = m_gui->startWithForm();
            QVERIFY(run);
            QTRY_COMPARE_WITH_TIMEOUT(run->state(), RunState::Finished, 60'000);
        }
    }

    /// Also where the scroll area never hears that there are more of them.
    void fieldsAreNeverSqueezed()
    {
        QVERIFY(m_gui->openSample());
        const ui::RunForm* form = m_gui->window.runForm();
        auto* area = form->findChild<QScrollArea*>();
        auto* list = form->findChild<QComboBox*>(QStringLiteral("algorithm"));
        m_gui->window.resize(1280, 640);
        list->setCurrentIndex(list->findData(QStringLiteral("cp-als")));
        QTest::qWait(100);
        list->setCurrentIndex(list->findData(QStringLiteral("fasttucker-plus")));
        area->widget()->layout()->activate();
        QCoreApplication::removePostedEvents(area->viewport(), QEvent::LayoutRequest);
        QTest::qWait(100);
        for (const QWidget* field : form->fields())
            QVERIFY2(field->height() >= field->minimumSizeHint().height(), qPrintable(field->objectName()));
    }

    /// The bar keeps its place, so that fields keep their width.
    void theBarHasAHandleWhereFieldsAreHidden()
    {
        QVERIFY(m_gui->openSample());
        const QScrollBar* bar = m_gui->window.runForm()->findChild<QScrollArea*>()->verticalScrollBar();
        m_gui->window.resize(1280, 640);
        QTRY_VERIFY(bar->maximum() > 0 && bar->isEnabled());
        const int width = bar->width();
        m_gui->window.resize(1280, 1500);
        QTRY_VERIFY(bar->maximum() == 0 && !bar->isEnabled());
        QVERIFY(bar->isVisible() && bar->width() == width);
    }

    /// Whose parameters they are stands in the box, whoever set them.
    void theBoxNamesTheParametersThatAreThere()
    {
        QVERIFY(m_gui->openSampleAsItIs());
        const ui::RunForm* form = m_gui->window.runForm();
        auto* box = form->findChild<QComboBox*>(QStringLiteral("preset"));
        const auto penalty = [form] { return std::get<double>(form->config().parameters.at("ridge")); };
        QTRY_COMPARE(box->currentText(), QStringLiteral("This tensor"));
        QCOMPARE(penalty(), 0.1);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        auto* line = form->findChild<QLineEdit*>(QStringLiteral("parameter-ridge"));
        QVERIFY(line);
        line->setFocus();
        line->selectAll();
        QTest::keyClicks(line, QStringLiteral("0.5"));
        QTRY_COMPARE(box->currentIndex(), -1);
        QCOMPARE(box->placeholderText(), QStringLiteral("Own"));
        box->setFocus();
        QTest::keyClick(box, Qt::Key_Home);
        QTRY_COMPARE(box->currentText(), QStringLiteral("Defaults"));
        QVERIFY(m_gui->startRun()->isEnabled() && !form->config().parameters.contains("ridge"));
        QTest::keyClick(box, Qt::Key_End);
        QTRY_COMPARE(box->currentText(), QStringLiteral("This tensor"));
        QCOMPARE(penalty(), 0.1);
    }

    /// Rates and iterations that suit the sample are no start for a person's own tensor.
    void anotherTensorBeginsWithTheDefaults()
    {
        QVERIFY(m_gui->openSampleAsItIs());
        const ui::RunForm* form = m_gui->window.runForm();
        auto* box = form->findChild<QComboBox*>(QStringLiteral("preset"));
        QTRY_COMPARE(box->currentText(), QStringLiteral("This tensor"));
        kernels::SyntheticSpec spec;
        spec.dims = {50, 40, 30};
        spec.entries = 2000;
        spec.rank = 2;
        m_gui->session.generate(spec, QStringLiteral("mine"));
        QTRY_VERIFY_WITH_TIMEOUT(m_gui->session.tensors().size() == 2 && form->isReady(), 20'000);
        QCOMPARE(box->currentText(), QStringLiteral("Defaults"));
        QCOMPARE(form->config().stopping, kernels::StoppingRules{});
        QCOMPARE(form->config().ranks, std::vector<unsigned>{16});
        m_gui->window.workspace()->setCurrentTensor(m_gui->session.tensors().front()->id); // which still has its own
        QTRY_COMPARE(box->currentText(), QStringLiteral("This tensor"));
        QCOMPARE(form->config().stopping.iterations, std::uint64_t{20000});
    }

    /// To who fits all cells a held-out entry would be a zero.
    void nothingIsHeldOutForAllCells()
    {
        auto* form = m_gui->window.runForm();
        auto* algorithm = form->findChild<QComboBox*>(QStringLiteral("algorithm"));
        auto* split = form->findChild<QLineEdit*>(QStringLiteral("test-split"));
        algorithm->setCurrentIndex(algorithm->findData(QStringLiteral("fasttucker")));
        split->setText(QStringLiteral("10 %"));
        algorithm->setCurrentIndex(algorithm->findData(QStringLiteral("cp-als")));
        QCOMPARE(split->text(), QStringLiteral("0 %"));
        QVERIFY(form->config().split.kind == kernels::SplitKind::None);
        algorithm->setCurrentIndex(algorithm->findData(QStringLiteral("fasttucker")));
        QCOMPARE(split->text(), QStringLiteral("10 %"));
    }

    void aVariantBringsTheFormatItNeeds()
    {
        QVERIFY(m_gui->openSample() && m_gui->chooseCpu());
        ui::RunForm* form = m_gui->window.runForm();
        auto* algorithm = form->findChild<QComboBox*>(QStringLiteral("algorithm"));
        algorithm->setCurrentIndex(algorithm->findData(QStringLiteral("fastertucker")));
        auto* variant = form->findChild<QComboBox*>(QStringLiteral("variant"));
        for (const auto& [id, format] : {std::pair("full", "bcsf"), std::pair("coo", "coo"), std::pair("bcsf-reuse", "bcsf")}) {
            const int row = variant->findData(QString::fromLatin1(id));
            QVERIFY(variant->model()->flags(variant->model()->index(row, 0)) & Qt::ItemIsEnabled);
            variant->setCurrentIndex(row);
            QTRY_COMPARE(form->config().format, std::string(format));
            QTRY_VERIFY2(form->isReady(), qPrintable(form->problem()));
        }
    }

    void aGpuIsProposedWhereThereIsOne()
    {
        QTRY_VERIFY_WITH_TIMEOUT(m_gui->session.areDevicesListed(), 20'000);
        const bool gpu = m_gui->session.devices().size() > 1;
        QCOMPARE(m_gui->window.runForm()->device().kind, gpu ? kernels::DeviceKind::Cuda : kernels::DeviceKind::Cpu);
    }

    void aTensorWithItsOwnTestPartIsTestedOnIt()
    {
        m_gui->session.generatePreset(QStringLiteral("netflix-like"), 0.02, 1);
        ui::RunForm* form = m_gui->window.runForm();
        QTRY_VERIFY_WITH_TIMEOUT(m_gui->session.tensors().size() == 1 && form->isReady(), 60'000);
        QVERIFY(m_gui->session.tensors().front()->hasTestPart() && m_gui->chooseCpu());
        auto* part = form->findChild<QComboBox*>(QStringLiteral("test-part"));
        QVERIFY(part->isVisible() && !form->findChild<QLineEdit*>(QStringLiteral("test-split"))->isVisible());
        for (const kernels::SplitKind kind : {kernels::SplitKind::Random, kernels::SplitKind::File}) {
            kernels::RunConfig config = form->config();
            config.ranks = {4};
            config.stopping.iterations = 2;
            config.split.kind = kind;
            form->setConfig(config);
            QCOMPARE(part->currentText(), QStringLiteral("Its own"));
            app::Run* run = m_gui->startWithForm();
            QVERIFY2(run, qPrintable(form->problem()));
            QTRY_COMPARE_WITH_TIMEOUT(run->state(), RunState::Finished, 60'000);
            QCOMPARE(run->config().split, (kernels::SplitConfig{kernels::SplitKind::File, 0.1, {}}));
            QVERIFY(std::isfinite(run->history().back().testRmse) && std::isfinite(run->history().back().trainRmse));
        }
        part->setCurrentIndex(part->findText(QStringLiteral("None")));
        QCOMPARE(form->config().split.kind, kernels::SplitKind::None);
    }

    void aTestFileSurvivesTheForm()
    {
        QVERIFY(m_gui->openSample());
        kernels::RunConfig config = m_gui->window.runForm()->config();
        config.split = {kernels::SplitKind::File, 0.1, "some/test.tns"};
        m_gui->window.runForm()->setConfig(config);
        QCOMPARE(m_gui->window.runForm()->config().split, config.split);
        config.split = {kernels::SplitKind::Random, 0.25, {}};
        m_gui->window.runForm()->setConfig(config);
        QCOMPARE(m_gui->window.runForm()->config().split, config.split);
    }

    void whatHasNoEffectIsOffAndLeftOut()
    {
        QVERIFY(m_gui->openSample());
        ui::RunForm* form = m_gui->window.runForm();
        auto* order = form->findChild<QComboBox*>(QStringLiteral("parameter-entry-order"));
        auto* mode = form->findChild<QLineEdit*>(QStringLiteral("parameter-sort-mode"));
        QTRY_VERIFY(!mode->isEnabled());
        QVERIFY2(mode->toolTip().contains(QStringLiteral("choose entry-order=sorted")), qPrintable(mode->toolTip()));
        order->setCurrentText(QStringLiteral("sorted"));
        QTRY_VERIFY(mode->isEnabled());
        mode->setText(QStringLiteral("3"));
        QCOMPARE(kernels::toString(form->config().parameters.at("sort-mode")), std::string("3"));
        order->setCurrentText(QStringLiteral("auto"));
        QTRY_VERIFY(!mode->isEnabled());
        QVERIFY(!form->config().parameters.contains("sort-mode"));
        QTRY_VERIFY2(form->isReady(), qPrintable(form->problem()));
    }

    void aModelToStartFromIsChosenInTheForm()
    {
        QVERIFY(m_gui->openSample());
        ui::RunForm* form = m_gui->window.runForm();
        auto* algorithm = form->findChild<QComboBox*>(QStringLiteral("algorithm"));
        algorithm->setCurrentIndex(algorithm->findData(QStringLiteral("cp-als")));
        kernels::RunConfig config = form->config();
        config.ranks = {2};
        config.stopping.iterations = 2;
        form->setConfig(config);
        m_gui->click(form->findChild<QToolButton*>(QStringLiteral("fold")));
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete); // the fields before setConfig(), of the same names
        auto* start = form->findChild<QComboBox*>(QStringLiteral("parameter-start"));
        auto* line = form->findChild<QLineEdit*>(QStringLiteral("start-model"));
        QVERIFY(start->isVisible() && !line->isVisible());
        start->setCurrentText(QStringLiteral("model"));
        QTRY_VERIFY2(line->isVisible(), qPrintable(start->currentText()));
        QTRY_VERIFY2(!form->isReady(), qPrintable(form->problem()));
        QVERIFY2(form->problem().contains(QStringLiteral("needs its file")), qPrintable(form->problem()));
        const QString model = m_folder.filePath(QStringLiteral("start.ktensor"));
        QVERIFY(writeKtensor(model, *m_gui->session.tensors().front()));
        m_gui->click(m_gui->button(line->parentWidget(), QStringLiteral("Browse…")));
        auto* files = line->parentWidget()->findChild<QFileDialog*>();
        QVERIFY(files && files->fileMode() == QFileDialog::ExistingFile);
        Q_EMIT files->fileSelected(model);
        files->close();
        QCOMPARE(line->text(), model);
        QCOMPARE(form->config().init, model.toStdString());
        app::Run* run = m_gui->startWithForm();
        QVERIFY2(run, qPrintable(form->problem()));
        QTRY_COMPARE_WITH_TIMEOUT(run->state(), RunState::Finished, 60'000);
        QCOMPARE(run->config().init, model.toStdString());
        form->setConfig(run->config());
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        start = form->findChild<QComboBox*>(QStringLiteral("parameter-start"));
        QCOMPARE(line->text(), model);
        line->setText(model + QLatin1Char('x'));
        QTRY_VERIFY2(form->problem().contains(QStringLiteral("There is no file")), qPrintable(form->problem()));
        start->setCurrentText(QStringLiteral("random"));
        QTRY_VERIFY(!line->isVisible() && form->isReady());
        QCOMPARE(form->config().init, std::string("random"));
    }

    void aBadRankIsRefusedWhileItIsTyped()
    {
        QVERIFY(m_gui->openSample());
        auto* rank = m_gui->window.runForm()->findChild<QLineEdit*>(QStringLiteral("rank"));
        rank->selectAll();
        QTest::keyClicks(rank, QStringLiteral("16, x"));
        QTRY_VERIFY(!m_gui->startRun()->isEnabled());
        QVERIFY(!m_gui->window.runForm()->problem().isEmpty());
        QVERIFY(!m_gui->window.actions().start->isEnabled());
        rank->selectAll();
        QTest::keyClicks(rank, QStringLiteral("8"));
        QTRY_VERIFY(m_gui->startRun()->isEnabled());
    }

    /// Before the form has looked at what was typed: Start looks first.
    void startPressedAtOnceSaysWhatIsWrong()
    {
        QVERIFY(m_gui->openSample());
        auto* rank = m_gui->window.runForm()->findChild<QLineEdit*>(QStringLiteral("rank"));
        rank->selectAll();
        QTest::keyClicks(rank, QStringLiteral("16, x"));
        QVERIFY(m_gui->startRun()->isEnabled());
        m_gui->click(m_gui->startRun());
        QVERIFY(!m_gui->startRun()->isEnabled());
        QVERIFY(!m_gui->window.runForm()->problem().isEmpty());
        QVERIFY(m_gui->session.runs().empty());
    }

private:
    /// Of rank 2.
    static bool writeKtensor(const QString& path, const app::OpenTensor& tensor)
    {
        QByteArray text = "ktensor\n" + QByteArray::number(tensor.tensor.order()) + "\n", factors;
        for (const kernels::Index size : tensor.tensor.dims()) {
            text += QByteArray::number(size) + ' ';
            factors += "matrix\n2\n" + QByteArray::number(size) + " 2\n";
            for (kernels::Index row = 0; row < size; ++row)
                factors += QByteArray::number(0.1 + 0.01 * row) + ' ' + QByteArray::number(0.5 + 0.001 * (row % 7)) + '\n';
        }
        QFile file(path);
        return file.open(QIODevice::WriteOnly) && file.write(text + "\n2\n1 1\n" + factors) > 0;
    }
};

QTEST_MAIN(tst_run_form)
#include "tst_run_form.moc"
