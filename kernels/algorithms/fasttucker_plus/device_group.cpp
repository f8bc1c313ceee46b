// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/device_group.h"

#include "kernels/algorithms/fasttucker_plus/cpu_groups.h"
#include "kernels/algorithms/fasttucker_plus/grouped_records.h"
#include "kernels/algorithms/fasttucker_plus/joint_directions.h"
#include "kernels/algorithms/fasttucker_plus/schema.h"
#include "kernels/base/chunks.h"
#include "kernels/base/error.h"
#include "kernels/device/make_back_end.h"
#include "kernels/device/tile_group.h"
#include "kernels/tensor/statistics.h"

#include <algorithm>
#include <utility>

namespace kernels::fasttucker_plus {
namespace {

using PerRow = std::vector<std::vector<float>>; ///< [mode][row]

/// Entries a GPU visits between two joins, about, and for each row that is joined: an H200 takes them twice to four times as long as the
/// join (docs/PERFORMANCE.md).
constexpr Count entriesPerJoin = Count{1} << 24;
constexpr Count entriesPerJoinedRow = 64;
constexpr Count mostParts = 16;

std::uint64_t widestPadded(const RunConfig& config) { return (std::max(config.largestRank(), config.effectiveCoreRank()) + 15) / 16 * 16; }

/// What a member on a GPU keeps for the directions of so many modes' rows.
std::uint64_t directionBytes(const RunConfig& config, std::size_t modes)
{
    const std::uint64_t widest = widestPadded(config);
    return (widest * widest * (momentBlocks + 3 * modes) + widest * modes) * sizeof(double);
}

/// What a member keeps of a row that others have, too, at most: as it was last, its share and its visits.
std::uint64_t jointRowBytes(const RunConfig& config)
{
    return widestPadded(config) * (config.precision == Precision::Fp64 ? sizeof(double) : sizeof(float)) + 2 * sizeof(float);
}

/// What is the same for all - steps, schedules, when to go back - the solver does once; members know nothing of each other.
class GroupBackEnd final : public PlusBackEnd {
public:
    explicit GroupBackEnd(const RunConfig& config)
        : m_config(config)
        , m_group(config.devices)
    {
        for (const DeviceId& id : config.devices)
            m_members.push_back(makeBackEndOf<PlusBackEnd>(config.algorithm, config.precision, id));
    }

    /// As in one of them, which has its share of the entries. Rows of the longest mode are mostly in one member alone, where their
    /// share of what is under way is so many times as large.
    std::vector<Concurrency> concurrency(const Flight& flight) const override
    {
        Flight own = flight;
        own.entries = ofMember(flight.entries);
        own.threads = threadsOfMember(flight.threads, m_group.size());
        std::vector<Concurrency> result = m_members.front()->concurrency(own);
        result[std::max_element(flight.dims.begin(), flight.dims.end()) - flight.dims.begin()].inFlight *= m_group.size();
        return result;
    }

    void load(const Problem& whole, RunControl& control) override
    {
        requireHostWithinLimit(whole);
        const std::vector<Array<Count>> counts = arrange(whole, control);
        m_group.connect(control, true);
        const Gathering grouping = groupable(whole);
        m_scales.assign(m_group.size(), {});
        m_knownScales = nullptr;
        m_reach.assign(whole.train.order(), 0);
        sliceScales(whole.rowScales);
        m_group.together(control, [&](unsigned member, RunControl& own) {
            std::exception_ptr problem;
            TileGroup::attempt(problem, [&] { loadMember(member, whole, counts, grouping, own); });
            if (!onCpu()
                && joinLearnt(member, true, problem)) // NCCL and kernels are loaded when they are first used: no part of an iteration
                TileGroup::attempt(problem, [&] { beginAgain(member, whole.start, own); });
            if (problem)
                std::rethrow_exception(problem);
        });
    }

    /// All or none begin to join, so that a stop leaves rows that are rows. The last part is joined with the cores.
    void factorPass(const FactorPass& pass, RunControl& control) override
    {
        sliceScales(pass.rowScales);
        m_nonnegative = pass.nonnegative;
        m_damping = pass.damping;
        m_reach = pass.rates; // of the part that has not been joined
        for (double& rate : m_reach)
            rate /= pass.parts;
        m_group.together(control, [&](unsigned member, RunControl& own) {
            FactorPass part = pass;
            part.rowScales = scalesOf(member);
            std::exception_ptr problem;
            for (;; ++part.part) {
                if (hasEntries(member))
                    TileGroup::attempt(problem, [&] { m_members[member]->factorPass(part, own); });
                if (part.isLast() || !joinLearnt(member, false, problem))
                    break;
            }
            if (problem)
                std::rethrow_exception(problem);
        });
    }

    /// The end of an iteration.
    void corePass(const CorePass& pass, RunControl& control) override
    {
        m_group.together(control, [&](unsigned member, RunControl& own) {
            std::exception_ptr problem;
            if (hasEntries(member))
                TileGroup::attempt(problem, [&] { m_members[member]->corePass(pass, own); });
            joinLearnt(member, true, problem);
            if (problem)
                std::rethrow_exception(problem);
        });
    }

    ErrorSums evaluate(bool testSet, RunControl& control) override
    {
        ErrorSums whole;
        for (const ErrorSums& part : m_group.ofMembers<ErrorSums>(
                 control, [&](unsigned member, RunControl& own) { return m_members[member]->evaluate(testSet, own); }))
            whole += part;
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

    bool dampsGroups() const override { return !onCpu(); }
    std::string groupedNote() const override
    {
        return m_groupable ? m_members.front()->groupedNote() : "as calculate, " + m_groupable.reason;
    }

    bool touchRows(std::uint64_t iteration, RunControl& control) override
    {
        const auto touched = m_group.ofMembers<char>(control, [&](unsigned member, RunControl& own) {
            return !hasEntries(member) || m_members[member]->touchRows(iteration, own) ? '1' : '0';
        });
        return std::find(touched.begin(), touched.end(), '0') == touched.end();
    }

private:
    bool onCpu() const { return m_config.devices.front().kind == DeviceKind::Cpu; }
    bool hasEntries(unsigned member) const { return m_group.train(member).entries() > 0; }

    /// A GPU's has to hold what is joint, too, which comes after the rest; the host's is for all of them.
    std::uint64_t limitOf(unsigned member, const Problem& problem) const
    {
        if (onCpu() || problem.memoryLimit == 0)
            return 0;
        std::uint64_t joint = directionBytes(m_config, problem.train.order());
        for (unsigned n = 0; n < problem.train.order(); ++n)
            if (m_group.sharesRows(n))
                joint += m_group.grid().rows(member, n) * jointRowBytes(m_config);
        return problem.memoryLimit > joint ? problem.memoryLimit - joint : 1;
    }

    void requireHostWithinLimit(const Problem& problem) const
    {
        const ProblemShape shape{problem.train.dims(), problem.train.entries(), problem.test ? problem.test->entries() : 0,
                                 problem.train.hasDoubleValues() ? 8U : 4U};
        const std::uint64_t needed = onCpu() && problem.memoryLimit ? estimateGroup(m_config, shape).hostBytes : 0;
        if (needed > problem.memoryLimit)
            throw OutOfMemory("cpu, within the memory limit", needed, problem.memoryLimit,
                              "Raise the memory limit, or choose smaller ranks, fewer entries or fewer devices.");
    }

    std::vector<Array<Count>> arrange(const Problem& problem, RunControl& control)
    {
        std::vector<Array<Count>> counts;
        for (unsigned n = 0; n < problem.train.order(); ++n)
            counts.push_back(sliceCounts(problem.train, n, control));
        m_group.arrange(problem.train, problem.test, counts, gridCosts(problem.start.ranks, m_config.precision), control);
        return counts;
    }

    /// All members or none: those that group entries may hold rows wider than the others.
    Gathering groupable(const Problem& problem)
    {
        const Gathering wished = problem.grouping;
        m_groupable = Support::yes();
        for (unsigned member = 0; member < m_group.size(); ++member)
            if (const Support own = worthGrouping(m_group.train(member).entries()); !own)
                m_groupable = own;
        if (groups(wished) && !onCpu()) {
            const Model& start = problem.start;
            const unsigned widest = std::max(start.coreRank, *std::max_element(start.ranks.begin(), start.ranks.end()));
            const auto can = [&](const DeviceId& device) {
                return bool(canGroup(m_config.precision, widest, start.dims, problem.train.entries(), wished == Gathering::OwnPass,
                                     computeCapability(device), problem.damped));
            };
            const auto able = std::count_if(m_config.devices.begin(), m_config.devices.end(), can);
            if (able > 0 && static_cast<std::size_t>(able) < m_config.devices.size())
                m_groupable = Support::no("on GPUs of which some have no kernels for it");
        }
        return m_groupable ? wished : Gathering::None;
    }

    void loadMember(unsigned member, const Problem& problem, const std::vector<Array<Count>>& counts, Gathering grouping, RunControl& own)
    {
        const SparseTensor& train = m_group.train(member);
        const Model start = m_group.partOf(member, problem.start, own);
        std::vector<Array<Count>> here;
        for (unsigned n = 0; n < train.order(); ++n)
            here.push_back(sliceCounts(train, n, own));
        const PerRow shares = sharesOf(here, train.entries());
        Problem part{train, m_group.tests() && m_group.test(member).entries() > 0 ? &m_group.test(member) : nullptr, start};
        part.seed = problem.seed;
        part.deterministic = problem.deterministic;
        part.batchEntries = problem.batchEntries;
        part.storeProjections = problem.storeProjections;
        part.memoryLimit = limitOf(member, problem);
        part.threads = threadsOfMember(problem.threads, m_group.size());
        part.onTensorCores = problem.onTensorCores;
        part.grouping = grouping;
        part.shares = &shares;
        part.variant = problem.variant;
        part.ordering = problem.ordering;
        part.narrowRows = problem.narrowRows;
        part.rowScales = scalesOf(member);
        part.damped = problem.damped;
        if (problem.shares)
            part.planned = {ofMember(problem.train.entries()), problem.shares};
        m_members[member]->load(part, own);
        m_members[member]->join(jointOf(member, counts, here, problem.train.entries()), own);
    }

    void beginAgain(unsigned member, const Model& start, RunControl& own)
    {
        m_members[member]->replaceLatest(m_group.partOf(member, start, own), own);
        m_members[member]->rememberBest();
    }

    Count ofMember(Count entries) const { return entries / m_group.size(); } ///< about

    static PerRow sharesOf(const std::vector<Array<Count>>& counts, Count entries)
    {
        PerRow shares;
        for (const Array<Count>& ofMode : counts) {
            shares.emplace_back();
            for (const Count count : ofMode)
                shares.back().push_back(static_cast<float>(static_cast<double>(count) / static_cast<double>(std::max<Count>(entries, 1))));
        }
        return shares;
    }

    /// counts: of all entries; here: of the member's. Rows that nobody has entries of do not change.
    Joint jointOf(unsigned member, const std::vector<Array<Count>>& counts, const std::vector<Array<Count>>& here, Count entries) const
    {
        const auto part = [](Count of, Count all) {
            return static_cast<float>(static_cast<double>(of) / static_cast<double>(std::max<Count>(all, 1)));
        };
        Joint joint;
        joint.shareOfEntries = static_cast<double>(m_group.train(member).entries()) / static_cast<double>(std::max<Count>(entries, 1));
        joint.shares.resize(counts.size());
        joint.visits.resize(counts.size());
        for (unsigned n = 0; n < counts.size(); ++n) {
            if (!m_group.sharesRows(n))
                continue;
            const Index first = m_group.grid().firstRow(member, n);
            const PerRow* const scales = scalesOf(member);
            for (Index i = 0; i < here[n].size(); ++i) {
                const float scale = scales && !(*scales)[n].empty() ? (*scales)[n][i] : 1;
                joint.shares[n].push_back(part(here[n][i], counts[n][first + i]));
                joint.visits[n].push_back(scale * static_cast<float>(counts[n][first + i]));
            }
        }
        return joint;
    }

    /// False: none goes on to what needs others.
    bool joinLearnt(unsigned member, bool cores, std::exception_ptr& problem)
    {
        if (!m_group.meet(!problem)) // nobody's rows become changes before all are there: a stop leaves some in the pass
            return false;
        PlusBackEnd& own = *m_members[member];
        const Join join{m_reach, m_damping, cores, m_nonnegative};
        const bool allWell = m_group.addUpSeveral(member, problem, [&](auto& ofModes, auto& ofAll) {
            Changes changes = own.takeChanges(join);
            ofModes = std::move(changes.rows);
            ofAll = std::move(changes.cores);
        });
        if (allWell)
            TileGroup::attempt(problem, [&] { own.change(join); });
        return allWell;
    }

    /// The members' rows of them, once for a vector.
    void sliceScales(const std::vector<std::vector<float>>* scales)
    {
        if (scales == m_knownScales)
            return;
        if (m_knownScales) // members know theirs by where it lies
            throw Error(ErrorKind::Internal, "a group takes the steps of its rows once");
        m_knownScales = scales;
        for (unsigned member = 0; scales && member < m_group.size(); ++member) {
            PerRow& part = m_scales[member];
            part.assign(scales->size(), {});
            for (unsigned n = 0; n < scales->size(); ++n)
                if (!(*scales)[n].empty()) {
                    const auto first = (*scales)[n].begin() + m_group.grid().firstRow(member, n);
                    part[n].assign(first, first + m_group.grid().rows(member, n));
                }
        }
    }
    const PerRow* scalesOf(unsigned member) const { return m_knownScales ? &m_scales[member] : nullptr; }

    RunConfig m_config;
    TileGroup m_group;
    Support m_groupable;
    const std::vector<std::vector<float>>* m_knownScales = nullptr;
    std::vector<double> m_reach; ///< [mode]: steps of the last factor pass, times a part's share of it
    std::vector<double> m_damping; ///< of the pass
    bool m_nonnegative = false; ///< likewise
    std::vector<PerRow> m_scales; ///< [member]: of its rows, of the scales known
    std::vector<std::unique_ptr<PlusBackEnd>> m_members; // refer to its tiles
};

} // namespace

std::unique_ptr<PlusBackEnd> makeGroup(const RunConfig& config)
{
    if (config.algorithm != algorithmId)
        throw Error(ErrorKind::Internal, "others of the family work on one device");
    return std::make_unique<GroupBackEnd>(config);
}

unsigned partsOfIteration(const RunConfig& config, const std::vector<Index>& dims, Count entries)
{
    const std::size_t devices = config.devices.size();
    if (devices < 2 || config.devices.front().kind == DeviceKind::Cpu)
        return 1; // the CPU visits grouped rows block by block: a part of an iteration has many visits of few rows
    if (orderingOf(config).order != EntryOrder::Shuffled)
        return 1; // likewise
    Count joined = 0; // those of the longest mode mostly are not
    for (const Index rows : dims)
        joined += rows;
    joined -= *std::max_element(dims.begin(), dims.end());
    const Count ofPart = entriesPerJoin + entriesPerJoinedRow * joined;
    return static_cast<unsigned>(std::clamp<Count>(chunkCount(entries / devices, ofPart), 1, mostParts));
}

GridCosts gridCosts(const std::vector<unsigned>& ranks, Precision precision)
{
    const double number = precision == Precision::Fp64 ? sizeof(double) : sizeof(float);
    GridCosts costs{number, 0};
    for (const unsigned rank : ranks) {
        costs.ofEntry += sizeof(Index) + 3 * rank * number;
        costs.ofRow = std::max(costs.ofRow, 2 * rank * number);
    }
    return costs;
}

MemoryUse estimateGroup(const RunConfig& config, const ProblemShape& shape)
{
    const std::size_t devices = config.devices.size();
    RunConfig one = config;
    one.devices = {config.devices.front()};
    one.threads = threadsOfMember(config.threads, devices);
    MemoryUse use = estimateMemory(one, fullestTile(shape, devices));
    std::uint64_t rows = 0, numbers = 0;
    for (unsigned n = 0; n < shape.dims.size(); ++n) {
        rows += shape.dims[n];
        numbers += (shape.dims[n] + std::uint64_t{config.effectiveCoreRank()}) * config.rankOfMode(n);
    }
    const std::uint64_t number = config.precision == Precision::Fp64 ? sizeof(double) : sizeof(float);
    const unsigned columns = (std::max(config.largestRank(), config.effectiveCoreRank()) + 15) / 16 * 16;
    for (const Index size : shape.dims) // a member may have few enough of its rows
        if (use.deviceBytes > 0 && size > mostRowsInSlots && columns <= mostGroupedColumns(3))
            use.deviceBytes += workingRowsBytes({mostRowsInSlots}, columns, true, true);
    const std::uint64_t ofMember = rows * (2 * sizeof(Count) + 4 * sizeof(float)); // counts, shares of entries, visits, steps
    (use.deviceBytes > 0 ? use.deviceBytes : use.hostBytes) += (rows + shape.dims.size() * config.largestRank()) * jointRowBytes(config);
    if (use.deviceBytes > 0)
        use.deviceBytes += directionBytes(config, shape.dims.size());
    else
        use.hostBytes += directionBytes(config, shape.dims.size()) / 8; // 1 MiB at 128 columns
    use.hostBytes = devices * (use.hostBytes + ofMember) + tileBytes(shape) + numbers * number + rows * sizeof(Count);
    return use;
}

} // namespace kernels::fasttucker_plus
