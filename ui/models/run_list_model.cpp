// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_list_model.h"

#include "app/baseline_text.h"
#include "ui/models/run_text.h"

#include <algorithm>

namespace ui {

RunListModel::RunListModel(app::Session& session, RunEdits& edits, QObject* parent)
    : QAbstractListModel(parent)
    , m_session(session)
    , m_edits(edits)
{
    for (app::Run* run : session.runs()) {
        m_runs.push_back(run);
        m_ids.push_back(run->id());
    }
    connect(&session, &app::Session::runAdded, this, [this, &session](app::Run* run) {
        const auto& all = session.runs(); // one that comes back does so in its old place
        const auto row = static_cast<int>(std::find(all.begin(), all.end(), run) - all.begin());
        beginInsertRows({}, row, row);
        m_runs.insert(m_runs.begin() + row, run);
        m_ids.insert(m_ids.begin() + row, run->id());
        endInsertRows();
    });
    connect(&session, &app::Session::runRemoved, this, [this](int id) {
        const int row = rowOf(id);
        if (row < 0)
            return;
        beginRemoveRows({}, row, row);
        m_runs.erase(m_runs.begin() + row);
        m_ids.erase(m_ids.begin() + row);
        endRemoveRows();
        refreshWaiting();
    });
    connect(&session, &app::Session::runChanged, this, [this](app::Run* run) {
        refresh(*run);
        refreshWaiting();
    });
    connect(&session, &app::Session::queueChanged, this, &RunListModel::refreshWaiting);
    connect(&session, &app::Session::runAdvanced, this, [this](app::Run* run) { refresh(*run); });
    connect(&session, &app::Session::runTensorCame, this, [this](app::Run* run) { refresh(*run); });
    connect(&session, &app::Session::runBaselinesCame, this, [this](app::Run* run) { refresh(*run); });
}

void RunListModel::refresh(const app::Run& run)
{
    const int row = rowOf(run.id());
    if (row >= 0)
        Q_EMIT dataChanged(index(row), index(row));
}

/// A state or a name is also part of what the runs queued behind it say.
void RunListModel::refreshWaiting()
{
    const auto waits = [](const app::Run* run) { return run->state() == app::RunState::Queued; };
    const auto first = std::find_if(m_runs.begin(), m_runs.end(), waits);
    if (first == m_runs.end())
        return;
    const auto last = std::find_if(m_runs.rbegin(), m_runs.rend(), waits).base() - 1;
    Q_EMIT dataChanged(index(static_cast<int>(first - m_runs.begin())), index(static_cast<int>(last - m_runs.begin())));
}

const app::Run* RunListModel::holderOf(const app::Run& waiting) const
{
    if (waiting.state() != app::RunState::Queued)
        return nullptr;
    const auto holds = [&](const app::Run* run) {
        const auto& taken = run->config().devices;
        const auto& wanted = waiting.config().devices;
        return run->isActive() && run->state() != app::RunState::Queued
            && std::find_first_of(taken.begin(), taken.end(), wanted.begin(), wanted.end()) != taken.end();
    };
    const auto at = std::find_if(m_runs.begin(), m_runs.end(), holds);
    return at == m_runs.end() ? nullptr : *at;
}

/// A run that waits for others says how many come before it.
QString RunListModel::progressOf(const app::Run& run) const
{
    const int position = m_session.queuePosition(&run);
    if (position > 1 || (position == 1 && m_session.isQueuePaused()))
        return m_session.isQueuePaused() ? tr("number %1 in the paused queue").arg(position) : tr("number %1 in the queue").arg(position);
    return progressText(run, holderOf(run));
}

int RunListModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_runs.size()); }

app::Run* RunListModel::runAt(int row) const { return row >= 0 && row < rowCount() ? m_runs[static_cast<std::size_t>(row)] : nullptr; }

int RunListModel::rowOf(int runId) const
{
    const auto at = std::find(m_ids.begin(), m_ids.end(), runId);
    return at == m_ids.end() ? -1 : static_cast<int>(at - m_ids.begin());
}

QString RunListModel::tipText(const app::Run& run) const
{
    QStringList lines{run.name(), tr("%1: fits %2").arg(run.algorithmTitle(), objectiveText(run.objective())), settingsText(run),
                      variantNote(run), progressOf(run)};
    if (const QString best = bestDetails(run); !best.isEmpty())
        lines += tr("Best: %1").arg(best);
    lines += run.tensor()->name;
    lines += run.isActive() ? QString() : app::baselineVerdict(run.baselines(), bestRecord(run));
    if (!run.note().isEmpty())
        lines += tr("Note: %1").arg(run.note());
    lines.removeAll(QString());
    return lines.join(QLatin1Char('\n'));
}

QVariant RunListModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const app::Run& run = *m_runs[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
    case Qt::EditRole:
    case NameRole:
        return run.name();
    case SettingsRole:
        return settingsText(run);
    case ProgressRole:
        return progressOf(run);
    case StateRole:
        return static_cast<int>(run.state());
    case StateTextRole:
        return stateText(run.state());
    case FractionRole:
        return progressFraction(run);
    case ActiveRole:
        return run.isActive();
    case ColorIndexRole:
        return run.colorIndex();
    case RunIdRole:
        return run.id();
    case NoteRole:
        return run.note();
    case TensorRole:
        return run.tensor()->name;
    case VerdictRole:
        return baselineRemark(run);
    case Qt::CheckStateRole:
        return run.isVisible() ? Qt::Checked : Qt::Unchecked;
    case Qt::ToolTipRole:
        return tipText(run);
    case Qt::AccessibleTextRole: {
        QStringList words{run.name(), run.tensor()->name, stateText(run.state()), settingsText(run), objectiveText(run.objective())};
        words += {progressOf(run), baselineRemark(run)};
        words.removeAll(QString());
        return words.join(QStringLiteral(", "));
    }
    default:
        return {};
    }
}

bool RunListModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    app::Run* run = checkIndex(index, CheckIndexOption::IndexIsValid) ? runAt(index.row()) : nullptr;
    if (run && role == Qt::CheckStateRole) {
        run->setVisible(value.toInt() == Qt::Checked);
        return true;
    }
    if (run && role == Qt::EditRole && !value.toString().trimmed().isEmpty()) {
        m_edits.rename(run, value.toString());
        return true;
    }
    return false;
}

Qt::ItemFlags RunListModel::flags(const QModelIndex& index) const
{
    const Qt::ItemFlags own = index.isValid() ? Qt::ItemIsUserCheckable | Qt::ItemIsEditable : Qt::NoItemFlags;
    return QAbstractListModel::flags(index) | own;
}

} // namespace ui
