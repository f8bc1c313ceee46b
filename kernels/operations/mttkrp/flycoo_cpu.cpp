// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/error.h"
#include "kernels/operations/mttkrp/flycoo_settings.h"
#include "kernels/operations/mttkrp/formats_cpu.h"
#include "kernels/operations/mttkrp/formats_cuda.h"
#include "kernels/operations/mttkrp/row_sums.h"

#include <fmt/format.h>

#include <cstring>
#include <numeric>

namespace kernels::mttkrp {
namespace {

using formats::Flycoo;
using formats::FlycooVector;
using formats::RunsRecord;

constexpr Count tile = 1024; ///< entries that are taken apart together
constexpr std::size_t nearRows = std::size_t{256} << 10; ///< bytes of a table whose rows need not be asked for ahead

/// The other modes, the shortest first: its index is told together with the begins of runs and must leave a bit free.
std::vector<unsigned> othersOf(const std::vector<Index>& dims, unsigned mode)
{
    std::vector<unsigned> others(dims.size());
    std::iota(others.begin(), others.end(), 0u);
    others.erase(others.begin() + mode);
    std::stable_sort(others.begin(), others.end(), [&](unsigned a, unsigned b) { return dims[a] < dims[b]; });
    return others;
}

/// A product that is under way.
template <class T> struct Product {
    const Flycoo<T>& flycoo;
    unsigned mode;
    const Factors<T>& factors;
    T* out;
    FlycooVector* entries; ///< in the order of the mode
    const FlycooVector* before; ///< in the order of the mode before, from where they are brought; null: they are there already
    std::vector<unsigned> others;
};

/// Walks stretches of one partition and keeps the sum of the row it is in. A tile's records are brought into the form of
/// entries in runs, whose loops then do the arithmetic.
template <class T> class PartitionWalk {
public:
    PartitionWalk(const Product<T>& product, const RunControl& control)
        : m_product(product)
        , m_control(control)
        , m_words(product.others.size() * tile)
        , m_values(tile)
        , m_rows(tile)
        , m_carry(product.factors.stride, T(0))
        , m_ends(2 * product.factors.stride)
    {
    }

    /// All of one row; its sum.
    void takeCut(Count begin, Count end, T* sum)
    {
        walk(begin, end);
        std::copy(m_carry.begin(), m_carry.end(), sum);
        forget();
    }
    void takeOwn(Count begin, Count end)
    {
        walk(begin, end);
        flush();
    }

private:
    std::size_t stride() const { return m_product.factors.stride; }

    void walk(Count begin, Count end)
    {
        for (Count at = begin; at < end && !m_control.stopRequested(); at += tile) {
            const unsigned count = static_cast<unsigned>(std::min(tile, end - at));
            if (m_product.before)
                remap(at, count);
            const unsigned runs = unpack(at, count);
            addUp(count, runs);
        }
    }

    /// Words, values and the rows of runs; returns how many runs there are.
    unsigned unpack(Count at, unsigned count)
    {
        const formats::FlycooRecord& record = m_product.flycoo.plan.record;
        const FlycooVector* const from = m_product.entries + at * record.vectors;
        for (unsigned k = 0; k < m_product.others.size(); ++k)
            for (unsigned i = 0; i < count; ++i)
                m_words[k * tile + i] = record.index(from + std::size_t{i} * record.vectors, m_product.others[k]);
        Index row = m_row;
        unsigned runs = 0;
        m_continues = m_any && record.index(from, m_product.mode) == m_row;
        for (unsigned i = 0; i < count; ++i) {
            const FlycooVector* const entry = from + std::size_t{i} * record.vectors;
            std::memcpy(&m_values[i], entry, sizeof(T));
            const Index here = record.index(entry, m_product.mode);
            const bool begins = i == 0 ? !m_continues : here != row;
            if (begins)
                m_words[i] |= formats::beginsRun;
            if (begins || i == 0)
                m_rows[runs++] = here;
            row = here;
        }
        return runs;
    }

    void remap(Count at, unsigned count) const
    {
        const unsigned vectors = m_product.flycoo.plan.record.vectors;
        const std::uint32_t* const sources = m_product.flycoo.sources[m_product.mode].data();
        for (Count p = at; p < at + count; ++p)
            std::copy_n(m_product.before + Count{sources[p]} * vectors, vectors, m_product.entries + p * vectors);
    }

    void addUp(unsigned count, unsigned runs)
    {
        T *const head = m_ends.data(), *const tail = head + stride();
        RunsWalk<T> walk;
        walk.record.kind = RunsRecord::Kind::Loose;
        walk.record.others = static_cast<unsigned>(m_product.others.size());
        walk.words = m_words.data();
        walk.values = m_values.data();
        walk.runRows = m_rows.data();
        walk.positions = tile;
        walk.end = count;
        forEachSlab<T>(stride(), [&](unsigned column, unsigned columns) {
            if (m_control.stopRequested())
                return;
            for (unsigned k = 0; k < m_product.others.size(); ++k) {
                const unsigned mode = m_product.others[k];
                walk.rows[k] = m_product.factors.rows[mode] + column;
                walk.far[k] = m_product.flycoo.plan.dims[mode] * stride() * sizeof(T) > nearRows;
            }
            rowWalks(T(0)).runs(walk, RowSums<T>{m_product.out + column, stride(), columns, head + column, tail + column});
        });
        if (!m_continues)
            flush();
        else if (runs > 1) {
            add(m_carry.data(), head);
            flush();
        }
        add(m_carry.data(), tail);
        m_row = m_rows[runs - 1];
        m_any = true;
    }

    void flush()
    {
        if (m_any)
            add(m_product.out + m_row * stride(), m_carry.data());
        forget();
    }

    void forget()
    {
        std::fill(m_carry.begin(), m_carry.end(), T(0));
        m_any = false;
    }

    void add(T* to, const T* sum) const
    {
        for (std::size_t c = 0; c < stride(); ++c)
            to[c] += sum[c];
    }

    const Product<T>& m_product;
    const RunControl& m_control;
    Array<std::uint32_t> m_words; ///< [other][entry]
    Array<T> m_values;
    Array<Index> m_rows; ///< of runs
    Array<T> m_carry; ///< of row m_row, where there is one
    Array<T> m_ends; ///< of a tile: of the row it begins in, of the one it ends in
    Index m_row = 0;
    bool m_any = false, m_continues = false; ///< a row has begun; the tile goes on with it
};

/// A partition is one task's, and its rows with it; only sums of cut rows are put together afterwards, in their order.
template <class T> class FlycooOnCpu final : public Operation<T> {
public:
    FlycooOnCpu(const SparseTensor& tensor, const Settings& settings, RunControl& control)
        : m_flycoo(formats::buildFlycoo<T>(
            tensor, formats::planFlycoo(tensor.dims(), tensor.entries(), flycooPartitions(settings, tensor.entries()), sizeof(T)), control))
    {
    }

    void compute(unsigned mode, const Factors<T>& factors, T* out, RunControl& control) override
    {
        clearRows(out, m_flycoo.plan.dims[mode], factors.stride, control);
        withEntriesFor(
            mode, m_flycoo.plan, m_copies, [&](unsigned to, unsigned from) { formats::remap(m_flycoo, to, from, control); },
            [&](unsigned from, bool remaps) {
                FlycooVector* const here = m_flycoo.copies[remaps ? 1 - from : from].data();
                const FlycooVector* const before = remaps ? m_flycoo.copies[from].data() : nullptr;
                const Product<T> product{m_flycoo, mode, factors, out, here, before, othersOf(m_flycoo.plan.dims, mode)};
                multiply(product, control);
            });
    }

    std::uint64_t bytes() const override { return m_flycoo.bytes(); }
    std::vector<Detail> details() const override { return flycooDetails(m_flycoo.plan.partitions, m_flycoo.partitions); }
    bool remaps() const override { return m_flycoo.plan.order() > 2; }

private:
    void multiply(const Product<T>& product, RunControl& control)
    {
        const formats::FlycooPartitions& partitions = m_flycoo.partitions[product.mode];
        const std::size_t stride = product.factors.stride;
        m_sums.resize(partitions.cuts.size() * stride);
        forEachChunk(partitions.count(), 1, control, [&](Count p, Count, Count) {
            PartitionWalk<T> walk(product, control);
            for (std::uint32_t c = partitions.firstCut[p]; c < partitions.firstCut[p + 1]; ++c)
                walk.takeCut(partitions.cuts[c].begin, partitions.cuts[c].end, m_sums.data() + c * stride);
            walk.takeOwn(partitions.ownBegin(static_cast<unsigned>(p)), partitions.begins[p + 1]);
        });
        for (std::size_t c = 0; c < partitions.cuts.size(); ++c)
            for (std::size_t column = 0; column < stride; ++column)
                product.out[partitions.cuts[c].row * stride + column] += m_sums[c * stride + column];
    }

    Flycoo<T> m_flycoo;
    formats::FlycooCopies m_copies;
    Array<T> m_sums; ///< [cut][column]
};

/// Rows of 2^31 indices and more in all other modes are a matter of terabytes of factors.
void requireFreeBit(const std::vector<Index>& dims)
{
    for (unsigned mode = 0; mode < dims.size(); ++mode)
        if (const Index shortest = dims[othersOf(dims, mode)[0]]; shortest > formats::beginsRun)
            throw Error(ErrorKind::BadArgument,
                        {"products in FLYCOO on the CPU need a free bit in the index of the shortest other mode",
                         fmt::format("mode {}", mode + 1), fmt::format("a size of {}", shortest), "at most 2147483648",
                         "Another format takes it, csf for one."});
}

} // namespace

template <class T> Made<T> makeFlycoo(const SparseTensor& tensor, const Settings& settings, RunControl& control)
{
    requireFreeBit(tensor.dims());
    return std::make_unique<FlycooOnCpu<T>>(tensor, settings, control);
}
template Made<float> makeFlycoo(const SparseTensor&, const Settings&, RunControl&);
template Made<double> makeFlycoo(const SparseTensor&, const Settings&, RunControl&);

namespace {

/// Of sums of cut rows: a partition has its pieces and the last ones of some rows.
std::uint64_t cutSums(const formats::FlycooPlan& plan, std::uint64_t rowBytes) { return std::uint64_t{18} * plan.partitions * rowBytes; }

} // namespace

FormatBytes bytesOfFlycoo(const ProblemShape& shape, const Settings& settings, unsigned valueBytes)
{
    const Count entries = shape.trainEntries;
    const formats::FlycooPlan plan = formats::planFlycoo(shape.dims, entries, flycooPartitions(settings, entries), valueBytes);
    const std::uint64_t row = valueBytes == sizeof(double) ? hostStride<double>(settings.rank) : hostStride<float>(settings.rank);
    FormatBytes bytes;
    bytes.build(formats::flycooBuildBytes(plan, entries), formats::flycooBytes(plan, entries));
    bytes.work = cutSums(plan, row * valueBytes);
    return bytes;
}

/// Partitions depend on the GPU; bytes do so hardly.
FormatBytes cudaBytesOfFlycoo(const ProblemShape& shape, const Settings& settings, unsigned valueBytes)
{
    constexpr unsigned mostPartitions = 3 * 192, usualThreads = 256; // three blocks a multiprocessor of the largest GPUs
    const unsigned narrower = settings.threads > 0 ? std::max(1U, usualThreads / settings.threads) : 1;
    const unsigned partitions = settings.partitions > 0 ? settings.partitions : mostPartitions * narrower;
    const formats::FlycooPlan plan = formats::planFlycoo(shape.dims, shape.trainEntries, partitions, valueBytes);
    FormatBytes bytes;
    bytes.build(formats::deviceFlycooBuildBytes(plan, shape.trainEntries), formats::flycooBytes(plan, shape.trainEntries));
    bytes.work = cutSums(plan, std::uint64_t{settings.rank} * valueBytes);
    return bytes;
}

} // namespace kernels::mttkrp
