// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/tensor_scope.h"

#include <algorithm>

namespace ui {
namespace {

const app::OpenTensor& beginningOf(const app::Run& run)
{
    const app::OpenTensorPtr& own = run.tensor();
    return own->isLearnt && own->madeFrom ? *own->madeFrom : *own;
}

bool isOfSeveral(const std::vector<app::Run*>& runs)
{
    return std::any_of(runs.begin(), runs.end(),
                       [&](const app::Run* run) { return TensorScope::tensorOf(*run) != TensorScope::tensorOf(*runs.front()); });
}

} // namespace

TensorScope::TensorScope(const app::Session& session, QObject* parent)
    : QObject(parent)
    , m_session(session)
{
}

int TensorScope::tensorOf(const app::Run& run) { return beginningOf(run).id; }

void TensorScope::setTensor(int id)
{
    if (id == m_tensor)
        return;
    m_tensor = id;
    Q_EMIT changed();
}

void TensorScope::setAll(bool all)
{
    if (all == m_all)
        return;
    m_all = all;
    Q_EMIT changed();
}

std::vector<app::Run*> TensorScope::runs() const
{
    std::vector<app::Run*> shown = m_session.runs();
    if (!m_all && m_tensor >= 0)
        std::erase_if(shown, [this](const app::Run* run) { return tensorOf(*run) != m_tensor; });
    return shown;
}

bool TensorScope::isMixed() const { return (m_all || m_tensor < 0) && hasSeveralTensors(); }

bool TensorScope::hasSeveralTensors() const { return isOfSeveral(m_session.runs()); }

QString TensorScope::tensorName() const
{
    const app::OpenTensorPtr tensor = m_session.tensor(m_tensor);
    return tensor ? tensor->name : QString();
}

QString TensorScope::tensorName(const app::Run& run) const
{
    const app::OpenTensor& tensor = beginningOf(run);
    const auto& all = m_session.runs();
    const bool shared = std::any_of(all.begin(), all.end(), [&](const app::Run* other) {
        return beginningOf(*other).id != tensor.id && beginningOf(*other).name == tensor.name;
    });
    return shared ? QStringLiteral("%1 (%2)").arg(tensor.name).arg(tensor.id) : tensor.name;
}

QString TensorScope::titleOf(const app::Run& run) const
{
    return isMixed() ? run.name() + QStringLiteral(" · ") + tensorName(run) : run.name();
}

} // namespace ui
