// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/formats/blco.h"
#include "kernels/operations/mttkrp/blco_pieces.h"
#include "kernels/operations/mttkrp/formats_cpu.h"
#include "kernels/operations/mttkrp/formats_cuda.h"
#include "kernels/operations/mttkrp/row_sums.h"
#include "kernels/operations/mttkrp/tile_settings.h"

#include <tbb/parallel_for.h>

#include <bit>
#include <limits>

namespace kernels::mttkrp {
namespace {

using formats::Blco;

constexpr Count sharesAtOnce = 64;
constexpr unsigned owners = 64;

/// Entries of a share: its sums are to stay in a core's cache. Like the number of shares at once it does not depend on the number
/// of threads, so that neither do the sums' bits.
Count entriesOfShare(Count entries, std::size_t rowBytes)
{
    constexpr std::size_t cacheForSums = std::size_t{512} << 10;
    const Count most = std::clamp<Count>(std::bit_floor(cacheForSums / rowBytes), 256, 8192);
    return std::clamp<Count>(std::bit_ceil(entries / sharesAtOnce + 1), 128, most);
}

constexpr std::size_t slotsFor(Count entries) { return 2 * std::bit_ceil(entries); }

/// Neighbouring entries added up by themselves: the rows they add to, in the order of their first entries, and those rows' sums.
template <class T> class Share {
public:
    void setSize(Count entries, unsigned others, std::size_t stride)
    {
        m_stride = stride;
        m_indices.resize(entries * others);
        m_places.resize(entries);
        m_rows.resize(entries);
        m_byOwner.resize(entries);
        m_slots.resize(slotsFor(entries));
        m_sums.resize(entries * stride);
        m_size = entries;
    }

    void compute(const Blco<T>& blco, unsigned mode, const Factors<T>& factors, Count begin, Count end)
    {
        m_found = 0;
        unpack(blco, mode, begin, end);
        sortByOwner();
        std::fill_n(m_sums.data(), m_found * m_stride, T(0));
        EntriesWalk<T> walk = walkOf(blco, begin, end);
        forEachSlab<T>(m_stride, [&](unsigned column, unsigned columns) {
            unsigned k = 0;
            for (unsigned n = 0; n < blco.plan.order(); ++n)
                if (n != mode)
                    walk.rows[k++] = factors.rows[n] + column;
            rowWalks(T(0)).entries(walk, RowSums<T>{m_sums.data() + column, m_stride, columns, nullptr, nullptr});
        });
    }

    /// Adds the sums of one owner's rows to them.
    void giveTo(unsigned owner, T* out) const
    {
        for (Index i = m_ownerBegins[owner]; i < m_ownerBegins[owner + 1]; ++i) {
            T* const row = out + m_rows[m_byOwner[i]] * m_stride;
            const T* const sum = m_sums.data() + m_byOwner[i] * m_stride;
            for (std::size_t c = 0; c < m_stride; ++c)
                row[c] += sum[c];
        }
    }

private:
    /// The other modes' indices, and the place of each entry's row among those found.
    void unpack(const Blco<T>& blco, unsigned mode, Count begin, Count end)
    {
        std::fill(m_slots.begin(), m_slots.end(), Index{0});
        const unsigned order = blco.plan.order();
        const formats::BlcoWord& word = blco.plan.words.front();
        Count block = static_cast<Count>(std::upper_bound(blco.begins.begin(), blco.begins.end(), begin) - blco.begins.begin()) - 1;
        for (Count from = begin; from < end; ++block) {
            const Count to = std::min(end, blco.begins[block + 1]);
            unsigned k = 0;
            for (unsigned n = 0; n < order; ++n) {
                const Index base = blco.bases[block * order + n];
                if (n == mode) {
                    for (Count e = from; e < to; ++e)
                        m_places[e - begin] = placeOf(base | word.index(blco.words[e], n));
                    continue;
                }
                Index* const indices = m_indices.data() + k++ * m_size;
                for (Count e = from; e < to; ++e)
                    indices[e - begin] = base | word.index(blco.words[e], n);
            }
            from = to;
        }
    }

    Index placeOf(Index row)
    {
        const std::size_t mask = m_slots.size() - 1;
        std::size_t slot = (row * std::uint64_t{0x9E3779B97F4A7C15} >> 32) & mask;
        for (;; slot = (slot + 1) & mask) {
            if (m_slots[slot] == 0) {
                m_rows[m_found] = row;
                return (m_slots[slot] = ++m_found) - 1;
            }
            if (m_rows[m_slots[slot] - 1] == row)
                return m_slots[slot] - 1;
        }
    }

    void sortByOwner()
    {
        Index next[owners + 1] = {};
        for (Index place = 0; place < m_found; ++place)
            ++next[m_rows[place] % owners + 1];
        for (unsigned owner = 0; owner < owners; ++owner)
            next[owner + 1] += next[owner];
        std::copy(std::begin(next), std::end(next), m_ownerBegins);
        for (Index place = 0; place < m_found; ++place)
            m_byOwner[next[m_rows[place] % owners]++] = place;
    }

    EntriesWalk<T> walkOf(const Blco<T>& blco, Count begin, Count end) const
    {
        EntriesWalk<T> walk;
        walk.others = blco.plan.order() - 1;
        walk.outRows = m_places.data();
        for (unsigned k = 0; k < walk.others; ++k)
            walk.indices[k] = m_indices.data() + k * m_size;
        if constexpr (std::is_same_v<T, float>)
            walk.floats = blco.values.data() + begin;
        else
            walk.doubles = blco.values.data() + begin;
        walk.end = end - begin;
        walk.endRow = std::numeric_limits<Index>::max();
        return walk;
    }

    std::size_t m_stride = 0;
    Count m_size = 0;
    Index m_found = 0; ///< rows
    Array<Index> m_indices; ///< [other][entry]
    Array<Index> m_places; ///< [entry]
    Array<Index> m_rows, m_byOwner; ///< [place]; places, owner after owner
    Index m_ownerBegins[owners + 1] = {};
    Array<Index> m_slots; ///< by a row's hash: its place + 1
    Array<T> m_sums; ///< [place][column]
};

/// Shares of neighbouring entries are added up side by side, so many at once; then every owner of rows takes what they have for its
/// rows, in the shares' order.
template <class T> class BlcoOnCpu final : public Operation<T> {
public:
    BlcoOnCpu(const SparseTensor& tensor, RunControl& control)
        : m_blco(formats::buildBlco<T>(tensor, control))
    {
    }

    void compute(unsigned mode, const Factors<T>& factors, T* out, RunControl& control) override
    {
        clearRows(out, m_blco.plan.dims[mode], factors.stride, control);
        const Count size = entriesOfShare(m_blco.entries(), factors.stride * sizeof(T)), shares = chunkCount(m_blco.entries(), size);
        m_shares.resize(std::min(shares, sharesAtOnce));
        for (Share<T>& share : m_shares)
            share.setSize(size, m_blco.plan.order() - 1, factors.stride);
        for (Count first = 0; first < shares; first += sharesAtOnce) {
            control.checkpoint();
            const Count count = std::min(sharesAtOnce, shares - first);
            tbb::parallel_for(Count{0}, count, [&](Count i) {
                if (!control.stopRequested())
                    m_shares[i].compute(m_blco, mode, factors, (first + i) * size, std::min(m_blco.entries(), (first + i + 1) * size));
            });
            control.checkpoint();
            tbb::parallel_for(0u, owners, [&](unsigned owner) {
                for (Count i = 0; i < count; ++i)
                    m_shares[i].giveTo(owner, out);
            });
        }
        control.checkpoint();
    }

    std::uint64_t bytes() const override { return m_blco.bytes(); }

private:
    Blco<T> m_blco;
    std::vector<Share<T>> m_shares;
};

} // namespace

template <class T> Made<T> makeBlco(const SparseTensor& tensor, const Settings&, RunControl& control)
{
    return std::make_unique<BlcoOnCpu<T>>(tensor, control);
}
template Made<float> makeBlco(const SparseTensor&, const Settings&, RunControl&);
template Made<double> makeBlco(const SparseTensor&, const Settings&, RunControl&);

FormatBytes bytesOfBlco(const ProblemShape& shape, const Settings& settings, unsigned valueBytes)
{
    const formats::BlcoPlan plan = formats::planBlco(shape.dims);
    const Count entries = shape.trainEntries;
    FormatBytes bytes;
    bytes.build(formats::blcoBuildBytes(plan, entries, valueBytes), formats::blcoBytes(plan, entries, valueBytes));
    const std::size_t row =
        valueBytes * (valueBytes == sizeof(double) ? hostStride<double>(settings.rank) : hostStride<float>(settings.rank));
    const Count size = entriesOfShare(entries, row), shares = std::min(chunkCount(entries, size), sharesAtOnce);
    bytes.work = shares * (size * (row + (shape.dims.size() + 2) * sizeof(Index)) + slotsFor(size) * sizeof(Index));
    return bytes;
}

FormatBytes cudaBytesOfBlco(const ProblemShape& shape, const Settings& settings, unsigned valueBytes)
{
    const formats::BlcoPlan plan = formats::planBlco(shape.dims);
    FormatBytes bytes;
    bytes.build(formats::deviceBlcoBuildBytes(plan, shape.trainEntries, valueBytes),
                formats::blcoBytes(plan, shape.trainEntries, valueBytes));
    bytes.work = tileCopiesBytes(shape.dims, settings.rank, valueBytes);
    return bytes;
}

BlcoPieces blcoPieces(const formats::BlcoPlan& plan, Count entries, unsigned valueBytes, std::uint64_t room)
{
    constexpr std::uint64_t mostBytes = std::uint64_t{32} << 20;
    constexpr Count aligned = 1024, mostUnpacked = Count{1} << 18;
    const bool wide = plan.words.size() > 1;
    const std::uint64_t columns = plan.order() * sizeof(Index), blockBytes = sizeof(Count) + columns;
    const std::uint64_t entryBytes = sizeof(std::uint64_t) + valueBytes + (wide ? blockBytes : 0);
    const std::uint64_t left = room - std::min(room, 2 * blockBytes); // a block at least
    BlcoPieces pieces;
    pieces.entries = std::min(left / (2 * entryBytes + columns), mostBytes / entryBytes) / aligned * aligned;
    pieces.entries = std::clamp<Count>(pieces.entries, aligned, std::max(aligned, entries));
    pieces.blocks = wide ? pieces.entries : 1;
    pieces.unpacked = std::min(pieces.entries, mostUnpacked);
    const std::uint64_t words = pieces.entries * (sizeof(std::uint64_t) + valueBytes);
    pieces.bytes = 2 * (words + pieces.blocks * blockBytes) + pieces.unpacked * columns;
    return pieces;
}

} // namespace kernels::mttkrp
