// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session.h"
#include "kernels/base/version.h"
#include "ui/language.h"
#include "ui/main_window.h"
#include "ui/session_keeper.h"
#include "ui/theme.h"

#include <QAction>
#include <QApplication>
#include <QCommandLineParser>
#include <QDebug>
#include <QIcon>
#include <QScreen>
#include <QStandardPaths>
#include <QTimer>

#include <csignal>

namespace {

constexpr double keepEverySeconds = 30;

struct CommandLine {
    QCommandLineParser parser;
    QCommandLineOption sample{QStringLiteral("sample"), QCoreApplication::translate("main", "Open the bundled sample, ready to start.")};
    QCommandLineOption start{QStringLiteral("start"),
                             QCoreApplication::translate("main", "Start the run that is proposed for the first tensor opened.")};
    QCommandLineOption keepEvery{QStringLiteral("keep-every"), QString(), QStringLiteral("SECONDS")}; // for tests: no 30 s to wait
    QCommandLineOption grab{QStringLiteral("grab"), QString(), QStringLiteral("FILE.png")}; // for tests of packages

    CommandLine()
    {
        parser.setApplicationDescription(QCoreApplication::translate("main", "Decompose a sparse tensor and watch it converge."));
        parser.addHelpOption();
        parser.addVersionOption();
        parser.addOptions({sample, start});
        for (QCommandLineOption* hidden : {&keepEvery, &grab}) {
            hidden->setFlags(QCommandLineOption::HiddenFromHelp);
            parser.addOption(*hidden);
        }
        parser.addPositionalArgument(QStringLiteral("files"), QCoreApplication::translate("main", "Tensor files to open."),
                                     QStringLiteral("[FILES…]"));
    }
};

void nameApplication()
{
    QCoreApplication::setOrganizationName(QStringLiteral("polyad"));
    QCoreApplication::setApplicationName(QStringLiteral("polyad"));
    QCoreApplication::setApplicationVersion(QString::fromStdString(kernels::version()));
}

/// --help, --version and mistakes are answered where there is no display, too.
void answerWithoutDisplay(int argc, char** argv)
{
    QCoreApplication application(argc, argv);
    CommandLine line;
    if (!line.parser.parse(QCoreApplication::arguments()) || line.parser.isSet(QStringLiteral("help"))
        || line.parser.isSet(QStringLiteral("version")))
        line.parser.process(application); // prints and exits
}

/// Presses Start, once, as soon as it can be pressed.
void startWhenReady(ui::MainWindow& window)
{
    QAction* const start = window.actions().start;
    QObject::connect(
        start, &QAction::enabledChanged, &window,
        [start](bool enabled) {
            if (enabled)
                start->trigger();
        },
        static_cast<Qt::ConnectionType>(Qt::QueuedConnection | Qt::SingleShotConnection));
}

/// Ends the program with a picture of its window once nothing loads any more; fails where a tensor was asked for
/// and none is open.
void grabWhenIdle(const app::Session& session, ui::MainWindow& window, const QString& file, bool tensorWanted)
{
    auto* timer = new QTimer(&window);
    QObject::connect(timer, &QTimer::timeout, &window, [&session, &window, file, tensorWanted] {
        if (!session.loadJobs().empty())
            return;
        const bool opened = !tensorWanted || !session.tensors().empty();
        const bool saved = window.grab().save(file);
        if (!opened || !saved)
            qCritical().noquote() << file << (opened ? "cannot be written." : "shows no tensor: none could be opened.");
        QCoreApplication::exit(opened && saved ? 0 : 1);
    });
    timer->start(500);
}

} // namespace

int main(int argc, char** argv)
{
    std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error of write() then
    nameApplication();
    // Options of Qt itself, such as -platform, are one dash and a word: leave those command lines to QApplication.
    bool qtOptions = false;
    for (int i = 1; i < argc; ++i)
        qtOptions = qtOptions || (argv[i][0] == '-' && argv[i][1] != '-' && argv[i][1] != '\0' && argv[i][2] != '\0');
    if (!qtOptions)
        answerWithoutDisplay(argc, argv);

    QApplication application(argc, argv);
    QApplication::setApplicationDisplayName(QStringLiteral("Polyad"));
    QApplication::setDesktopFileName(QStringLiteral("org.polyad.Polyad"));
    ui::installLanguage(application);
    CommandLine line;
    line.parser.process(application);

    ui::Theme::instance().install(application);
    QApplication::setWindowIcon(QIcon(QStringLiteral(":/icons/org.polyad.Polyad.svg")));
    app::Session session;
    ui::MainWindow window(session);
    session.keepRunsIn(QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation) + QStringLiteral("/checkpoints"),
                       line.parser.isSet(line.keepEvery) ? line.parser.value(line.keepEvery).toDouble() : keepEverySeconds);
    window.sessionKeeper()->keepAside(5);
    const bool fillsTheScreen =
        window.width() >= window.screen()->availableSize().width() || window.height() >= window.screen()->availableSize().height();
    fillsTheScreen ? window.showMaximized() : window.show(); // its frame is to be on the screen, too
    if (line.parser.isSet(line.start))
        startWhenReady(window);
    if (line.parser.isSet(line.sample))
        window.openSample();
    window.openFiles(line.parser.positionalArguments());
    if (line.parser.isSet(line.grab))
        grabWhenIdle(session, window, line.parser.value(line.grab),
                     line.parser.isSet(line.sample) || !line.parser.positionalArguments().isEmpty());
    return QApplication::exec();
}
