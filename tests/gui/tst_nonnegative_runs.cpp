// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/gui_driver.h"

#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QTemporaryDir>

#include <cmath>
#include <memory>

using app::RunState;

/// Runs without negative numbers: what the form advises, and the divergence's chart.
class tst_nonnegative_runs : public QObject {
    Q_OBJECT

    PersonSettings m_settings;
    QTemporaryDir m_folder;
    std::unique_ptr<GuiDriver> m_gui;

    ui::RunForm* form() const { return m_gui->window.runForm(); }
    QLabel* advice() const { return form()->findChild<QLabel*>(QStringLiteral("advice")); }
    QComboBox* box(const char* name) const { return form()->findChild<QComboBox*>(QLatin1String(name)); }
    void choose(const char* name, const char* choice) const
    {
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        QComboBox* const list = box(name);
        QVERIFY(list);
        const int byData = list->findData(QLatin1String(choice));
        list->setCurrentIndex(byData >= 0 ? byData : list->findText(QLatin1String(choice)));
        QCOMPARE(byData >= 0 ? list->currentData().toString() : list->currentText(), QLatin1String(choice));
    }
    app::Run* finished() const
    {
        for (const auto& [field, text] : {std::pair{"iterations", "6"}, {"tolerance", "0"}})
            form()->findChild<QLineEdit*>(QLatin1String(field))->setText(QLatin1String(text));
        app::Run* run = m_gui->startWithForm();
        return run && QTest::qWaitFor([run] { return run->state() == RunState::Finished; }, 20'000) ? run : nullptr;
    }
    static std::string divergenceOf(const kernels::RunConfig& config) { return std::get<std::string>(config.parameters.at("divergence")); }

    bool open(const char* name, const QByteArray& text) const
    {
        const QString path = m_folder.filePath(QLatin1String(name));
        QFile file(path);
        const std::size_t before = m_gui->session.tensors().size();
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
            return false;
        file.close();
        m_gui->window.openFiles({path});
        return QTest::qWaitFor([&] { return m_gui->session.tensors().size() == before + 1; }, 10'000);
    }

private Q_SLOTS:
    void init()
    {
        m_gui = std::make_unique<GuiDriver>();
        QVERIFY(m_gui->shown() && m_gui->openSample());
    }
    void cleanup() { m_gui.reset(); }

    void theFormSaysWhatTheValuesAskFor()
    {
        QVERIFY(!advice()->isVisible());
        choose("algorithm", "ntf");
        QTRY_VERIFY(advice()->isVisible());
        QTRY_COMPARE(advice()->text(),
                     QStringLiteral("Automatic takes Kullback-Leibler: the values are whole numbers that vary as counts do."));
        choose("parameter-divergence", "euclidean");
        QTRY_VERIFY2(advice()->text().startsWith(QStringLiteral("Kullback-Leibler would suit this tensor: ")),
                     qPrintable(advice()->text()));
        choose("parameter-divergence", "kl");
        QTRY_VERIFY2(advice()->text().startsWith(QStringLiteral("Kullback-Leibler suits this tensor: ")), qPrintable(advice()->text()));
        choose("algorithm", "fasttucker");
        QTRY_VERIFY(!advice()->isVisible());
    }

    void valuesThatCannotBeFollowedAreToldBeforeTheStart()
    {
        QVERIFY(open("signs.tns", "1 1 0.5\n2 2 -0.25\n2 1 3\n"));
        choose("algorithm", "ntf");
        QTRY_VERIFY(!form()->isReady());
        QVERIFY2(form()->problem().contains(QStringLiteral("takes no values below 0")), qPrintable(form()->problem()));
        QVERIFY2(form()->problem().contains(QStringLiteral("0.25")), qPrintable(form()->problem()));
        QVERIFY(!advice()->isVisible());
        choose("algorithm", "cp-als");
        QTRY_VERIFY(form()->isReady());
        QVERIFY(open("zeros.tns", "1 1 0.5\n2 2 0\n2 1 3\n"));
        choose("algorithm", "ntf");
        QTRY_VERIFY(form()->isReady());
        choose("parameter-divergence", "is");
        QTRY_VERIFY(!form()->isReady());
        QVERIFY2(form()->problem().startsWith(QStringLiteral("Itakura-Saito takes no zeros")), qPrintable(form()->problem()));
    }

    /// What was left to the values has its name from then on, and its chart is there while such a run is.
    void aRunIsRecordedByItsDivergence()
    {
        ui::ConvergencePage* const page = m_gui->window.convergencePage();
        choose("algorithm", "fasttucker");
        QVERIFY(finished());
        QTRY_VERIFY(page->rmseChart()->isVisible());
        QVERIFY(!page->divergenceCard()->isVisible());
        choose("algorithm", "ntf");
        app::Run* const run = finished();
        QVERIFY(run);
        QCOMPARE(divergenceOf(run->config()), std::string("kl"));
        QCOMPARE(divergenceOf(run->outcome()->result.config), std::string("kl"));
        QVERIFY2(run->command().contains(QStringLiteral("divergence=kl")), qPrintable(run->command()));
        QVERIFY(std::isfinite(run->history().back().divergence) && std::isfinite(run->history().back().testDivergence));
        QVERIFY(run->history().back().testDivergence > run->history().back().divergence);
        QTRY_VERIFY(page->divergenceCard()->isVisible());
        choose("parameter-divergence", "euclidean");
        QVERIFY(finished());
        run->setVisible(false);
        QTest::qWait(250); // charts follow within 100 ms
        QVERIFY(page->divergenceCard()->isVisible());
        for (app::Run* each : m_gui->session.runs())
            each->setVisible(each->config().algorithm != "ntf");
        QTRY_VERIFY(!page->divergenceCard()->isVisible());
    }
};

QTEST_MAIN(tst_nonnegative_runs)
#include "tst_nonnegative_runs.moc"
