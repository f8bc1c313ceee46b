// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/models/model.h"

#include <cstdint>
#include <limits>

namespace kernels::tucker_ccd {

struct PruningSettings {
    enum class Kind { Off, ToSparsity, Automatic };
    Kind kind = Kind::Off;
    double sparsity = 0; ///< ToSparsity: share of zeros, of every factor and of the core
    double rate = 0.1; ///< share of what is left that goes at a time
    double tolerance = 0; ///< Automatic: the training RMSE is at most (1 + tolerance) times the least one
    std::uint64_t after = 10; ///< iterations before the first pruning
    std::uint64_t every = 2; ///< iterations from one to the next: those between fit what is left
    std::uint64_t iterations = 0; ///< of the run, at most
};

/// When numbers are pruned, how many, and which models count. Pruning goes in rounds: numbers go in a round's first iteration, its last
/// one is judged.
class Pruning {
public:
    explicit Pruning(const PruningSettings&);

    bool ended() const { return m_ended; }
    bool prunesAt(std::uint64_t t) const { return !m_ended && t >= m_settings.after && (t - m_settings.after) % m_settings.every == 0; }
    /// From then on what is 0 stays so, also where more iterations were asked for since and would have it begin later.
    bool hasBegun(std::uint64_t t) const { return m_prunes && (m_ended || t >= m_settings.after); }
    /// How many numbers are to go, of so many of which some are 0 already. One is always left.
    Count due(std::uint64_t t, Count numbers, Count zeros) const;
    /// In a round's first iteration: nothing was due.
    void nothingLeft() { m_nothingLeft = true; }

    enum class Verdict {
        Compared, ///< there is no pruning any more
        Accepted, ///< replaces those before it
        Unready, ///< in the middle of a round
        Rejected, ///< it goes back to the one accepted last, and goes on in smaller steps or ends
    };
    Verdict judge(std::uint64_t t, double trainRmse);
    /// That a rejected round goes back to.
    bool needsAccepted() const { return !m_ended && m_settings.kind == PruningSettings::Kind::Automatic; }
    /// Whether that iteration's model, from 1, counts beside those to come: while it prunes the one accepted last alone does.
    bool compares(std::uint64_t iteration) const { return m_ended ? iteration >= m_acceptedAt : iteration == m_acceptedAt; }

    Matrix save() const;
    void restore(const Matrix&);
    static constexpr std::size_t savedNumbers = 5;

private:
    bool endsRound(std::uint64_t t) const { return (t - m_settings.after) % m_settings.every == m_settings.every - 1; }
    std::uint64_t round(std::uint64_t t) const { return (t - m_settings.after) / m_settings.every; }

    PruningSettings m_settings;
    bool m_prunes; ///< at all
    std::uint64_t m_rounds = 0; ///< ToSparsity
    double m_rate;
    unsigned m_rejected = 0;
    bool m_ended, m_nothingLeft = false;
    double m_least = std::numeric_limits<double>::infinity(); ///< training RMSE of accepted models
    std::uint64_t m_acceptedAt = 0; ///< iteration, from 1
};

} // namespace kernels::tucker_ccd
