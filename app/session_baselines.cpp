// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The part of the session that compares runs with the mean and the additive model.
#include "app/session.h"
#include "app/session_private.h"

namespace app {

void Session::wantBaselines(Run* run)
{
    // Before the first iteration the run is splitting the tensor itself.
    if (!d->baselinesWanted || run->baselines() || run->history().empty() || !run->tensor()->isHere || run->tensor()->isLearnt)
        return;
    d->baselines.want(run->tensor(), run->config());
    takeBaselines(run);
}

void Session::takeBaselines(Run* run)
{
    const kernels::Baselines* const known = run->baselines() ? nullptr : d->baselines.find(*run->tensor(), run->config());
    if (!known)
        return;
    run->m_baselines = *known;
    Q_EMIT runBaselinesCame(run);
}

void Session::setBaselinesWanted(bool wanted)
{
    d->baselinesWanted = wanted;
    if (!wanted)
        d->baselines.cancel();
}

} // namespace app
