// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/gui_driver.h"
#include "ui/dialogs/command_palette.h"
#include "ui/dialogs/generate_dialog.h"
#include "ui/dialogs/guide_window.h"
#include "ui/pages/factors_page.h"
#include "ui/pages/predict_page.h"
#include "ui/widgets/color_menu.h"

#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QTabBar>

#include <map>
#include <memory>
#include <set>

namespace {

QString described(const QWidget* widget)
{
    const auto* button = qobject_cast<const QAbstractButton*>(widget);
    return QStringLiteral("%1 \"%2\" (%3%4)")
        .arg(QLatin1String(widget->metaObject()->className()), widget->objectName(), widget->accessibleName(),
             button ? QStringLiteral(", ") + button->text() : QString());
}

/// What a person operates: not the parts that a control is made of.
bool isControl(const QWidget* widget)
{
    if (!widget->isVisible() || widget->focusPolicy() == Qt::NoFocus || widget->focusProxy())
        return false;
    const QWidget* parent = widget->parentWidget();
    return !qobject_cast<const QAbstractSpinBox*>(parent) && !qobject_cast<const QComboBox*>(parent)
        && !qobject_cast<const QTabBar*>(parent);
}

QStringList withoutName(const QWidget* window)
{
    QStringList nameless;
    for (QWidget* each : window->findChildren<QWidget*>()) {
        if (!isControl(each) || each->window() != window)
            continue;
        const QAccessibleInterface* told = QAccessible::queryAccessibleInterface(each);
        if (!told || told->text(QAccessible::Name).trimmed().isEmpty())
            nameless << described(each);
    }
    return nameless;
}

} // namespace

/// Everything without a mouse, and for who does not see the screen.
class tst_keyboard : public QObject {
    Q_OBJECT

    PersonSettings m_settings;
    std::unique_ptr<GuiDriver> m_gui;

    void showPage(int number) const
    {
        QTest::keyClick(&m_gui->window, static_cast<Qt::Key>(Qt::Key_0 + number), Qt::AltModifier);
        QTest::qWait(300);
    }
    /// One of CP, which every page has most to say of.
    bool finishedRun() const
    {
        kernels::RunConfig config;
        config.algorithm = "cp-als";
        config.format = "csf";
        config.ranks = {3};
        config.split.kind = kernels::SplitKind::None;
        config.stopping = {5, 0, 3, 0};
        app::Run* run = m_gui->session.start(config, m_gui->session.tensors().front());
        m_gui->window.workspace()->setCurrentRun(run->id());
        return QTest::qWaitFor([run] { return !run->isActive(); }, 20'000) && run->outcome();
    }

    /// Tab after Tab until the first control comes again; each must change what is seen when it has the focus.
    void walk(std::set<const QWidget*>& reached, QStringList& invisible) const
    {
        ui::MainWindow& window = m_gui->window;
        window.workspace()->tensorList()->setFocus(Qt::TabFocusReason);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab); // the first one tells that keys are in use
        const QWidget* const first = QApplication::focusWidget();
        QWidget* at = QApplication::focusWidget();
        QStringList order;
        for (int step = 0; step < 300 && at; ++step) {
            reached.insert(at);
            order << described(at);
            const QRect place = QRect(at->mapTo(&window, QPoint()), at->size()).adjusted(-3, -3, 3, 3);
            const QImage with = window.grab(place).toImage();
            QTest::keyClick(at, Qt::Key_Tab, at->inherits("QPlainTextEdit") ? Qt::ControlModifier : Qt::NoModifier);
            QWidget* const next = QApplication::focusWidget();
            const QRect now = QRect(at->mapTo(&window, QPoint()), at->size()).adjusted(-3, -3, 3, 3);
            if (next != at && now == place && window.grab(place).toImage() == with)
                invisible << described(at);
            at = next;
            if (at == first)
                return;
        }
        QFAIL(qPrintable(QStringLiteral("Tab does not come round:\n") + order.mid(order.size() - 40).join(QLatin1Char('\n'))));
    }

private Q_SLOTS:
    void init()
    {
        m_gui = std::make_unique<GuiDriver>();
        QVERIFY(m_gui->shown() && m_gui->openSample());
    }
    void cleanup() { m_gui.reset(); }

    void everyActionHasAShortcutOfItsOwn()
    {
        std::map<QString, QString> taken;
        for (QAction* action : m_gui->window.findChildren<QAction*>()) {
            if (action->shortcutContext() != Qt::WindowShortcut && action->shortcutContext() != Qt::ApplicationShortcut)
                continue; // those of a part work while it has the focus
            for (const QKeySequence& keys : action->shortcuts()) {
                const QString text = keys.toString();
                QVERIFY2(taken.find(text) == taken.end(),
                         qPrintable(text + QStringLiteral(": ") + taken[text] + QStringLiteral(", ") + action->text()));
                taken[text] = action->text();
            }
        }
        const QList<QAction*> colors = m_gui->window.actions().color->actions(); // eight, reached by the menu's letters
        for (QAction* action : m_gui->menuActions())
            QVERIFY2(!action->shortcut().isEmpty() || colors.contains(action), qPrintable(action->text()));
        QVERIFY(taken.size() > 30);
    }

    /// Alt and the letter that a menu underlines.
    void lettersOfAMenuDiffer()
    {
        const auto letterOf = [](const QString& text) {
            const auto at = text.indexOf(QLatin1Char('&'));
            return at >= 0 && at + 1 < text.size() ? text[at + 1].toLower() : QChar();
        };
        const auto check = [&](const QList<QAction*>& actions) {
            std::map<QChar, QString> taken;
            for (const QAction* action : actions)
                if (const QChar letter = letterOf(action->text()); !letter.isNull()) {
                    if (taken.count(letter) > 0)
                        return action->text() + QStringLiteral(" and ") + taken[letter];
                    taken[letter] = action->text();
                }
            return QString();
        };
        QCOMPARE(check(m_gui->window.menuBar()->actions()), QString());
        for (const QAction* top : m_gui->window.menuBar()->actions()) {
            QVERIFY(!letterOf(top->text()).isNull());
            QCOMPARE(check(top->menu()->actions()), QString());
        }
    }

    void tabReachesEveryControlAndShowsWhereItIs_data()
    {
        QTest::addColumn<int>("page");
        const char* names[] = {"data", "convergence", "compare", "factors", "predict", "sweep"};
        for (int page = 1; page <= 6; ++page)
            QTest::newRow(names[page - 1]) << page;
    }
    void tabReachesEveryControlAndShowsWhereItIs()
    {
        QFETCH(int, page);
        QVERIFY(finishedRun());
        showPage(page);
        QTest::qWait(700); // telemetry comes to rest, factors and fields arrive
        std::set<const QWidget*> reached;
        QStringList invisible, missed;
        walk(reached, invisible);
        for (const QWidget* each : m_gui->window.findChildren<QWidget*>())
            if (isControl(each) && each->isEnabled() && (each->focusPolicy() & Qt::TabFocus) && each->window() == &m_gui->window
                && reached.count(each) == 0)
                missed << described(each);
        QVERIFY2(reached.size() > 20, qPrintable(QString::number(reached.size())));
        QVERIFY2(missed.isEmpty(), qPrintable(QStringLiteral("Tab passes by:\n") + missed.join(QLatin1Char('\n'))));
        QVERIFY2(invisible.isEmpty(), qPrintable(QStringLiteral("Nobody sees the focus on:\n") + invisible.join(QLatin1Char('\n'))));
    }

    void everyControlHasAName()
    {
        QVERIFY(finishedRun());
        QStringList nameless;
        for (int page = 1; page <= 6; ++page) {
            showPage(page);
            nameless += withoutName(&m_gui->window);
        }
        for (int view = 1; view < 4; ++view) {
            showPage(4);
            m_gui->window.factorsPage()->viewSwitch()->setCurrent(view);
            QTest::qWait(200);
            nameless += withoutName(&m_gui->window);
        }
        showPage(5);
        for (const auto view : {ui::PredictPage::FileTab, ui::PredictPage::ResidualTab}) {
            m_gui->window.predictPage()->showView(view);
            QTest::qWait(300);
            nameless += withoutName(&m_gui->window);
        }
        m_gui->window.actions().palette->trigger();
        QTRY_VERIFY(m_gui->window.findChild<ui::CommandPalette*>());
        nameless += withoutName(m_gui->window.findChild<ui::CommandPalette*>());
        m_gui->window.findChild<ui::CommandPalette*>()->close();
        m_gui->window.actions().generate->trigger();
        nameless += withoutName(m_gui->window.findChild<ui::GenerateDialog*>());
        m_gui->window.findChild<ui::GenerateDialog*>()->close();
        QTRY_VERIFY(!m_gui->window.findChild<ui::GenerateDialog*>());
        m_gui->window.actions().exportAs->trigger();
        nameless += withoutName(m_gui->window.findChild<ui::ExportDialog*>());
        m_gui->window.findChild<ui::ExportDialog*>()->close();
        nameless.removeDuplicates();
        QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(QLatin1Char('\n'))));
    }

    void theWelcomePageAndTheGuideHaveNames()
    {
        GuiDriver fresh;
        QVERIFY(fresh.shown() && fresh.window.showsWelcome());
        QCOMPARE(withoutName(&fresh.window), QStringList{});
        ui::GuideWindow guide(ui::GuideWindow::installedGuide());
        guide.setAttribute(Qt::WA_DeleteOnClose, false);
        guide.show();
        QVERIFY(QTest::qWaitForWindowExposed(&guide));
        QCOMPARE(withoutName(&guide), QStringList{});
    }

    void aFirstRunTakesTwoClicks()
    {
        GuiDriver fresh;
        QVERIFY(fresh.shown());
        fresh.click(fresh.welcomeCard("sample"));
        QTRY_VERIFY_WITH_TIMEOUT(fresh.startRun()->isEnabled(), 20'000);
        fresh.click(fresh.startRun());
        QTRY_VERIFY_WITH_TIMEOUT(fresh.rmse()->isVisible() && fresh.rmse()->drawnPoints(0) > 3, 20'000);
        fresh.session.runs().back()->stop();
    }

    void highContrastIsChosenByKeysAndKept()
    {
        const QColor before = ui::tokens().line;
        QTest::keyClick(&m_gui->window, Qt::Key_4, Qt::ControlModifier | Qt::AltModifier);
        QVERIFY(ui::Theme::instance().isHighContrast() && m_gui->window.actions().highContrast->isChecked());
        QVERIFY(ui::tokens().line != before);
        QCOMPARE(qApp->palette().color(QPalette::WindowText), ui::tokens().text);
        const bool dark = ui::Theme::instance().isDark();
        QTest::keyClick(&m_gui->window, dark ? Qt::Key_2 : Qt::Key_3, Qt::ControlModifier | Qt::AltModifier);
        QVERIFY(ui::Theme::instance().isHighContrast() && ui::Theme::instance().isDark() != dark); // light and dark stay a choice
        QTest::keyClick(&m_gui->window, dark ? Qt::Key_3 : Qt::Key_2, Qt::ControlModifier | Qt::AltModifier);
        QTest::keyClick(&m_gui->window, Qt::Key_4, Qt::ControlModifier | Qt::AltModifier);
        QVERIFY(!ui::Theme::instance().isHighContrast());
    }
};

QTEST_MAIN(tst_keyboard)
#include "tst_keyboard.moc"
