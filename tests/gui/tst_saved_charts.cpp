// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/gui_driver.h"
#include "ui/pages/compare_page.h"
#include "ui/pages/factors_page.h"
#include "ui/pages/predict_page.h"

#include <QDir>
#include <QFileDialog>
#include <QLineEdit>
#include <QMenu>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QTimer>
#include <QToolButton>

#include <memory>

namespace {

constexpr int patience = 60000; // ms

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

/// The save menu of every chart of the window, by clicks and keys.
class TestSavedCharts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_gui = std::make_unique<GuiDriver>();
        QVERIFY(m_gui->shown() && m_gui->openSample());
        for (const char* algorithm : {"fasttucker-plus", "cp-als"}) {
            kernels::RunConfig config;
            config.algorithm = algorithm;
            config.devices = {{kernels::DeviceKind::Cpu, 0}};
            config.ranks = {4};
            config.stopping.iterations = 6;
            m_gui->session.start(config, m_gui->session.tensors().front());
        }
        QTRY_VERIFY_WITH_TIMEOUT(!m_gui->session.hasActiveRuns(), patience);
    }
    void cleanup() { m_gui.reset(); }

    void everyChartIsSavedInEveryKind_data()
    {
        QTest::addColumn<int>("page");
        QTest::addColumn<int>("charts"); // that can be saved there
        QTest::newRow("data") << static_cast<int>(ui::MainWindow::DataTab) << 2;
        QTest::newRow("convergence") << static_cast<int>(ui::MainWindow::ConvergenceTab) << 5;
        QTest::newRow("compare") << static_cast<int>(ui::MainWindow::CompareTab) << 3;
        QTest::newRow("heat map") << static_cast<int>(ui::MainWindow::FactorsTab) << 1;
        QTest::newRow("residuals") << static_cast<int>(ui::MainWindow::PredictTab) << 4;
    }
    void everyChartIsSavedInEveryKind()
    {
        QFETCH(int, page);
        QFETCH(int, charts);
        m_gui->window.showPage(static_cast<ui::MainWindow::Page>(page));
        if (page == ui::MainWindow::FactorsTab)
            m_gui->window.factorsPage()->viewSwitch()->setCurrent(ui::FactorsPage::HeatMaps);
        if (page == ui::MainWindow::PredictTab)
            m_gui->window.predictPage()->showView(ui::PredictPage::ResidualTab);
        std::vector<QToolButton*> buttons;
        QTRY_COMPARE_WITH_TIMEOUT((buttons = saveButtons()).size(), static_cast<std::size_t>(charts), patience);
        QTest::qWait(500); // what a page computes
        for (QToolButton* button : buttons) {
            int number = 0;
            for (const auto& [key, ending] : {std::pair(Qt::Key_I, "png"), {Qt::Key_D, "svg"}, {Qt::Key_O, "pdf"}, {Qt::Key_N, "csv"}}) {
                const QString path = m_folder->filePath(QStringLiteral("%1.%2").arg(number++).arg(QLatin1String(ending)));
                QFile::remove(path);
                QVERIFY(choose(button, key, path));
                const QByteArray content = contentOf(path);
                const QString what = button->accessibleName() + QLatin1Char(' ') + QLatin1String(ending);
                if (QLatin1String(ending) == QLatin1String("png"))
                    QVERIFY2(QImage(path).width() > 300, qPrintable(what));
                else if (QLatin1String(ending) == QLatin1String("svg"))
                    QVERIFY2(QSvgRenderer(content).isValid() && content.count('<') > 10 && content.size() < 400'000,
                             qPrintable(what + QStringLiteral(" %1").arg(content.size())));
                else if (QLatin1String(ending) == QLatin1String("pdf"))
                    QVERIFY2(content.startsWith("%PDF") && content.size() > 1000, qPrintable(what));
                else
                    QVERIFY2(content.count('\n') > 1, qPrintable(what));
            }
        }
        QVERIFY(m_gui->window.messageBar()->messages().isEmpty());
    }

    void aFolderThatIsNotThereIsToldInTheWindow()
    {
        m_gui->window.showPage(ui::MainWindow::ConvergenceTab);
        const auto buttons = saveButtons();
        QVERIFY(!buttons.empty());
        const ui::Card* card = m_gui->window.convergencePage()->rmseCard();
        Q_EMIT const_cast<ui::Card*>(card)->saveFailed(card->save(m_folder->filePath(QStringLiteral("no/such.svg"))));
        const QStringList messages = m_gui->window.messageBar()->messages();
        QCOMPARE(messages.size(), 1);
        QVERIFY2(messages.first().contains(QStringLiteral("no")) && messages.first().endsWith(QLatin1Char('.')),
                 qPrintable(messages.first()));
    }

private:
    std::vector<QToolButton*> saveButtons() const
    {
        std::vector<QToolButton*> found;
        for (QToolButton* button : m_gui->window.findChildren<QToolButton*>())
            if (button->isVisible() && button->menu() && button->accessibleName().startsWith(QStringLiteral("Save ")))
                found.push_back(button);
        return found;
    }

    /// Opens the button's menu, presses the key there and types the path in the dialog that follows.
    bool choose(QToolButton* button, Qt::Key key, const QString& path)
    {
        QTimer::singleShot(0, button, [button, key] { QTest::keyClick(button->menu(), key); });
        QTest::mouseClick(button, Qt::LeftButton); // until the menu has gone
        QFileDialog* dialog = nullptr;
        if (!QTest::qWaitFor([&] { return (dialog = m_gui->window.findChild<QFileDialog*>()) != nullptr; }, 5000))
            return false;
        dialog->findChild<QLineEdit*>()->setText(path);
        QTest::keyClick(dialog->findChild<QLineEdit*>(), Qt::Key_Return);
        return QTest::qWaitFor([&] { return QFile::exists(path) && !m_gui->window.findChild<QFileDialog*>(); }, 10'000);
    }

    PersonSettings m_settings;
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<GuiDriver> m_gui;
};

QTEST_MAIN(TestSavedCharts)
#include "tst_saved_charts.moc"
