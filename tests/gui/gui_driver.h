// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session.h"
#include "gui/long_run.h"
#include "gui/person_settings.h"
#include "ui/dialogs/export_dialog.h"
#include "ui/main_window.h"
#include "ui/models/tensor_list_model.h"
#include "ui/pages/convergence_page.h"
#include "ui/panels/list_delegates.h"
#include "ui/panels/run_form.h"
#include "ui/panels/workspace_panel.h"
#include "ui/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/segmented_control.h"
#include "ui/widgets/trace_chart.h"

#include <QAbstractItemModelTester>
#include <QAbstractItemView>
#include <QAbstractScrollArea>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDragEnterEvent>
#include <QListView>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QPushButton>
#include <QTest>
#include <QToolBar>
#include <QUrl>

#include <functional>
#include <vector>

/// The window as a person handles it: by clicks and keys on what is shown.
struct GuiDriver {
    app::Session session;
    ui::MainWindow window{session};

    enum class Checks { ModelTests, NoModelTests };

    explicit GuiDriver(Checks checks = Checks::ModelTests)
    {
        if (checks == Checks::ModelTests)
            testModels();
        window.resize(1440, 900);
        window.show();
        window.activateWindow();
    }

    /// Every model of ours that the window shows is checked at each of its changes; a mistake fails the test.
    void testModels()
    {
        for (const QAbstractItemView* view : window.findChildren<QAbstractItemView*>())
            if (view->model() && QByteArray(view->model()->metaObject()->className()).startsWith("ui::"))
                new QAbstractItemModelTester(view->model(), QAbstractItemModelTester::FailureReportingMode::QtTest, view->model());
    }

    /// Files dragged into the window and let go.
    void drop(const QStringList& paths)
    {
        QMimeData data;
        QList<QUrl> urls;
        for (const QString& path : paths)
            urls += QUrl::fromLocalFile(path);
        data.setUrls(urls);
        QDragEnterEvent enter(QPoint(700, 400), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window, &enter); // a drop goes to the widget that was entered
        QVERIFY(enter.isAccepted());
        QDropEvent dropped(QPointF(700, 400), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window, &dropped);
    }

    /// All that the menu bar leads to.
    std::vector<QAction*> menuActions() const
    {
        std::vector<QAction*> actions;
        const std::function<void(const QList<QAction*>&)> collect = [&](const QList<QAction*>& entries) {
            for (QAction* entry : entries)
                if (entry->menu())
                    collect(entry->menu()->actions());
                else if (!entry->isSeparator())
                    actions.push_back(entry);
        };
        collect(window.menuBar()->actions());
        return actions;
    }

    bool shown() { return QTest::qWaitForWindowExposed(&window); }

    QWidget* toolButton(QAction* action) const { return window.findChild<QToolBar*>()->widgetForAction(action); }
    void click(QWidget* widget) const { QTest::mouseClick(widget, Qt::LeftButton); }

    QWidget* welcomeCard(const char* name) const
    {
        for (QFrame* card : window.findChildren<QFrame*>(QStringLiteral("welcomeCard")))
            if (card->property("action").toString() == QLatin1String(name))
                return card;
        return nullptr;
    }

    QPushButton* button(const QWidget* within, const QString& text) const
    {
        for (QPushButton* each : within->findChildren<QPushButton*>())
            if (each->text() == text)
                return each;
        return nullptr;
    }

    QPushButton* startRun() const { return button(window.runForm(), QStringLiteral("Start run")); }
    QWidget* viewport(const ui::TraceChart* chart) const { return chart->findChild<QAbstractScrollArea*>()->viewport(); }
    ui::TraceChart* rmse() const { return window.convergencePage()->rmseChart(); }
    ui::TraceChart* mae() const { return window.convergencePage()->maeChart(); }

    /// Opens the sample, or a file, and waits until a run could start.
    bool openSampleAsItIs()
    {
        click(welcomeCard("sample"));
        return theFirstIsReady();
    }
    /// With a run to start that has a test error.
    bool openSample()
    {
        if (!openSampleAsItIs())
            return false;
        window.runForm()->setConfig(longRun());
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete); // the fields before, of the same names
        return QTest::qWaitFor([this] { return window.runForm()->settle(); }, 20'000);
    }
    bool openFirst(const QString& file)
    {
        window.openFiles({file});
        return theFirstIsReady();
    }
    bool theFirstIsReady() const
    {
        return QTest::qWaitFor([this] { return session.tensors().size() == 1 && window.runForm()->isReady(); }, 20'000) && chooseCpu();
    }

    /// What is tested must not depend on the GPUs of the machine it is tested on.
    bool chooseCpu() const
    {
        if (!QTest::qWaitFor([this] { return session.areDevicesListed(); }, 20'000)) // else a GPU might still be proposed
            return false;
        auto* device = window.runForm()->findChild<QComboBox*>(QStringLiteral("device"));
        device->setCurrentIndex(device->findData(QStringLiteral("cpu")));
        return window.runForm()->device().kind == kernels::DeviceKind::Cpu;
    }

    /// A run that ends only when told to.
    app::Run* startEndless()
    {
        kernels::RunConfig config = window.runForm()->config();
        config.stopping.iterations = 10'000'000;
        config.stopping.tolerance = 0;
        window.runForm()->setConfig(config);
        return startWithForm();
    }

    app::Run* startWithForm()
    {
        const std::size_t before = session.runs().size();
        if (!QTest::qWaitFor([this] { return window.runForm()->isReady() && startRun()->isEnabled(); }, 10'000))
            return nullptr;
        click(startRun());
        return session.runs().size() > before ? session.runs().back() : nullptr;
    }
};
