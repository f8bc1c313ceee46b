// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/ntf/kept_sums.h"
#include "kernels/base/run_config.h"

#include <tbb/task_arena.h>

namespace kernels::ntf {

/// What a model's run minimised, and how.
struct Aim {
    Divergence divergence = Divergence::Euclidean;
    double penalty = 0; ///< λ
    bool weighted = false; ///< λ |Ω_i|
    bool paperRule = false; ///< of the run
    unsigned rowSteps = 1;
};
/// Throws Error(BadInput) for a run that does not say its divergence.
Aim aimOf(const RunConfig&);

/// Does work on as many threads as the run has: not back ends' alone, or whoever asked for one waits for others.
template <class Work> auto onThreadsOf(const RunConfig& config, const Work& work)
{
    tbb::task_arena arena(config.threads ? static_cast<int>(config.threads) : tbb::task_arena::automatic);
    return arena.execute(work);
}

/// The numbers of a matrix in fp64.
Array<double> inDoubles(const Matrix&);
Matrix matrixOf(const Array<double>& numbers, unsigned columns, bool doubles, double times = 1);

/// What the owner of a worker has beside its entries.
struct Beside {
    const SparseTensor* test = nullptr; ///< for judge(true)
    std::uint64_t bytes = 0; ///< that the owner will take of the host's memory
};

/// A back end at work on some entries with a model's rows. All rows and sums are in the values' own unit, rows × R in fp64.
class Worker {
public:
    /// On the devices of the run; the tensors outlive it. Throws Error(BadInput) for values that the divergence cannot take, OutOfMemory
    /// before anything is allocated.
    Worker(const RunConfig&, const Aim&, const SparseTensor&, unsigned rank, unsigned rowSteps, RunControl&, const Beside& = {});

    const Scale& scale() const { return m_scale; }
    NtfBackEnd& backEnd() { return *m_backEnd; }
    bool doubles() const { return m_doubles; }

    void setRows(unsigned mode, const Array<double>& rows);
    Array<double> rows(unsigned mode) const;
    SumMatrices sums(unsigned mode) { return sumsInOwnUnit(*m_backEnd, mode, m_scale, m_divergence, m_control); }
    /// As a run does, by its rule. penalty: λ.
    void renew(unsigned mode, const Aim&, double penalty);
    Judgement judge(bool testSet = false) { return m_backEnd->evaluate(testSet, m_control); }

private:
    Divergence m_divergence;
    unsigned m_rank;
    bool m_doubles;
    Scale m_scale;
    RunControl& m_control;
    std::unique_ptr<NtfBackEnd> m_backEnd;
};

} // namespace kernels::ntf
