// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/gui_driver.h"
#include "ui/models/run_edits.h"

#include <QFile>
#include <QLineEdit>
#include <QTemporaryDir>
#include <QUndoStack>

#include <algorithm>
#include <malloc.h>
#include <memory>
#include <unistd.h>

/// A hundred short runs one after the other, each looked at and removed: what the program holds stays the same.
class tst_soak : public QObject {
    Q_OBJECT

    PersonSettings m_settings;
    QTemporaryDir m_folder;

    /// Resident, in KiB, after what is free was given back to the system.
    static long residentKib()
    {
        malloc_trim(0);
        QFile file(QStringLiteral("/proc/self/statm"));
        if (!file.open(QIODevice::ReadOnly))
            return -1;
        return file.readAll().split(' ').at(1).toLong() * sysconf(_SC_PAGESIZE) / 1024;
    }

    static bool runAndRemove(GuiDriver& gui, int number, std::weak_ptr<const app::RunOutcome>& model)
    {
        auto* rank = gui.window.runForm()->findChild<QLineEdit*>(QStringLiteral("rank"));
        rank->setText(QString::number(4 + number % 3));
        app::Run* run = gui.startWithForm();
        if (!run || !QTest::qWaitFor([run] { return !run->isActive(); }, 20'000) || run->state() != app::RunState::Finished)
            return false;
        model = run->outcome();
        QTest::keyClick(&gui.window, static_cast<Qt::Key>(Qt::Key_1 + number % 5), Qt::AltModifier); // every page takes its turn
        QTest::qWait(number % 5 >= 3 ? 250 : 120);
        gui.window.workspace()->setCurrentRun(run->id());
        gui.window.actions().remove->trigger();
        const bool removed = QTest::qWaitFor([&gui] { return gui.session.runs().empty(); }, 5000);
        gui.window.edits()->stack()->clear(); // which would bring back a hundred of them
        return removed;
    }

private Q_SLOTS:
    void memoryStaysFlatOverAHundredRuns()
    {
        GuiDriver gui;
        QVERIFY(gui.shown() && gui.openSample());
        kernels::RunConfig config = gui.window.runForm()->config();
        config.stopping.iterations = 5;
        config.stopping.tolerance = 0;
        config.coreRank = 0;
        gui.window.runForm()->setConfig(config);
        gui.session.keepRunsIn(m_folder.filePath(QStringLiteral("kept")), 0.01);

        constexpr int warmUp = 20, runs = 100, part = 25;
        std::vector<long> resident;
        std::vector<std::weak_ptr<const app::RunOutcome>> models(warmUp + runs);
        for (int number = 0; number < warmUp + runs; ++number) {
            QVERIFY2(runAndRemove(gui, number, models[static_cast<std::size_t>(number)]), qPrintable(QString::number(number)));
            if (number + 1 >= warmUp && (number + 1 - warmUp) % part == 0)
                resident.push_back(residentKib());
        }
        QString told;
        for (const long each : resident)
            told += QStringLiteral(" %1").arg(each);
        qInfo("resident KiB after %d, then every %d runs:%s", warmUp, part, qPrintable(told));
        // A leaked model, history or window part comes in every part; caches of glyphs and a thread's first arena come once,
        // some MiB at a time and whenever they like. So two of the four parts must show next to none, whichever they are.
        std::vector<long> growth;
        for (std::size_t k = 1; k < resident.size(); ++k)
            growth.push_back(resident[k] - resident[k - 1]);
        std::ranges::sort(growth);
        const double perRun = static_cast<double>(growth[1]) / part;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // they keep what was freed
        QVERIFY2(perRun < allowedKibPerRun, qPrintable(QStringLiteral("%1 KiB a run:%2").arg(perRun).arg(told)));
#else
        Q_UNUSED(perRun)
#endif

        // Pages drop what they show of a run that has gone as soon as they are looked at.
        for (int page = 1; page <= 5; ++page) {
            QTest::keyClick(&gui.window, static_cast<Qt::Key>(Qt::Key_0 + page), Qt::AltModifier);
            QTest::qWait(150);
        }
        const auto alive = std::count_if(models.begin(), models.end(), [](const auto& model) { return !model.expired(); });
        QCOMPARE(static_cast<int>(alive), 0);
        QTRY_VERIFY(gui.window.findChildren<app::Run*>().isEmpty() && gui.session.findChildren<app::Run*>().isEmpty());
    }

private:
    static constexpr double allowedKibPerRun = 20;
};

QTEST_MAIN(tst_soak)
#include "tst_soak.moc"
