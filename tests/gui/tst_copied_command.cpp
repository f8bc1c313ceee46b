// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/gui_driver.h"
#include "io/model_file.h"
#include "kernels/base/registry.h"
#include "support/checkpoints.h"

#include <QClipboard>
#include <QProcess>
#include <QTemporaryDir>

#include <memory>

namespace {

constexpr int patience = 60000; // ms

/// Types the command in a shell that finds this build's program, in an empty folder.
QByteArray typed(const QString& command, const QString& folder)
{
    QProcess shell;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("PATH"),
                       QCoreApplication::applicationDirPath() + QStringLiteral("/../bin:") + environment.value(QStringLiteral("PATH")));
    shell.setProcessEnvironment(environment);
    shell.setWorkingDirectory(folder);
    shell.setProcessChannelMode(QProcess::MergedChannels);
    shell.start(QStringLiteral("sh"), {QStringLiteral("-c"), command});
    if (!shell.waitForFinished(patience))
        shell.kill();
    return shell.exitStatus() == QProcess::NormalExit && shell.exitCode() == 0 ? QByteArray() : shell.readAll() + " (failed)";
}

} // namespace

/// A command that is copied from the window and typed in a shell is the run once more: the same bits where it is deterministic.
class TestCopiedCommand : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_gui = std::make_unique<GuiDriver>();
        QVERIFY(m_gui->shown() && m_gui->openSample());
    }
    void cleanup() { m_gui.reset(); }

    void everyVariantRepeatsItsNumbers_data()
    {
        QTest::addColumn<QString>("algorithm");
        QTest::addColumn<QString>("variant");
        for (const kernels::AlgorithmInfo& info : kernels::algorithms())
            for (const kernels::AlgorithmVariant& variant : info.variants)
                QTest::addRow("%s %s", info.id.c_str(), variant.id.c_str())
                    << QString::fromStdString(info.id) << QString::fromStdString(variant.id);
    }
    void everyVariantRepeatsItsNumbers()
    {
        QFETCH(QString, algorithm);
        QFETCH(QString, variant);
        kernels::RunConfig config;
        config.algorithm = algorithm.toStdString();
        config.variant = variant.toStdString();
        config.devices = {{kernels::DeviceKind::Cpu, 0}};
        config.ranks = {5};
        config.seed = 7;
        config.format = kernels::algorithm(config.algorithm).formatFor(config.variant);
        config.deterministic = true;
        config.stopping.iterations = 4;
        config.stopping.tolerance = 0;
        repeats(config);
    }

    void oddSettingsAreInTheCommand()
    {
        kernels::RunConfig config;
        config.algorithm = "fasttucker-plus";
        config.devices = {{kernels::DeviceKind::Cpu, 0}};
        config.ranks = {4, 6, 3};
        config.coreRank = 5;
        config.precision = kernels::Precision::Fp64;
        config.threads = 1;
        config.deterministic = true;
        config.split.testFraction = 0.2;
        config.stopping.iterations = 6;
        config.stopping.tolerance = 1e-9;
        config.stopping.patience = 2;
        repeats(config);
    }

    void aContinuedRunIsRepeatedAsAWhole()
    {
        kernels::RunConfig config;
        config.devices = {{kernels::DeviceKind::Cpu, 0}};
        config.ranks = {4};
        config.deterministic = true;
        config.stopping.iterations = 3;
        config.stopping.tolerance = 0;
        app::Run* const run = m_gui->session.start(config, m_gui->session.tensors().front());
        QTRY_VERIFY_WITH_TIMEOUT(!run->isActive(), patience);
        config.stopping.iterations = 8;
        m_gui->session.continueRun(run, config.stopping);
        QTRY_VERIFY_WITH_TIMEOUT(!run->isActive(), patience);
        repeatIt(run);
    }

private:
    void repeats(const kernels::RunConfig& config)
    {
        app::Run* const run = m_gui->session.start(config, m_gui->session.tensors().front());
        QTRY_VERIFY_WITH_TIMEOUT(!run->isActive(), patience);
        QVERIFY2(run->outcome() && run->error().isEmpty(), qPrintable(run->error()));
        repeatIt(run);
    }

    void repeatIt(const app::Run* run)
    {
        m_gui->window.workspace()->setCurrentRun(run->id());
        m_gui->window.actions().copyRunCommand->trigger();
        const QString command = QApplication::clipboard()->text();
        QVERIFY2(command.startsWith(QStringLiteral("polyad-cli run ")), qPrintable(command));
        const QByteArray trouble = typed(command + QStringLiteral(" --output again.h5"), m_folder->path());
        QVERIFY2(trouble.isEmpty(), (command.toUtf8() + "\n" + trouble).constData());
        const io::ModelFile again = io::readModel(m_folder->filePath(QStringLiteral("again.h5")).toStdString());
        kernels::RunResult repeated = run->outcome()->result;
        repeated.history = again.history;
        repeated.best = again.model;
        repeated.bestIteration = again.bestIteration;
        const std::string differing = test::difference(run->outcome()->result, repeated);
        QVERIFY2(differing.empty(), (differing + "\n" + command.toStdString()).c_str());
    }

    PersonSettings m_settings;
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<GuiDriver> m_gui;
};

QTEST_MAIN(TestCopiedCommand)
#include "tst_copied_command.moc"
