// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/cp_als/group.h"

#include "kernels/base/error.h"
#include "kernels/base/stopwatch.h"
#include "kernels/device/make_back_end.h"
#include "kernels/device/require_memory.h"
#include "kernels/device/tile_group.h"
#include "kernels/tensor/statistics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace kernels::cp_als {
namespace {

/// The run as one of its devices has it.
RunConfig configOfMember(const RunConfig& config, const DeviceId& device, unsigned threads)
{
    RunConfig one = config;
    one.devices = {device};
    one.threads = threads;
    return one;
}

/// What is R × R the solver does once for all, so that members never drift apart: those with the same rows have the same products, bit for
/// bit, and do the same to them.
class GroupBackEnd final : public CpBackEnd {
public:
    explicit GroupBackEnd(const RunConfig& config)
        : m_config(config)
        , m_group(config.devices)
    {
        for (const DeviceId& id : config.devices)
            m_members.push_back(makeBackEndOf<CpBackEnd>(algorithmId, config.precision, id));
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
        m_rank = static_cast<unsigned>(problem.start.factors.front().columns);
        arrange(problem, control);
        m_group.connect(control);
        std::vector<std::uint64_t> rooms; // before any of them takes some
        for (unsigned member = 0; member < m_members.size(); ++member)
            rooms.push_back(roomOfMember(member, problem));
        m_group.together(control, [&](unsigned member, RunControl& own) {
            const SparseTensor& train = m_group.train(member);
            const SparseTensor* const test = m_group.tests() && m_group.test(member).entries() > 0 ? &m_group.test(member) : nullptr;
            const Model start = m_group.partOf(member, problem.start, own);
            const mttkrp::Plan plan = planOfMember(member, rooms[member], train, test);
            m_members[member]->load(
                {train, test, start, plan, problem.deterministic, threadsOfMember(problem.threads, m_members.size()), problem.tensorCores},
                own);
        });
    }

    void beginProducts(unsigned mode, RunControl& control) override
    {
        m_group.together(control, [&](unsigned member, RunControl& own) { m_members[member]->beginProducts(mode, own); });
        m_mode = mode;
    }

    /// As long as the slowest took, with what adding up did.
    double endProducts(RunControl& control) override
    {
        std::vector<double> seconds(m_members.size(), 0.0);
        m_group.together(control, [&](unsigned member, RunControl& own) {
            if (!m_group.sharesRows(m_mode)) {
                seconds[member] = m_members[member]->endProducts(own);
                return;
            }
            std::exception_ptr problem;
            const Stopwatch watch(own);
            double before = 0;
            m_group.addUp(m_mode, member, problem, [&] {
                seconds[member] = m_members[member]->endProducts(own);
                before = watch.seconds();
                return std::vector{m_members[member]->products(m_mode)};
            });
            if (problem)
                std::rethrow_exception(problem);
            seconds[member] += watch.seconds() - before;
        });
        return *std::max_element(seconds.begin(), seconds.end());
    }

    /// Of all devices' rows together.
    SharedNumbers products(unsigned) override { throw Error(ErrorKind::Internal, "several devices' products lie in several places"); }

    Renewed solve(unsigned mode, const SymmetricInverse& inverse, RunControl& control) override
    {
        std::vector<Renewed> parts(m_members.size());
        m_group.together(control, [&](unsigned member, RunControl& own) { parts[member] = m_members[member]->solve(mode, inverse, own); });
        Renewed whole{Square::Zero(m_rank, m_rank), Columns(m_rank, 0)};
        for (unsigned member = 0; member < m_members.size(); ++member)
            if (m_group.speaksFor(mode, member)) {
                whole.gram += parts[member].gram;
                for (unsigned r = 0; r < m_rank; ++r)
                    whole.largest[r] = std::max(whole.largest[r], parts[member].largest[r]);
            }
        return whole;
    }

    Square gram(unsigned mode, RunControl& control) override
    {
        Square whole = Square::Zero(m_rank, m_rank);
        for (const Square& part : m_group.ofSpeakers<Square>(
                 mode, control, [&](unsigned member, RunControl& own) { return m_members[member]->gram(mode, own); }))
            if (part.size() > 0)
                whole += part;
        return whole;
    }

    void scale(unsigned mode, const Columns& by, RunControl& control) override
    {
        m_group.together(control, [&](unsigned member, RunControl& own) { m_members[member]->scale(mode, by, own); });
    }

    void setWeights(const Columns& weights) override
    {
        for (const auto& member : m_members)
            member->setWeights(weights);
    }

    Overlap overlap(unsigned mode, RunControl& control) override
    {
        Overlap whole;
        for (const Overlap& part : m_group.ofSpeakers<Overlap>(
                 mode, control, [&](unsigned member, RunControl& own) { return m_members[member]->overlap(mode, own); })) {
            whole.products += part.products;
            whole.magnitudes += part.magnitudes;
        }
        return whole;
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
            whole.products += part.products;
        }
        return whole;
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

    void replaceLatest(const Model& model, RunControl& control) override
    {
        m_group.together(
            control, [&](unsigned member, RunControl& own) { m_members[member]->replaceLatest(m_group.partOf(member, model, own), own); });
    }

    MemoryUse memoryUse() const override { return m_group.memoryOf(m_members); }

    std::string chosenFormat() const override
    {
        std::set<std::string> formats;
        for (const auto& member : m_members)
            if (const std::string format = member->chosenFormat(); !format.empty())
                formats.insert(format);
        return fmt::format("{}", fmt::join(formats, " or "));
    }

    bool streams() const override
    {
        return std::any_of(m_members.begin(), m_members.end(), [](const auto& member) { return member->streams(); });
    }

private:
    /// A byte of an entry and mode: its other indices and value, the rows they name; of a row its sum.
    void arrange(const Problem& problem, RunControl& control)
    {
        const auto order = static_cast<unsigned>(m_dims.size());
        std::vector<Array<Count>> counts;
        for (unsigned n = 0; n < order; ++n)
            counts.push_back(sliceCounts(problem.train, n, control));
        const double number = m_config.precision == Precision::Fp64 ? sizeof(double) : sizeof(float), row = m_rank * number;
        m_group.arrange(problem.train, problem.test, counts, {order * ((order - 1) * (sizeof(Index) + row) + number), row}, control);
    }

    /// A GPU has its own; ranks of one host share what is free there, or what tiles and start leave of the run's limit.
    std::uint64_t roomOfMember(unsigned member, const Problem& problem) const
    {
        const std::uint64_t free = m_members[member]->freeBytes(), limit = m_config.memoryLimit;
        if (m_group.device(member).kind == DeviceKind::Cuda)
            return limit ? std::min(free, limit) : free;
        std::uint64_t taken = m_group.tileBytes();
        for (const Matrix& rows : problem.start.factors)
            taken += rows.rows * rows.columns * (rows.hasDoubles() ? sizeof(double) : sizeof(float));
        return (limit ? std::min(free, limit > taken ? limit - taken : 0) : free) / m_group.size();
    }

    /// A tile's own: it may be fuller than the estimate thought.
    mttkrp::Plan planOfMember(unsigned member, std::uint64_t room, const SparseTensor& train, const SparseTensor* test) const
    {
        const RunConfig one = configOfMember(m_config, m_group.device(member), threadsOfMember(m_config.threads, m_members.size()));
        const ProblemShape shape{train.dims(), train.entries(), test ? test->entries() : 0, train.hasDoubleValues() ? 8U : 4U};
        RunPlan plan = planBackEnd(one, shape, room);
        if (m_group.device(member).kind == DeviceKind::Cuda)
            requireMemory(one, plan.memory, room, "choose a smaller rank, the format blco, which streams them, or fewer entries.");
        return std::move(plan.products);
    }

    RunConfig m_config;
    std::vector<Index> m_dims;
    unsigned m_rank = 0;
    unsigned m_mode = 0; ///< whose products were begun
    TileGroup m_group;
    std::vector<std::unique_ptr<CpBackEnd>> m_members; // refer to its tiles
};

} // namespace

std::unique_ptr<CpBackEnd> makeGroup(const RunConfig& config) { return std::make_unique<GroupBackEnd>(config); }

RunPlan planGroup(const RunConfig& config, const ProblemShape& shape, std::uint64_t room)
{
    const std::size_t devices = config.devices.size();
    const bool onCpu = config.devices.front().kind == DeviceKind::Cpu;
    const std::uint64_t number = config.precision == Precision::Fp64 ? sizeof(double) : sizeof(float);
    std::uint64_t rows = 0;
    for (const Index size : shape.dims)
        rows += size;
    const std::uint64_t whole = tileBytes(shape) + rows * config.largestRank() * number; // the start, or a model that is given away
    const unsigned threads = threadsOfMember(config.threads, devices);
    RunPlan plan = planBackEnd(configOfMember(config, config.devices.front(), threads), fullestTile(shape, devices),
                               onCpu ? (room > whole ? room - whole : 0) / devices : room);
    plan.memory.hostBytes = devices * plan.memory.hostBytes + whole;
    return plan;
}

} // namespace kernels::cp_als
