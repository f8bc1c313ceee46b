// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/formats/blco.h"

#include "kernels/base/chunks.h"
#include "kernels/base/host_memory.h"
#include "kernels/device/make_back_end.h"
#include "kernels/tensor/entry_keys.h"
#include "kernels/tensor/radix_sort.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace kernels::formats {
namespace {

constexpr unsigned wordBits = 64;

/// A bit of a mode's index.
struct IndexBit {
    unsigned mode = 0, bit = 0;
};

/// All, the lowest place first: of each level the shorter modes before the longer ones.
std::vector<IndexBit> interleavedBits(const std::vector<Index>& dims)
{
    std::vector<unsigned> modes(dims.size());
    std::iota(modes.begin(), modes.end(), 0u);
    std::stable_sort(modes.begin(), modes.end(), [&](unsigned a, unsigned b) { return dims[a] < dims[b]; });
    std::vector<IndexBit> bits;
    for (unsigned bit = 0; bit < 32; ++bit)
        for (const unsigned mode : modes)
            if (bit < indexBits(dims[mode]))
                bits.push_back({mode, bit});
    return bits;
}

/// The word of places first to end; what a mode has in it are neighbouring bits of its index.
BlcoWord wordOf(const std::vector<IndexBit>& bits, std::size_t first, std::size_t end, unsigned order)
{
    BlcoWord word;
    word.order = order;
    for (std::size_t i = first; i < end; ++i) {
        if (word.width[bits[i].mode]++ == 0)
            word.from[bits[i].mode] = static_cast<unsigned char>(bits[i].bit);
    }
    for (unsigned n = 0; n < order; ++n) {
        word.shift[n] = static_cast<unsigned char>(word.width[n] ? word.bits : 0);
        word.bits += word.width[n];
    }
    for (std::size_t i = first; i < end; ++i) {
        const auto [mode, bit] = bits[i];
        word.place[word.shift[mode] + bit - word.from[mode]] = static_cast<unsigned char>(i - first);
    }
    return word;
}

/// Moves bits of words a byte at a time.
class BitMover {
public:
    template <class Move> explicit BitMover(const Move& move)
    {
        for (unsigned byte = 0; byte < 8; ++byte)
            for (unsigned value = 0; value < 256; ++value)
                m_moved[byte][value] = move(std::uint64_t{value} << 8 * byte);
    }
    std::uint64_t operator()(std::uint64_t word) const
    {
        std::uint64_t result = 0;
        for (unsigned byte = 0; byte < 8; ++byte)
            result |= m_moved[byte][word >> 8 * byte & 255];
        return result;
    }

private:
    std::array<std::array<std::uint64_t, 256>, 8> m_moved;
};

std::uint64_t packedWord(const SparseTensor& tensor, const BlcoWord& word, Count entry)
{
    std::uint64_t packed = 0;
    for (unsigned n = 0; n < word.order; ++n)
        packed |= word.share(tensor.indices[n][entry], n);
    return packed;
}

/// Indices of one word: the keys are all there is to them, so that values travel with them.
template <class T> void buildOfOneWord(Blco<T>& blco, const SparseTensor& tensor, RunControl& control)
{
    const BlcoWord& word = blco.plan.words.front();
    const BitMover interleave([&](std::uint64_t packed) { return word.interleaved(packed); });
    const BitMover pack([&](std::uint64_t key) { return word.packed(key); });
    radix::Buffers<T> sorted;
    sorted.keys.resize(tensor.entries());
    sorted.payloads.resize(tensor.entries());
    std::visit(
        [&](const auto& values) {
            forEachChunk(tensor.entries(), radix::entriesPerChunk, control, [&](Count, Count begin, Count end) {
                for (Count e = begin; e < end; ++e) {
                    sorted.keys[e] = interleave(packedWord(tensor, word, e));
                    sorted.payloads[e] = static_cast<T>(values[e]);
                }
            });
        },
        tensor.values);
    radix::sort(sorted, word.bits, control);
    forEachChunk(tensor.entries(), radix::entriesPerChunk, control, [&](Count, Count begin, Count end) {
        for (Count e = begin; e < end; ++e)
            sorted.keys[e] = pack(sorted.keys[e]);
    });
    blco.words = std::move(sorted.keys);
    blco.values = std::move(sorted.payloads);
    blco.begins = {0};
    if (tensor.entries() > 0) {
        blco.begins.push_back(tensor.entries());
        blco.bases.assign(blco.plan.order(), 0);
    }
}

/// Indices of several words: entries' numbers are sorted by one word after another.
template <class T, class Position> class WideBuilder {
public:
    WideBuilder(Blco<T>& blco, const SparseTensor& tensor, RunControl& control)
        : m_blco(blco)
        , m_tensor(tensor)
        , m_control(control)
    {
    }

    void build()
    {
        sort();
        m_sorted.keys = Array<std::uint64_t>();
        findBlocks();
        m_blco.words.resize(m_tensor.entries());
        m_blco.values.resize(m_tensor.entries());
        const BlcoWord& word = m_blco.plan.words.front();
        std::visit(
            [&](const auto& values) {
                forEachChunk(m_tensor.entries(), radix::entriesPerChunk, m_control, [&](Count, Count begin, Count end) {
                    for (Count s = begin; s < end; ++s) {
                        m_blco.words[s] = packedWord(m_tensor, word, m_sorted.payloads[s]);
                        m_blco.values[s] = static_cast<T>(values[m_sorted.payloads[s]]);
                    }
                });
            },
            m_tensor.values);
    }

private:
    void sort()
    {
        m_sorted.keys.resize(m_tensor.entries());
        m_sorted.payloads.resize(m_tensor.entries());
        std::iota(m_sorted.payloads.begin(), m_sorted.payloads.end(), Position{0});
        for (const BlcoWord& word : m_blco.plan.words) {
            const BitMover interleave([&](std::uint64_t packed) { return word.interleaved(packed); });
            forEachChunk(m_tensor.entries(), radix::entriesPerChunk, m_control, [&](Count, Count begin, Count end) {
                for (Count s = begin; s < end; ++s)
                    m_sorted.keys[s] = interleave(packedWord(m_tensor, word, m_sorted.payloads[s]));
            });
            radix::sort(m_sorted, word.bits, m_control);
        }
    }

    Index base(Count sorted, unsigned mode) const
    {
        return m_blco.plan.words.front().above(m_tensor.indices[mode][m_sorted.payloads[sorted]], mode);
    }
    bool begins(Count sorted) const
    {
        if (sorted == 0)
            return true;
        for (unsigned n = 0; n < m_tensor.order(); ++n)
            if (base(sorted, n) != base(sorted - 1, n))
                return true;
        return false;
    }

    void findBlocks()
    {
        const Count entries = m_tensor.entries();
        Array<Count> before(chunkCount(entries, radix::entriesPerChunk) + 1, 0);
        forEachChunk(entries, radix::entriesPerChunk, m_control, [&](Count chunk, Count begin, Count end) {
            for (Count s = begin; s < end; ++s)
                before[chunk + 1] += begins(s);
        });
        std::partial_sum(before.begin(), before.end(), before.begin());
        const unsigned order = m_tensor.order();
        m_blco.begins.resize(before.back() + 1);
        m_blco.bases.resize(before.back() * order);
        m_blco.begins.back() = entries;
        forEachChunk(entries, radix::entriesPerChunk, m_control, [&](Count chunk, Count begin, Count end) {
            Count block = before[chunk];
            for (Count s = begin; s < end; ++s)
                if (begins(s)) {
                    m_blco.begins[block] = s;
                    for (unsigned n = 0; n < order; ++n)
                        m_blco.bases[block * order + n] = base(s, n);
                    ++block;
                }
        });
    }

    Blco<T>& m_blco;
    const SparseTensor& m_tensor;
    RunControl& m_control;
    radix::Buffers<Position> m_sorted;
};

bool narrowPositions(Count entries) { return entries <= std::numeric_limits<std::uint32_t>::max(); }

/// As many as the bits above the kept word tell apart, if there are so many entries.
Count mostBlocks(const BlcoPlan& plan, Count entries)
{
    unsigned bits = 0;
    for (std::size_t w = 1; w < plan.words.size(); ++w)
        bits += plan.words[w].bits;
    return bits >= 63 ? entries : std::min(entries, Count{1} << bits);
}

} // namespace

BlcoPlan planBlco(const std::vector<Index>& dims)
{
    BlcoPlan plan{dims, {}};
    const std::vector<IndexBit> bits = interleavedBits(dims);
    std::size_t first = 0;
    do {
        const std::size_t end = std::min<std::size_t>(bits.size(), first + wordBits);
        plan.words.push_back(wordOf(bits, first, end, plan.order()));
        first = end;
    } while (first < bits.size());
    return plan;
}

template <class T> std::uint64_t Blco<T>::bytes() const
{
    return words.size() * sizeof(words[0]) + values.size() * sizeof(T) + begins.size() * sizeof(Count) + bases.size() * sizeof(Index);
}
template struct Blco<float>;
template struct Blco<double>;

template <class T> Blco<T> buildBlco(const SparseTensor& tensor, RunControl& control)
{
    Blco<T> blco;
    blco.plan = planBlco(tensor.dims());
    requireHostMemory(blcoBuildBytes(blco.plan, tensor.entries(), sizeof(T)),
                      "Linearised entries are sorted once; use the format coo or fewer entries.");
    control.checkpoint();
    if (blco.plan.words.size() == 1)
        buildOfOneWord(blco, tensor, control);
    else if (narrowPositions(tensor.entries()))
        WideBuilder<T, std::uint32_t>(blco, tensor, control).build();
    else
        WideBuilder<T, std::uint64_t>(blco, tensor, control).build();
    return blco;
}
template Blco<float> buildBlco(const SparseTensor&, RunControl&);
template Blco<double> buildBlco(const SparseTensor&, RunControl&);

template <class T> SparseTensor toCoo(const Blco<T>& blco)
{
    SparseTensor result(blco.plan.dims, blco.entries(), std::is_same_v<T, double>);
    const unsigned order = blco.plan.order();
    const BlcoWord& word = blco.plan.words.front();
    for (Count block = 0; block < blco.blocks(); ++block)
        for (Count e = blco.begins[block]; e < blco.begins[block + 1]; ++e)
            for (unsigned n = 0; n < order; ++n)
                result.indices[n][e] = blco.bases[block * order + n] | word.index(blco.words[e], n);
    std::get<Array<T>>(result.values) = blco.values;
    return result;
}
template SparseTensor toCoo(const Blco<float>&);
template SparseTensor toCoo(const Blco<double>&);

std::uint64_t blcoBytes(const BlcoPlan& plan, Count entries, unsigned valueBytes)
{
    const Count blocks = mostBlocks(plan, entries);
    return entries * (sizeof(std::uint64_t) + valueBytes) + blocks * (sizeof(Count) + plan.order() * sizeof(Index)) + sizeof(Count);
}

std::uint64_t blcoBuildBytes(const BlcoPlan& plan, Count entries, unsigned valueBytes)
{
    const bool wide = plan.words.size() > 1;
    const std::uint64_t payload = !wide ? valueBytes : narrowPositions(entries) ? sizeof(std::uint32_t) : sizeof(std::uint64_t);
    const Count chunks = chunkCount(entries, radix::entriesPerChunk) + 1;
    const std::uint64_t digits = (std::uint64_t{1} << radix::widestDigit) * sizeof(Count);
    const std::uint64_t sorting = 2 * entries * (sizeof(std::uint64_t) + payload) + chunks * digits;
    const std::uint64_t writing = entries * payload + chunks * sizeof(Count) + blcoBytes(plan, entries, valueBytes);
    return wide ? std::max(sorting, writing) : sorting;
}

std::uint64_t deviceBlcoBuildBytes(const BlcoPlan& plan, Count entries, unsigned valueBytes)
{
    constexpr std::uint64_t position = sizeof(std::uint32_t), key = sizeof(std::uint64_t), pages = std::uint64_t{32} << 20;
    const std::uint64_t sorting = 2 * entries * (key + (plan.words.size() > 1 ? position : valueBytes));
    const std::uint64_t writing = plan.words.size() > 1 ? 2 * entries * position + blcoBytes(plan, entries, valueBytes) : 0;
    return std::max(sorting, writing) + entries / 4 + pages; // CUB's own memory is a small share
}

TensorFormatInfo blcoInfo()
{
    return {"blco", "BLCO",
            "Blocked linearised coordinates: one copy of the entries for the products of all modes, the indices of an entry in one word of "
            "64 bits. Larger tensors than a GPU holds stream through it.",
            [](const ProblemShape& shape, unsigned valueBytes) { return blcoBytes(planBlco(shape.dims), shape.trainEntries, valueBytes); }};
}

std::unique_ptr<BlcoBuilder> makeBlcoBuilder(Precision precision, const DeviceId& device)
{
    return makeBackEndOf<BlcoBuilder>(blcoBuilderId, precision, device);
}

} // namespace kernels::formats
