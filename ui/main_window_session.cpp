// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// The window's part in files: what it shows of a session, its name in the corner, and what was opened before.
#include "app/tensor_reference.h"
#include "io/hdf5_name.h"
#include "io/input_stream.h"
#include "ui/main_window.h"
#include "ui/models/import_choices.h"
#include "ui/pages/convergence_page.h"
#include "ui/pages/welcome_page.h"
#include "ui/panels/run_form.h"
#include "ui/panels/workspace_panel.h"
#include "ui/session_keeper.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/segmented_control.h"

#include <QAction>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QMenu>
#include <QSettings>
#include <QTabBar>
#include <QToolBar>

#include <algorithm>

namespace ui {
namespace {

QString withoutFullStop(const QString& sentence) { return sentence.endsWith(QLatin1Char('.')) ? sentence.chopped(1) : sentence; }

} // namespace

void MainWindow::setUpSession()
{
    m_keeper = new SessionKeeper(m_session, *m_messages, *this, [this] { return windowState(); });
    auto* spring = new QWidget(this);
    spring->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    m_sessionTitle = new ElidedLabel(this);
    m_sessionTitle->setObjectName(QStringLiteral("sessionTitle"));
    m_sessionTitle->setContentsMargins(12, 0, 12, 0);
    auto* toolBar = findChild<QToolBar*>(QStringLiteral("mainToolBar"));
    toolBar->addWidget(spring);
    toolBar->addWidget(m_sessionTitle);
    connect(m_actions.newSession, &QAction::triggered, m_keeper, &SessionKeeper::startAfresh);
    connect(m_actions.saveSession, &QAction::triggered, m_keeper, &SessionKeeper::save);
    connect(m_actions.saveSessionAs, &QAction::triggered, m_keeper, &SessionKeeper::saveAs);
    connect(m_keeper, &SessionKeeper::titleChanged, this, &MainWindow::showSessionTitle);
    connect(m_keeper, &SessionKeeper::saved, this, [this](const QString& path) { rememberRecent(path); });
    connect(m_keeper, &SessionKeeper::opened, this, [this](const QString& path, const QString& state) {
        if (path == m_keeper->path())
            rememberRecent(path);
        restoreWindow(state);
    });
}

void MainWindow::showSessionTitle()
{
    const QString title = m_keeper->title();
    m_sessionTitle->setText(title.isEmpty() ? QString() : tr("session: %1").arg(title));
    m_sessionTitle->setToolTip(m_keeper->path());
    const bool anything = !m_session.runs().empty() || !m_session.tensors().empty();
    for (QAction* action : {m_actions.newSession, m_actions.saveSession, m_actions.saveSessionAs})
        action->setEnabled(anything);
}

QString MainWindow::windowState() const
{
    const app::Run* current = m_workspace->currentRun();
    QJsonObject state{{QStringLiteral("page"), m_tabs->currentIndex()},
                      {QStringLiteral("run"), current ? current->id() : -1},
                      {QStringLiteral("x"), m_convergence->xSwitch()->current()},
                      {QStringLiteral("log"), m_convergence->logSwitch()->current()},
                      {QStringLiteral("part"), m_convergence->partSwitch()->current()},
                      {QStringLiteral("allTensors"), m_actions.allTensors->isChecked()}};
    return QString::fromUtf8(QJsonDocument(state).toJson(QJsonDocument::Compact));
}

/// What another version kept may be missing or out of range.
void MainWindow::restoreWindow(const QString& text)
{
    const QJsonObject state = QJsonDocument::fromJson(text.toUtf8()).object();
    const auto number = [&state](const char* key) { return state.value(QLatin1String(key)).toInt(-1); };
    const auto choose = [&](SegmentedControl* control, const char* key, int count) {
        if (number(key) >= 0 && number(key) < count)
            control->setCurrent(number(key));
    };
    choose(m_convergence->xSwitch(), "x", 3);
    choose(m_convergence->logSwitch(), "log", 4);
    choose(m_convergence->partSwitch(), "part", 3);
    m_actions.allTensors->setChecked(state.value(QStringLiteral("allTensors")).toBool());
    if (const app::Run* run = m_session.broughtRun(number("run")))
        m_workspace->setCurrentRun(run->id());
    const int page = number("page");
    if (page >= 0 && page < m_tabs->count())
        showPage(static_cast<Page>(page));
    updateActions();
}

/// Runs of a session whose tensor is not where it was.
void MainWindow::offerToFind(const app::OpenTensorPtr& absent, const QString& sentence)
{
    QList<MessageAction> actions;
    if (!app::fileOf(absent->absentSource).empty())
        actions.push_back({tr("Find it…"), [this, absent, sentence] { chooseMoved(absent, sentence); }});
    m_messages->post(MessageTone::Error, tr("%1. Its runs have their curves and models.").arg(withoutFullStop(sentence)), actions);
}

void MainWindow::chooseMoved(const app::OpenTensorPtr& absent, const QString& sentence)
{
    auto* dialog =
        new QFileDialog(this, tr("Where is %1 now?").arg(absent->name), QSettings().value(QStringLiteral("openFolder")).toString());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this, absent](const QString& path) { m_session.bringFrom(absent, path); });
    connect(dialog, &QDialog::rejected, this, [this, absent, sentence] { offerToFind(absent, sentence); }); // the answer took it away
    dialog->open();
}

void MainWindow::rememberRecent(const QString& file, const std::optional<io::table::Recipe>& recipe)
{
    QSettings settings;
    QStringList recent = settings.value(QStringLiteral("recentFiles")).toStringList();
    const QString path = QFileInfo(file).absoluteFilePath();
    recent.removeAll(path);
    recent.prepend(path);
    recent = recent.mid(0, 10);
    settings.setValue(QStringLiteral("recentFiles"), recent);
    QVariantMap recipes;
    const QVariantMap before = settings.value(QStringLiteral("recentRecipes")).toMap();
    for (const QString& each : recent)
        if (each != path && before.contains(each))
            recipes[each] = before[each];
    if (recipe)
        recipes[path] = QString::fromStdString(io::table::toJson(import_choices::withFoundEdges(*recipe, {})));
    settings.setValue(QStringLiteral("recentRecipes"), recipes);
    showRecent();
}

void MainWindow::openRecent(const QString& path)
{
    const QVariantMap recipes = QSettings().value(QStringLiteral("recentRecipes")).toMap();
    if (!recipes.contains(path))
        return openFiles({path});
    try {
        io::ReadOptions options;
        options.recipe = io::table::recipeFromJson(recipes[path].toString().toStdString());
        offerToChange(m_session.openFile(path, options), path, *options.recipe);
    } catch (const std::exception&) { // of another version, or edited: it is asked for again
        openFiles({path});
    }
}

/// On the welcome page and in the menu; files of one name are told apart by their folders.
void MainWindow::showRecent()
{
    const QStringList recent = QSettings().value(QStringLiteral("recentFiles")).toStringList();
    m_welcome->setRecentFiles(recent);
    QMenu* menu = m_actions.openRecent;
    menu->clear();
    menu->setToolTipsVisible(true);
    menu->setEnabled(!recent.isEmpty());
    const auto nameOf = [](const QString& path) { return QString::fromStdString(io::fileNameOf(path.toStdString())); };
    const auto folderOf = [](const QString& path) {
        return QFileInfo(QString::fromStdString(io::splitHdf5Name(path.toStdString()).file)).path();
    };
    for (int i = 0; i < recent.size(); ++i) {
        const QString& path = recent[i];
        const bool shared =
            std::count_if(recent.begin(), recent.end(), [&](const QString& other) { return nameOf(other) == nameOf(path); }) > 1;
        QString text = shared ? tr("%1 in %2").arg(nameOf(path), QDir::toNativeSeparators(folderOf(path))) : nameOf(path);
        text.replace(QLatin1Char('&'), QStringLiteral("&&"));
        QAction* action = menu->addAction(QStringLiteral("&%1  %2").arg((i + 1) % 10).arg(text), this, [this, path] { openRecent(path); });
        action->setToolTip(QDir::toNativeSeparators(path));
    }
}

} // namespace ui
