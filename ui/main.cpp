// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session.h"
#include "kernels/base/version.h"
#include "ui/main_window.h"
#include "ui/theme.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QIcon>
#include <QTimer>

int main(int argc, char** argv)
{
    QApplication application(argc, argv);
    QApplication::setOrganizationName(QStringLiteral("polyad"));
    QApplication::setApplicationName(QStringLiteral("polyad"));
    QApplication::setApplicationDisplayName(QStringLiteral("Polyad"));
    QApplication::setApplicationVersion(QString::fromStdString(kernels::version()));
    QApplication::setDesktopFileName(QStringLiteral("org.polyad.Polyad"));

    QCommandLineParser parser;
    parser.setApplicationDescription(QApplication::translate("main", "Decompose a sparse tensor and watch it converge."));
    parser.addHelpOption();
    parser.addVersionOption();
    const QCommandLineOption sample(QStringLiteral("sample"), QApplication::translate("main", "Open the bundled sample, ready to start."));
    parser.addOption(sample);
    parser.addPositionalArgument(QStringLiteral("files"), QApplication::translate("main", "Tensor files to open."),
                                 QStringLiteral("[FILES…]"));
    parser.process(application);

    QApplication::setWindowIcon(QIcon(QStringLiteral(":/icons/org.polyad.Polyad.svg")));
    ui::Theme::instance().install(application);
    app::Session session;
    ui::MainWindow window(session);
    window.show();
    if (parser.isSet(sample))
        window.openSample();
    window.openFiles(parser.positionalArguments());
    return QApplication::exec();
}
