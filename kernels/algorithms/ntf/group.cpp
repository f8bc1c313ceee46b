// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/ntf/group.h"

#include "kernels/base/chunks.h"
#include "kernels/device/communicator.h"
#include "kernels/device/crew.h"
#include "kernels/device/make_back_end.h"
#include "kernels/tensor/grid.h"
#include "kernels/tensor/statistics.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <thread>

namespace kernels::ntf {
namespace {

class GroupBackEnd final : public NtfBackEnd {
public:
    GroupBackEnd(Precision precision, const std::vector<DeviceId>& devices)
        : m_devices(devices)
        , m_doubles(precision == Precision::Fp64)
        , m_crew(static_cast<unsigned>(devices.size()))
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
        connect(control);
        m_crew.together(control, [&](unsigned member, RunControl& own) {
            Problem part{m_train[member], problem.test ? &m_test[member] : nullptr, problem.scale};
            part.least = problem.least;
            part.divergence = problem.divergence;
            part.rank = problem.rank;
            part.rowSteps = problem.rowSteps;
            part.startSize = problem.startSize;
            part.seed = problem.seed;
            part.threads = threadsOfMember(problem.threads);
            part.rowEntries = &m_rowEntries[member];
            m_members[member]->load(part, own);
            for (unsigned n = 0; n < order(); ++n)
                m_members[member]->replaceRows(n, start(problem, member, n, own), own);
            m_members[member]->rememberBest();
        });
        for (unsigned n = 0; n < order(); ++n) // NCCL connects when it is first used, and sums get their room: no part of an iteration
            if (rank(n, 0))
                sumRows(n, control);
    }

    void renewRows(unsigned mode, const RowStep& step, RunControl& control) override
    {
        m_crew.together(control, [&](unsigned member, RunControl& own) {
            if (!rank(mode, member))
                return m_members[member]->renewRows(mode, step, own);
            std::exception_ptr problem;
            for (unsigned t = 0; t < m_rowSteps && addUp(mode, member, own, problem); ++t)
                attempt(problem, [&] { m_members[member]->stepRows(mode, step, own); });
            if (problem)
                std::rethrow_exception(problem);
        });
    }

    RowSums sumRows(unsigned mode, RunControl& control) override
    {
        m_summed = mode;
        m_crew.together(control, [&](unsigned member, RunControl& own) {
            std::exception_ptr problem;
            addUp(mode, member, own, problem);
            if (problem)
                std::rethrow_exception(problem);
        });
        return {nullptr, nullptr, Count{m_dims[mode]} * m_rank, m_doubles ? Precision::Fp64 : Precision::Fp32};
    }

    void stepRows(unsigned mode, const RowStep& step, RunControl& control) override
    {
        m_crew.together(control, [&](unsigned member, RunControl& own) { m_members[member]->stepRows(mode, step, own); });
    }

    SumMatrices sums() const override
    {
        const std::vector<SumMatrices> all = ofMembers<SumMatrices>([](const NtfBackEnd& member) { return member.sums(); });
        return {stacked(m_summed, true, [&](unsigned member) { return &all[member].numerators; }),
                stacked(m_summed, true, [&](unsigned member) { return &all[member].denominators; })};
    }

    void replaceSums(const SumMatrices& given) override
    {
        m_crew.together([&](unsigned member) {
            m_members[member]->replaceSums({partOf(m_summed, member, given.numerators), partOf(m_summed, member, given.denominators)});
        });
    }

    Judgement evaluate(bool testSet, RunControl& control) override
    {
        std::vector<Judgement> parts(m_members.size());
        m_crew.together(control, [&](unsigned member, RunControl& own) {
            if ((testSet ? m_test : m_train)[member].entries() > 0)
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
        std::vector<double> parts(m_members.size(), 0.0);
        m_crew.together(control, [&](unsigned member, RunControl& own) {
            if (speaksFor(mode, member))
                parts[member] = m_members[member]->squares(mode, weighted, own);
        });
        double sum = 0;
        for (const double part : parts)
            sum += part;
        return sum;
    }

    void rememberBest() override
    {
        m_crew.together([&](unsigned member) { m_members[member]->rememberBest(); });
    }

    Model model(Snapshot snapshot) const override
    {
        const std::vector<Model> all = ofMembers<Model>([&](const NtfBackEnd& member) { return member.model(snapshot); });
        Model model;
        model.kind = ModelKind::Cp;
        model.dims = m_dims;
        model.ranks.assign(order(), m_rank);
        model.coreRank = m_rank;
        model.weights = all.front().weights;
        for (unsigned n = 0; n < order(); ++n)
            model.factors.push_back(stacked(n, m_doubles, [&](unsigned member) { return &all[member].factors[n]; }));
        return model;
    }

    Matrix rows(unsigned mode) const override
    {
        const std::vector<Matrix> all = ofMembers<Matrix>([&](const NtfBackEnd& member) { return member.rows(mode); });
        return stacked(mode, m_doubles, [&](unsigned member) { return &all[member]; });
    }

    void replaceRows(unsigned mode, const Matrix& matrix, RunControl& control) override
    {
        m_crew.together(control,
                        [&](unsigned member, RunControl& own) { m_members[member]->replaceRows(mode, partOf(mode, member, matrix), own); });
    }

    /// Of the device that has most to hold, and of the host for all of them.
    MemoryUse memoryUse() const override
    {
        MemoryUse use;
        for (unsigned member = 0; member < m_members.size(); ++member) {
            const MemoryUse own = m_members[member]->memoryUse();
            use.deviceBytes = std::max(use.deviceBytes, own.deviceBytes);
            use.hostBytes += own.hostBytes + m_train[member].bytes() + (m_test.empty() ? 0 : m_test[member].bytes());
            for (const Array<Count>& counts : m_rowEntries[member])
                use.hostBytes += counts.size() * sizeof(Count);
        }
        return use;
    }

private:
    unsigned order() const { return static_cast<unsigned>(m_dims.size()); }
    unsigned threadsOfMember(unsigned threads) const
    {
        const unsigned all = threads ? threads : std::max(1U, std::thread::hardware_concurrency());
        return std::max(1U, all / static_cast<unsigned>(m_members.size()));
    }
    /// Null where no other member has its rows.
    Communicator* rank(unsigned mode, unsigned member) const { return m_ranks[mode][member]; }
    /// The first of those that have the same rows.
    bool speaksFor(unsigned mode, unsigned member) const { return m_grid.havers(mode, m_grid.partOf(member, mode)).front() == member; }

    void arrange(const Problem& problem, RunControl& control)
    {
        std::vector<Array<Count>> counts;
        for (unsigned n = 0; n < order(); ++n)
            counts.push_back(sliceCounts(problem.train, n, control));
        const double number = m_doubles ? sizeof(double) : sizeof(float), row = m_rank * number;
        const GridCosts costs{order() * ((order() - 1) * (sizeof(Index) + row) + number), 2 * row};
        m_grid = chooseGrid(problem.train, counts, static_cast<unsigned>(m_members.size()), costs, control);
        m_train = tilesOf(problem.train, m_grid, control);
        if (problem.test)
            m_test = tilesOf(*problem.test, m_grid, control);
        m_rowEntries.resize(m_members.size());
        for (unsigned member = 0; member < m_members.size(); ++member)
            for (unsigned n = 0; n < order(); ++n) {
                const Count* const first = counts[n].data() + m_grid.firstRow(member, n);
                m_rowEntries[member].emplace_back(first, first + m_grid.rows(member, n));
            }
    }

    /// Modes whose rows the same members have share a communicator.
    void connect(RunControl& control)
    {
        std::map<std::vector<unsigned>, std::vector<Communicator*>> known;
        m_ranks.assign(order(), std::vector<Communicator*>(m_members.size(), nullptr));
        for (unsigned n = 0; n < order(); ++n)
            for (unsigned part = 0; part < m_grid.parts(n); ++part) {
                const std::vector<unsigned> havers = m_grid.havers(n, part);
                if (havers.size() == 1)
                    continue;
                std::vector<Communicator*>& ranks = known[havers];
                if (ranks.empty()) {
                    control.checkpoint(); // many GPUs take seconds
                    std::vector<DeviceId> devices;
                    for (const unsigned member : havers)
                        devices.push_back(m_devices[member]);
                    for (auto& made : makeCommunicators(devices))
                        ranks.push_back(m_communicators.emplace_back(std::move(made)).get());
                }
                for (std::size_t i = 0; i < havers.size(); ++i)
                    m_ranks[n][havers[i]] = ranks[i];
            }
    }

    /// What the member would have started with as a part of one device.
    Matrix start(const Problem& problem, unsigned member, unsigned mode, RunControl& control) const
    {
        const Index first = m_grid.firstRow(member, mode);
        Matrix rows = Matrix::unfilled(m_grid.rows(member, mode), m_rank, m_doubles);
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

    /// Unless there was a problem before.
    template <class Step> static void attempt(std::exception_ptr& problem, const Step& step)
    {
        if (problem)
            return;
        try {
            step();
        } catch (...) {
            problem = std::current_exception();
        }
    }

    /// Sums for the mode's rows over all entries. Also a member with a problem comes to where all meet, or the others would wait for it:
    /// they add up all or none, and false tells that none goes on.
    bool addUp(unsigned mode, unsigned member, RunControl& control, std::exception_ptr& problem)
    {
        RowSums sums;
        attempt(problem, [&] { sums = m_members[member]->sumRows(mode, control); });
        if (!m_crew.meet(!problem))
            return false;
        if (Communicator* const ranks = rank(mode, member))
            attempt(problem, [&] {
                ranks->allReduce(std::array{SharedNumbers{sums.numerators, sums.count, sums.type},
                                            SharedNumbers{sums.denominators, sums.count, sums.type}});
            });
        return true;
    }

    template <class Part> std::vector<Part> ofMembers(const std::function<Part(const NtfBackEnd&)>& ask) const
    {
        std::vector<Part> parts(m_members.size());
        m_crew.together([&](unsigned member) { parts[member] = ask(*m_members[member]); });
        return parts;
    }

    /// The members' rows of a mode, each part of it once.
    Matrix stacked(unsigned mode, bool doubles, const std::function<const Matrix*(unsigned member)>& ofMember) const
    {
        Matrix whole = Matrix::unfilled(m_dims[mode], m_rank, doubles);
        for (unsigned member = 0; member < m_members.size(); ++member)
            if (speaksFor(mode, member))
                std::visit(
                    [&](auto& to) {
                        const auto& from = std::get<std::decay_t<decltype(to)>>(ofMember(member)->data);
                        std::copy(from.begin(), from.end(),
                                  to.begin() + static_cast<std::ptrdiff_t>(std::size_t{m_grid.firstRow(member, mode)} * m_rank));
                    },
                    whole.data);
        return whole;
    }

    Matrix partOf(unsigned mode, unsigned member, const Matrix& whole) const
    {
        Matrix part = Matrix::unfilled(m_grid.rows(member, mode), m_rank, whole.hasDoubles());
        std::visit(
            [&](auto& to) {
                const auto& from = std::get<std::decay_t<decltype(to)>>(whole.data);
                std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(std::size_t{m_grid.firstRow(member, mode)} * m_rank), to.size(),
                            to.begin());
            },
            part.data);
        return part;
    }

    std::vector<DeviceId> m_devices;
    bool m_doubles;
    std::vector<Index> m_dims;
    unsigned m_rank = 0, m_rowSteps = 1;
    unsigned m_summed = 0; ///< the mode whose sums there are
    Grid m_grid;
    std::vector<SparseTensor> m_train, m_test; ///< [member]; no test entries: empty
    std::vector<std::vector<Array<Count>>> m_rowEntries; ///< [member][mode]
    std::vector<std::unique_ptr<NtfBackEnd>> m_members; // refer to those
    std::vector<std::unique_ptr<Communicator>> m_communicators;
    std::vector<std::vector<Communicator*>> m_ranks; ///< [mode][member]
    mutable Crew m_crew; // last: its threads end before what they use
};

} // namespace

std::unique_ptr<NtfBackEnd> makeGroup(Precision precision, const std::vector<DeviceId>& devices)
{
    return std::make_unique<GroupBackEnd>(precision, devices);
}

std::uint64_t groupHostBytes(const ProblemShape& shape, std::size_t devices)
{
    const std::uint64_t value = shape.tensorValueBytes ? shape.tensorValueBytes : sizeof(float);
    std::uint64_t rows = 0;
    for (const Index size : shape.dims)
        rows += size;
    return (shape.trainEntries + shape.testEntries) * (shape.dims.size() * sizeof(Index) + value) + (devices + 1) * rows * sizeof(Count);
}

} // namespace kernels::ntf
