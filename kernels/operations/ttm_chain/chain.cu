// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/ttm_chain/chain_rows.cuh"

#include "kernels/device/transfer.cuh"
#include "kernels/formats/csf.h"

#include <cub/device/device_for.cuh>

#include <algorithm>

namespace kernels::ttm::gpu {
namespace {

using cuda::DeviceBuffer;

constexpr unsigned micro = 4; ///< a thread sums so many times so many numbers of Y's row
constexpr unsigned sharedNumbers = 5632; ///< 45 KB in fp64
constexpr unsigned mostFibres = 32; ///< of a batch
constexpr unsigned mostDown = 65535; ///< of a grid
constexpr unsigned enoughBlocks = 1056; ///< eight for each of 132 processors

template <class T> struct alignas(16) Four {
    T x[micro];
};

/// How a row of Y is dealt out to blocks and threads.
struct Tiling {
    unsigned paddedLeaf; ///< columns of a leaf's row, in fours
    unsigned across; ///< micro tiles of them
    unsigned uppers; ///< of the product of the others, of a block at most

    __host__ __device__ explicit Tiling(unsigned leafColumns)
        : paddedLeaf((leafColumns + micro - 1) / micro * micro)
        , across(paddedLeaf / micro)
        , uppers(max(1U, threads / across) * micro)
    {
    }
    __host__ __device__ static unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
    __host__ unsigned tiles(unsigned upperWidth) const { return (upperWidth + uppers - 1) / uppers; }
};

/// A warp: v = Σ x · rows of leaves, zeros to the padded width.
template <class T> __device__ void sumLeaves(const ChainArguments<T>& a, std::uint32_t begin, std::uint32_t end, unsigned padded, T* v)
{
    const unsigned lane = threadIdx.x % 32, columns = a.leafColumns;
    if (columns <= 32) {
        const unsigned width = lanesFor(columns), group = lane / width, column = lane % width;
        T sum = 0;
        if (column < columns)
            for (std::uint32_t e = begin + group; e < end; e += 32 / width)
                sum += a.values[e] * a.leafRows[std::size_t{a.leaves[e]} * columns + column];
        for (unsigned apart = width; apart < 32; apart *= 2)
            sum += __shfl_xor_sync(0xFFFFFFFFU, sum, apart);
        if (group == 0 && column < padded)
            v[column] = column < columns ? sum : T(0);
        for (unsigned c = width + lane; c < padded; c += 32)
            v[c] = 0;
        return;
    }
    T sums[columnsOfLane] = {};
    for (std::uint32_t e = begin; e < end; ++e) {
        const T x = a.values[e];
        const T* const row = a.leafRows + std::size_t{a.leaves[e]} * columns;
#pragma unroll
        for (unsigned i = 0; i < columnsOfLane; ++i)
            if (lane + 32 * i < columns)
                sums[i] += x * row[lane + 32 * i];
    }
#pragma unroll
    for (unsigned i = 0; i < columnsOfLane; ++i)
        if (lane + 32 * i < padded)
            v[lane + 32 * i] = sums[i];
}

/// A block: a segment (x) and a tile of its row (y, from the first on). Fibres in batches: warps make v of each, all threads k; then
/// threads, of which several groups share the fibres of a batch where a tile is small, add k ⊗ v to sums in registers, 4 × 4 each, which
/// are put together in the order of groups. Sums are in T; two runs give the same bits. An entry costs its index, value and leaf's row, a
/// fibre the rows above it.
template <class T>
__global__ void __launch_bounds__(threads)
    chainKernel(ChainArguments<T> a, unsigned firstTile, T* out, std::uint64_t width, Count firstRow, T* pieces)
{
    __shared__ alignas(16) T shared[sharedNumbers];
    const Segment segment = a.segments[a.firstSegment + blockIdx.x];
    const Tiling tiling(a.leafColumns);
    const unsigned firstUpper = (firstTile + blockIdx.y) * tiling.uppers;
    const unsigned uppers = min(tiling.uppers, a.upperWidth - firstUpper), down = (uppers + micro - 1) / micro, padded = down * micro;
    const unsigned tiles = down * tiling.across, groups = min(threads / tiles, mostFibres);
    const unsigned tile = threadIdx.x % tiles, group = threadIdx.x / tiles;
    const unsigned row = tile / tiling.across * micro, column = tile % tiling.across * micro;
    const unsigned batch = min(mostFibres, sharedNumbers / (padded + tiling.paddedLeaf));
    T* const k = shared;
    T* const v = shared + batch * padded;

    T sums[micro][micro] = {};
    for (std::uint32_t first = segment.firstFibre; first < segment.endFibre; first += batch) {
        const unsigned count = min(batch, segment.endFibre - first);
        for (unsigned f = threadIdx.x / 32; f < count; f += warps)
            sumLeaves(a, max(a.fibreBegins[first + f], segment.firstLeaf), min(a.fibreBegins[first + f + 1], segment.endLeaf),
                      tiling.paddedLeaf, v + f * tiling.paddedLeaf);
        for (unsigned i = threadIdx.x; i < count * padded; i += threads) {
            const unsigned f = i / padded, u = i % padded;
            k[i] = u < uppers ? upperProduct<T>(a, first + f, firstUpper + u) : T(0);
        }
        __syncthreads();
        if (group < groups)
            for (unsigned f = group; f < count; f += groups) {
                const Four<T> left = *reinterpret_cast<const Four<T>*>(k + f * padded + row);
                const Four<T> right = *reinterpret_cast<const Four<T>*>(v + f * tiling.paddedLeaf + column);
#pragma unroll
                for (unsigned i = 0; i < micro; ++i)
#pragma unroll
                    for (unsigned j = 0; j < micro; ++j)
                        sums[i][j] += left.x[i] * right.x[j];
            }
        __syncthreads();
    }
    if (group < groups)
        for (unsigned i = 0; i < micro * micro; ++i)
            shared[(group * tiles + tile) * micro * micro + i] = sums[i / micro][i % micro];
    __syncthreads();
    T* const to = segment.piece == noPiece ? out + (segment.row - firstRow) * width : pieces + segment.piece * width;
    for (unsigned i = threadIdx.x; i < tiles * micro * micro; i += threads) {
        T sum = 0;
        for (unsigned g = 0; g < groups; ++g)
            sum += shared[g * tiles * micro * micro + i];
        const unsigned mine = i / (micro * micro), u = mine / tiling.across * micro + i % (micro * micro) / micro;
        const unsigned c = mine % tiling.across * micro + i % micro;
        if (u < uppers && c < a.leafColumns)
            to[std::uint64_t{firstUpper + u} * a.leafColumns + c] = sum;
    }
}

/// A block for every slice in pieces (x) and some of its columns (y), a grid's width apart.
template <class T>
__global__ void __launch_bounds__(threads) piecesKernel(const CutRow* rows, std::uint64_t width, const T* pieces, Count firstRow, T* out)
{
    const CutRow row = rows[blockIdx.x];
    for (std::uint64_t c = std::uint64_t{blockIdx.y} * threads + threadIdx.x; c < width; c += std::uint64_t{gridDim.y} * threads) {
        T sum = 0;
        for (std::uint32_t p = 0; p < row.pieces; ++p)
            sum += pieces[(row.firstPiece + p) * width + c];
        out[(row.row - firstRow) * width + c] = sum;
    }
}

/// The node of the level above, by where children begin.
__device__ std::uint32_t parentOf(const std::uint32_t* children, std::uint32_t count, std::uint32_t child)
{
    std::uint32_t begin = 0, end = count;
    while (end - begin > 1) {
        const std::uint32_t middle = begin + (end - begin) / 2;
        if (children[middle] <= child)
            begin = middle;
        else
            end = middle;
    }
    return begin;
}

/// Of a tree, by level.
struct LevelPointers {
    const std::uint32_t* children[maxOrder];
    std::uint32_t nodes[maxOrder];
};

template <class T> LevelPointers levelsOf(const formats::gpu::DeviceCsf<T>& tree)
{
    LevelPointers levels{};
    for (unsigned level = 0; level + 1 < tree.order(); ++level) {
        levels.children[level] = tree.children[level].data();
        levels.nodes[level] = static_cast<std::uint32_t>(tree.indices[level].count());
    }
    return levels;
}

/// A thread for every one.
template <class Body> void forEach(std::uint32_t count, const Body& body, const cuda::Stream& stream)
{
    if (count > 0)
        CUDA_CHECK(cub::DeviceFor::Bulk(count, body, static_cast<cudaStream_t>(stream)));
}

/// Of every fibre the index of the node above it on a level.
void putAncestors(const LevelPointers& levels, unsigned level, const Index* indices, DeviceBuffer<Index>& ancestors,
                  const cuda::Stream& stream)
{
    unsigned fibres = level;
    while (levels.children[fibres + 1])
        ++fibres;
    forEach(
        static_cast<std::uint32_t>(ancestors.count()),
        [=, to = ancestors.data()] __device__(std::uint32_t fibre) {
            std::uint32_t node = fibre;
            for (unsigned above = fibres; above-- > level;)
                node = parentOf(levels.children[above], levels.nodes[above], node);
            to[fibre] = indices[node];
        },
        stream);
}

/// Where the nodes so many levels below the root begin, of every slice and behind the last.
void putBegins(const LevelPointers& levels, unsigned down, DeviceBuffer<std::uint32_t>& begins, const cuda::Stream& stream)
{
    forEach(
        static_cast<std::uint32_t>(begins.count()),
        [=, to = begins.data()] __device__(std::uint32_t row) {
            std::uint32_t node = row;
            for (unsigned level = 0; level < down; ++level)
                node = levels.children[level][node];
            to[row] = node;
        },
        stream);
}

/// Of a piece only the fibres that it has leaves of.
void narrowPieces(const LevelPointers& levels, unsigned fibres, DeviceBuffer<Segment>& segments, const cuda::Stream& stream)
{
    forEach(
        static_cast<std::uint32_t>(segments.count()),
        [=, all = segments.data()] __device__(std::uint32_t s) {
            Segment& segment = all[s];
            if (segment.piece == noPiece)
                return;
            segment.firstFibre = parentOf(levels.children[fibres], levels.nodes[fibres], segment.firstLeaf);
            segment.endFibre = parentOf(levels.children[fibres], levels.nodes[fibres], segment.endLeaf - 1) + 1;
        },
        stream);
}

} // namespace

template <class T>
DeviceChain<T>::DeviceChain(const formats::gpu::EntryColumns<T>& entries, unsigned mode, const std::vector<unsigned>& ranks,
                            RunControl& control, const cuda::Stream& stream)
    : m_tree(formats::gpu::buildCsf(entries, formats::rootedAt(entries.dims, mode), control, stream))
    , m_ranks(ranks)
    , m_width(widthOf(ranks, mode))
{
    findAncestors(stream);
    cutSegments(control, stream);
    m_judges = judgeBlocks(m_width);
    m_scratch = DeviceBuffer<double>(m_judges * m_width);
    m_partials = DeviceBuffer<double>(3 * std::size_t{m_judges});
}

/// Of every fibre the indices on the levels between its own and the root's.
template <class T> void DeviceChain<T>::findAncestors(const cuda::Stream& stream)
{
    const unsigned fibres = m_tree.order() - 2;
    for (unsigned level = 1; level < fibres; ++level) {
        m_ancestors.emplace_back(m_tree.indices[fibres].count());
        putAncestors(levelsOf(m_tree), level, m_tree.indices[level].data(), m_ancestors.back(), stream);
    }
}

/// Slices as segments, very long ones in pieces: by where their leaves and fibres begin, which the host has for a moment.
template <class T> void DeviceChain<T>::cutSegments(RunControl& control, const cuda::Stream& stream)
{
    const Count count = rows();
    const unsigned fibres = m_tree.order() - 2;
    DeviceBuffer<std::uint32_t> begins(count + 1);
    std::vector<std::uint32_t> ofLevel[2]; // fibres, leaves
    for (const bool leaves : {false, true}) {
        putBegins(levelsOf(m_tree), leaves ? fibres + 1 : fibres, begins, stream);
        ofLevel[leaves].resize(count + 1);
        CUDA_CHECK(cudaMemcpyAsync(ofLevel[leaves].data(), begins.data(), begins.bytes(), cudaMemcpyDeviceToHost, stream));
        stream.synchronize();
        control.checkpoint();
    }
    const std::vector<std::uint32_t>&fibreBegins = ofLevel[0], &leafBegins = ofLevel[1];
    const Count pieceSize = pieceLeaves(m_tree.entries(), m_width);
    std::vector<Segment> segments;
    segments.reserve(count);
    std::uint32_t pieces = 0;
    for (std::uint32_t row = 0; row < count; ++row) {
        m_segmentOfRow.push_back(static_cast<std::uint32_t>(segments.size()));
        const std::uint32_t from = leafBegins[row], to = leafBegins[row + 1];
        const auto parts = static_cast<std::uint32_t>((to - from) / pieceSize);
        if (parts < 2) {
            segments.push_back({from, to, fibreBegins[row], fibreBegins[row + 1], row, noPiece});
            continue;
        }
        m_cutRows.push_back({row, pieces, parts});
        for (std::uint32_t part = 0; part < parts; ++part)
            segments.push_back({from + static_cast<std::uint32_t>(Count{to - from} * part / parts),
                                from + static_cast<std::uint32_t>(Count{to - from} * (part + 1) / parts), fibreBegins[row],
                                fibreBegins[row + 1], row, pieces++});
    }
    m_segmentOfRow.push_back(static_cast<std::uint32_t>(segments.size()));
    for (const Segment& segment : segments)
        m_leafOfSegment.push_back(segment.firstLeaf);
    m_leafOfSegment.push_back(leafBegins.back());
    m_segments = DeviceBuffer<Segment>(segments.size());
    m_cutRowsThere = DeviceBuffer<CutRow>(m_cutRows.size());
    m_pieces = DeviceBuffer<T>(pieces * m_width);
    CUDA_CHECK(cudaMemcpyAsync(m_segments.data(), segments.data(), m_segments.bytes(), cudaMemcpyHostToDevice, stream));
    if (!m_cutRows.empty())
        CUDA_CHECK(cudaMemcpyAsync(m_cutRowsThere.data(), m_cutRows.data(), m_cutRowsThere.bytes(), cudaMemcpyHostToDevice, stream));
    narrowPieces(levelsOf(m_tree), fibres, m_segments, stream);
    stream.synchronize(); // what was sent lies here
}

template <class T> ChainArguments<T> DeviceChain<T>::argumentsFor(const std::vector<const T*>& factors) const
{
    ChainArguments<T> a{};
    const unsigned order = m_tree.order(), fibres = order - 2;
    a.fibreBegins = m_tree.children[fibres].data();
    a.leaves = m_tree.indices.back().data();
    a.values = m_tree.values.data();
    a.leafRows = factors[m_tree.modeOrder.back()];
    a.leafColumns = m_ranks[m_tree.modeOrder.back()];
    a.uppers = fibres;
    a.upperWidth = 1;
    for (unsigned upper = 0; upper < a.uppers; ++upper) {
        const unsigned mode = m_tree.modeOrder[upper + 1];
        a.upperIndices[upper] = upper + 1 == fibres ? m_tree.indices[fibres].data() : m_ancestors[upper].data();
        a.upperRows[upper] = factors[mode];
        a.upperColumns[upper] = m_ranks[mode];
        a.upperWidth *= m_ranks[mode];
    }
    a.segments = m_segments.data();
    return a;
}

template <class T>
std::uint32_t DeviceChain<T>::launchEnd(std::uint32_t first, std::uint32_t end, Count most, Count ofSegment, std::uint32_t fewest) const
{
    std::uint32_t sure = first + std::min(fewest, end - first), limit = end;
    while (sure < limit) {
        const std::uint32_t middle = limit - (limit - sure) / 2;
        if (m_leafOfSegment[middle] - m_leafOfSegment[first] + (middle - first) * ofSegment <= most)
            sure = middle;
        else
            limit = middle - 1;
    }
    return sure;
}

template <class T>
void DeviceChain<T>::compute(const std::vector<const T*>& factors, Count first, Count end, T* out, RunControl& control,
                             const cuda::Stream& stream)
{
    ChainArguments<T> a = argumentsFor(factors);
    const unsigned tiles = Tiling(a.leafColumns).tiles(a.upperWidth);
    constexpr Count additions = Count{1} << 36; // some ten milliseconds a launch, if every leaf were a fibre
    cuda::LaunchPacer pacer(stream, control);
    for (std::uint32_t s = m_segmentOfRow[first]; s < m_segmentOfRow[end]; s += a.segmentCount) {
        a.firstSegment = s;
        a.segmentCount = launchEnd(s, m_segmentOfRow[end], additions / m_width, 1, enoughBlocks / tiles + 1) - s;
        for (unsigned tile = 0; tile < tiles; tile += mostDown) {
            const dim3 grid(a.segmentCount, std::min(mostDown, tiles - tile));
            chainKernel<T><<<grid, threads, 0, stream>>>(a, tile, out, m_width, first, m_pieces.data());
            CUDA_CHECK_LAUNCH();
            pacer.launched();
        }
    }
    const auto before = [](const CutRow& row, Count number) { return row.row < number; };
    const auto firstCut = std::lower_bound(m_cutRows.begin(), m_cutRows.end(), first, before);
    const auto endCut = std::lower_bound(firstCut, m_cutRows.end(), end, before);
    if (firstCut != endCut) {
        const auto down = static_cast<unsigned>(std::min<std::uint64_t>((m_width + threads - 1) / threads, mostDown));
        const dim3 grid(static_cast<unsigned>(endCut - firstCut), down);
        piecesKernel<T>
            <<<grid, threads, 0, stream>>>(m_cutRowsThere.data() + (firstCut - m_cutRows.begin()), m_width, m_pieces.data(), first, out);
        CUDA_CHECK_LAUNCH();
    }
    pacer.finish();
}

template <class T> std::uint64_t DeviceChain<T>::bytes() const
{
    std::uint64_t sum =
        m_tree.bytes() + m_segments.bytes() + m_cutRowsThere.bytes() + m_pieces.bytes() + m_scratch.bytes() + m_partials.bytes();
    for (const auto& level : m_ancestors)
        sum += level.bytes();
    return sum;
}

template class DeviceChain<float>;
template class DeviceChain<double>;

} // namespace kernels::ttm::gpu
