// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/welcome_page.h"

#include "io/file_format.h"
#include "io/hdf5_name.h"
#include "io/input_stream.h"
#include "kernels/tensor/synthetic.h"
#include "ui/formatting.h"
#include "ui/models/run_text.h"
#include "ui/widgets/card.h"

#include <QAbstractButton>
#include <QBoxLayout>
#include <QFileInfo>
#include <QFrame>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLocale>
#include <QMouseEvent>
#include <QPushButton>

#include <algorithm>

namespace ui {
namespace {

/// A card that is one big button: click, Enter or Space.
class ActionCard : public QFrame {
public:
    ActionCard(const QString& name, const QString& title, const QString& text, const QString& key, std::function<void()> action,
               QWidget* parent)
        : QFrame(parent)
        , m_action(std::move(action))
    {
        setObjectName(QStringLiteral("welcomeCard"));
        setProperty("action", name);
        setAccessibleName(title);
        setAccessibleDescription(text);
        setFocusPolicy(Qt::StrongFocus);
        setCursor(Qt::PointingHandCursor);
        setMinimumHeight(88);
        auto* head = new QLabel(title, this);
        head->setObjectName(QStringLiteral("cardTitle"));
        auto* cap = new QLabel(key, this);
        cap->setObjectName(QStringLiteral("keyCap"));
        auto* body = new QLabel(text, this);
        body->setObjectName(QStringLiteral("subtitle"));
        body->setWordWrap(true);
        body->setMinimumWidth(120);
        body->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Minimum);
        auto* row = new QHBoxLayout;
        row->addWidget(head, 1);
        row->addWidget(cap, 0, Qt::AlignTop);
        auto* layout = new QVBoxLayout(this);
        layout->setContentsMargins(15, 12, 12, 12);
        layout->setSpacing(6);
        layout->addLayout(row);
        layout->addWidget(body);
        layout->addStretch();
    }

protected:
    void mouseReleaseEvent(QMouseEvent* event) override
    {
        if (event->button() == Qt::LeftButton && rect().contains(event->position().toPoint()))
            m_action();
    }
    void keyPressEvent(QKeyEvent* event) override
    {
        if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Space)
            m_action();
        else
            QFrame::keyPressEvent(event);
    }

private:
    std::function<void()> m_action;
};

QString whenText(const QDateTime& time)
{
    const qint64 days = time.date().daysTo(QDate::currentDate());
    if (days == 0)
        return WelcomePage::tr("today");
    if (days == 1)
        return WelcomePage::tr("yesterday");
    if (days < 7)
        return QLocale().dayName(time.date().dayOfWeek());
    return QLocale().toString(time.date(), QLocale::ShortFormat);
}

/// "FROSTT text, HDF5 and 6 more formats": what can be opened. Tables have a card of their own.
QString formatTitles()
{
    QStringList titles;
    for (const io::FileFormat& format : io::fileFormats())
        if (!format.openTable || format.holdsTable)
            titles += QString::fromStdString(format.title);
    if (titles.size() <= 3)
        return titles.join(QStringLiteral(", "));
    return WelcomePage::tr("%1, %2 and %3 more formats").arg(titles[0], titles[1]).arg(titles.size() - 2);
}

QString deviceLine(const app::Session& session)
{
    QStringList parts;
    int gpus = 0; // ahead of the CPU: a person with one asks for it
    for (const kernels::DeviceInfo& device : session.devices()) {
        const QString name = deviceText(device.id) + QStringLiteral(": ") + QString::fromStdString(device.name).simplified();
        if (device.id.kind == kernels::DeviceKind::Cpu)
            parts += WelcomePage::tr("%1, threads: %2").arg(name).arg(device.processors);
        else if (!device.problem.empty())
            parts.insert(gpus++, WelcomePage::tr("%1 cannot be used").arg(deviceText(device.id)));
        else if (const auto free = session.freeMemory(device.id))
            parts.insert(gpus++, WelcomePage::tr("%1, %2 free").arg(name, formatting::bytes(*free)));
        else
            parts.insert(gpus++, WelcomePage::tr("%1, %2").arg(name, formatting::bytes(device.memoryTotal)));
    }
    if (!session.areDevicesListed())
        parts += WelcomePage::tr("looking for GPUs…");
    else if (!session.cudaAbsence().isEmpty())
        parts += WelcomePage::tr("no CUDA device");
    return parts.join(QStringLiteral("  ·  "));
}

/// Why there is no GPU, or what is the matter with each that cannot be used.
QString deviceProblems(const app::Session& session)
{
    QStringList lines;
    if (!session.cudaAbsence().isEmpty())
        lines += session.cudaAbsence();
    for (const kernels::DeviceInfo& device : session.devices())
        if (!device.problem.empty())
            lines += deviceText(device.id) + QStringLiteral(": ") + QString::fromStdString(device.problem);
    return lines.join(QLatin1Char('\n'));
}

} // namespace

WelcomePage::WelcomePage(const app::Session& session, QWidget* parent)
    : QWidget(parent)
{
    auto* title = new QLabel(tr("Polyad"), this);
    title->setObjectName(QStringLiteral("welcomeTitle"));
    auto* subtitle = new QLabel(tr("Decompose a sparse tensor and watch it converge."), this);
    subtitle->setObjectName(QStringLiteral("welcomeSubtitle"));

    quint64 largest = 0;
    for (const kernels::SyntheticPreset& preset : kernels::syntheticPresets())
        largest = std::max<quint64>(largest, preset.entries);
    auto* cards = new QGridLayout;
    cards->setSpacing(14);
    cards->setColumnStretch(0, 1);
    cards->setColumnStretch(1, 1);
    auto* sample = new ActionCard(
        QStringLiteral("sample"), tr("Open the sample"),
        tr("US flights by origin, destination and hour: %1 entries with labels. Press Start and see charts move.")
            .arg(formatting::grouped(12409)),
        tr("Enter"), [this] { Q_EMIT sampleRequested(); }, this);
    cards->addWidget(new ActionCard(
                         QStringLiteral("import"), tr("Import a table…"),
                         tr("CSV and other tables with a row for each event. Choose what becomes of the columns."),
                         QStringLiteral("Ctrl+I"), [this] { Q_EMIT importRequested(); }, this),
                     0, 0);
    cards->addWidget(sample, 0, 1);
    cards->addWidget(new ActionCard(
                         QStringLiteral("open"), tr("Open a tensor…"), tr("%1. Or drop files anywhere in this window.").arg(formatTitles()),
                         QStringLiteral("Ctrl+O"), [this] { Q_EMIT openRequested(); }, this),
                     1, 0);
    cards->addWidget(new ActionCard(
                         QStringLiteral("generate"), tr("Generate a tensor…"),
                         tr("CP, Tucker or FastTucker ground truth with noise and skew; presets up to %1 entries.")
                             .arg(formatting::count(static_cast<double>(largest))),
                         QStringLiteral("Ctrl+G"), [this] { Q_EMIT generateRequested(); }, this),
                     1, 1);
    setFocusProxy(sample);

    m_recentBox = new QWidget(this);
    auto* recentLayout = new QVBoxLayout(m_recentBox);
    recentLayout->setContentsMargins(0, 14, 0, 0);
    recentLayout->setSpacing(8);
    recentLayout->addWidget(makeHeading(tr("Recent"), m_recentBox));
    auto* recentCard = new QFrame(m_recentBox);
    recentCard->setObjectName(QStringLiteral("card"));
    m_recent = new QVBoxLayout(recentCard);
    m_recent->setContentsMargins(15, 10, 15, 10);
    m_recent->setSpacing(2);
    recentLayout->addWidget(recentCard);
    m_recentBox->hide();

    auto* devices = new QLabel(this);
    devices->setObjectName(QStringLiteral("muted"));
    devices->setWordWrap(true);
    const auto showDevices = [devices, &session] {
        devices->setText(deviceLine(session));
        devices->setToolTip(deviceProblems(session));
    };
    connect(&session, &app::Session::devicesListed, devices, showDevices);
    connect(&session, &app::Session::freeMemoryChanged, devices, showDevices);
    showDevices();

    auto* column = new QWidget(this);
    column->setMaximumWidth(720);
    column->setMinimumWidth(420);
    auto* layout = new QVBoxLayout(column);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(title);
    layout->addWidget(subtitle);
    layout->addSpacing(14);
    layout->addLayout(cards);
    layout->addWidget(m_recentBox);
    layout->addSpacing(8);
    layout->addWidget(devices);

    auto* outer = new QGridLayout(this);
    outer->setContentsMargins(40, 20, 40, 20);
    outer->setRowStretch(0, 4);
    outer->setRowStretch(2, 5);
    outer->setColumnStretch(0, 1);
    outer->setColumnStretch(1, 1000);
    outer->setColumnStretch(2, 1);
    outer->addWidget(column, 1, 1);
}

void WelcomePage::setRecentFiles(const QStringList& paths)
{
    while (QLayoutItem* item = m_recent->takeAt(0)) {
        if (item->widget())
            item->widget()->deleteLater();
        delete item;
    }
    int shown = 0;
    for (const QString& path : paths) {
        const QFileInfo file(QString::fromStdString(io::splitHdf5Name(path.toStdString()).file));
        if (!file.exists() || shown == 5)
            continue;
        ++shown;
        auto* row = new QWidget(this);
        auto* layout = new QHBoxLayout(row);
        layout->setContentsMargins(0, 0, 0, 0);
        auto* name = new QPushButton(QString::fromStdString(io::fileNameOf(path.toStdString())), row);
        name->setObjectName(QStringLiteral("link"));
        name->setToolTip(path);
        name->setCursor(Qt::PointingHandCursor);
        connect(name, &QPushButton::clicked, this, [this, path] { Q_EMIT fileRequested(path); });
        auto* detail = new QLabel(formatting::bytes(static_cast<quint64>(file.size())), row);
        detail->setObjectName(QStringLiteral("subtitle"));
        auto* when = new QLabel(whenText(file.lastRead()), row);
        when->setObjectName(QStringLiteral("subtitle"));
        layout->addWidget(name);
        layout->addSpacing(6);
        layout->addWidget(detail, 1);
        layout->addWidget(when);
        m_recent->addWidget(row);
    }
    m_recentBox->setVisible(shown > 0);
}

} // namespace ui
