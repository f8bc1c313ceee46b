// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/formats/hicoo.h"
#include "kernels/operations/mttkrp/formats_cpu.h"
#include "kernels/operations/mttkrp/hicoo_settings.h"
#include "kernels/operations/mttkrp/row_sums.h"
#include "kernels/tensor/entry_keys.h"
#include "kernels/tensor/radix_sort.h"

namespace kernels::mttkrp {
namespace {

using formats::hicooBlockBits, formats::hicooBlockRows;
using formats::HicooPosition;

/// Bytes of a table whose rows need not be asked for ahead.
constexpr std::size_t nearRows = std::size_t{256} << 10;

/// As many entries as other tasks have, in the order in which a mode takes the blocks. Where blocks of the first one's rows were
/// another task's before, a head: those rows' sums stand apart.
struct HicooTask {
    Count listed = 0, skipped = 0; ///< the block it begins in, and its entries that are not the task's
    Count headEntries = 0; ///< 0: none
    Count listedRest = 0, restEntries = 0; ///< behind the head
};

/// Blocks by their index in a mode, so that whoever has those of an index owns 2^7 rows of the product.
template <class T> class HicooOrder {
public:
    HicooOrder(const formats::Hicoo<T>& hicoo, unsigned mode, RunControl& control)
        : m_share(hicooEntriesPerTask(hicoo.entries()))
    {
        radix::Buffers<HicooPosition> sorted;
        sorted.keys.resize(hicoo.blockCount());
        sorted.payloads.resize(hicoo.blockCount());
        forEachChunk(hicoo.blockCount(), radix::entriesPerChunk, control, [&](Count, Count begin, Count end) {
            for (Count b = begin; b < end; ++b) {
                sorted.keys[b] = hicoo.blocks[b * hicoo.order() + mode];
                sorted.payloads[b] = static_cast<HicooPosition>(b);
            }
        });
        const unsigned bits = indexBits(hicoo.dims[mode]);
        radix::sort(sorted, bits > hicooBlockBits ? bits - hicooBlockBits : 0, control);
        cut(hicoo, sorted, control);
        list.swap(sorted.payloads);
    }

    Array<HicooPosition> list; ///< of blocks
    std::vector<HicooTask> tasks;
    std::vector<std::size_t> withHead; ///< tasks

private:
    void cut(const formats::Hicoo<T>& hicoo, const radix::Buffers<HicooPosition>& sorted, RunControl& control)
    {
        Count position = 0; // entries listed before
        std::size_t heads = 0; // tasks whose heads have their size
        for (Count i = 0; i < sorted.keys.size(); ++i) {
            if (i % radix::entriesPerChunk == 0)
                control.checkpoint();
            const bool first = i == 0 || sorted.keys[i] != sorted.keys[i - 1];
            if (first)
                endHeads(heads, position, i);
            const HicooPosition block = sorted.payloads[i];
            const Count next = position + hicoo.begins[block + 1] - hicoo.begins[block];
            for (Count start = tasks.size() * m_share; start < next; start += m_share) {
                if (!first || start > position)
                    withHead.push_back(tasks.size());
                tasks.push_back({i, start - position, 0, i, std::min(m_share, hicoo.entries() - start)});
            }
            position = next;
        }
        endHeads(heads, position, sorted.keys.size());
    }

    /// Blocks of the rows at hand end at that position.
    void endHeads(std::size_t& ended, Count position, Count listed)
    {
        for (; ended < withHead.size(); ++ended) {
            HicooTask& task = tasks[withHead[ended]];
            task.headEntries = std::min(task.restEntries, position - withHead[ended] * m_share);
            task.listedRest = listed;
            task.restEntries -= task.headEntries;
        }
    }

    Count m_share;
};

/// One copy of the entries, for every mode its own order of the blocks.
template <class T> class HicooProducts final : public Operation<T> {
public:
    HicooProducts(const SparseTensor& tensor, RunControl& control)
        : m_hicoo(formats::buildHicoo<T>(tensor, control))
    {
        for (unsigned n = 0; n < m_hicoo.order(); ++n)
            m_orders.emplace_back(m_hicoo, n, control);
    }

    void compute(unsigned mode, const Factors<T>& factors, T* out, RunControl& control) override
    {
        const HicooOrder<T>& order = m_orders[mode];
        const std::size_t headSize = hicooBlockRows * factors.stride;
        clearRows(out, m_hicoo.dims[mode], factors.stride, control);
        Array<T> heads(order.withHead.size() * headSize);
        forEachChunk(order.withHead.size(), 1, control, [&](Count h, Count, Count) {
            const HicooTask& task = order.tasks[order.withHead[h]];
            T* const head = heads.data() + h * headSize;
            std::fill(head, head + headSize, T(0));
            BlocksWalk<T> walk = walkOf(mode);
            walk.firstBlock = blockRow(mode, task);
            walk.listed = task.listed;
            walk.skipped = task.skipped;
            walk.entries = task.headEntries;
            run(walk, factors, head, control);
        });
        forEachChunk(order.tasks.size(), 1, control, [&](Count t, Count, Count) {
            BlocksWalk<T> walk = walkOf(mode);
            walk.listed = order.tasks[t].listedRest;
            walk.entries = order.tasks[t].restEntries;
            run(walk, factors, out, control);
        });
        addHeads(mode, heads, out, factors.stride, control);
    }

    std::uint64_t bytes() const override
    {
        std::uint64_t sum = m_hicoo.bytes();
        for (const HicooOrder<T>& order : m_orders)
            sum += order.list.size() * sizeof(HicooPosition);
        return sum;
    }

private:
    Index blockRow(unsigned mode, const HicooTask& task) const
    {
        return m_hicoo.blocks[Count{m_orders[mode].list[task.listed]} * m_hicoo.order() + mode];
    }

    BlocksWalk<T> walkOf(unsigned mode) const
    {
        BlocksWalk<T> walk;
        walk.order = m_hicoo.order();
        walk.modes[0] = mode;
        unsigned k = 0;
        for (unsigned n = 0; n < walk.order; ++n)
            if (n != mode)
                walk.modes[++k] = n;
        for (k = 0; k < walk.order; ++k)
            walk.offsets[k] = m_hicoo.offsets.data() + walk.modes[k] * m_hicoo.entries();
        walk.list = m_orders[mode].list.data();
        walk.listEnd = m_orders[mode].list.size();
        walk.begins = m_hicoo.begins.data();
        walk.blocks = m_hicoo.blocks.data();
        walk.values = m_hicoo.values.data();
        return walk;
    }

    /// Piece by piece, so that it can be stopped; pieces are the same every time.
    void run(BlocksWalk<T> walk, const Factors<T>& factors, T* out, const RunControl& control) const
    {
        constexpr Count entriesPerLook = Count{1} << 14;
        for (Count left = walk.entries; left > 0 && !control.stopRequested(); left -= walk.entries) {
            walk.entries = std::min(left, entriesPerLook);
            runPiece(walk, factors, out, control);
            walk.skipped += walk.entries;
            for (; walk.skipped >= entriesOf(walk, walk.listed) && walk.listed + 1 < walk.listEnd; ++walk.listed)
                walk.skipped -= entriesOf(walk, walk.listed);
        }
    }

    static Count entriesOf(const BlocksWalk<T>& walk, Count listed)
    {
        return walk.begins[walk.list[listed] + 1] - walk.begins[walk.list[listed]];
    }

    void runPiece(BlocksWalk<T>& walk, const Factors<T>& factors, T* out, const RunControl& control) const
    {
        forEachSlab<T>(factors.stride, [&](unsigned column, unsigned columns) {
            if (control.stopRequested())
                return;
            for (unsigned k = 1; k < walk.order; ++k) {
                walk.rows[k - 1] = factors.rows[walk.modes[k]] + column;
                walk.far[k - 1] = m_hicoo.dims[walk.modes[k]] * factors.stride * sizeof(T) > nearRows;
            }
            rowWalks(T(0)).blocks(walk, RowSums<T>{out + column, factors.stride, columns, nullptr, nullptr});
        });
    }

    /// In the order of the tasks; a thread has the same row of all blocks.
    void addHeads(unsigned mode, const Array<T>& heads, T* out, std::size_t stride, RunControl& control) const
    {
        const HicooOrder<T>& order = m_orders[mode];
        forEachChunk(hicooBlockRows, 8, control, [&](Count, Count begin, Count end) {
            for (std::size_t h = 0; h < order.withHead.size(); ++h) {
                const Count first = Count{blockRow(mode, order.tasks[order.withHead[h]])} << hicooBlockBits;
                for (Count r = begin; r < end && first + r < m_hicoo.dims[mode]; ++r)
                    for (std::size_t c = 0; c < stride; ++c)
                        out[(first + r) * stride + c] += heads[(h * hicooBlockRows + r) * stride + c];
            }
        });
    }

    formats::Hicoo<T> m_hicoo;
    std::vector<HicooOrder<T>> m_orders; ///< [mode]
};

} // namespace

template <class T> Made<T> makeHicoo(const SparseTensor& tensor, const Settings&, RunControl& control)
{
    return std::make_unique<HicooProducts<T>>(tensor, control);
}
template Made<float> makeHicoo(const SparseTensor&, const Settings&, RunControl&);
template Made<double> makeHicoo(const SparseTensor&, const Settings&, RunControl&);

} // namespace kernels::mttkrp
