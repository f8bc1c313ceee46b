// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/ntf/group.h"

#include "kernels/algorithms/ntf/cuda_sizes.h"
#include "kernels/base/chunks.h"
#include "kernels/device/make_back_end.h"
#include "kernels/device/tile_group.h"
#include "kernels/tensor/statistics.h"

#include <algorithm>

namespace kernels::ntf {
namespace {

class GroupBackEnd final : public NtfBackEnd {
public:
    GroupBackEnd(Precision precision, const std::vector<DeviceId>& devices)
        : m_doubles(precision == Precision::Fp64)
        , m_group(devices)
    {
        for (const DeviceId& id : devices)
            m_members.push_back(makeBackEndOf<NtfBackEnd>(algorithmId, precision, id));
    }

    std::uint64_t freeBytes() const override
    {
        std::uint64_t least = m_members.front()->freeBytes();
        for (const auto& member : m_members)
            least = std::min(least, member->freeBytes());
        return least;
    }

    void load(const Problem& problem, RunControl& control) override
    {
        m_dims = problem.train.dims();
        m_rank = problem.rank;
        m_rowSteps = problem.rowSteps;
        arrange(problem, control);
        m_group.connect(control);
        m_parts.clear();
        for (unsigned n = 0; n < order(); ++n)
            m_parts.push_back(partsOf(n));
        m_group.together(control, [&](unsigned member, RunControl& own) {
            Problem part{m_group.train(member), m_group.tests() ? &m_group.test(member) : nullptr, problem.scale};
            part.least = problem.least;
            part.divergence = problem.divergence;
            part.rank = problem.rank;
            part.rowSteps = problem.rowSteps;
            part.startSize = problem.startSize;
            part.seed = problem.seed;
            part.threads = threadsOfMember(problem.threads, m_members.size());
            part.rowEntries = &m_rowEntries[member];
            for (unsigned n = 0; n < order(); ++n)
                part.rowParts.push_back(rowPartsOf(member, n));
            m_members[member]->load(part, own);
            for (unsigned n = 0; n < order(); ++n)
                m_members[member]->replaceRows(n, start(problem, member, n, own), own);
            m_members[member]->rememberBest();
        });
        for (unsigned n = 0; n < order(); ++n) // NCCL connects when it is first used, and sums get their room: no part of an iteration
            if (m_group.sharesRows(n))
                sumRows(n, control);
    }

    void renewRows(unsigned mode, const RowStep& step, RunControl& control) override
    {
        m_group.together(control, [&](unsigned member, RunControl& own) {
            std::exception_ptr problem;
            renewRowsOf(member, mode, step, own, problem);
            if (problem)
                std::rethrow_exception(problem);
        });
    }

    /// Members go from mode to mode without the run's thread, which takes longer to be told than they do to meet.
    void renewModes(unsigned modes, const RowStep& step, RunControl& control) override
    {
        m_group.together(control, [&](unsigned member, RunControl& own) {
            std::exception_ptr problem;
            for (unsigned n = 0; n < modes && renewRowsOf(member, n, step, own, problem); ++n) { }
            if (problem)
                std::rethrow_exception(problem);
        });
    }

    RowSums sumRows(unsigned mode, RunControl& control) override
    {
        m_summed = mode;
        m_group.together(control, [&](unsigned member, RunControl& own) {
            std::exception_ptr problem;
            addUp(mode, member, own, problem);
            if (problem)
                std::rethrow_exception(problem);
        });
        return {nullptr, nullptr, Count{m_dims[mode]} * m_rank, m_doubles ? Precision::Fp64 : Precision::Fp32};
    }

    void stepRows(unsigned mode, const RowStep& step, RunControl& control) override
    {
        m_group.together(control, [&](unsigned member, RunControl& own) { m_members[member]->stepRows(mode, step, own); });
    }

    SumMatrices sums() const override
    {
        RunControl nobody;
        const auto parts =
            m_group.ofSpeakers<SumMatrices>(m_summed, nobody, [&](unsigned member, RunControl&) { return m_members[member]->sums(); });
        return {m_group.stacked(m_summed, [&](unsigned member) -> const Matrix& { return parts[member].numerators; }),
                m_group.stacked(m_summed, [&](unsigned member) -> const Matrix& { return parts[member].denominators; })};
    }

    void replaceSums(const SumMatrices& given) override
    {
        RunControl nobody;
        m_group.together(nobody, [&](unsigned member, RunControl& own) {
            m_members[member]->replaceSums(
                {m_group.partOf(m_summed, member, given.numerators, own), m_group.partOf(m_summed, member, given.denominators, own)});
        });
    }

    Judgement evaluate(bool testSet, RunControl& control) override
    {
        std::vector<Judgement> parts(m_members.size());
        m_group.together(control, [&](unsigned member, RunControl& own) {
            if ((testSet ? m_group.test(member) : m_group.train(member)).entries() > 0)
                parts[member] = m_members[member]->evaluate(testSet, own);
        });
        Judgement whole;
        for (const Judgement& part : parts) {
            whole.errors += part.errors;
            whole.divergences += part.divergences;
        }
        return whole;
    }

    double squares(unsigned mode, bool weighted, RunControl& control) override
    {
        double sum = 0;
        for (const double part : m_group.ofSpeakers<double>(
                 mode, control, [&](unsigned member, RunControl& own) { return m_members[member]->squares(mode, weighted, own); }))
            sum += part;
        return sum;
    }

    void rememberBest() override
    {
        RunControl nobody;
        m_group.together(nobody, [&](unsigned member, RunControl&) { m_members[member]->rememberBest(); });
    }

    Model model(Snapshot snapshot) const override
    {
        return m_group.stackedModel([&](unsigned member) { return m_members[member]->model(snapshot); });
    }

    Matrix rows(unsigned mode) const override
    {
        RunControl nobody;
        const auto parts =
            m_group.ofSpeakers<Matrix>(mode, nobody, [&](unsigned member, RunControl&) { return m_members[member]->rows(mode); });
        return m_group.stacked(mode, [&](unsigned member) -> const Matrix& { return parts[member]; });
    }

    void replaceRows(unsigned mode, const Matrix& matrix, RunControl& control) override
    {
        m_group.together(control, [&](unsigned member, RunControl& own) {
            m_members[member]->replaceRows(mode, m_group.partOf(mode, member, matrix, own), own);
        });
    }

    /// Of the device that has most to hold, and of the host for all of them.
    MemoryUse memoryUse() const override
    {
        MemoryUse use = m_group.memoryOf(m_members);
        for (const auto& ofMember : m_rowEntries)
            for (const Array<Count>& counts : ofMember)
                use.hostBytes += counts.size() * sizeof(Count);
        return use;
    }

private:
    unsigned order() const { return static_cast<unsigned>(m_dims.size()); }

    void arrange(const Problem& problem, RunControl& control)
    {
        std::vector<Array<Count>> counts;
        for (unsigned n = 0; n < order(); ++n)
            counts.push_back(sliceCounts(problem.train, n, control));
        const double number = m_doubles ? sizeof(double) : sizeof(float), row = m_rank * number;
        const GridCosts costs{order() * ((order() - 1) * (sizeof(Index) + row) + number), 2 * row};
        m_group.arrange(problem.train, problem.test, counts, costs, control);
        m_rowEntries.resize(m_members.size());
        for (unsigned member = 0; member < m_members.size(); ++member)
            for (unsigned n = 0; n < order(); ++n) {
                const Count* const first = counts[n].data() + m_group.grid().firstRow(member, n);
                m_rowEntries[member].emplace_back(first, first + m_group.grid().rows(member, n));
            }
    }

    /// What the member would have started with as a part of one device.
    Matrix start(const Problem& problem, unsigned member, unsigned mode, RunControl& control) const
    {
        const Index first = m_group.grid().firstRow(member, mode);
        Matrix rows = Matrix::unfilled(m_group.grid().rows(member, mode), m_rank, m_doubles);
        std::visit(
            [&](auto& numbers) {
                forEachChunk(rows.rows, Count{1} << 10, control, [&](Count, Count begin, Count end) {
                    for (Count i = begin; i < end; ++i)
                        for (unsigned r = 0; r < m_rank; ++r)
                            numbers[i * m_rank + r] = static_cast<typename std::decay_t<decltype(numbers)>::value_type>(
                                startNumber(problem.seed, mode, first + i, m_rank, r, problem.startSize));
                });
            },
            rows.data);
        return rows;
    }

    /// A member's part of it; false: none goes on to what needs others.
    bool renewRowsOf(unsigned member, unsigned mode, const RowStep& step, RunControl& control, std::exception_ptr& problem)
    {
        if (!m_group.sharesRows(mode)) {
            TileGroup::attempt(problem, [&] { m_members[member]->renewRows(mode, step, control); });
            return true;
        }
        for (unsigned t = 0; t < m_rowSteps; ++t) {
            if (!addUp(mode, member, control, problem))
                return false;
            TileGroup::attempt(problem, [&] { m_members[member]->stepRows(mode, step, control); });
        }
        return true;
    }

    /// Sums for the mode's rows over all entries; false: none goes on.
    bool addUp(unsigned mode, unsigned member, RunControl& control, std::exception_ptr& problem)
    {
        return m_group.addUpParts(mode, member, problem, m_parts[mode], [&](unsigned part) {
            const RowSums sums = m_members[member]->beginSums(mode, part, control);
            return std::vector{SharedNumbers{sums.numerators, sums.count, sums.type, sums.ready},
                               SharedNumbers{sums.denominators, sums.count, sums.type, sums.ready}};
        });
    }

    /// In how many parts the sums of a mode are made: where they are long, one is sent while the next is made.
    unsigned partsOf(unsigned mode) const
    {
        constexpr std::uint64_t usual = 16 << 20; ///< bytes of a part
        if (!m_group.sharesRows(mode) || !m_members.front()->sumsInParts())
            return 1;
        Index rows = 0;
        for (unsigned member = 0; member < m_members.size(); ++member)
            rows = std::max(rows, m_group.grid().rows(member, mode));
        return static_cast<unsigned>(std::clamp<std::uint64_t>(
            std::uint64_t{2} * rows * m_rank * (m_doubles ? sizeof(double) : sizeof(float)) / usual, 1, gpu::mostRowParts));
    }

    /// Cut halfway between equal shares of a member's entries, which take the time, and of its rows, which are sent. The same for all that
    /// have these rows.
    std::vector<Index> rowPartsOf(unsigned member, unsigned mode) const
    {
        const Array<Count>& counts = m_rowEntries[member][mode];
        double entries = 0;
        for (const Count count : counts)
            entries += static_cast<double>(count);
        std::vector<Index> parts;
        double done = 0;
        for (Index i = 0; i < counts.size() && parts.size() + 1 < m_parts[mode]; ++i) {
            done += static_cast<double>(counts[i]) / std::max(entries, 1.0) + 1.0 / static_cast<double>(counts.size());
            while (parts.size() + 1 < m_parts[mode] && done * m_parts[mode] >= 2.0 * (static_cast<double>(parts.size()) + 1))
                parts.push_back(i + 1);
        }
        parts.resize(m_parts[mode], static_cast<Index>(counts.size()));
        return parts;
    }

    bool m_doubles;
    std::vector<Index> m_dims;
    unsigned m_rank = 0, m_rowSteps = 1;
    unsigned m_summed = 0; ///< the mode whose sums there are
    std::vector<std::vector<Array<Count>>> m_rowEntries; ///< [member][mode]
    std::vector<unsigned> m_parts; ///< [mode]
    TileGroup m_group;
    std::vector<std::unique_ptr<NtfBackEnd>> m_members; // refer to those
};

} // namespace

std::unique_ptr<NtfBackEnd> makeGroup(Precision precision, const std::vector<DeviceId>& devices)
{
    return std::make_unique<GroupBackEnd>(precision, devices);
}

std::unique_ptr<NtfBackEnd> makeBackEndFor(const RunConfig& config)
{
    return config.devices.size() > 1 ? makeGroup(config.precision, config.devices)
                                     : makeBackEndOf<NtfBackEnd>(algorithmId, config.precision, config.devices.front());
}

std::uint64_t groupHostBytes(const RunConfig& config, const ProblemShape& shape)
{
    const std::uint64_t number = config.precision == Precision::Fp64 ? sizeof(double) : sizeof(float);
    std::uint64_t rows = 0;
    for (const Index size : shape.dims)
        rows += size;
    return tileBytes(shape) + (config.devices.size() + 1) * rows * sizeof(Count) + rows * config.largestRank() * number;
}

} // namespace kernels::ntf
