// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/device/tile_group.h"

#include "kernels/base/chunks.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <thread>
#include <utility>

namespace kernels {

TileGroup::TileGroup(std::vector<DeviceId> devices)
    : m_devices(std::move(devices))
    , m_crew(static_cast<unsigned>(m_devices.size()))
{
}

void TileGroup::arrange(const SparseTensor& train, const SparseTensor* test, const std::vector<Array<Count>>& counts,
                        const GridCosts& costs, RunControl& control)
{
    m_grid = chooseGrid(train, counts, size(), costs, control);
    m_train = tilesOf(train, m_grid, control);
    if (test)
        m_test = tilesOf(*test, m_grid, control);
}

/// Modes whose rows the same members have share a communicator.
void TileGroup::connect(RunControl& control, bool all)
{
    std::map<std::vector<unsigned>, std::vector<Communicator*>> known;
    const auto ranksOf = [&](const std::vector<unsigned>& members) -> const std::vector<Communicator*>& {
        std::vector<Communicator*>& ranks = known[members];
        if (ranks.empty()) {
            control.checkpoint();
            std::vector<DeviceId> devices;
            for (const unsigned member : members)
                devices.push_back(m_devices[member]);
            for (auto& made : makeCommunicators(devices))
                ranks.push_back(m_communicators.emplace_back(std::move(made)).get());
        }
        return ranks;
    };
    m_ranks.assign(m_grid.order(), std::vector<Communicator*>(size(), nullptr));
    for (unsigned n = 0; n < m_grid.order(); ++n)
        for (unsigned part = 0; part < m_grid.parts(n); ++part) {
            const std::vector<unsigned> havers = m_grid.havers(n, part);
            if (havers.size() == 1)
                continue;
            const std::vector<Communicator*>& ranks = ranksOf(havers);
            for (std::size_t i = 0; i < havers.size(); ++i)
                m_ranks[n][havers[i]] = ranks[i];
        }
    if (all) {
        std::vector<unsigned> members(size());
        std::iota(members.begin(), members.end(), 0U);
        m_all = ranksOf(members);
    }
}

std::uint64_t TileGroup::tileBytes() const
{
    std::uint64_t bytes = 0;
    for (const std::vector<SparseTensor>* const tiles : {&m_train, &m_test})
        for (const SparseTensor& tile : *tiles)
            bytes += tile.bytes();
    return bytes;
}

void TileGroup::attempt(std::exception_ptr& problem, const std::function<void()>& step)
{
    if (problem)
        return;
    try {
        step();
    } catch (...) {
        problem = std::current_exception();
    }
}

bool TileGroup::addUp(unsigned mode, unsigned member, std::exception_ptr& problem,
                      const std::function<std::vector<SharedNumbers>()>& make) const
{
    return addUpParts(mode, member, problem, 1, [&](unsigned) { return make(); });
}

bool TileGroup::addUpParts(unsigned mode, unsigned member, std::exception_ptr& problem, unsigned parts, const MakePart& make) const
{
    Communicator* const ranks = m_ranks[mode][member];
    bool allWell = true;
    for (unsigned part = 0; part < parts && allWell; ++part) {
        std::vector<SharedNumbers> made;
        attempt(problem, [&] { made = make(part); });
        allWell = m_crew.meet(!problem);
        if (allWell && ranks)
            attempt(problem, [&] { ranks->beginAllReduce(made); });
    }
    if (ranks) // what all have begun is waited for, or it would go on in memory that its owner takes back
        attemptToo(problem, [&] { ranks->finish(); });
    return allWell;
}

/// A call for each communicator: whose members make all of them in the same order, each also where another failed, or those that wait for
/// this member in it would wait for ever.
bool TileGroup::addUpSeveral(unsigned member, std::exception_ptr& problem, const MakeSeveral& make) const
{
    std::vector<std::pair<Communicator*, std::vector<SharedNumbers>>> calls;
    attempt(problem, [&] {
        std::vector<SharedNumbers> ofModes, ofAll;
        make(ofModes, ofAll);
        const auto add = [&](Communicator* ranks, const SharedNumbers& numbers) {
            if (!ranks || numbers.count == 0)
                return;
            const auto known = std::find_if(calls.begin(), calls.end(), [&](const auto& call) { return call.first == ranks; });
            (known == calls.end() ? calls.emplace_back(ranks, std::vector<SharedNumbers>()) : *known).second.push_back(numbers);
        };
        for (unsigned n = 0; n < ofModes.size(); ++n)
            add(m_ranks[n][member], ofModes[n]);
        for (const SharedNumbers& numbers : ofAll)
            add(m_all[member], numbers);
    });
    if (!m_crew.meet(!problem))
        return false;
    for (const auto& call : calls)
        attemptToo(problem, [&] { call.first->beginAllReduce(call.second); });
    for (const auto& call : calls)
        attemptToo(problem, [&] { call.first->finish(); });
    return true;
}

/// Also where there was a problem before, which stays the one that is told.
void TileGroup::attemptToo(std::exception_ptr& problem, const std::function<void()>& step)
{
    std::exception_ptr own;
    attempt(own, step);
    if (!problem)
        problem = own;
}

void TileGroup::putInto(Matrix& whole, unsigned mode, unsigned member, const Matrix& part) const
{
    std::visit(
        [&](auto& to) {
            const auto& from = std::get<std::decay_t<decltype(to)>>(part.data);
            std::copy(from.begin(), from.end(), to.data() + std::size_t{m_grid.firstRow(member, mode)} * whole.columns);
        },
        whole.data);
}

Matrix TileGroup::stacked(unsigned mode, const std::function<const Matrix&(unsigned member)>& ofMember) const
{
    const Matrix& first = ofMember(m_grid.havers(mode, 0).front());
    Matrix whole = Matrix::unfilled(m_grid.cuts[mode].back(), first.columns, first.hasDoubles());
    for (unsigned member = 0; member < size(); ++member)
        if (speaksFor(mode, member))
            putInto(whole, mode, member, ofMember(member));
    return whole;
}

/// Of all rows, as a member's model is.
Model TileGroup::unfilled(const Model& part) const
{
    Model whole;
    whole.kind = part.kind;
    whole.ranks = part.ranks;
    whole.coreRank = part.coreRank;
    whole.weights = part.weights;
    whole.coreFactors = part.coreFactors;
    for (unsigned n = 0; n < m_grid.order(); ++n) {
        whole.dims.push_back(m_grid.cuts[n].back());
        whole.factors.push_back(Matrix::unfilled(whole.dims[n], part.factors[n].columns, part.factors[n].hasDoubles()));
    }
    return whole;
}

Model TileGroup::stackedModel(const std::function<Model(unsigned member)>& ofMember) const
{
    Model whole;
    for (unsigned member = 0; member < size(); ++member) {
        bool speaks = false;
        for (unsigned n = 0; n < m_grid.order(); ++n)
            speaks = speaks || speaksFor(n, member);
        if (!speaks)
            continue;
        Model part = ofMember(member);
        if (member == 0) // who speaks for the first rows of all modes
            whole = unfilled(part);
        for (unsigned n = 0; n < m_grid.order(); ++n)
            if (speaksFor(n, member))
                putInto(whole.factors[n], n, member, part.factors[n]);
    }
    return whole;
}

Matrix TileGroup::partOf(unsigned mode, unsigned member, const Matrix& whole, RunControl& control) const
{
    Matrix part = Matrix::unfilled(m_grid.rows(member, mode), whole.columns, whole.hasDoubles());
    std::visit(
        [&](auto& to) {
            const auto* const from =
                std::get<std::decay_t<decltype(to)>>(whole.data).data() + std::size_t{m_grid.firstRow(member, mode)} * whole.columns;
            forEachChunk(to.size(), Count{1} << 16, control,
                         [&](Count, Count begin, Count end) { std::copy(from + begin, from + end, to.data() + begin); });
        },
        part.data);
    return part;
}

Model TileGroup::partOf(unsigned member, const Model& whole, RunControl& control) const
{
    Model part;
    part.kind = whole.kind;
    part.ranks = whole.ranks;
    part.coreRank = whole.coreRank;
    part.weights = whole.weights;
    part.coreFactors = whole.coreFactors;
    for (unsigned n = 0; n < m_grid.order(); ++n) {
        part.dims.push_back(m_grid.rows(member, n));
        part.factors.push_back(partOf(n, member, whole.factors[n], control));
    }
    return part;
}

unsigned threadsOfMember(unsigned threads, std::size_t members)
{
    const unsigned all = threads ? threads : std::max(1U, std::thread::hardware_concurrency());
    return std::max(1U, all / static_cast<unsigned>(members));
}

ProblemShape fullestTile(const ProblemShape& shape, std::size_t devices)
{
    const auto share = [devices](Count entries) { return std::min(entries, entries / devices + entries / (8 * devices) + 1); };
    ProblemShape tile = shape;
    tile.trainEntries = share(shape.trainEntries);
    tile.testEntries = share(shape.testEntries);
    return tile;
}

std::uint64_t tileBytes(const ProblemShape& shape)
{
    const std::uint64_t value = shape.tensorValueBytes ? shape.tensorValueBytes : sizeof(float);
    return (shape.trainEntries + shape.testEntries) * (shape.dims.size() * sizeof(Index) + value);
}

} // namespace kernels
