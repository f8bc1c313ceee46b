// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/formats/runs.h"
#include "kernels/operations/mttkrp/formats_cpu.h"
#include "kernels/operations/mttkrp/row_sums.h"
#include "kernels/operations/mttkrp/runs_settings.h"

namespace kernels::mttkrp {
namespace {

using formats::RunsCopy;

/// Bytes of a table whose rows need not be asked for ahead.
constexpr std::size_t nearRows = std::size_t{256} << 10;

/// Entries in runs, block after block; inside a block a row is one run's, and one task's but for the cut ones.
template <class T> class Runs final : public Operation<T> {
public:
    Runs(const SparseTensor& tensor, const Settings& settings, RunControl& control)
        : m_dims(tensor.dims())
    {
        const formats::RunsCaches caches{runsBlockRows(settings.rank, sizeof(T)), 0};
        for (unsigned n = 0; n < tensor.order(); ++n) {
            const formats::RunsPlan plan = formats::planRuns(m_dims, n, tensor.entries(), caches);
            m_copies.push_back(formats::buildRuns<T>(tensor, plan, control));
        }
    }

    void compute(unsigned mode, const Factors<T>& factors, T* out, RunControl& control) override
    {
        const RunsCopy<T>& copy = m_copies[mode];
        clearRows(out, m_dims[mode], factors.stride, control);
        CutRows<T> cut(factors.stride);
        for (unsigned block = 0; block < copy.plan.blocks; ++block)
            addBlock(copy, block, factors, out, cut, control);
    }

    std::uint64_t bytes() const override
    {
        std::uint64_t sum = 0;
        for (const RunsCopy<T>& copy : m_copies)
            sum += copy.bytes();
        return sum;
    }

private:
    static bool begins(const RunsCopy<T>& copy, Count position)
    {
        const bool wide = copy.plan.record.kind == formats::RunsRecord::Kind::Wide;
        return copy.words[wide ? 2 * position + 1 : position] & formats::beginsRun;
    }

    /// The run a position is in.
    static Count runOf(const RunsCopy<T>& copy, Count position)
    {
        const Count stretch = position / formats::runsStretch;
        Count run = copy.stretches[stretch].run();
        for (Count p = stretch * formats::runsStretch + 1; p <= position; ++p)
            run += begins(copy, p);
        return run;
    }

    void addBlock(const RunsCopy<T>& copy, unsigned block, const Factors<T>& factors, T* out, CutRows<T>& cut, RunControl& control) const
    {
        const Count begin = copy.blockBegins[block], end = copy.blockEnds[block];
        const Count share = entriesPerTask(copy.entries);
        const auto from = [&](Count task) { return begin + task * share; };
        const auto to = [&](Count task) { return std::min(end, begin + (task + 1) * share); };
        cut.run(
            chunkCount(end - begin, share), out, control,
            [&](Count task, unsigned column, const RowSums<T>& sums) {
                RunsWalk<T> walk = walkOf(copy, block, factors, column);
                walk.begin = from(task);
                walk.end = to(task);
                walk.run = copy.stretches[walk.begin / formats::runsStretch].run();
                rowWalks(T(0)).runs(walk, sums);
            },
            [&](Count task) { return copy.rows[runOf(copy, from(task))]; },
            [&](Count task) { return copy.rows[runOf(copy, to(task) - 1)]; });
    }

    RunsWalk<T> walkOf(const RunsCopy<T>& copy, unsigned block, const Factors<T>& factors, unsigned column) const
    {
        RunsWalk<T> walk;
        walk.record = copy.plan.record;
        walk.words = copy.words.data();
        walk.values = copy.values.data();
        walk.runRows = copy.rows.data();
        walk.positions = copy.positions();
        for (unsigned k = 0; k < copy.plan.others.size(); ++k) {
            const unsigned mode = copy.plan.others[k];
            const Index firstRow = k == 0 ? copy.plan.key.firstRow(block) : 0;
            walk.rows[k] = factors.rows[mode] + firstRow * factors.stride + column;
            walk.far[k] = m_dims[mode] * factors.stride * sizeof(T) > nearRows;
        }
        return walk;
    }

    std::vector<Index> m_dims;
    std::vector<RunsCopy<T>> m_copies; ///< [mode]
};

} // namespace

template <class T> Made<T> makeRuns(const SparseTensor& tensor, const Settings& settings, RunControl& control)
{
    return std::make_unique<Runs<T>>(tensor, settings, control);
}
template Made<float> makeRuns(const SparseTensor&, const Settings&, RunControl&);
template Made<double> makeRuns(const SparseTensor&, const Settings&, RunControl&);

} // namespace kernels::mttkrp
