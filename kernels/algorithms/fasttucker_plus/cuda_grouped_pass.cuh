// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_grouped_kernel_set.cuh"
#include "kernels/algorithms/fasttucker_plus/cuda_tensor_products.cuh"

/// One pass over grouped tiles: a warp owns a tile, its rows go straight into registers as left-hand fragments.
namespace kernels::fasttucker_plus::gpu {

/// Compile-time shape: J and R of all modes in units of 16, the tensor's order, whether tiles share a row, and what is
/// done: rows updated, gradients of the cores taken, or both while the rows are in registers.
template <Precision P, unsigned Tiles, unsigned Order, bool Uniform, bool Update, bool Gradient> struct GroupedGeometry {
    using Products = gpu::Products<P>;
    static constexpr unsigned tiles = Tiles, order = Order;
    static constexpr RecordShape record{Order, Uniform};
    static constexpr bool uniform = Uniform, update = Update, gradient = Gradient;
    static constexpr unsigned shared = Uniform ? 1 : 0; ///< places whose row a tile shares
    static constexpr unsigned coreBlocks = Tiles * Tiles; ///< 16 × 16 blocks of a core
    /// Blocks a multiprocessor should hold: bounds the registers. Nothing spills on sm_90 up to order 7 (32 columns: 3).
    static constexpr unsigned blocks = Tiles == 1 && Order <= 3 ? 4 : Tiles == 1 && Order == 4 ? 3 : 2;
    /// Products of the projections before each place are multiplied again where registers would not hold them.
    static constexpr bool keepsProducts = Tiles == 1 ? Order < 8 : Order < 4;
};

/// Which tiles a warp visits: groups in golden-ratio order, so that those of one hot row are spread over the pass.
class GroupedWalk {
public:
    unsigned tile = 0;
    bool opens = true; ///< first tile of its group

    __device__ GroupedWalk(const GroupedArguments& arguments, unsigned warp, unsigned warps)
        : m_groups(arguments.tiles.groups)
        , m_number(arguments.begin + warp)
        , m_end(arguments.end)
        , m_warps(warps)
        , m_count(arguments.groupCount)
        , m_step(static_cast<unsigned>(std::uint64_t{warps} * arguments.multiplier % arguments.groupCount))
        , m_group(static_cast<unsigned>((std::uint64_t{m_number} * arguments.multiplier + arguments.offset) % arguments.groupCount))
    {
        if (!valid())
            return;
        const unsigned word = __ldg(m_groups + m_group);
        tile = word >> groupBits;
        m_more = word & (tilesPerGroup - 1);
        ask();
    }
    __device__ bool valid() const { return m_number < m_end; }
    __device__ bool closes() const { return m_more == 0; } ///< last tile of its group

    __device__ void advance()
    {
        opens = m_more == 0;
        if (m_more > 0) {
            ++tile;
            --m_more;
            return;
        }
        m_number += m_warps;
        tile = m_word >> groupBits;
        m_more = m_word & (tilesPerGroup - 1);
        ask();
    }

private:
    /// For the group after this one, long before it is needed.
    __device__ void ask()
    {
        m_group = m_group >= m_count - m_step ? m_group - (m_count - m_step) : m_group + m_step;
        m_word = m_number + m_warps < m_end ? __ldg(m_groups + m_group) : 0;
    }

    const unsigned* m_groups;
    unsigned m_number, m_end, m_warps, m_count, m_step, m_group;
    unsigned m_more = 0, m_word = 0;
};

/// The records of a lane's two entries and their tile's header.
template <class G> struct GroupedRecords {
    uint4 of[2][G::record.quads];
    TileHeader header;

    __device__ void fetch(const GroupedTiles& tiles, unsigned tile, unsigned g)
    {
        constexpr unsigned quads = G::record.quads;
        const uint4* const at = tiles.records + (std::size_t{tile} * slab + g) * quads;
#pragma unroll
        for (unsigned i = 0; i < 2; ++i)
#pragma unroll
            for (unsigned q = 0; q < quads; ++q)
                of[i][q] = __ldcs(at + i * (slab / 2) * quads + q);
        const uint2 words = __ldcs(reinterpret_cast<const uint2*>(tiles.headers + tile));
        header.row = words.x;
        header.bits = words.y;
    }
    __device__ unsigned word(unsigned i, unsigned number) const
    {
        const uint4& quad = of[i][number / 4];
        return number % 4 == 0 ? quad.x : number % 4 == 1 ? quad.y : number % 4 == 2 ? quad.z : quad.w;
    }
    __device__ unsigned row(unsigned n, unsigned i) const { return word(i, n - G::shared); }
    __device__ float value(unsigned i) const { return __uint_as_float(word(i, G::record.value())); }
    /// Bit k: entry k of the tile has the same row.
    __device__ unsigned mates(unsigned n, unsigned i) const
    {
        const unsigned place = n - G::shared;
        return word(i, G::record.firstMates() + place / 2) >> place % 2 * 16 & 0xFFFF;
    }
    __device__ bool merges(unsigned n) const { return n - G::shared < mergedPlaces && header.merges(n - G::shared); }
};

/// Numbers of a 16-bit type, two a register.
template <class Products> struct HalfPairs;
template <> struct HalfPairs<Products<Precision::Fp16>> {
    using Pair = __half2;
    static constexpr unsigned one = 0x3C00;
    static constexpr float largestError = 2048; ///< of e in units near its size: keeps e w inside the type's range
    __device__ static float2 floats(unsigned x) { return __half22float2(*reinterpret_cast<const __half2*>(&x)); }
};
template <> struct HalfPairs<Products<Precision::Bf16>> {
    using Pair = __nv_bfloat162;
    static constexpr unsigned one = 0x3F80;
    static constexpr float largestError = 1e30F;
    __device__ static float2 floats(unsigned x) { return __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&x)); }
};

template <class Products> __device__ __forceinline__ unsigned timesHalves(unsigned a, unsigned b)
{
    using Pair = typename HalfPairs<Products>::Pair;
    const Pair product = __hmul2(*reinterpret_cast<const Pair*>(&a), *reinterpret_cast<const Pair*>(&b));
    return *reinterpret_cast<const unsigned*>(&product);
}

/// A tile in one warp's registers. Lane (g, t) holds elements 4t … 4t+3 of entries g and g+8 of every row and product.
template <class G> class GroupedTile {
public:
    using Products = typename G::Products;
    using Left = typename Products::Left;
    using Right = typename Products::Right;
    using Halves = HalfPairs<Products>;

    Left rows[G::order][G::tiles];
    Left weights[G::tiles]; ///< e' w of the place at hand
    float residual[2];

    __device__ GroupedTile(const GroupedArguments& arguments, const uint4* operands)
        : m_arguments(arguments)
        , m_operands(operands)
        , m_lane(threadIdx.x % warpSize32)
        , m_g(m_lane / 4)
        , m_t(m_lane % 4)
    {
    }

    __device__ unsigned g() const { return m_g; }

    /// Rows as they are in L2: others are adding to them.
    __device__ void loadRows(const GroupedRecords<G>& records, bool opens)
    {
        if (G::uniform && opens)
#pragma unroll
            for (unsigned q = 0; q < G::tiles; ++q) {
                const Vec4<float> row = quad(0, records.header.row, q);
                rows[0][q] = Products::left(row, row);
            }
        Vec4<float> quads[G::order][G::tiles][2]; // all are under way before the first is needed
#pragma unroll
        for (unsigned n = G::shared; n < G::order; ++n)
#pragma unroll
            for (unsigned q = 0; q < G::tiles; ++q)
#pragma unroll
                for (unsigned i = 0; i < 2; ++i)
                    quads[n][q][i] = quad(n, records.row(n, i), q);
#pragma unroll
        for (unsigned n = G::shared; n < G::order; ++n)
#pragma unroll
            for (unsigned q = 0; q < G::tiles; ++q)
                rows[n][q] = Products::left(quads[n][q][0], quads[n][q][1]);
    }
    /// Padding entries have row 0 and change nothing.
    __device__ bool isEntry(const GroupedRecords<G>& records, unsigned i) const { return m_g + 8 * i < records.header.entries(); }

    /// c of every place, the product before each place and after it; e.
    __device__ void project(const GroupedRecords<G>& records)
    {
        Vec4<float> product[G::tiles][2];
#pragma unroll
        for (unsigned n = 0; n < G::order; ++n)
#pragma unroll
            for (unsigned q = 0; q < G::tiles; ++q) {
                Vec4<float> c[2] = {};
#pragma unroll
                for (unsigned k = 0; k < G::tiles; ++k)
                    Products::multiply(c, rows[n][k], projecting(n, q * G::tiles + k));
#pragma unroll
                for (unsigned i = 0; i < 2; ++i)
#pragma unroll
                    for (unsigned x = 0; x < 4; ++x)
                        product[q][i][x] = n == 0 ? c[i][x] : product[q][i][x] * c[i][x];
                m_projections[n][q] = Products::left(c[0], c[1]);
            }
#pragma unroll
        for (unsigned i = 0; i < 2; ++i) {
            float sum = 0;
#pragma unroll
            for (unsigned q = 0; q < G::tiles; ++q)
#pragma unroll
                for (unsigned x = 0; x < 4; ++x)
                    sum += product[q][i][x];
            sum += __shfl_xor_sync(~0U, sum, 1);
            sum += __shfl_xor_sync(~0U, sum, 2);
            residual[i] = isEntry(records, i) ? sum * m_arguments.predictionScale - records.value(i) : 0;
        }
        if constexpr (G::keepsProducts)
#pragma unroll
            for (unsigned q = 0; q < G::tiles; ++q)
#pragma unroll
                for (unsigned n = 2; n < G::order; ++n)
                    m_before[n][q] = times(n == 2 ? m_projections[0][q] : m_before[n - 1][q], m_projections[n - 1][q]);
        const float most = Halves::largestError;
        unsigned errors[2];
#pragma unroll
        for (unsigned i = 0; i < 2; ++i) {
            const float e = fminf(fmaxf(residual[i] * m_arguments.residualScale, -most), most);
            errors[i] = Products::pack(e, e);
        }
#pragma unroll
        for (unsigned q = 0; q < G::tiles; ++q)
            m_after[q] = {{errors[0], errors[1], errors[0], errors[1]}};
    }

    /// Places are asked for from the last to the first: e times the product of all other places' projections.
    __device__ void weigh(unsigned n)
    {
#pragma unroll
        for (unsigned q = 0; q < G::tiles; ++q) {
            weights[q] = n == 0 ? m_after[q] : times(before(n, q), m_after[q]);
            if (n > 0)
                m_after[q] = times(m_after[q], m_projections[n][q]);
#pragma unroll
            for (unsigned x = 0; x < 4; ++x)
                m_turned[q].r[x] = Products::transposed(weights[q].r[x]);
        }
    }

    /// Every entry's own change of its row.
    __device__ void changeApart(const GroupedRecords<G>& records, unsigned n) const
    {
        const float scale[2] = {this->scale(n, records.row(n, 0)), this->scale(n, records.row(n, 1))};
#pragma unroll
        for (unsigned j = 0; j < G::tiles; ++j) {
            Vec4<float> d[2];
            bringBack(d, weights, n, j);
#pragma unroll
            for (unsigned i = 0; i < 2; ++i)
                change(isEntry(records, i), n, records.row(n, i), j, scale[i], d[i], rowPart(n, j, i), 1);
        }
    }

    /// Weights of equal rows are added up by a product with a 0/1 matrix; the first of them changes the row.
    __device__ void changeMerged(const GroupedRecords<G>& records, unsigned n) const
    {
        const float scale[2] = {this->scale(n, records.row(n, 0)), this->scale(n, records.row(n, 1))};
        const unsigned mates[2] = {records.mates(n, 0), records.mates(n, 1)};
        Left same;
#pragma unroll
        for (unsigned x = 0; x < 4; ++x)
            same.r[x] = ones(mates[x % 2] >> (2 * m_t + 8 * (x / 2)));
        Left sums[G::tiles];
#pragma unroll
        for (unsigned q = 0; q < G::tiles; ++q) {
            Vec4<float> sum[2] = {};
            sumEntries(sum, same, q);
            sums[q] = clamped(sum);
        }
#pragma unroll
        for (unsigned j = 0; j < G::tiles; ++j) {
            Vec4<float> d[2];
            bringBack(d, sums, n, j);
#pragma unroll
            for (unsigned i = 0; i < 2; ++i)
                change(isEntry(records, i) && (mates[i] & ((1U << (m_g + 8 * i)) - 1)) == 0, n, records.row(n, i), j, scale[i], d[i],
                       rowPart(n, j, i), static_cast<float>(__popc(mates[i])));
        }
    }

    /// Tiles of one uniform row: the sum of their weights stays in registers until the group ends.
    __device__ void gatherUniform(Vec4<float> (&sums)[G::tiles][2]) const
    {
        const Left all = {{ones(3), ones(3), ones(3), ones(3)}};
#pragma unroll
        for (unsigned q = 0; q < G::tiles; ++q)
            sumEntries(sums[q], all, q);
    }
    __device__ void changeUniform(unsigned row, const Left (&sums)[G::tiles], unsigned entries) const
    {
#pragma unroll
        for (unsigned j = 0; j < G::tiles; ++j) {
            Vec4<float> d[2];
            bringBack(d, sums, 0, j);
            change(m_g == 0, 0, row, j, scale(0, row), d[0], rowPart(0, j, 0), static_cast<float>(entries));
        }
    }
    /// The weights of a group's tiles as if they were those of entry 0 alone, all others being zero.
    __device__ void weighUniform(const Left (&sums)[G::tiles])
    {
#pragma unroll
        for (unsigned q = 0; q < G::tiles; ++q)
#pragma unroll
            for (unsigned x = 0; x < 4; ++x)
                m_turned[q].r[x] = Products::transposed(m_g == 0 && x % 2 == 0 ? sums[q].r[x] : 0);
    }
    __device__ static Left clamped(const Vec4<float> (&sum)[2])
    {
        return {{Products::packClamped(sum[0][0], sum[0][1]), Products::packClamped(sum[1][0], sum[1][1]),
                 Products::packClamped(sum[0][2], sum[0][3]), Products::packClamped(sum[1][2], sum[1][3])}};
    }

    /// sums[block j, q of place n] += rows of the block's columns, turned, times weights.
    __device__ void addGradient(unsigned n, float (&sums)[G::coreBlocks][8]) const
    {
#pragma unroll
        for (unsigned j = 0; j < G::tiles; ++j) {
            const Left& a = rows[n][j];
            const Left turned = {
                {Products::transposed(a.r[0]), Products::transposed(a.r[2]), Products::transposed(a.r[1]), Products::transposed(a.r[3])}};
#pragma unroll
            for (unsigned q = 0; q < G::tiles; ++q)
                Products::addGradient(sums[j * G::tiles + q], turned, m_turned[q]);
        }
    }

private:
    static constexpr unsigned width = G::tiles * slab;

    /// Product of the projections before place n.
    __device__ Left before(unsigned n, unsigned q) const
    {
        if (n == 1)
            return m_projections[0][q];
        if constexpr (G::keepsProducts)
            return m_before[n][q];
        Left product = m_projections[0][q];
#pragma unroll
        for (unsigned k = 1; k < G::order; ++k)
            if (k < n)
                product = times(product, m_projections[k][q]);
        return product;
    }

    /// The lane's quad of a row; 32 bits count all quads of a mode.
    __device__ float* quadAt(unsigned n, unsigned row, unsigned q) const
    {
        return m_arguments.factors[n] + std::size_t{row * (width / 4) + q * (slab / 4) + m_t} * 4;
    }
    __device__ Vec4<float> quad(unsigned n, unsigned row, unsigned q) const
    {
        const float4 x = __ldcg(reinterpret_cast<const float4*>(quadAt(n, row, q)));
        return {{x.x, x.y, x.z, x.w}};
    }
    __device__ Right right(unsigned block) const
    {
        Right fragment;
        reinterpret_cast<uint4&>(fragment) = m_operands[block * warpSize32 + m_lane];
        return fragment;
    }
    __device__ Right projecting(unsigned n, unsigned block) const { return right(n * G::coreBlocks + block); }
    __device__ Right returning(unsigned n, unsigned block) const { return right((G::order + n) * G::coreBlocks + block); }

    __device__ static Left times(const Left& a, const Left& b)
    {
        Left product;
#pragma unroll
        for (unsigned x = 0; x < 4; ++x)
            product.r[x] = timesHalves<Products>(a.r[x], b.r[x]);
        return product;
    }
    /// Bits 0 and 1 as a pair of numbers 0 or 1.
    __device__ static unsigned ones(unsigned bits) { return ((bits | bits << 15) & 0x00010001U) * Halves::one; }

    /// Columns 16j … of d from e w.
    __device__ void bringBack(Vec4<float> (&d)[2], const Left (&from)[G::tiles], unsigned n, unsigned j) const
    {
        d[0] = d[1] = {};
#pragma unroll
        for (unsigned k = 0; k < G::tiles; ++k)
            Products::multiply(d, from[k], returning(n, j * G::tiles + k));
    }
    /// Adds up the weights of those entries that each row of `which` names.
    __device__ void sumEntries(Vec4<float> (&sums)[2], const Left& which, unsigned q) const
    {
#pragma unroll
        for (unsigned h = 0; h < 2; ++h) {
            float d[4] = {sums[0][2 * h], sums[0][2 * h + 1], sums[1][2 * h], sums[1][2 * h + 1]};
            Products::mma(d, which, m_turned[q].r[2 * h], m_turned[q].r[2 * h + 1]);
            sums[0][2 * h] = d[0];
            sums[0][2 * h + 1] = d[1];
            sums[1][2 * h] = d[2];
            sums[1][2 * h + 1] = d[3];
        }
    }

    __device__ float scale(unsigned n, unsigned row) const
    {
        const float* const scales = m_arguments.rowScales[n];
        return scales ? __ldg(scales + row) : 1;
    }
    __device__ Vec4<float> rowPart(unsigned n, unsigned j, unsigned i) const
    {
        const float2 low = Halves::floats(rows[n][j].r[i]);
        const float2 high = Halves::floats(rows[n][j].r[2 + i]);
        return {{low.x, low.y, high.x, high.y}};
    }
    /// a ← a − γ (e d + λ a), for so many entries together, where a lane is the one to do it.
    __device__ void change(bool own, unsigned n, unsigned row, unsigned j, float scale, const Vec4<float>& d, const Vec4<float>& old,
                           float entries) const
    {
        const float slope = m_arguments.slopes[n] * scale;
        const float shrink = m_arguments.shrinks[n] * scale * entries;
        Vec4<float> by;
#pragma unroll
        for (unsigned x = 0; x < 4; ++x)
            by[x] = slope * d[x] + shrink * old[x];
        if (own)
            add4(quadAt(n, row, j), by);
    }

    const GroupedArguments& m_arguments;
    const uint4* m_operands;
    unsigned m_lane, m_g, m_t;
    Left m_projections[G::order][G::tiles];
    Left m_before[G::keepsProducts ? G::order : 1][G::tiles]; ///< [n]: product of the projections before place n, n ≥ 2
    Left m_after[G::tiles];
    typename Products::GradientRight m_turned[G::tiles]; ///< weights, summed over in products
};

/// The block's warps are added up in fixed order, then to the block's own sums in fp64.
template <class G>
__device__ void keepGradients(const GroupedArguments& arguments, const float (&sums)[G::order][G::coreBlocks][8], float* shared)
{
    constexpr unsigned elements = G::order * G::coreBlocks * slab * slab;
    const unsigned lane = threadIdx.x % warpSize32;
    for (unsigned warp = 0; warp < groupedThreads / warpSize32; ++warp) {
        __syncthreads();
        if (warp != threadIdx.x / warpSize32)
            continue;
#pragma unroll
        for (unsigned n = 0; n < G::order; ++n)
#pragma unroll
            for (unsigned block = 0; block < G::coreBlocks; ++block)
#pragma unroll
                for (unsigned x = 0; x < 8; ++x) {
                    const unsigned row = block / G::tiles * slab + column(lane / 4, x / 2 % 2);
                    const unsigned at = n * G::coreBlocks * slab * slab + row * G::tiles * slab + block % G::tiles * slab + lane % 4 * 4
                        + x / 4 * 2 + x % 2;
                    shared[at] = warp == 0 ? sums[n][block][x] : shared[at] + sums[n][block][x];
                }
    }
    __syncthreads();
    double* const partial = arguments.partials + std::size_t{blockIdx.x} * elements;
    constexpr unsigned ofMode = G::coreBlocks * slab * slab;
    for (unsigned x = threadIdx.x; x < elements; x += groupedThreads)
        partial[arguments.modes[x / ofMode] * ofMode + x % ofMode] += static_cast<double>(shared[x]);
}

/// Updates the rows of every entry of grouped tiles, takes the gradients of the cores, or both.
///
/// A warp owns a tile; lanes as in GroupedTile. Bytes a nonzero at order 3, J = 16: 17 of the record and header from
/// memory, one row read and added to in L2 (128), a quarter of a row for runs, next to nothing for the uniform row.
/// Arithmetic: 4JRN, 6JRN with gradients. Rows are read while others add to them: two runs differ, nothing is lost.
/// Gradients taken with updates see an entry's rows just before they change.
template <class G>
__global__ void __launch_bounds__(groupedThreads, G::blocks) groupedKernel(const __grid_constant__ GroupedArguments arguments)
{
    constexpr unsigned operandQuads = 2 * G::order * G::coreBlocks * warpSize32;
    __shared__ uint4 shared[operandQuads];
    constexpr unsigned ofCore = G::coreBlocks * warpSize32;
    for (unsigned x = threadIdx.x; x < operandQuads; x += groupedThreads) {
        const unsigned core = x / ofCore;
        const uint4* const from = core < G::order ? arguments.projecting[core] : arguments.returning[core - G::order];
        shared[x] = from[x % ofCore];
    }
    __syncthreads();

    GroupedTile<G> tile(arguments, shared);
    float gradients[G::order][G::coreBlocks][8];
    if constexpr (G::gradient)
#pragma unroll
        for (unsigned x = 0; x < G::order * G::coreBlocks * 8; ++x)
            gradients[x / (G::coreBlocks * 8)][x / 8 % G::coreBlocks][x % 8] = 0;
    Vec4<float> uniformSums[G::tiles][2];
    unsigned uniformEntries = 0;

    constexpr unsigned warps = groupedThreads / warpSize32;
    GroupedWalk walk(arguments, blockIdx.x * warps + threadIdx.x / warpSize32, gridDim.x * warps);
    GroupedRecords<G> next;
    if (walk.valid())
        next.fetch(arguments.tiles, walk.tile, tile.g());
    while (walk.valid()) {
        const GroupedRecords<G> records = next;
        const bool opens = walk.opens;
        const bool closes = walk.closes();
        tile.loadRows(records, opens);
        walk.advance();
        if (walk.valid())
            next.fetch(arguments.tiles, walk.tile, tile.g());
        tile.project(records);
#pragma unroll
        for (unsigned down = 1; down <= G::order; ++down) {
            const unsigned n = G::order - down;
            tile.weigh(n);
            if (n < G::shared) {
                if (opens) {
                    uniformEntries = 0;
#pragma unroll
                    for (unsigned x = 0; x < G::tiles * 8; ++x)
                        uniformSums[x / 8][x / 4 % 2][x % 4] = 0;
                }
                tile.gatherUniform(uniformSums);
                uniformEntries += records.header.entries();
                if (!closes)
                    continue;
                typename GroupedTile<G>::Left sums[G::tiles];
#pragma unroll
                for (unsigned q = 0; q < G::tiles; ++q)
                    sums[q] = tile.clamped(uniformSums[q]);
                if constexpr (G::update)
                    tile.changeUniform(records.header.row, sums, uniformEntries);
                tile.weighUniform(sums);
            } else if constexpr (G::update) {
                if (records.merges(n))
                    tile.changeMerged(records, n);
                else
                    tile.changeApart(records, n);
            }
            if constexpr (G::gradient)
                tile.addGradient(n, gradients[n]);
        }
    }
    if constexpr (G::gradient)
        keepGradients<G>(arguments, gradients, reinterpret_cast<float*>(shared));
}

} // namespace kernels::fasttucker_plus::gpu
