// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/tensor_list_model.h"

#include "ui/formatting.h"

#include <algorithm>

namespace ui {

TensorListModel::TensorListModel(app::Session& session, QObject* parent)
    : QAbstractListModel(parent)
    , m_session(session)
    , m_tensors(session.tensors())
{
    connect(&session, &app::Session::tensorAdded, this, [this](const app::OpenTensorPtr& tensor) {
        const auto row = static_cast<int>(m_tensors.size());
        beginInsertRows({}, row, row);
        m_tensors.push_back(tensor);
        endInsertRows();
    });
    connect(&session, &app::Session::tensorRenamed, this, [this](const app::OpenTensorPtr& tensor) {
        const int row = rowOf(tensor->id);
        if (row >= 0)
            m_tensors[static_cast<std::size_t>(row)] = tensor;
    });
    connect(&session, &app::Session::tensorRemoved, this, [this](int id) {
        const int row = rowOf(id);
        if (row < 0)
            return;
        beginRemoveRows({}, row, row);
        m_tensors.erase(m_tensors.begin() + row);
        endRemoveRows();
    });
    connect(&session, &app::Session::loadStarted, this, [this](app::LoadJob* job) {
        const int row = rowCount();
        beginInsertRows({}, row, row);
        m_jobs.push_back(job);
        endInsertRows();
        m_refresh.start();
    });
    connect(&session, &app::Session::loadEnded, this, [this](app::LoadJob* job) {
        const auto at = std::find(m_jobs.begin(), m_jobs.end(), job);
        if (at == m_jobs.end())
            return;
        const int row = static_cast<int>(m_tensors.size()) + static_cast<int>(at - m_jobs.begin());
        beginRemoveRows({}, row, row);
        m_jobs.erase(at);
        endRemoveRows();
        if (m_jobs.empty())
            m_refresh.stop();
    });
    m_refresh.setInterval(150);
    connect(&m_refresh, &QTimer::timeout, this, [this] {
        if (!m_jobs.empty())
            Q_EMIT dataChanged(index(static_cast<int>(m_tensors.size())), index(rowCount() - 1));
    });
}

int TensorListModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_tensors.size() + m_jobs.size());
}

int TensorListModel::rowOf(int tensorId) const
{
    const auto at = std::find_if(m_tensors.begin(), m_tensors.end(), [tensorId](const auto& tensor) { return tensor->id == tensorId; });
    return at == m_tensors.end() ? -1 : static_cast<int>(at - m_tensors.begin());
}

app::LoadJob* TensorListModel::jobAt(int row) const
{
    const int job = row - static_cast<int>(m_tensors.size());
    return job >= 0 && job < static_cast<int>(m_jobs.size()) ? m_jobs[static_cast<std::size_t>(job)] : nullptr;
}

QVariant TensorListModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    if (const app::LoadJob* job = jobAt(index.row()))
        return jobData(*job, role);
    return tensorData(*m_tensors[static_cast<std::size_t>(index.row())], role);
}

QVariant TensorListModel::tensorData(const app::OpenTensor& tensor, int role) const
{
    const QString dims = formatting::dims(tensor.tensor.dims());
    const auto entries = tensor.tensor.entries();
    const QString detail =
        tr("%1 entries · density %2").arg(formatting::count(static_cast<double>(entries)), formatting::number(tensor.tensor.density(), 2));
    switch (role) {
    case Qt::DisplayRole:
    case NameRole:
        return tensor.name;
    case DimsRole:
        return dims;
    case DetailRole:
        return detail;
    case Qt::ToolTipRole:
        return tr("%1\n%2\n%3 entries").arg(tensor.origin, dims, formatting::grouped(entries));
    case Qt::AccessibleTextRole:
        return QStringLiteral("%1, %2, %3").arg(tensor.name, dims, detail);
    case TensorIdRole:
        return tensor.id;
    case LoadingRole:
        return false;
    case FractionRole:
        return 1.0;
    default:
        return {};
    }
}

QVariant TensorListModel::jobData(const app::LoadJob& job, int role) const
{
    const app::LoadJob::State state = job.state();
    QStringList parts;
    if (state.seconds > 0.3 && state.done > 0)
        parts += formatting::rate(static_cast<double>(state.done) / state.seconds, state.stage == QLatin1String("reading"));
    if (state.secondsLeft >= 0)
        parts += tr("%1 left").arg(formatting::duration(state.secondsLeft));
    const QString stage = state.stage.isEmpty() ? tr("waiting") : state.stage;
    const QString first = state.entries > 0 ? tr("%1 · %2 entries").arg(stage, formatting::count(static_cast<double>(state.entries)))
                                            : stage + QStringLiteral("…");
    switch (role) {
    case Qt::DisplayRole:
    case NameRole:
        return job.title();
    case DimsRole:
        return first;
    case DetailRole:
        return parts.join(QStringLiteral(" · "));
    case Qt::ToolTipRole:
        return tr("Loading; the × or Delete cancels it.");
    case Qt::AccessibleTextRole:
        return tr("%1, loading, %2").arg(job.title(), stage);
    case TensorIdRole:
        return -1;
    case LoadingRole:
        return true;
    case FractionRole:
        return state.fraction;
    default:
        return {};
    }
}

} // namespace ui
