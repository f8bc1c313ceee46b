// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_ccd/pruning.h"

#include <algorithm>
#include <cmath>

namespace kernels::tucker_ccd {
namespace {

using Kind = PruningSettings::Kind;

constexpr unsigned mostRejected = 3;
constexpr double smallerSteps = 0.25;

} // namespace

/// Where the run's iterations do not suffice for all rounds, they begin earlier, though not in the first third, and take more at a time.
Pruning::Pruning(const PruningSettings& settings)
    : m_settings(settings)
    , m_prunes(settings.kind == Kind::Automatic || (settings.kind == Kind::ToSparsity && settings.sparsity > 0))
    , m_rate(settings.rate)
    , m_ended(!m_prunes)
{
    if (settings.kind != Kind::ToSparsity || m_ended)
        return;
    const std::uint64_t iterations = std::max<std::uint64_t>(settings.iterations, 1);
    m_settings.every = std::min(settings.every, iterations);
    const std::uint64_t unpruned = std::min(settings.after, iterations / 3);
    const std::uint64_t mostRounds = std::max<std::uint64_t>((iterations - unpruned) / m_settings.every, 1);
    const double wanted = std::ceil(std::log1p(-settings.sparsity) / std::log1p(-settings.rate) - 1e-9);
    m_rounds = static_cast<std::uint64_t>(std::clamp(wanted, 1.0, static_cast<double>(mostRounds)));
    m_settings.after = std::min(settings.after, iterations - m_rounds * m_settings.every);
    m_rate = -std::expm1(std::log1p(-settings.sparsity) / static_cast<double>(m_rounds));
}

Count Pruning::due(std::uint64_t t, Count numbers, Count zeros) const
{
    if (!prunesAt(t))
        return 0;
    const Count left = numbers - zeros;
    if (m_settings.kind == Kind::Automatic)
        return std::min(static_cast<Count>(m_rate * static_cast<double>(left)), left - std::min<Count>(left, 1));
    const bool last = round(t) + 1 >= m_rounds;
    const double share = last ? m_settings.sparsity : 1 - std::pow(1 - m_rate, static_cast<double>(round(t) + 1));
    const Count wanted = std::min(static_cast<Count>(std::ceil(share * static_cast<double>(numbers) - 1e-9)), numbers - 1);
    return wanted > zeros ? wanted - zeros : 0;
}

Pruning::Verdict Pruning::judge(std::uint64_t t, double trainRmse)
{
    if (m_ended)
        return Verdict::Compared;
    const bool automatic = m_settings.kind == Kind::Automatic, last = automatic && m_nothingLeft;
    if (t >= m_settings.after && !endsRound(t) && !last)
        return Verdict::Unready;
    m_acceptedAt = t + 1;
    if (automatic && t >= m_settings.after && !(trainRmse <= (1 + m_settings.tolerance) * m_least)) {
        m_rate *= smallerSteps;
        m_ended = ++m_rejected == mostRejected || last;
        return Verdict::Rejected;
    }
    m_least = std::min(m_least, trainRmse);
    m_ended = last || (m_settings.kind == Kind::ToSparsity && t >= m_settings.after && round(t) + 1 >= m_rounds);
    return Verdict::Accepted;
}

Matrix Pruning::save() const
{
    Matrix saved(1, savedNumbers, true);
    saved.set(0, 0, m_rate);
    saved.set(0, 1, m_rejected);
    saved.set(0, 2, m_ended);
    saved.set(0, 3, m_least);
    saved.set(0, 4, static_cast<double>(m_acceptedAt));
    return saved;
}

void Pruning::restore(const Matrix& saved)
{
    if (m_settings.kind == Kind::Automatic)
        m_rate = saved.at(0, 0);
    m_rejected = static_cast<unsigned>(saved.at(0, 1));
    m_ended = saved.at(0, 2) != 0;
    m_least = saved.at(0, 3);
    m_acceptedAt = static_cast<std::uint64_t>(saved.at(0, 4));
}

} // namespace kernels::tucker_ccd
