// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/baseline_book.h"

#include "kernels/base/registry.h"

#include <tbb/task_arena.h>

#include <algorithm>

namespace app {

BaselineBook::BaselineBook(TrainTestCache& cache, QObject* parent)
    : QObject(parent)
    , m_cache(cache)
{
    // A test file may be gone by now. Its run has said so.
    connect(&m_job, &BackgroundJob::failed, this, [this] { m_known[m_wishes.front().key] = {}; });
    connect(&m_job, &BackgroundJob::ended, this, [this] {
        m_wishes.pop_front();
        Q_EMIT measured();
        startNext();
    });
}

BaselineBook::Key BaselineBook::keyOf(const OpenTensor& tensor, const kernels::RunConfig& config)
{
    Key key{tensor.id, kernels::algorithm(config.algorithm).objective, config.split.kind, 0, 0, {}};
    if (config.split.kind == kernels::SplitKind::Random) {
        key.fraction = config.split.testFraction;
        key.seed = config.seed;
    } else if (config.split.kind == kernels::SplitKind::File) {
        key.file = config.split.testFile;
    }
    return key;
}

const kernels::Baselines* BaselineBook::find(const OpenTensor& tensor, const kernels::RunConfig& config) const
{
    const auto found = m_known.find(keyOf(tensor, config));
    return found == m_known.end() ? nullptr : &found->second;
}

void BaselineBook::want(const OpenTensorPtr& tensor, const kernels::RunConfig& config)
{
    Key key = keyOf(*tensor, config);
    const bool asked = std::any_of(m_wishes.begin(), m_wishes.end(), [&](const Wish& wish) { return wish.key == key; });
    if (asked || m_known.contains(key))
        return;
    m_wishes.push_back({std::move(key), tensor, config});
    if (m_wishes.size() == 1)
        startNext();
}

void BaselineBook::startNext()
{
    if (m_wishes.empty())
        return;
    m_job.start([this, &cache = m_cache, wish = m_wishes.front()](kernels::Progress& progress) -> BackgroundJob::Finish {
        kernels::Baselines baselines;
        tbb::task_arena(1).execute([&] {
            const TrainTest parts = cache.getAside(wish.tensor, wish.config, progress);
            baselines = kernels::measureBaselines(*parts.train, parts.test.get(), wish.key.objective, &progress);
        });
        return [this, key = wish.key, baselines] { m_known[key] = baselines; };
    });
}

void BaselineBook::forget(int tensorId)
{
    const bool atWork = !m_wishes.empty() && m_wishes.front().key.tensor == tensorId;
    if (atWork)
        m_job.cancel();
    std::erase_if(m_wishes, [tensorId](const Wish& wish) { return wish.key.tensor == tensorId; });
    std::erase_if(m_known, [tensorId](const auto& each) { return each.first.tensor == tensorId; });
    if (atWork)
        startNext();
}

void BaselineBook::cancel()
{
    m_job.cancel();
    m_wishes.clear();
}

} // namespace app
