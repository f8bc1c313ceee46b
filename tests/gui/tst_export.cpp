// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/file_checksum.h"
#include "app/tensor_source.h"
#include "gui/gui_driver.h"
#include "io/exports/export_model.h"
#include "io/file_format.h"
#include "io/model_file.h"

#include <QDir>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QSettings>
#include <QSignalSpy>
#include <QStandardItemModel>
#include <QStatusBar>
#include <QTemporaryDir>

#include <algorithm>
#include <memory>

using app::RunState;

/// The dialog Export by clicks and keys: every form there is, of runs and of tensors.
class tst_export : public QObject {
    Q_OBJECT

    PersonSettings m_settings;
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<GuiDriver> m_gui;

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        QSettings().setValue(QStringLiteral("exportFolder"), m_folder->path());
        m_gui = std::make_unique<GuiDriver>();
        QVERIFY(m_gui->shown() && m_gui->openSample());
    }
    void cleanup() { m_gui.reset(); }

    void everyKindOfModelIsWrittenOrSaysWhyNot_data()
    {
        QTest::addColumn<QString>("refusal");
        QTest::addColumn<QStringList>("files");
        QTest::newRow("h5") << QString() << QStringList{"flights-fasttuckerplus.h5"};
        QTest::newRow("npz") << QString() << QStringList{"flights-fasttuckerplus.npz"};
        QTest::newRow("csv") << QString() << QStringList{"core_factor_0.csv", "core_factor_1.csv", "core_factor_2.csv", "factor_0.csv",
                                                         "factor_1.csv",      "factor_2.csv",      "metrics.csv"};
        QTest::newRow("metrics") << QString() << QStringList{"flights-fasttuckerplus.csv"};
        QTest::newRow("ktensor") << "it holds cp models" << QStringList{};
        QTest::newRow("core") << QString()
                              << QStringList{"flights-fasttuckerplus.core.tensor", "flights-fasttuckerplus.factor_0.csv",
                                             "flights-fasttuckerplus.factor_1.csv", "flights-fasttuckerplus.factor_2.csv"};
        QTest::newRow("splatt") << "it holds cp models" << QStringList{};
        QCOMPARE(io::exportKinds().size(), std::size_t{7}); // a new one wants its row
    }
    void everyKindOfModelIsWrittenOrSaysWhyNot()
    {
        QFETCH(QString, refusal);
        QFETCH(QStringList, files);
        QVERIFY(finishedRun());
        const io::ExportKind& kind = io::exportKind(QTest::currentDataTag());
        ui::ExportDialog* dialog = open();
        QVERIFY(dialog);
        auto* forms = dialog->findChild<QComboBox*>(QStringLiteral("export-form"));
        const int row = forms->findText(QString::fromUtf8(kind.title));
        QVERIFY(row >= 0);
        const QStandardItem* item = qobject_cast<QStandardItemModel*>(forms->model())->item(row);
        QCOMPARE(item->isEnabled(), refusal.isEmpty());
        QVERIFY2(item->toolTip().contains(refusal.isEmpty() ? QString::fromUtf8(kind.purpose) : refusal), qPrintable(item->toolTip()));
        if (!refusal.isEmpty())
            return;
        choose(dialog, kind.title);
        QCOMPARE(forms->currentIndex(), row);
        QVERIFY(shows(dialog, QString::fromUtf8(kind.purpose)));
        const bool folder = kind.target == io::ExportKind::Target::Folder;
        const QString path = pathOf(dialog);
        QVERIFY(pressExport(dialog));
        QCOMPARE(QDir(folder ? path : m_folder->path()).entryList(QDir::Files), files);
        QVERIFY(statusBarSays(QStringLiteral("Wrote %1").arg(QFileInfo(path).fileName())));
    }

    void aTensorIsWrittenInAnyFormat_data()
    {
        QTest::addColumn<QString>("title");
        QTest::addColumn<bool>("keepsLabels");
        for (const io::FileFormat& format : io::fileFormats())
            if (format.write)
                QTest::addRow("%s", format.id.c_str()) << QString::fromStdString(format.title) << (format.id == "hdf5");
    }
    void aTensorIsWrittenInAnyFormat()
    {
        QFETCH(QString, title);
        QFETCH(bool, keepsLabels);
        ui::ExportDialog* dialog = open(); // without a run the tensor is what there is
        QVERIFY(dialog);
        choose(dialog, title);
        const QString path = pathOf(dialog);
        QCOMPARE(QFileInfo(path).completeBaseName().section(QLatin1Char('.'), 0, 0), QStringLiteral("flights"));
        QVERIFY(pressExport(dialog));
        kernels::Progress progress;
        const io::LoadedTensor read = io::readTensor(path.toStdString(), {}, progress);
        const kernels::SparseTensor& tensor = m_gui->session.tensors().front()->tensor;
        QCOMPARE(read.tensor.order(), tensor.order());
        const kernels::Count stored = read.tensor.entries() - read.report.explicitZeros; // dense forms store the zeros, too
        QVERIFY2(stored == tensor.entries() || read.tensor.entries() == tensor.entries(), qPrintable(QString::number(stored)));
        QCOMPARE(read.tensor.modes[0].labels.empty(), !keepsLabels);
        QTRY_COMPARE(m_gui->window.messageBar()->messages().isEmpty(), keepsLabels); // what is lost is said
    }

    void aRunThatWorksHasItsMetricsOnly()
    {
        app::Run* run = m_gui->startEndless();
        QVERIFY(run);
        QTRY_VERIFY_WITH_TIMEOUT(run->history().size() > 2, 20'000);
        ui::ExportDialog* dialog = open();
        QVERIFY(dialog);
        auto* forms = dialog->findChild<QComboBox*>(QStringLiteral("export-form"));
        QCOMPARE(forms->currentText(), QStringLiteral("Metrics"));
        for (int row = 0; row < forms->count(); ++row) {
            const QStandardItem* item = qobject_cast<QStandardItemModel*>(forms->model())->item(row);
            QCOMPARE(item->isEnabled(), row == forms->currentIndex() || item->text().startsWith(QStringLiteral("Report")));
            QVERIFY(item->isEnabled() || item->toolTip().contains(QStringLiteral("has finished or was stopped")));
        }
        const QString path = pathOf(dialog);
        QVERIFY(pressExport(dialog));
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly) && file.readAll().count('\n') > 3);
        run->stop();
    }

    void whatCannotBeWrittenIsSaidBefore()
    {
        QVERIFY(finishedRun());
        ui::ExportDialog* dialog = open();
        QVERIFY(dialog);
        auto* path = dialog->findChild<QLineEdit*>(QStringLiteral("export-path"));
        const QPushButton* write = m_gui->button(dialog, QStringLiteral("Export"));
        QVERIFY(write->isEnabled());
        path->setText(m_folder->filePath(QStringLiteral("no/such/model.h5")));
        QVERIFY(!write->isEnabled() && shows(dialog, QStringLiteral("does not exist")));
        path->setText(m_folder->path());
        QVERIFY(!write->isEnabled() && shows(dialog, QStringLiteral("a file is needed")));
        path->clear();
        QVERIFY(!write->isEnabled() && shows(dialog, QStringLiteral("A name is missing")));
        auto* source = dialog->findChild<QComboBox*>(QStringLiteral("export-source"));
        source->setFocus();
        QTest::keyClick(source, Qt::Key_Down); // from the run to the tensor
        QVERIFY(write->isEnabled());
        path->setText(m_folder->filePath(QStringLiteral("flights.docx")));
        QVERIFY(!write->isEnabled() && shows(dialog, QStringLiteral("The name has to end in .tns")));
        QTest::keyClick(dialog, Qt::Key_Escape);
        QTRY_VERIFY(!m_gui->window.findChild<ui::ExportDialog*>());
    }

    /// What the file dialog offers is what the combo box has, and picking there is picking here.
    void browsingPicksNameAndForm()
    {
        QVERIFY(finishedRun());
        ui::ExportDialog* dialog = open();
        QVERIFY(dialog);
        m_gui->click(m_gui->button(dialog, QStringLiteral("Browse…")));
        auto* files = dialog->findChild<QFileDialog*>();
        QVERIFY(files && QTest::qWaitForWindowExposed(files));
        const QStringList filters = files->nameFilters();
        QCOMPARE(filters.size(), 6); // no folders, and nothing for cp models
        QVERIFY2(filters.contains(QStringLiteral("NumPy archive: Factors with their labels, core and settings for numpy.load. (*.npz)")),
                 qPrintable(filters.join(QLatin1Char('\n'))));
        auto* kinds = files->findChild<QComboBox*>(QStringLiteral("fileTypeCombo"));
        QVERIFY(kinds);
        kinds->setFocus();
        QTest::keyClicks(kinds, QStringLiteral("NumPy"));
        auto* name = files->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"));
        name->setFocus();
        name->selectAll();
        QTest::keyClicks(name, QStringLiteral("mine"));
        QTest::keyClick(name, Qt::Key_Return);
        QTRY_COMPARE(pathOf(dialog), m_folder->filePath(QStringLiteral("mine.npz")));
        QCOMPARE(dialog->findChild<QComboBox*>(QStringLiteral("export-form"))->currentText(), QStringLiteral("NumPy archive"));
        QVERIFY(pressExport(dialog));
        QFile file(m_folder->filePath(QStringLiteral("mine.npz")));
        QVERIFY(file.open(QIODevice::ReadOnly) && file.read(2) == "PK");
    }

    void aReportOfOneRun_data()
    {
        QTest::addColumn<QString>("form");
        QTest::addColumn<QString>("ending");
        QTest::addColumn<QByteArray>("beginning");
        QTest::newRow("html") << "Report (HTML)"
                              << ".html" << QByteArray("<!DOCTYPE html>");
        QTest::newRow("pdf") << "Report (PDF)"
                             << ".pdf" << QByteArray("%PDF-");
    }
    void aReportOfOneRun()
    {
        QFETCH(QString, form);
        QFETCH(QString, ending);
        QFETCH(QByteArray, beginning);
        app::Run* const run = finishedRun();
        QVERIFY(run);
        run->setNote(QStringLiteral("the <best> so far"));
        ui::ExportDialog* dialog = open();
        QVERIFY(dialog);
        choose(dialog, form);
        const QString path = pathOf(dialog);
        QVERIFY2(path.endsWith(ending), qPrintable(path));
        QVERIFY(pressExport(dialog));
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray content = file.readAll();
        QVERIFY(content.startsWith(beginning));
        QVERIFY(content.size() > 5000);
        if (ending == QLatin1String(".html")) {
            QVERIFY(content.contains("the &lt;best&gt; so far"));
            QVERIFY(content.contains(run->command().toHtmlEscaped().toUtf8()));
            QCOMPARE(content.count("<svg "), 3);
        }
    }

    void allVisibleRunsGoIntoOneReportOrTable()
    {
        app::Run* const first = finishedRun();
        app::Run* const hidden = finishedRun();
        app::Run* const third = finishedRun();
        QVERIFY(first && hidden && third);
        hidden->setName(QStringLiteral("unseen"));
        third->setName(QStringLiteral("a, \"quoted\""));
        hidden->setVisible(false);
        QTest::keyClick(&m_gui->window, Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
        auto* dialog = m_gui->window.findChild<ui::ExportDialog*>();
        QVERIFY(dialog && QTest::qWaitForWindowExposed(dialog));
        QCOMPARE(dialog->findChild<QComboBox*>(QStringLiteral("export-source"))->currentText(), QStringLiteral("All visible runs · 2"));
        QCOMPARE(dialog->findChild<QComboBox*>(QStringLiteral("export-form"))->currentText(), QStringLiteral("Report (HTML)"));
        QString path = pathOf(dialog);
        QCOMPARE(QFileInfo(path).fileName(), QStringLiteral("flights-runs.html"));
        QVERIFY(pressExport(dialog));
        QFile report(path);
        QVERIFY(report.open(QIODevice::ReadOnly));
        const QByteArray page = report.readAll();
        QVERIFY(page.contains("Comparison of 2 runs") && page.contains("a, &quot;quoted&quot;") && !page.contains("unseen"));

        QTRY_VERIFY(!m_gui->window.findChild<ui::ExportDialog*>());
        m_gui->window.actions().report->trigger();
        dialog = m_gui->window.findChild<ui::ExportDialog*>();
        QVERIFY(dialog && QTest::qWaitForWindowExposed(dialog));
        choose(dialog, QStringLiteral("Histories (CSV)"));
        path = pathOf(dialog);
        QVERIFY(pressExport(dialog));
        QFile table(path);
        QVERIFY(table.open(QIODevice::ReadOnly));
        const QList<QByteArray> lines = table.readAll().split('\n');
        QCOMPARE(lines.size(), 1 + 3 + 3 + 1);
        QVERIFY(lines[0].startsWith("run,iteration,"));
        QVERIFY2(lines[4].startsWith("\"a, \"\"quoted\"\"\",1,"), lines[4]);
    }

    /// The model of an input whose checksum takes many seconds: of a hole.
    void aLongExportCanBeCancelled()
    {
        QFile input(m_folder->filePath(QStringLiteral("large.tns")));
        QVERIFY(input.open(QIODevice::WriteOnly) && input.resize(qint64{64} << 30));
        input.close();
        kernels::Progress progress;
        kernels::SyntheticSpec spec;
        spec.dims = {20, 15, 10};
        spec.entries = 1000;
        const auto planted = app::openSynthetic(spec, "large", app::Statistics::Compute, progress);
        planted->path = input.fileName();
        planted->checksum = std::make_shared<app::FileChecksum>(input.fileName().toStdString());
        kernels::RunConfig config;
        config.ranks = {4};
        config.stopping.iterations = 3;
        const app::Run* run = m_gui->session.start(config, planted);
        QTRY_COMPARE_WITH_TIMEOUT(run->state(), RunState::Finished, 20'000);

        ui::ExportDialog* dialog = open();
        QVERIFY(dialog);
        choose(dialog, QStringLiteral("Polyad model"));
        const QString name = QFileInfo(pathOf(dialog)).fileName();
        QSignalSpy cancelled(&m_gui->session, &app::Session::exportCancelled);
        QPushButton* cancel = m_gui->button(m_gui->window.statusBar(), QStringLiteral("Cancel"));
        QVERIFY(cancel && !cancel->isVisible());
        m_gui->click(m_gui->button(dialog, QStringLiteral("Export")));
        QTRY_VERIFY(cancel->isVisible());
        QVERIFY(statusBarSays(QStringLiteral("Writing %1").arg(name)));
        m_gui->click(cancel);
        QTRY_COMPARE(cancelled.count(), 1);
        QVERIFY(statusBarSays(QStringLiteral("Cancelled %1").arg(name)));
        QVERIFY(!cancel->isVisible());
        QCOMPARE(QDir(m_folder->path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot), QStringList{"large.tns"});
        QVERIFY(m_gui->window.messageBar()->messages().isEmpty());
    }

private:
    app::Run* finishedRun()
    {
        m_gui->window.runForm()->findChild<QLineEdit*>(QStringLiteral("rank"))->setText(QStringLiteral("4"));
        m_gui->window.runForm()->findChild<QLineEdit*>(QStringLiteral("core-rank"))->clear();
        m_gui->window.runForm()->findChild<QLineEdit*>(QStringLiteral("iterations"))->setText(QStringLiteral("3"));
        app::Run* run = m_gui->startWithForm();
        return run && QTest::qWaitFor([run] { return run->state() == RunState::Finished; }, 20'000) ? run : nullptr;
    }

    ui::ExportDialog* open() const
    {
        m_gui->click(m_gui->toolButton(m_gui->window.actions().exportAs));
        auto* dialog = m_gui->window.findChild<ui::ExportDialog*>();
        return dialog && QTest::qWaitForWindowExposed(dialog) ? dialog : nullptr;
    }

    /// As a person types the beginning of a name into the list.
    static void choose(const ui::ExportDialog* dialog, const QString& title)
    {
        auto* forms = dialog->findChild<QComboBox*>(QStringLiteral("export-form"));
        forms->setFocus();
        QTest::keyClick(forms, Qt::Key_Home);
        for (int i = 0; i < forms->count() && forms->currentText() != title; ++i)
            QTest::keyClick(forms, Qt::Key_Down);
    }

    static QString pathOf(const ui::ExportDialog* dialog) { return dialog->findChild<QLineEdit*>(QStringLiteral("export-path"))->text(); }

    static bool shows(const ui::ExportDialog* dialog, const QString& text)
    {
        const auto labels = dialog->findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) { return label->text().contains(text); });
    }

    bool statusBarSays(const QString& text) const
    {
        const auto labels = m_gui->window.findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) { return label->text() == text; });
    }

    /// Whether the export ended well.
    bool pressExport(const ui::ExportDialog* dialog) const
    {
        QSignalSpy finished(&m_gui->session, &app::Session::exportFinished);
        QSignalSpy failed(&m_gui->session, &app::Session::exportFailed);
        m_gui->click(m_gui->button(dialog, QStringLiteral("Export")));
        return QTest::qWaitFor([&] { return finished.count() + failed.count() > 0; }, 20'000) && failed.isEmpty();
    }
};

QTEST_MAIN(tst_export)
#include "tst_export.moc"
