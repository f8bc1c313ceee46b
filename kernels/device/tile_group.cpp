// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/device/tile_group.h"

#include <algorithm>
#include <map>
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
void TileGroup::connect(RunControl& control)
{
    std::map<std::vector<unsigned>, std::vector<Communicator*>> known;
    m_ranks.assign(m_grid.order(), std::vector<Communicator*>(size(), nullptr));
    for (unsigned n = 0; n < m_grid.order(); ++n)
        for (unsigned part = 0; part < m_grid.parts(n); ++part) {
            const std::vector<unsigned> havers = m_grid.havers(n, part);
            if (havers.size() == 1)
                continue;
            std::vector<Communicator*>& ranks = known[havers];
            if (ranks.empty()) {
                control.checkpoint();
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
    std::vector<SharedNumbers> made;
    attempt(problem, [&] { made = make(); });
    if (!m_crew.meet(!problem))
        return false;
    if (Communicator* const ranks = m_ranks[mode][member])
        attempt(problem, [&] { ranks->allReduce(made); });
    return true;
}

Matrix TileGroup::stacked(unsigned mode, const std::function<const Matrix&(unsigned member)>& ofMember) const
{
    const Matrix& first = ofMember(0);
    Matrix whole = Matrix::unfilled(m_grid.cuts[mode].back(), first.columns, first.hasDoubles());
    for (unsigned member = 0; member < size(); ++member)
        if (speaksFor(mode, member))
            std::visit(
                [&](auto& to) {
                    const auto& from = std::get<std::decay_t<decltype(to)>>(ofMember(member).data);
                    std::copy(from.begin(), from.end(), to.data() + std::size_t{m_grid.firstRow(member, mode)} * whole.columns);
                },
                whole.data);
    return whole;
}

Matrix TileGroup::partOf(unsigned mode, unsigned member, const Matrix& whole) const
{
    Matrix part = Matrix::unfilled(m_grid.rows(member, mode), whole.columns, whole.hasDoubles());
    std::visit(
        [&](auto& to) {
            const auto& from = std::get<std::decay_t<decltype(to)>>(whole.data);
            std::copy_n(from.data() + std::size_t{m_grid.firstRow(member, mode)} * whole.columns, to.size(), to.data());
        },
        part.data);
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
