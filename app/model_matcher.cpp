// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model_matcher.h"

#include "app/messages.h"
#include "kernels/base/error.h"

#include <algorithm>
#include <utility>

namespace app {

ModelMatcher::~ModelMatcher()
{
    if (m_control)
        m_control->stop();
}

void ModelMatcher::want(std::vector<MatchRequest> requests)
{
    std::erase_if(requests, [this](const MatchRequest& request) { return m_answers.contains({request.first, request.second}); });
    m_wanted = std::move(requests);
    const auto isCurrent = [this](const MatchRequest& request) { return Key{request.first, request.second} == m_current; };
    if (m_control && std::none_of(m_wanted.begin(), m_wanted.end(), isCurrent))
        m_control->stop();
    startNext();
}

const MatchAnswer* ModelMatcher::answer(int first, int second) const
{
    const auto found = m_answers.find({first, second});
    return found == m_answers.end() ? nullptr : found->second.get();
}

void ModelMatcher::forget(int runId)
{
    std::erase_if(m_answers, [runId](const auto& each) { return each.first.first == runId || each.first.second == runId; });
    std::erase_if(m_wanted, [runId](const MatchRequest& each) { return each.first == runId || each.second == runId; });
    if (m_control && (m_current.first == runId || m_current.second == runId)) {
        m_control->stop();
        m_current = {-1, -1}; // what comes of it may be of another model by now
    }
}

void ModelMatcher::startNext()
{
    if (m_control || m_wanted.empty())
        return;
    const MatchRequest request = m_wanted.front();
    m_current = {request.first, request.second};
    m_control = std::make_shared<kernels::RunControl>();
    m_thread = std::jthread([this, request, control = m_control] { work(request, *control); });
}

/// On the thread, which ends before this object does.
void ModelMatcher::work(const MatchRequest& request, kernels::RunControl& control)
{
    auto answer = std::make_shared<MatchAnswer>();
    try {
        answer->match = kernels::matchModels(request.firstOutcome->result.best, request.secondOutcome->result.best, control);
    } catch (const kernels::Cancelled&) {
        answer.reset();
    } catch (...) {
        answer->problem = messageForCurrentException();
    }
    QMetaObject::invokeMethod(
        this, [this, key = Key{request.first, request.second}, answer] { ended(key, answer); }, Qt::QueuedConnection);
}

/// Without an answer it was stopped.
void ModelMatcher::ended(Key key, std::shared_ptr<const MatchAnswer> answer)
{
    m_thread.join();
    m_control.reset();
    if (answer && key == std::exchange(m_current, Key{-1, -1})) {
        m_answers[key] = std::move(answer);
        std::erase_if(m_wanted, [&](const MatchRequest& each) { return Key{each.first, each.second} == key; });
    }
    startNext();
    Q_EMIT answered();
}

} // namespace app
