// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/run_job.h"
#include "kernels/base/run_control.h"
#include "kernels/operations/model_match.h"

#include <QObject>
#include <QString>

#include <map>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace app {

/// Two ended runs whose best models are to be compared.
struct MatchRequest {
    int first = 0, second = 0; ///< their ids
    std::shared_ptr<const RunOutcome> firstOutcome, secondOutcome;
};

struct MatchAnswer {
    kernels::ModelMatch match;
    QString problem; ///< a sentence; empty: there is a match
};

/// Compares models on a thread of its own, one pair after another, and remembers what it found. Only the newest wishes
/// count: what nobody wants any more is not begun, and stopped where it is under way.
class ModelMatcher : public QObject {
    Q_OBJECT
public:
    explicit ModelMatcher(QObject* parent = nullptr)
        : QObject(parent)
    {
    }
    ~ModelMatcher() override;

    void want(std::vector<MatchRequest>);
    const MatchAnswer* answer(int first, int second) const; ///< null: not yet
    void forget(int runId);

Q_SIGNALS:
    void answered();

private:
    using Key = std::pair<int, int>;

    void startNext();
    void work(const MatchRequest&, kernels::RunControl&);
    void ended(Key, std::shared_ptr<const MatchAnswer>);

    std::map<Key, std::shared_ptr<const MatchAnswer>> m_answers;
    std::vector<MatchRequest> m_wanted; // not answered yet, in their order
    Key m_current{-1, -1};
    std::shared_ptr<kernels::RunControl> m_control; // of the pair under way; null: none is
    std::jthread m_thread;
};

} // namespace app
