// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session.h"
#include "gui/long_run.h"
#include "ui/main_window.h"
#include "ui/pages/convergence_page.h"
#include "ui/pages/factors_page.h"
#include "ui/panels/run_form.h"
#include "ui/panels/workspace_panel.h"
#include "ui/theme.h"
#include "ui/widgets/trace_chart.h"

#include <QAbstractScrollArea>
#include <QAction>
#include <QApplication>
#include <QDir>
#include <QListView>
#include <QMouseEvent>
#include <QTemporaryDir>
#include <QtTest/QTest>

#include <cstdio>
#include <functional>
#include <stdexcept>

class Photographer;

/// A state of the window that ends in pictures. screenshots_*.cpp each keep some, as constants that enter themselves in the list.
struct Scene {
    const char* name;
    void (*play)(Photographer&);

    Scene(const char* sceneName, void (*scenePlay)(Photographer&))
        : name(sceneName)
        , play(scenePlay)
    {
        all().push_back(*this);
    }

    static std::vector<Scene>& all()
    {
        static std::vector<Scene> scenes;
        return scenes;
    }
};

inline void waitFor(const char* what, const std::function<bool()>& condition, int milliseconds = 60'000)
{
    if (!QTest::qWaitFor(condition, milliseconds))
        throw std::runtime_error(std::string("waited in vain for ") + what);
}

/// One window and its session, and what several scenes do with them.
class Photographer {
public:
    explicit Photographer(QString folder)
        : m_folder(std::move(folder))
    {
        window.resize(1440, 900); // the offscreen screen is smaller
        window.show();
    }

    QTemporaryDir scratch;
    app::Session session;
    ui::MainWindow window{session};

    void openSample()
    {
        window.openSample();
        waitFor("the sample", [this] { return !session.tensors().empty() && session.loadJobs().empty(); });
        waitFor("a form that can start", [this] { return window.runForm()->isReady(); });
        window.showPage(ui::MainWindow::DataTab);
    }

    /// For the sample a run that has a test error, else the defaults; without an early stop.
    kernels::RunConfig suggested() const
    {
        const app::OpenTensorPtr tensor = window.workspace()->currentTensor();
        kernels::RunConfig config = tensor->suggested ? longRun() : kernels::RunConfig{};
        config.stopping.tolerance = 0;
        return config;
    }

    /// Starts a run by the form and waits for its iterations.
    void start(const kernels::RunConfig& config, std::size_t iterations)
    {
        window.runForm()->setConfig(config);
        waitFor("a form that can start", [this] { return window.runForm()->isReady(); });
        const std::size_t before = session.runs().size();
        window.actions().start->trigger();
        waitFor("the run", [this, before] { return session.runs().size() > before; });
        const app::Run* run = session.runs().back();
        waitFor("iterations", [run, iterations] { return run->history().size() >= iterations || !run->isActive(); });
    }

    void finish(kernels::RunConfig config, unsigned iterations, const QString& name)
    {
        config.stopping.iterations = iterations;
        start(config, iterations);
        app::Run* run = session.runs().back();
        waitFor("the end", [run] { return !run->isActive(); });
        run->setName(name);
        std::printf("%s: %s\n", qPrintable(name), run->error().isEmpty() ? "done" : qPrintable(run->error()));
    }

    app::Run* finishAndShow(const kernels::RunConfig& config)
    {
        start(config, config.stopping.iterations);
        app::Run* run = session.runs().back();
        waitFor("the end", [run] { return !run->isActive(); });
        window.showPage(ui::MainWindow::FactorsTab);
        window.workspace()->runList()->setFocus();
        waitFor("the factors",
                [this, run] { return window.factorsPage()->factors() && window.factorsPage()->factors()->outcome == run->outcome(); });
        return run;
    }

    /// The mouse at this share of the chart's width.
    static void hover(const ui::TraceChart* chart, double share)
    {
        QWidget* viewport = chart->findChild<QAbstractScrollArea*>()->viewport();
        const QPointF at(viewport->width() * share, viewport->height() * 0.3);
        QMouseEvent move(QEvent::MouseMove, at, viewport->mapToGlobal(at), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
        QApplication::sendEvent(viewport, &move);
    }

    static void leave(const ui::TraceChart* chart)
    {
        QEvent event(QEvent::Leave);
        QApplication::sendEvent(chart->findChild<QAbstractScrollArea*>()->viewport(), &event);
    }

    /// The window, light and dark, in two sizes.
    void shoot(const QString& state)
    {
        for (const ui::Appearance appearance : {ui::Appearance::Light, ui::Appearance::Dark}) {
            ui::Theme::instance().setAppearance(appearance);
            for (const QSize size : {QSize(1280, 720), QSize(1440, 900)}) {
                window.resize(size);
                QTest::qWait(250); // two turns of the drawing timer
                save(window,
                     QStringLiteral("%1-%2-%3x%4%5.png")
                         .arg(state, schemeName(appearance))
                         .arg(size.width())
                         .arg(size.height())
                         .arg(window.devicePixelRatioF() > 1 ? QStringLiteral("-at%1x").arg(window.devicePixelRatioF()) : QString()));
            }
        }
    }

    QString fileFor(const QString& name) const { return QDir(m_folder).filePath(name); }

    /// A dialog or a part, light and dark, as large as it is.
    void shootWidget(QWidget& widget, const QString& name)
    {
        for (const ui::Appearance appearance : {ui::Appearance::Dark, ui::Appearance::Light}) {
            ui::Theme::instance().setAppearance(appearance);
            QTest::qWait(50);
            save(widget, QStringLiteral("%1-%2.png").arg(name, schemeName(appearance)));
        }
    }

private:
    static QString schemeName(ui::Appearance appearance)
    {
        return appearance == ui::Appearance::Dark ? QStringLiteral("dark") : QStringLiteral("light");
    }

    void save(QWidget& widget, const QString& name) const
    {
        if (!widget.grab().save(fileFor(name)))
            throw std::runtime_error("cannot write " + name.toStdString());
        std::printf("%s\n", qPrintable(name));
    }

    QString m_folder;
};
