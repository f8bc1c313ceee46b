// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/formats/hicoo.h"

#include "kernels/base/chunks.h"
#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"
#include "kernels/device/make_back_end.h"
#include "kernels/tensor/entry_keys.h"
#include "kernels/tensor/radix_sort.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace kernels::formats {
namespace {

struct KeyBit {
    unsigned mode, shift;
};

/// The highest first.
std::vector<KeyBit> bitsOf(const std::vector<Index>& dims)
{
    std::vector<KeyBit> bits;
    for (unsigned shift = 32; shift-- > hicooBlockBits;)
        for (unsigned n = 0; n < dims.size(); ++n)
            if (shift < indexBits(dims[n]))
                bits.push_back({n, shift});
    for (unsigned n = 0; n < dims.size(); ++n)
        for (unsigned shift = std::min(hicooBlockBits, indexBits(dims[n])); shift-- > 0;)
            bits.push_back({n, shift});
    return bits;
}

void append(HicooKey& key, KeyBit bit)
{
    HicooField* const last = key.fields > 0 ? &key.field[key.fields - 1] : nullptr;
    if (last && last->mode == bit.mode && last->shift == bit.shift + 1) {
        --last->shift;
        ++last->bits;
    } else
        key.field[key.fields++] = {static_cast<unsigned char>(bit.mode), static_cast<unsigned char>(bit.shift), 1};
    ++key.bits;
}

template <class T> class Builder {
public:
    Builder(const SparseTensor& tensor, RunControl& control)
        : m_tensor(tensor)
        , m_control(control)
    {
        m_hicoo.dims = tensor.dims();
        for (const Array<Index>& column : tensor.indices)
            m_indices.push_back(column.data());
    }

    Hicoo<T> build()
    {
        sort();
        countBlocks();
        std::visit([&](const auto& values) { write(values); }, m_tensor.values);
        return std::move(m_hicoo);
    }

private:
    Count entries() const { return m_tensor.entries(); }

    void sort()
    {
        radix::Buffers<HicooPosition> sorted;
        sorted.payloads.resize(entries());
        std::iota(sorted.payloads.begin(), sorted.payloads.end(), HicooPosition{0});
        for (const HicooKey& key : hicooKeys(m_hicoo.dims)) {
            sorted.keys.resize(entries());
            forEachChunk(entries(), radix::entriesPerChunk, m_control, [&](Count, Count begin, Count end) {
                for (Count s = begin; s < end; ++s)
                    sorted.keys[s] = key.of(m_indices.data(), sorted.payloads[s]);
            });
            radix::sort(sorted, key.bits, m_control);
        }
        m_sorted.swap(sorted.payloads);
    }

    bool begins(Count s) const { return s == 0 || inOtherBlock(m_indices.data(), m_hicoo.order(), m_sorted[s], m_sorted[s - 1]); }

    void countBlocks()
    {
        m_blocksBefore.assign(chunkCount(entries(), radix::entriesPerChunk) + 1, 0);
        forEachChunk(entries(), radix::entriesPerChunk, m_control, [&](Count chunk, Count begin, Count end) {
            Count blocks = 0;
            for (Count s = begin; s < end; ++s)
                blocks += begins(s);
            m_blocksBefore[chunk + 1] = blocks;
        });
        std::partial_sum(m_blocksBefore.begin(), m_blocksBefore.end(), m_blocksBefore.begin());
        m_hicoo.begins.resize(m_blocksBefore.back() + 1);
        m_hicoo.begins[m_blocksBefore.back()] = static_cast<HicooPosition>(entries());
        m_hicoo.blocks.resize(m_blocksBefore.back() * m_hicoo.order());
        m_hicoo.offsets.resize(entries() * m_hicoo.order());
        m_hicoo.values.resize(entries());
    }

    template <class Values> void write(const Values& values)
    {
        const unsigned order = m_hicoo.order();
        forEachChunk(entries(), radix::entriesPerChunk, m_control, [&](Count chunk, Count begin, Count end) {
            Count block = m_blocksBefore[chunk];
            for (Count s = begin; s < end; ++s) {
                const Count entry = m_sorted[s];
                if (begins(s)) {
                    m_hicoo.begins[block] = static_cast<HicooPosition>(s);
                    for (unsigned n = 0; n < order; ++n)
                        m_hicoo.blocks[block * order + n] = m_indices[n][entry] >> hicooBlockBits;
                    ++block;
                }
                for (unsigned n = 0; n < order; ++n)
                    m_hicoo.offsets[n * entries() + s] = static_cast<unsigned char>(m_indices[n][entry] % hicooBlockRows);
                m_hicoo.values[s] = static_cast<T>(values[entry]);
            }
        });
    }

    const SparseTensor& m_tensor;
    RunControl& m_control;
    std::vector<const Index*> m_indices; ///< [mode]
    Array<HicooPosition> m_sorted; ///< entries in the blocks' order
    std::vector<Count> m_blocksBefore; ///< [chunk of sorted entries]
    Hicoo<T> m_hicoo;
};

/// Keys and numbers of entries while they are sorted, and what is written from the numbers.
std::uint64_t mostWhileBuilt(const std::vector<Index>& dims, Count entries, unsigned valueBytes)
{
    constexpr std::uint64_t pair = sizeof(std::uint64_t) + sizeof(HicooPosition);
    return std::max(entries * 2 * pair, entries * sizeof(HicooPosition) + hicooBytes(dims, entries, valueBytes));
}

} // namespace

std::vector<HicooKey> hicooKeys(const std::vector<Index>& dims)
{
    const std::vector<KeyBit> bits = bitsOf(dims);
    std::vector<HicooKey> keys;
    for (std::size_t end = bits.size(); end > 0;) {
        const std::size_t begin = end > 64 ? end - 64 : 0;
        HicooKey& key = keys.emplace_back();
        for (std::size_t b = begin; b < end; ++b)
            append(key, bits[b]);
        end = begin;
    }
    return keys;
}

void requireHicooFits(Count entries)
{
    if (entries > std::numeric_limits<HicooPosition>::max())
        throw Error(ErrorKind::BadArgument,
                    {"entries in HiCOO are fewer than 2^32", "tensor", fmt::format("{} entries", entries), {}, "Use the format coo."});
}

template <class T> std::uint64_t Hicoo<T>::bytes() const
{
    return begins.size() * sizeof(HicooPosition) + blocks.size() * sizeof(Index) + offsets.size() + values.size() * sizeof(T);
}
template struct Hicoo<float>;
template struct Hicoo<double>;

template <class T> Hicoo<T> buildHicoo(const SparseTensor& tensor, RunControl& control)
{
    requireHicooFits(tensor.entries());
    requireHostMemory(hicooBuildBytes(tensor.dims(), tensor.entries(), sizeof(T)),
                      "Entries are sorted to be put into blocks; use the format coo or fewer entries.");
    return Builder<T>(tensor, control).build();
}
template Hicoo<float> buildHicoo(const SparseTensor&, RunControl&);
template Hicoo<double> buildHicoo(const SparseTensor&, RunControl&);

template <class T> SparseTensor toCoo(const Hicoo<T>& hicoo)
{
    SparseTensor result(hicoo.dims, hicoo.entries(), std::is_same_v<T, double>);
    std::get<Array<T>>(result.values) = hicoo.values;
    for (unsigned n = 0; n < hicoo.order(); ++n)
        for (Count block = 0; block < hicoo.blockCount(); ++block)
            for (Count e = hicoo.begins[block]; e < hicoo.begins[block + 1]; ++e)
                result.indices[n][e] = (hicoo.blocks[block * hicoo.order() + n] << hicooBlockBits) + hicoo.offsets[n * hicoo.entries() + e];
    return result;
}
template SparseTensor toCoo(const Hicoo<float>&);
template SparseTensor toCoo(const Hicoo<double>&);

Count hicooBlocks(const std::vector<Index>& dims, Count entries)
{
    Count blocks = 1;
    for (const Index size : dims) {
        const Count ofMode = ((Count{size} - 1) >> hicooBlockBits) + 1;
        if (blocks >= entries / ofMode + 1)
            return entries;
        blocks *= ofMode;
    }
    return std::min(blocks, entries);
}

std::uint64_t hicooBytes(const std::vector<Index>& dims, Count entries, unsigned valueBytes)
{
    const Count blocks = hicooBlocks(dims, entries);
    return (blocks + 1) * sizeof(HicooPosition) + blocks * dims.size() * sizeof(Index) + entries * (dims.size() + valueBytes);
}

std::uint64_t hicooBuildBytes(const std::vector<Index>& dims, Count entries, unsigned valueBytes)
{
    const std::uint64_t digits =
        (chunkCount(entries, radix::entriesPerChunk) + 1) * (std::uint64_t{1} << radix::widestDigit) * sizeof(Count);
    return mostWhileBuilt(dims, entries, valueBytes) + digits;
}

std::uint64_t deviceHicooBuildBytes(const std::vector<Index>& dims, Count entries, unsigned valueBytes)
{
    constexpr std::uint64_t position = sizeof(HicooPosition), key = sizeof(std::uint64_t), pages = std::uint64_t{32} << 20;
    const std::uint64_t sorting = 2 * entries * (key + position);
    const std::uint64_t writing = 2 * entries * position + hicooBytes(dims, entries, valueBytes);
    return std::max(sorting, writing) + entries / 4 + pages; // CUB's own memory is a small share
}

std::unique_ptr<HicooBuilder> makeHicooBuilder(Precision precision, const DeviceId& device)
{
    return makeBackEndOf<HicooBuilder>(hicooBuilderId, precision, device);
}

TensorFormatInfo hicooInfo()
{
    return {"hicoo", "HiCOO",
            "Entries in blocks of 128 indices of every mode, blocks in Morton order: one copy for all modes, an entry takes a byte for "
            "each mode and its value. Small where blocks have many entries.",
            [](const ProblemShape& shape, unsigned valueBytes) {
                const std::uint64_t orders = shape.dims.size() * hicooBlocks(shape.dims, shape.trainEntries) * sizeof(HicooPosition);
                return hicooBytes(shape.dims, shape.trainEntries, valueBytes) + orders; // of the blocks, one for each mode's products
            }};
}

} // namespace kernels::formats
