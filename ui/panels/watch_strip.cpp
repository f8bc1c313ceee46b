// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/watch_strip.h"

#include "ui/icons.h"
#include "ui/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/elided_label.h"

#include <QBoxLayout>
#include <QDir>
#include <QToolButton>

namespace ui {

WatchStrip::WatchStrip(app::FolderWatch& watch, QWidget* parent)
    : QFrame(parent)
    , m_watch(watch)
    , m_folder(new ElidedLabel(this))
    , m_doing(new ElidedLabel(this))
    , m_sum(new ElidedLabel(this))
    , m_pause(makeIconButton("pause", tr("Pause the watch"), this))
    , m_end(makeIconButton("close", tr("End the watch"), this))
{
    m_folder->setElideMode(Qt::ElideLeft);
    for (ElidedLabel* label : {m_doing, m_sum})
        label->setObjectName(QStringLiteral("muted"));
    auto* head = new QHBoxLayout;
    head->setSpacing(2);
    head->addWidget(makeHeading(tr("Watched folder"), this), 1);
    head->addWidget(m_pause);
    head->addWidget(m_end);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 6, 0, 4);
    layout->setSpacing(2);
    layout->addLayout(head);
    for (ElidedLabel* label : {m_folder, m_doing, m_sum}) {
        label->setContentsMargins(2, 0, 2, 0);
        layout->addWidget(label);
    }
    connect(m_pause, &QToolButton::clicked, this, [this] { m_watch.setPaused(!m_watch.state().paused); });
    connect(m_end, &QToolButton::clicked, &m_watch, &app::FolderWatch::end);
    connect(&m_watch, &app::FolderWatch::changed, this, &WatchStrip::show);
    connect(&Theme::instance(), &Theme::changed, this, &WatchStrip::show);
    show();
}

QString WatchStrip::doing() const
{
    const app::FolderWatch::State& state = m_watch.state();
    if (!state.adding.isEmpty())
        return state.waiting > 0 ? tr("Adding %1, %2 waiting").arg(state.adding).arg(state.waiting) : tr("Adding %1").arg(state.adding);
    if (state.paused)
        return state.waiting > 0 ? tr("Paused, %1 waiting").arg(state.waiting) : tr("Paused");
    if (!state.trouble.isEmpty())
        return tr("Not there; goes on when it is back");
    return state.waiting > 0 ? tr("%1 waiting for the run").arg(state.waiting) : tr("Waiting for files");
}

QString WatchStrip::sum() const
{
    const app::FolderWatch::State& state = m_watch.state();
    return state.added == 0
        ? tr("None added yet")
        : tr("%1 added, last %2 at %3").arg(state.added).arg(state.last, state.lastAt.toString(QStringLiteral("HH:mm")));
}

void WatchStrip::show()
{
    setVisible(m_watch.isOn());
    if (!m_watch.isOn())
        return;
    const app::FolderWatch::State& state = m_watch.state();
    const QString folder = QDir::toNativeSeparators(state.folder), text = state.paused ? tr("Go on with the watch") : tr("Pause the watch");
    m_folder->setText(folder);
    const QStringList& left = state.left;
    m_doing->setText(left.isEmpty() ? doing() : doing() + tr(" · %1 not taken").arg(left.size()));
    m_doing->setToolTip(!state.trouble.isEmpty() || left.isEmpty() ? state.trouble
                                                                   : tr("Not taken: %1").arg(left.join(QStringLiteral(", "))));
    m_sum->setText(sum());
    m_pause->setIcon(icon(state.paused ? "play" : "pause", tokens().muted));
    m_pause->setToolTip(text);
    m_pause->setAccessibleName(text);
}

} // namespace ui
