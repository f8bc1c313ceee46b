// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/tensor/grid.h"

#include "kernels/base/chunks.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace kernels {
namespace {

constexpr Count entriesAtOnce = Count{1} << 16;
constexpr Count looksAtMost = Count{1} << 18; ///< entries by which grids are compared
constexpr double costOfSending = 10; ///< a byte between GPUs against one of a GPU's own memory: 4 TB/s against some 400 GB/s

/// Parts with about as many entries each, none without indices.
std::vector<Index> cutsOf(const Array<Count>& counts, unsigned parts)
{
    const auto size = static_cast<Index>(counts.size());
    Count total = 0;
    for (const Count count : counts)
        total += count;
    std::vector<Index> cuts{0};
    Index i = 0;
    Count before = 0; // entries of indices below i
    for (unsigned part = 1; part < parts; ++part) {
        const double goal = static_cast<double>(total) * part / parts;
        while (i < size && static_cast<double>(before + counts[i]) <= goal)
            before += counts[i++];
        const bool nearer = i < size && static_cast<double>(before + counts[i]) - goal < goal - static_cast<double>(before);
        cuts.push_back(std::clamp(i + (nearer ? 1 : 0), cuts.back() + 1, size - (parts - part)));
    }
    cuts.push_back(size);
    return cuts;
}

unsigned partOfIndex(const std::vector<Index>& cuts, Index index)
{
    return static_cast<unsigned>(std::upper_bound(cuts.begin(), cuts.end() - 1, index) - cuts.begin()) - 1;
}

unsigned cellOf(const Grid& grid, const SparseTensor& tensor, Count entry)
{
    unsigned cell = 0;
    for (unsigned n = 0; n < grid.order(); ++n)
        cell = cell * grid.parts(n) + (grid.parts(n) > 1 ? partOfIndex(grid.cuts[n], tensor.indices[n][entry]) : 0);
    return cell;
}

/// Of the fullest device, if all entries are as some of them.
double mostEntries(const Grid& grid, const SparseTensor& tensor)
{
    const Count stride = std::max<Count>(1, tensor.entries() / looksAtMost);
    std::vector<Count> found(grid.cells());
    for (Count e = 0; e < tensor.entries(); e += stride)
        ++found[cellOf(grid, tensor, e)];
    const Count looks = chunkCount(tensor.entries(), stride);
    return static_cast<double>(*std::max_element(found.begin(), found.end())) / grid.sharers
        / static_cast<double>(std::max<Count>(looks, 1)) * static_cast<double>(tensor.entries());
}

double costOf(const Grid& grid, const SparseTensor& tensor, const GridCosts& costs)
{
    double bytes = costs.ofEntry * mostEntries(grid, tensor);
    for (unsigned n = 0; n < grid.order(); ++n) {
        Index rows = 0;
        for (unsigned part = 0; part < grid.parts(n); ++part)
            rows = std::max(rows, grid.cuts[n][part + 1] - grid.cuts[n][part]);
        const double havers = grid.devices() / grid.parts(n), sent = 2 * (havers - 1) / havers;
        bytes += costs.ofRow * rows * (1 + costOfSending * sent);
    }
    return bytes;
}

/// All ways to write a number as a product of one factor a mode, none larger than the mode, and a rest.
void forEachShape(const std::vector<Index>& dims, unsigned devices, std::vector<unsigned>& shape, const std::function<void(unsigned)>& use)
{
    if (shape.size() == dims.size())
        return use(devices);
    const Index size = dims[shape.size()];
    for (unsigned parts = 1; parts <= devices && parts <= size; ++parts)
        if (devices % parts == 0) {
            shape.push_back(parts);
            forEachShape(dims, devices / parts, shape, use);
            shape.pop_back();
        }
}

/// Where an entry goes: its cell's entries follow each other, and each of the cell's devices has a stretch of them.
class Dealer {
public:
    Dealer(const SparseTensor& tensor, const Grid& grid, RunControl& control)
        : m_tensor(tensor)
        , m_grid(grid)
        , m_before(chunkCount(tensor.entries(), entriesAtOnce), std::vector<Count>(grid.cells()))
        , m_whole(grid.cells())
    {
        forEachChunk(tensor.entries(), entriesAtOnce, control, [&](Count chunk, Count begin, Count end) {
            for (Count e = begin; e < end; ++e)
                ++m_before[chunk][cellOf(grid, tensor, e)];
        });
        for (std::vector<Count>& cells : m_before)
            for (std::size_t cell = 0; cell < cells.size(); ++cell)
                m_whole[cell] += std::exchange(cells[cell], m_whole[cell]);
    }

    Count entries(unsigned device) const { return firstOf(device % m_grid.sharers + 1, device) - firstOf(device % m_grid.sharers, device); }

    /// take(device, position there, entry).
    template <class Take> void deal(RunControl& control, const Take& take)
    {
        forEachChunk(m_tensor.entries(), entriesAtOnce, control, [&](Count chunk, Count begin, Count end) {
            for (Count e = begin; e < end; ++e) {
                const unsigned cell = cellOf(m_grid, m_tensor, e);
                const Count position = m_before[chunk][cell]++;
                const auto sharer = static_cast<unsigned>(((position + 1) * m_grid.sharers - 1) / m_whole[cell]);
                const unsigned device = cell * m_grid.sharers + sharer;
                take(device, position - firstOf(sharer, device), e);
            }
        });
    }

private:
    /// In the device's cell, the first entry of the sharer.
    Count firstOf(unsigned sharer, unsigned device) const { return m_whole[device / m_grid.sharers] * sharer / m_grid.sharers; }

    const SparseTensor& m_tensor;
    const Grid& m_grid;
    std::vector<std::vector<Count>> m_before; ///< [chunk][cell]: entries of the cell before the chunk
    std::vector<Count> m_whole; ///< [cell]
};

} // namespace

unsigned Grid::cells() const
{
    unsigned product = 1;
    for (unsigned n = 0; n < order(); ++n)
        product *= parts(n);
    return product;
}

unsigned Grid::partOf(unsigned device, unsigned mode) const
{
    unsigned cell = device / sharers;
    for (unsigned n = order() - 1; n > mode; --n)
        cell /= parts(n);
    return cell % parts(mode);
}

std::vector<unsigned> Grid::havers(unsigned mode, unsigned part) const
{
    std::vector<unsigned> found;
    for (unsigned device = 0; device < devices(); ++device)
        if (partOf(device, mode) == part)
            found.push_back(device);
    return found;
}

Grid chooseGrid(const SparseTensor& tensor, const std::vector<Array<Count>>& counts, unsigned devices, const GridCosts& costs,
                RunControl& control)
{
    Grid best;
    double least = INFINITY;
    std::vector<unsigned> shape;
    forEachShape(tensor.dims(), devices, shape, [&](unsigned sharers) {
        control.checkpoint();
        Grid grid;
        grid.sharers = sharers;
        for (unsigned n = 0; n < tensor.order(); ++n)
            grid.cuts.push_back(cutsOf(counts[n], shape[n]));
        if (const double cost = costOf(grid, tensor, costs); cost < least) {
            least = cost;
            best = std::move(grid);
        }
    });
    return best;
}

std::vector<SparseTensor> tilesOf(const SparseTensor& tensor, const Grid& grid, RunControl& control)
{
    Dealer dealer(tensor, grid, control);
    std::vector<SparseTensor> tiles;
    for (unsigned device = 0; device < grid.devices(); ++device) {
        std::vector<Index> dims;
        for (unsigned n = 0; n < grid.order(); ++n)
            dims.push_back(grid.rows(device, n));
        tiles.emplace_back(dims, dealer.entries(device), tensor.hasDoubleValues());
        tiles.back().sorted = tensor.sorted; // they keep their order
    }
    std::visit(
        [&](const auto& values) {
            using Values = std::decay_t<decltype(values)>;
            dealer.deal(control, [&](unsigned device, Count position, Count entry) {
                SparseTensor& tile = tiles[device];
                for (unsigned n = 0; n < grid.order(); ++n)
                    tile.indices[n][position] = tensor.indices[n][entry] - grid.firstRow(device, n);
                std::get<Values>(tile.values)[position] = values[entry];
            });
        },
        tensor.values);
    return tiles;
}

} // namespace kernels
