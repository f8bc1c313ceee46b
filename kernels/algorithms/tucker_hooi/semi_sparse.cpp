// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/tucker_hooi/semi_sparse.h"

#include "kernels/base/chunks.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace kernels::tucker_hooi {
namespace {

constexpr unsigned panel = 8; ///< columns that sums in registers are of
constexpr std::uint64_t columnsAtOnce = 64; ///< of a group: what they sum up to stays in a cache
constexpr std::uint64_t workAtOnce = std::uint64_t{1} << 22; ///< multiplications of a task, some milliseconds
constexpr Count membersBetweenStops = 4096;

/// sum += Σ_s t[s] · rows[s], `stride` apart, a panel of each.
inline void addUp(double* sum, const double* t, std::uint64_t size, const double* rows, std::uint64_t stride)
{
    double s[panel];
    for (unsigned c = 0; c < panel; ++c)
        s[c] = sum[c];
    for (std::uint64_t k = 0; k < size; ++k)
        for (unsigned c = 0; c < panel; ++c)
            s[c] += t[k] * rows[k * stride + c];
    for (unsigned c = 0; c < panel; ++c)
        sum[c] = s[c];
}

/// rows[s] += t[s] · row
inline void spread(double* rows, std::uint64_t stride, const double* t, std::uint64_t size, const double* row)
{
    double r[panel];
    for (unsigned c = 0; c < panel; ++c)
        r[c] = row[c];
    for (std::uint64_t k = 0; k < size; ++k)
        for (unsigned c = 0; c < panel; ++c)
            rows[k * stride + c] += t[k] * r[c];
}

/// Few parts leave threads without work, which then take panels of columns each.
unsigned panelsOf(const StepPlan& plan)
{
    constexpr unsigned enoughParts = 8;
    return plan.parts >= enoughParts ? 1 : plan.stride / panel;
}

/// body(part, first column, columns, begin, end) for stretches of so many pieces of work, each of which takes `each` multiplications.
template <class Body> void forEachPart(const StepPlan& plan, Count pieces, std::uint64_t each, RunControl& control, const Body& body)
{
    const unsigned panels = panelsOf(plan), columns = plan.stride / panels;
    const Count stretch = plan.parts * std::max<Count>(1, workAtOnce / std::max<std::uint64_t>(each, 1));
    for (Count from = 0; from < pieces; from += stretch) {
        const Count count = std::min(stretch, pieces - from);
        forEachChunk(Count{plan.parts} * panels, 1, control, [&](Count task, Count, Count) {
            const Count part = task / panels;
            body(part, static_cast<unsigned>(task % panels) * columns, columns, from + count * part / plan.parts,
                 from + count * (part + 1) / plan.parts);
        });
    }
}

void clear(double* numbers, std::uint64_t count, RunControl& control)
{
    forEachChunk(count, Count{1} << 16, control, [&](Count, Count begin, Count end) { std::fill(numbers + begin, numbers + end, 0.0); });
}

} // namespace

SemiSparse::SemiSparse(const SparseTensor& tensor, const std::vector<unsigned>& treeOrder, RunControl& control)
    : m_tree(formats::buildCsf(tensor, treeOrder, control, formats::OffsetWidth::Wide))
    , m_level(m_tree.order())
    , m_heldLevel(m_tree.order() - 1)
    , m_factors(m_tree.order())
    , m_columns(m_tree.order(), 1)
    , m_sizes(m_tree.order(), 1)
{
    std::visit(
        [&](auto& values) {
            if constexpr (std::is_same_v<std::decay_t<decltype(values)>, Array<double>>)
                m_held = std::move(values);
            else {
                m_held.resize(values.size());
                forEachChunk(values.size(), Count{1} << 16, control, [&](Count, Count begin, Count end) {
                    std::copy(values.begin() + begin, values.begin() + end, m_held.begin() + begin);
                });
            }
            std::decay_t<decltype(values)>().swap(values); // gives its memory back, which = {} does not
        },
        m_tree.values);
}

void SemiSparse::begin(unsigned step, const StepPlan& plan, std::vector<Array<double>>& factors, RunControl& control)
{
    m_plan = plan;
    m_level = m_tree.order() - 1 - step;
    m_sizes[m_level] = plan.sizes.size;
    m_begins = Array<Count>();
    m_groups = Array<Index>();
    m_nodes = Array<Count>();
    m_values = Array<double>();
    m_room = Array<double>();
    for (unsigned before = 0; before < step; ++before)
        m_factors[m_tree.order() - 1 - before] = factors[before].data();
    if (step > 0)
        m_columns[m_level + 1] = plan.sizes.lastRank;
    if (!plan.held)
        m_room.resize(plan.room);
    else if (m_level != m_heldLevel) {
        Array<double> next(nodes(m_level) * m_sizes[m_level]);
        compute(0, nodes(m_level), 0, plan.sizes.lastRank, next.data(), control);
        m_held = std::move(next);
        m_heldLevel = m_level;
        for (unsigned before = 0; before < step; ++before)
            factors[before] = Array<double>();
    }
    if (plan.side == Side::Columns)
        sortByRows(control);
}

std::uint64_t SemiSparse::length() const { return m_plan.side == Side::Rows ? m_plan.sizes.rows : groups() * m_plan.sizes.size; }

std::uint64_t SemiSparse::treeBytes(const std::vector<Count>& nodes, Count entries)
{
    std::uint64_t sum = entries * (sizeof(Index) + sizeof(double));
    for (const Count count : nodes)
        sum += count * (sizeof(Index) + sizeof(std::uint64_t)) + sizeof(std::uint64_t);
    return sum;
}

std::uint64_t SemiSparse::stepBytes(unsigned step, const StepPlan& plan)
{
    const std::uint64_t sorted = plan.side == Side::Rows
        ? 0
        : (plan.sizes.rows + 1) * sizeof(Count) + plan.sizes.members * (sizeof(Index) + (step == 0 ? sizeof(double) : sizeof(Count)));
    return sorted + (plan.held ? 0 : plan.room * sizeof(double));
}

/// Of one task: room by level, and how many nodes it has seen since it asked for a stop.
struct SemiSparse::Walk {
    std::vector<Array<double>> work;
    RunControl& control;
    Count seen = 0;
    bool stopped = false;
};

/// Members of nodes, of each the columns of the factor last contracted.
void SemiSparse::compute(Count first, Count end, unsigned firstColumn, unsigned endColumn, double* to, RunControl& control) const
{
    const std::uint64_t size = (endColumn - firstColumn) * m_sizes[m_level + 1];
    constexpr Count tasks = 256, mostNodes = 1024;
    forEachChunk(end - first, std::clamp<Count>((end - first) / tasks, 1, mostNodes), control, [&](Count, Count begin, Count stop) {
        Walk walk{std::vector<Array<double>>(m_heldLevel), control};
        for (unsigned level = m_level + 1; level < m_heldLevel; ++level)
            walk.work[level].resize(m_sizes[level]);
        for (Count node = begin; node < stop && !walk.stopped; ++node)
            contract(m_level, first + node, firstColumn, endColumn, to + node * size, walk);
    });
}

void SemiSparse::contract(unsigned level, Count node, unsigned firstColumn, unsigned endColumn, double* to, Walk& walk) const
{
    const unsigned below = level + 1;
    const std::uint64_t size = m_sizes[below], columns = m_columns[below];
    std::fill(to, to + (endColumn - firstColumn) * size, 0.0);
    for (Count at = child(level, node); at < child(level, node + 1) && !walk.stopped; ++at) {
        if (++walk.seen == membersBetweenStops) {
            walk.seen = 0;
            walk.stopped = walk.control.stopRequested();
        }
        const double* t = m_held.data() + at * size;
        if (below != m_heldLevel) {
            contract(below, at, 0, static_cast<unsigned>(m_columns[below + 1]), walk.work[below].data(), walk);
            t = walk.work[below].data();
        }
        const double* const row = m_factors[below] + indexOf(below, at) * columns;
        for (unsigned j = firstColumn; j < endColumn; ++j)
            for (std::uint64_t s = 0; s < size; ++s)
                to[(j - firstColumn) * size + s] += row[j] * t[s];
    }
}

void SemiSparse::sortByRows(RunControl& control)
{
    const Count members = nodes(m_level);
    const bool numbers = m_plan.sizes.size == 1 && m_level == m_tree.order() - 1;
    m_begins.assign(m_plan.sizes.rows + 1, 0);
    m_groups.resize(members);
    (numbers ? m_values.resize(members) : m_nodes.resize(members));
    Count seen = 0;
    const auto look = [&] {
        constexpr Count membersAtOnce = Count{1} << 20;
        if (++seen % membersAtOnce == 0)
            control.checkpoint();
    };
    for (Count node = 0; node < members; ++node, look())
        ++m_begins[indexOf(m_level, node)];
    Count sum = 0;
    for (Count& begin : m_begins)
        sum += std::exchange(begin, sum);
    for (Count group = 0; group < groups(); ++group)
        for (Count node = begins(group); node < begins(group + 1); ++node, look()) {
            const Count to = m_begins[indexOf(m_level, node)]++;
            m_groups[to] = static_cast<Index>(group);
            if (numbers)
                m_values[to] = m_held[node];
            else
                m_nodes[to] = node;
        }
    std::rotate(m_begins.begin(), m_begins.end() - 1, m_begins.end()); // each was moved to its end
    m_begins.front() = 0;
}

template <class Body> void SemiSparse::forEachBlock(RunControl& control, const Body& body)
{
    if (m_plan.held)
        return body(Block{0, groups(), m_held.data(), m_sizes[m_level], 0});
    const std::uint64_t below = m_sizes[m_level + 1], columns = m_columns[m_level + 1];
    for (Count group = 0, end; group < groups(); group = end) {
        end = group + 1;
        while (end < groups() && (begins(end + 1) - begins(group)) * m_sizes[m_level] <= m_room.size())
            ++end;
        const Count count = begins(end) - begins(group);
        const std::uint64_t atOnce = std::clamp<std::uint64_t>(m_room.size() / (count * below), 1, columns);
        for (std::uint64_t j = 0; j < columns; j += atOnce) {
            const std::uint64_t stop = std::min(columns, j + atOnce);
            compute(begins(group), begins(end), static_cast<unsigned>(j), static_cast<unsigned>(stop), m_room.data(), control);
            body(Block{group, end, m_room.data(), (stop - j) * below, j * below});
        }
    }
}

void SemiSparse::multiply(const Array<double>& p, Array<double>& z, RunControl& control)
{
    const std::uint64_t each = length() * m_plan.stride;
    clear(z.data(), each * m_plan.parts, control);
    if (m_plan.side == Side::Columns)
        multiplyColumns(p.data(), z.data(), control);
    else
        forEachBlock(control, [&](const Block& block) { multiplyRows(block, p.data(), z.data(), control); });
    forEachChunk(each, Count{1} << 13, control, [&](Count, Count begin, Count end) {
        for (unsigned part = 1; part < m_plan.parts; ++part)
            for (Count i = begin; i < end; ++i)
                z[i] += z[part * each + i];
    });
}

/// Pieces of work are a member's numbers of some columns; a unit is all that share those columns, those of a group.
void SemiSparse::multiplyRows(const Block& block, const double* q, double* z, RunControl& control) const
{
    const Count units = chunkCount(block.size, columnsAtOnce); // of each group
    const Count pieces = (begins(block.endGroup) - begins(block.firstGroup)) * units;
    forEachPart(m_plan, pieces, std::min(block.size, columnsAtOnce) * m_plan.stride, control,
                [&](Count part, unsigned column, unsigned columns, Count begin, Count end) {
                    multiplyRows(block, begin, end, column, columns, q, z + part * length() * m_plan.stride, control);
                });
}

/// The units that begin among these pieces.
void SemiSparse::multiplyRows(const Block& block, Count begin, Count end, unsigned column, unsigned columns, const double* q, double* z,
                              RunControl& control) const
{
    const Count units = chunkCount(block.size, columnsAtOnce), base = begins(block.firstGroup);
    Count group = block.firstGroup, above = block.endGroup;
    while (above - group > 1) {
        const Count middle = group + (above - group) / 2;
        (begins(middle) - base <= begin / units ? group : above) = middle;
    }
    Count unit = chunkCount(begin - (begins(group) - base) * units, begins(group + 1) - begins(group));
    Array<double> w(std::min(block.size, columnsAtOnce) * columns);
    Count seen = 0;
    for (;; ++unit) {
        if (unit == units) {
            unit = 0;
            ++group;
        }
        if (group == block.endGroup)
            return;
        const Count first = begins(group), stop = begins(group + 1);
        if ((first - base) * units + unit * (stop - first) >= end)
            return;
        const std::uint64_t s = unit * columnsAtOnce, size = std::min(columnsAtOnce, block.size - s);
        std::fill(w.begin(), w.end(), 0.0);
        for (const bool back : {false, true})
            for (Count node = first; node < stop; ++node) {
                if (++seen % membersBetweenStops == 0 && control.stopRequested())
                    return;
                const double* const t = block.members + (node - base) * block.size + s;
                const std::uint64_t row = indexOf(m_level, node) * std::uint64_t{m_plan.stride} + column;
                for (unsigned c = 0; c < columns; c += panel)
                    if (back)
                        addUp(z + row + c, t, size, w.data() + c, columns);
                    else
                        spread(w.data() + c, columns, t, size, q + row + c);
            }
    }
}

void SemiSparse::multiplyColumns(const double* p, double* z, RunControl& control) const
{
    const std::uint64_t size = m_plan.sizes.size, stride = m_plan.stride;
    forEachPart(m_plan, m_groups.size(), size * stride, control,
                [&](Count part, unsigned column, unsigned columns, Count begin, Count end) {
                    double* const own = z + part * length() * stride;
                    Count row = static_cast<Count>(std::lower_bound(m_begins.begin(), m_begins.end() - 1, begin) - m_begins.begin());
                    for (Count seen = 0; row + 1 < m_begins.size() && m_begins[row] < end; ++row) {
                        seen += m_begins[row + 1] - m_begins[row];
                        if (seen >= membersBetweenStops && std::exchange(seen, 0) && control.stopRequested())
                            return;
                        for (unsigned c = column; c < column + columns; c += panel) {
                            double y[panel] = {};
                            for (Count k = m_begins[row]; k < m_begins[row + 1]; ++k)
                                addUp(y, memberOfRow(k), size, p + m_groups[k] * size * stride + c, stride);
                            for (Count k = m_begins[row]; k < m_begins[row + 1]; ++k)
                                spread(own + m_groups[k] * size * stride + c, stride, memberOfRow(k), size, y);
                        }
                    }
                });
}

void SemiSparse::project(const Array<double>& p, Array<double>& a, unsigned stride, RunControl& control) const
{
    const std::uint64_t size = m_plan.sizes.size;
    constexpr Count rowsAtOnce = 256;
    forEachChunk(m_plan.sizes.rows, rowsAtOnce, control, [&](Count, Count begin, Count end) {
        std::fill(a.begin() + begin * stride, a.begin() + end * stride, 0.0);
        for (Count row = begin; row < end; ++row)
            for (unsigned c = 0; c < stride; c += panel)
                for (Count k = m_begins[row]; k < m_begins[row + 1]; ++k)
                    addUp(a.data() + row * stride + c, memberOfRow(k), size, p.data() + m_groups[k] * size * stride + c, stride);
    });
}

} // namespace kernels::tucker_hooi
