// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>

namespace kernels {

/// Where so many threads wait for each other, again and again.
class Meeting {
public:
    explicit Meeting(unsigned size)
        : m_size(size)
    {
    }

    /// Whether all of them came well; all are told the same, and what each did before is seen by the others behind it.
    bool meet(bool well = true)
    {
        if (!well)
            m_allWell.store(false);
        const unsigned round = m_round.load();
        if (m_arrived.fetch_add(1) + 1 < m_size) {
            m_round.wait(round);
            return m_verdict.load(); // the next round cannot end before this thread has come to it
        }
        m_arrived.store(0);
        const bool verdict = m_allWell.exchange(true);
        m_verdict.store(verdict);
        m_round.fetch_add(1);
        m_round.notify_all();
        return verdict;
    }

private:
    unsigned m_size;
    std::atomic<unsigned> m_arrived{0}, m_round{0};
    std::atomic<bool> m_allWell{true}, m_verdict{true};
};

} // namespace kernels
