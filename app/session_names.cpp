// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The part of the session that makes a tensor another: read otherwise, or called otherwise.
#include "app/session.h"
#include "app/session_private.h"
#include "app/tensor_source.h"

#include <algorithm>

namespace app {

LoadJob* Session::reopen(const OpenTensorPtr& from, const io::ReadOptions& options)
{
    return addJob(new LoadJob(
        from->name,
        [id = ++d->lastTensorId, from, options](kernels::Progress& progress) {
            auto open = openOtherwise(*from, options, Statistics::Compute, progress);
            open->id = id;
            return open;
        },
        this));
}

void Session::nameMode(int tensorId, const io::ModeNaming& change)
{
    d->namings.emplace_back(tensorId, change);
    if (d->namings.size() == 1)
        nextNaming();
}

void Session::sayEmptyCells(int tensorId, kernels::EmptyCells meaning)
{
    const OpenTensorPtr from = tensor(tensorId);
    if (!from || from->emptyCells() == meaning)
        return;
    auto open = std::make_shared<OpenTensor>(*from);
    app::sayEmptyCells(*open, meaning);
    replaceTensor(open);
}

/// One after the other: each begins with what the one before left.
void Session::nextNaming()
{
    while (!d->namings.empty() && !tensor(d->namings.front().first)) // closed meanwhile
        d->namings.pop_front();
    if (d->namings.empty())
        return;
    d->naming.start([this, from = tensor(d->namings.front().first), change = d->namings.front().second](kernels::Progress& progress) {
        const std::shared_ptr<OpenTensor> named = withNaming(*from, change, progress);
        return [this, from, named] {
            const OpenTensorPtr now = tensor(from->id);
            if (!now)
                return;
            app::sayEmptyCells(*named, now->readOptions.emptyCells); // it may have been said meanwhile
            replaceTensor(named);
        };
    });
}

void Session::replaceTensor(const OpenTensorPtr& tensor)
{
    const auto at = std::find_if(m_tensors.begin(), m_tensors.end(), [&](const OpenTensorPtr& each) { return each->id == tensor->id; });
    *at = tensor;
    Q_EMIT tensorRenamed(tensor);
    giveTensor(tensor);
}

} // namespace app
