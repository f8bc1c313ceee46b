// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/formats/runs.h"

#include "kernels/base/chunks.h"
#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"
#include "kernels/tensor/entry_keys.h"
#include "kernels/tensor/radix_sort.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace kernels::formats {
namespace {

constexpr unsigned mostBlockBits = 8;

/// With blocks a row's sum is written once a block: worth it only where it then has so many entries to add up.
constexpr double entriesARunAtLeast = 24;

/// So many blocks a row's run may be cut into.
double blocksAtMost(Count entries, Index outputRows) { return static_cast<double>(entries) / (entriesARunAtLeast * outputRows); }

/// Of the largest other mode, whose other companions take so many bits; 32: no blocks. Blocks are as large as is asked for, or
/// smaller where indices then fit a narrow record; where they would have to be larger than twice that there are none.
unsigned blockShiftFor(Index rows, unsigned companionBits, double mostBlocks, Index blockRows)
{
    constexpr unsigned whole = 32, narrow = 31;
    const unsigned all = indexBits(rows);
    const auto mayCut = [&](unsigned blockBits) {
        return blockRows > 0 && blockBits < std::min(mostBlockBits, all) && static_cast<double>(2u << blockBits) <= mostBlocks;
    };
    unsigned blockBits = 0;
    while (mayCut(blockBits) && (std::uint64_t{rows} >> blockBits) > blockRows)
        ++blockBits;
    unsigned narrower = blockBits;
    while (mayCut(narrower) && companionBits + all - narrower > narrow)
        ++narrower;
    if (companionBits + all - narrower <= narrow)
        blockBits = narrower;
    const bool tooLarge = (std::uint64_t{rows} >> blockBits) > 2 * std::uint64_t{blockRows};
    return blockBits == 0 || tooLarge ? whole : all - blockBits;
}

unsigned blocksOf(Index rows, unsigned shift) { return static_cast<unsigned>((std::uint64_t{rows} - 1) >> shift) + 1; }

/// Of the smallest other mode; 32: no blocks. What the near cache holds stays whole. Measured: blocks of a fifth of that are best,
/// four fifths still worth it.
unsigned secondShiftFor(Index rows, double mostBlocks, Index nearRows)
{
    constexpr unsigned whole = 32;
    const unsigned all = indexBits(rows), least = all - std::min(all, mostBlockBits);
    if (rows <= nearRows)
        return whole;
    unsigned shift = all;
    while (shift > least && (std::uint64_t{1} << shift) > nearRows / 5 && blocksOf(rows, shift - 1) <= mostBlocks)
        --shift;
    return (std::uint64_t{1} << shift) <= std::uint64_t{nearRows} * 4 / 5 ? shift : whole;
}

/// Offsets of all others in one word whose highest bit stays free; false where they do not fit.
bool pack(RunsRecord& record, unsigned wordBits)
{
    unsigned sum = 0;
    for (unsigned k = 0; k < record.others; ++k) {
        record.shift[k] = static_cast<unsigned char>(sum);
        sum += record.bits[k];
    }
    return sum < wordBits;
}

RunsRecord recordFor(const std::vector<Index>& dims, const std::vector<unsigned>& others, unsigned blockShift)
{
    RunsRecord record;
    record.others = static_cast<unsigned>(others.size());
    for (unsigned k = 0; k < record.others; ++k)
        record.bits[k] = static_cast<unsigned char>(indexBits(dims[others[k]]));
    record.bits[0] = static_cast<unsigned char>(std::min<unsigned>(record.bits[0], blockShift));
    record.kind = pack(record, 32) ? RunsRecord::Kind::Narrow : pack(record, 64) ? RunsRecord::Kind::Wide : RunsRecord::Kind::Loose;
    return record;
}

template <class Position> class SortedEntries {
public:
    SortedEntries(const SparseTensor& tensor, const RunsPlan& plan, RunControl& control)
    {
        const Count entries = tensor.entries();
        const Index* const row = tensor.indices[plan.mode].data();
        const Index* const blocked = tensor.indices[plan.others[0]].data();
        const Index* const second = tensor.indices[plan.secondMode()].data();
        m_sorted.keys.resize(entries);
        m_sorted.payloads.resize(entries);
        forEachChunk(entries, radix::entriesPerChunk, control, [&](Count, Count begin, Count end) {
            for (Count e = begin; e < end; ++e) {
                m_sorted.keys[e] = plan.key.of(row[e], blocked[e], second[e]);
                m_sorted.payloads[e] = static_cast<Position>(e);
            }
        });
        radix::sort(m_sorted, plan.key.bits, control);
    }

    std::uint64_t key(Count sorted) const { return m_sorted.keys[sorted]; }
    Count entry(Count sorted) const { return m_sorted.payloads[sorted]; }
    /// First whose block is not less.
    Count firstOf(unsigned block, const RunsKey& key) const
    {
        return std::partition_point(m_sorted.keys.begin(), m_sorted.keys.end(), [&](std::uint64_t k) { return key.block(k) < block; })
            - m_sorted.keys.begin();
    }

private:
    radix::Buffers<Position> m_sorted;
};

template <class T, class Position> class Builder {
public:
    Builder(const SparseTensor& tensor, const RunsPlan& plan, RunControl& control)
        : m_tensor(tensor)
        , m_control(control)
        , m_sorted(tensor, plan, control)
    {
        m_copy.plan = plan;
        m_copy.entries = tensor.entries();
    }

    RunsCopy<T> build()
    {
        placeBlocks();
        clear();
        countRuns();
        std::visit([&](const auto& values) { write(values); }, m_tensor.values);
        tellStretches();
        return std::move(m_copy);
    }

private:
    const RunsPlan& plan() const { return m_copy.plan; }

    void placeBlocks()
    {
        Count position = 0;
        for (unsigned block = 0; block < plan().blocks; ++block) {
            m_firstSorted.push_back(m_sorted.firstOf(block, plan().key));
            const Count next = block + 1 < plan().blocks ? m_sorted.firstOf(block + 1, plan().key) : m_copy.entries;
            m_copy.blockBegins.push_back(position);
            m_copy.blockEnds.push_back(position + next - m_firstSorted.back());
            position = roundedUp(m_copy.blockEnds.back(), runsAlignment);
        }
        m_firstSorted.push_back(m_copy.entries);
        position = roundedUp(position, plan().places.span());
        m_copy.blockBegins.push_back(position);
        m_copy.words.resize(position * plan().record.words());
        m_copy.values.resize(position);
        m_copy.stretches.resize(position / runsStretch);
    }

    void clear()
    {
        const unsigned words = plan().record.words();
        forEachChunk(m_copy.positions(), radix::entriesPerChunk, m_control, [&](Count, Count begin, Count end) {
            std::fill(m_copy.values.begin() + begin, m_copy.values.begin() + end, T(0));
            std::fill(m_copy.words.begin() + begin * words, m_copy.words.begin() + end * words, 0u);
        });
    }

    bool begins(Count sorted) const
    {
        return sorted == 0 || plan().key.run(m_sorted.key(sorted)) != plan().key.run(m_sorted.key(sorted - 1));
    }

    void countRuns()
    {
        m_runsBefore.assign(chunkCount(m_copy.entries, radix::entriesPerChunk) + 1, 0);
        forEachChunk(m_copy.entries, radix::entriesPerChunk, m_control, [&](Count chunk, Count begin, Count end) {
            Count runs = 0;
            for (Count s = begin; s < end; ++s)
                runs += begins(s);
            m_runsBefore[chunk + 1] = runs;
        });
        for (std::size_t chunk = 1; chunk < m_runsBefore.size(); ++chunk)
            m_runsBefore[chunk] += m_runsBefore[chunk - 1];
        m_copy.rows.resize(m_runsBefore.back());
    }

    void setRecord(Count place, Count entry, bool begin)
    {
        const RunsRecord& record = plan().record;
        const auto index = [&](unsigned k) { return plan().kept(m_tensor.indices[plan().others[k]][entry], k); };
        if (record.kind == RunsRecord::Kind::Loose) {
            for (unsigned k = 0; k < record.others; ++k)
                m_copy.words[k * m_copy.positions() + place] = index(k) | (k == 0 && begin ? beginsRun : 0);
            return;
        }
        std::uint64_t word = 0;
        for (unsigned k = 0; k < record.others; ++k)
            word |= std::uint64_t{index(k)} << record.shift[k];
        if (record.kind == RunsRecord::Kind::Narrow) {
            m_copy.words[place] = static_cast<std::uint32_t>(word) | (begin ? beginsRun : 0);
            return;
        }
        word |= begin ? beginsRunWide : 0;
        m_copy.words[2 * place] = static_cast<std::uint32_t>(word);
        m_copy.words[2 * place + 1] = static_cast<std::uint32_t>(word >> 32);
    }

    /// Records, values, the rows of runs, and for every stretch the run its first entry is in.
    template <class Values> void write(const Values& values)
    {
        const RunsKey& key = plan().key;
        forEachChunk(m_copy.entries, radix::entriesPerChunk, m_control, [&](Count chunk, Count begin, Count end) {
            Count runs = m_runsBefore[chunk];
            for (Count s = begin; s < end; ++s) {
                const unsigned block = key.block(m_sorted.key(s));
                const Count position = m_copy.blockBegins[block] + s - m_firstSorted[block], entry = m_sorted.entry(s);
                const bool begun = begins(s);
                if (begun)
                    m_copy.rows[runs++] = key.row(m_sorted.key(s));
                const Count place = plan().places.of(position);
                setRecord(place, entry, begun);
                m_copy.values[place] = static_cast<T>(values[entry]);
                if (position % runsStretch == 0)
                    m_copy.stretches[position / runsStretch] = RunsStretch::of(runs - 1, block);
            }
        });
    }

    /// Stretches of padding alone belong to the run before them.
    void tellStretches()
    {
        for (unsigned block = 0; block < plan().blocks; ++block) {
            const Count before = m_firstSorted[block + 1];
            const RunsStretch last = RunsStretch::of(before == 0 ? 0 : runOf(before - 1), block);
            const Count first = (m_copy.blockEnds[block] + runsStretch - 1) / runsStretch;
            std::fill(m_copy.stretches.begin() + first, m_copy.stretches.begin() + m_copy.blockBegins[block + 1] / runsStretch, last);
        }
    }

    Count runOf(Count sorted) const
    {
        const Count chunk = sorted / radix::entriesPerChunk;
        Count runs = m_runsBefore[chunk];
        for (Count s = chunk * radix::entriesPerChunk; s <= sorted; ++s)
            runs += begins(s);
        return runs - 1;
    }

    const SparseTensor& m_tensor;
    RunControl& m_control;
    SortedEntries<Position> m_sorted;
    std::vector<Count> m_firstSorted; ///< of every block; then all
    std::vector<Count> m_runsBefore; ///< [chunk]; then all
    RunsCopy<T> m_copy;
};

bool narrowPositions(Count entries) { return entries <= std::numeric_limits<std::uint32_t>::max(); }

} // namespace

bool rowsAreInCache(const RunsPlan& plan, const std::vector<Index>& dims, const RunsCaches& caches)
{
    constexpr std::uint64_t besides = 3; // what `far` leaves room for
    std::uint64_t rows = std::min(std::uint64_t{dims[plan.others[0]]}, std::uint64_t{1} << plan.key.blockShift);
    for (std::size_t k = 1; k < plan.others.size(); ++k)
        rows += dims[plan.others[k]];
    return rows <= besides * caches.far;
}

RunsPlan planRuns(const std::vector<Index>& dims, unsigned mode, Count entries, const RunsCaches& caches)
{
    RunsPlan plan;
    plan.mode = mode;
    for (unsigned n = 0; n < dims.size(); ++n)
        if (n != mode)
            plan.others.push_back(n);
    std::stable_sort(plan.others.begin(), plan.others.end(), [&](unsigned a, unsigned b) { return dims[a] < dims[b]; });
    std::rotate(plan.others.begin(), plan.others.end() - 1, plan.others.end());
    const Index largest = dims[plan.others[0]];
    unsigned companionBits = 0;
    for (std::size_t k = 1; k < plan.others.size(); ++k)
        companionBits += indexBits(dims[plan.others[k]]);
    const double mostBlocks = blocksAtMost(entries, dims[mode]);
    plan.key.blockShift = blockShiftFor(largest, companionBits, mostBlocks, caches.far);
    plan.blocks = blocksOf(largest, plan.key.blockShift);
    if (plan.others.size() > 1 && rowsAreInCache(plan, dims, caches)) {
        const Index smallest = dims[plan.secondMode()];
        plan.key.secondBlockShift = secondShiftFor(smallest, mostBlocks / plan.blocks, caches.near);
        plan.key.secondBlockBits = plan.key.secondBlockShift == 32 ? 0 : indexBits(blocksOf(smallest, plan.key.secondBlockShift));
        plan.blocks <<= plan.key.secondBlockBits;
    }
    plan.record = recordFor(dims, plan.others, plan.key.blockShift);
    plan.key.rowBits = indexBits(dims[mode]);
    const unsigned second = indexBits(dims[plan.secondMode()]);
    plan.key.secondBits = std::min(second, 64 - 2 * mostBlockBits - plan.key.rowBits);
    plan.key.secondShift = second - plan.key.secondBits;
    plan.key.bits = indexBits(plan.blocks) + plan.key.rowBits + plan.key.secondBits;
    return plan;
}

void requireFreeBit(const RunsPlan& plan, const std::vector<Index>& dims)
{
    if (plan.record.kind == RunsRecord::Kind::Loose && plan.record.bits[0] > 31)
        throw Error(ErrorKind::BadArgument,
                    {"entries in runs need a free bit in the index of the largest other mode", fmt::format("mode {}", plan.others[0] + 1),
                     fmt::format("a size of {}", dims[plan.others[0]]), "at most 2147483648", "Another format takes it, csf for one."});
}

template <class T> std::uint64_t RunsCopy<T>::bytes() const
{
    return words.size() * sizeof(words[0]) + values.size() * sizeof(T) + rows.size() * sizeof(Index)
        + stretches.size() * sizeof(RunsStretch);
}
template struct RunsCopy<float>;
template struct RunsCopy<double>;

template <class T> RunsCopy<T> buildRuns(const SparseTensor& tensor, const RunsPlan& plan, RunControl& control)
{
    requireFreeBit(plan, tensor.dims());
    requireHostMemory(runsBuildBytes(plan, tensor.dims(), tensor.entries(), sizeof(T)),
                      "Entries in runs are sorted once a mode; use the format coo or fewer entries.");
    if (narrowPositions(tensor.entries()))
        return Builder<T, std::uint32_t>(tensor, plan, control).build();
    return Builder<T, std::uint64_t>(tensor, plan, control).build();
}
template RunsCopy<float> buildRuns(const SparseTensor&, const RunsPlan&, RunControl&);
template RunsCopy<double> buildRuns(const SparseTensor&, const RunsPlan&, RunControl&);

template <class T> SparseTensor toCoo(const RunsCopy<T>& copy, const std::vector<Index>& dims)
{
    const RunsRecord& record = copy.plan.record;
    SparseTensor result(dims, copy.entries, std::is_same_v<T, double>);
    Array<T>& values = std::get<Array<T>>(result.values);
    Count to = 0, runs = 0;
    for (unsigned block = 0; block < copy.plan.blocks; ++block)
        for (Count position = copy.blockBegins[block]; position < copy.blockEnds[block]; ++position, ++to) {
            const bool wide = record.kind == RunsRecord::Kind::Wide, loose = record.kind == RunsRecord::Kind::Loose;
            const Count place = copy.plan.places.of(position);
            std::uint64_t word = copy.words[wide ? 2 * place : place];
            word |= wide ? std::uint64_t{copy.words[2 * place + 1]} << 32 : 0;
            runs += (word & (wide ? beginsRunWide : std::uint64_t{beginsRun})) != 0;
            result.indices[copy.plan.mode][to] = copy.rows[runs - 1];
            for (unsigned k = 0; k < record.others; ++k) {
                const Index kept = loose ? copy.words[k * copy.positions() + place] & (k == 0 ? ~beginsRun : ~0u) : record.index(word, k);
                result.indices[copy.plan.others[k]][to] = k == 0 ? kept + copy.plan.key.firstRow(block) : kept;
            }
            values[to] = copy.values[place];
        }
    return result;
}
template SparseTensor toCoo(const RunsCopy<float>&, const std::vector<Index>&);
template SparseTensor toCoo(const RunsCopy<double>&, const std::vector<Index>&);

std::uint64_t runsBytes(const RunsPlan& plan, const std::vector<Index>& dims, Count entries, unsigned valueBytes)
{
    const Count positions = entries + std::uint64_t{plan.blocks} * (runsAlignment - 1) + plan.places.span();
    const Count runs = std::min(entries, std::uint64_t{dims[plan.mode]} * plan.blocks);
    return positions * (plan.record.words() * sizeof(std::uint32_t) + valueBytes) + runs * sizeof(Index)
        + (positions / runsStretch + 1) * sizeof(RunsStretch);
}

std::uint64_t runsBuildBytes(const RunsPlan& plan, const std::vector<Index>& dims, Count entries, unsigned valueBytes)
{
    const std::uint64_t item = sizeof(std::uint64_t) + (narrowPositions(entries) ? sizeof(std::uint32_t) : sizeof(std::uint64_t));
    const std::uint64_t digits = radix::digitsOf(plan.key.bits) > 0 ? (std::uint64_t{1} << radix::widestDigit) * sizeof(Count) : 0;
    const std::uint64_t sorting = 2 * entries * item + (chunkCount(entries, radix::entriesPerChunk) + 1) * (digits + sizeof(Count));
    return std::max(sorting, entries * item + runsBytes(plan, dims, entries, valueBytes));
}

std::uint64_t deviceRunsBuildBytes(const RunsPlan& plan, const std::vector<Index>& dims, Count entries, unsigned valueBytes)
{
    constexpr std::uint64_t position = sizeof(std::uint32_t), pair = sizeof(std::uint64_t) + position, pages = std::uint64_t{32} << 20;
    const std::uint64_t writing = entries * (pair + position) + runsBytes(plan, dims, entries, valueBytes);
    return std::max(2 * entries * pair, writing) + entries / 4 + pages; // CUB's own memory is a small share
}

TensorFormatInfo runsInfo()
{
    return {"runs", "Runs",
            "A copy of the entries for every mode, sorted by its rows, an entry's other indices packed into one word where they fit. The "
            "fastest for products with all other factors.",
            [](const ProblemShape& shape, unsigned valueBytes) {
                std::uint64_t sum = 0;
                for (unsigned n = 0; n < shape.dims.size(); ++n)
                    sum += runsBytes(planRuns(shape.dims, n, shape.trainEntries, {}), shape.dims, shape.trainEntries, valueBytes);
                return sum;
            }};
}

} // namespace kernels::formats
