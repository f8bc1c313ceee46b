// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/progress.h"

#include "kernels/base/error.h"

namespace kernels {

void Progress::begin(const char* stage, std::uint64_t total)
{
    m_times.begin(stage);
    m_done.store(0, std::memory_order_relaxed);
    m_total.store(total, std::memory_order_relaxed);
    m_stage.store(stage, std::memory_order_relaxed);
}

void Progress::throwIfCancelled() const
{
    if (cancelled())
        throw Cancelled{};
}

} // namespace kernels
