// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/operations/mttkrp/row_pieces.cuh"
#include "kernels/operations/mttkrp/runs.cuh"

/// M[i] += x · ∘ rows over all entries of a run i. A group of lanes walks so many positions one after another, each lane with
/// 16 bytes of the rows, and keeps the sum of the run it is in. A run that begins and ends inside a group is written at once. The
/// two at a group's ends may go on in its neighbours: first the groups of a warp, then the warps of a block add up such pieces,
/// and what is cut between blocks is left in `partials` for a second kernel. So no sum is added atomically, but where a row has
/// a run in several blocks of entries.
namespace kernels::mttkrp::gpu {

using formats::RunsRecord;

constexpr unsigned inFlight = formats::RunsPlaces::step; ///< entries whose rows are under way at once

/// Where sums of runs go: a lane's part of the rows.
template <class T> struct Output {
    const RunsArguments<T>& a;
    unsigned column;
    bool mine; ///< the part is inside the row

    __device__ unsigned rowBytes() const { return a.parts * 16; }
    __device__ void put(std::uint32_t run, const Part<T>& sum) const { putRow(a.runRows[run], sum); }
    __device__ void putRow(Index row, const Part<T>& sum) const
    {
        if (!mine)
            return;
        T* const at = rowOf(a.out + column, row, rowBytes());
        if (a.addsUp)
            addAtomically(at, sum);
        else
            *reinterpret_cast<Part<T>*>(at) = sum;
    }
    /// end: 0 of the run that a block begins in, 1 of the one it ends in.
    __device__ void putPartial(unsigned block, unsigned end, const Part<T>& sum) const
    {
        if (mine)
            *reinterpret_cast<Part<T>*>(rowOf(a.partials + column, 2 * block + end, rowBytes())) = sum;
    }
};

/// Where an index lies in a record's word; in registers where the number of others is known.
template <unsigned Others, class Word> struct Fields {
    Word mask[Others];
    unsigned shift[Others];

    __device__ explicit Fields(const RunsRecord& record)
    {
#pragma unroll
        for (unsigned k = 0; k < Others; ++k) {
            mask[k] = (Word{1} << record.bits[k]) - 1;
            shift[k] = record.shift[k];
        }
    }
    __device__ Index index(Word word, unsigned k) const { return static_cast<Index>(word >> shift[k] & mask[k]); }
};
template <class Word> struct Fields<0, Word> {
    const RunsRecord& record;

    __device__ explicit Fields(const RunsRecord& from)
        : record(from)
    {
    }
    __device__ Index index(Word word, unsigned k) const
    {
        return static_cast<Index>(word >> record.shift[k] & ((Word{1} << record.bits[k]) - 1));
    }
};

template <class From, class To> __device__ inline void readFour(const From* from, To (&to)[inFlight])
{
    constexpr unsigned vectors = inFlight * sizeof(To) / 16;
    uint4 bits[vectors];
#pragma unroll
    for (unsigned v = 0; v < vectors; ++v)
        bits[v] = __ldcs(reinterpret_cast<const uint4*>(from) + v);
#pragma unroll
    for (unsigned i = 0; i < inFlight; ++i)
        to[i] = reinterpret_cast<const To*>(bits)[i];
}

/// Words of entries that are under way.
template <RunsRecord::Kind Kind> struct Records {
    using Word = std::conditional_t<Kind == RunsRecord::Kind::Wide, std::uint64_t, std::uint32_t>;
    static constexpr Word flag = Word{1} << (8 * sizeof(Word) - 1);
    Word words[inFlight];

    /// Four from a multiple of four on.
    template <class T> __device__ void fetch(const RunsArguments<T>& a, std::uint32_t place)
    {
        readFour(a.words + (Kind == RunsRecord::Kind::Wide ? 2 : 1) * std::size_t{place}, words);
    }
    __device__ bool begins(unsigned i) const { return words[i] & flag; }
    template <class T, class F>
    __device__ Index index(const RunsArguments<T>& a, const F& fields, std::uint32_t place, unsigned i, unsigned k) const
    {
        if constexpr (Kind == RunsRecord::Kind::Loose)
            return k == 0 ? words[i] & ~flag : __ldcs(a.words + Count{k} * a.positions + place + i);
        else
            return fields.index(words[i], k);
    }
};

/// Blocks a multiprocessor is to hold: as many as registers allow without any being spilled.
template <unsigned Lanes, unsigned Others, RunsRecord::Kind Kind>
constexpr unsigned residentBlocks = Others == 2 && Kind == RunsRecord::Kind::Narrow && Lanes >= 4 ? 4
    : Others == 2 || (Others == 0 && Kind == RunsRecord::Kind::Narrow)                            ? 3
                                                                                                  : 2;

/// KeepFirst: rows of the first other mode, in the multiprocessor's cache.
template <class T, unsigned Lanes, unsigned Others, RunsRecord::Kind Kind, bool KeepFirst>
__global__ void __launch_bounds__(blockThreads, residentBlocks<Lanes, Others, Kind>) runsKernel(const __grid_constant__ RunsArguments<T> a)
{
    constexpr unsigned groups = blockThreads / Lanes, groupsOfWarp = 32 / Lanes, warps = blockThreads / 32;
    __shared__ Part<T> sums[2 * groups][Lanes];
    __shared__ std::uint32_t runs[2 * groups];
    const unsigned lane = threadIdx.x % Lanes, group = threadIdx.x / Lanes, warp = threadIdx.x / 32;
    const unsigned part = blockIdx.y * Lanes + lane, rowBytes = a.parts * 16;
    const Output<T> out{a, (part < a.parts ? part : 0) * Part<T>::columns, part < a.parts};
    const Pieces<T, Lanes> pieces{sums, runs};
    const unsigned others = Others ? Others : a.record.others;

    // ---- the group's own positions
    if (lane == 0)
        runs[2 * group] = noRun;
    const std::uint32_t begin = (blockIdx.x * groups + group) * a.perGroup;
    const std::uint32_t place = (blockIdx.x * groups + warp * groupsOfWarp) * a.perGroup + group % groupsOfWarp * inFlight;
    std::uint32_t run = noRun;
    Part<T> sum = Part<T>::zero();
    if (begin < a.positions) {
        const formats::RunsStretch stretch = a.stretches[begin / formats::runsStretch];
        run = static_cast<std::uint32_t>(stretch.run());
        Index row = a.runRows[run]; // asked for when a run begins, so that it is there at its end
        const T* const blockRows = rowOf(a.rows[0] + out.column, a.key.firstRow(stretch.block()), rowBytes);
        const T* const secondRows = a.rows[1] + out.column;
        const Fields<Others, typename Records<Kind>::Word> fields(a.record);
        Records<Kind> next;
        next.fetch(a, place);
        bool cut = !next.begins(0);
        next.words[0] &= ~Records<Kind>::flag; // the group begins with it anyway
#pragma unroll 1
        for (unsigned done = 0; done < a.perGroup; done += inFlight) {
            const std::uint32_t at = place + done * groupsOfWarp;
            Part<T> product[inFlight], second[inFlight];
            T values[inFlight];
#pragma unroll
            for (unsigned i = 0; i < inFlight; ++i) {
                {
                    const T* const first = rowOf(blockRows, next.index(a, fields, at, i, 0), rowBytes);
                    product[i] = KeepFirst ? readThrough(first) : readPastCache(first);
                }
                if (Others > 1 || others > 1)
                    second[i] = readRow(secondRows, next.index(a, fields, at, i, 1), rowBytes);
            }
            readFour(a.values + at, values);
            const Records<Kind> now = next;
            if (done + inFlight < a.perGroup)
                next.fetch(a, at + inFlight * groupsOfWarp);
#pragma unroll
            for (unsigned i = 0; i < inFlight; ++i)
                product[i].multiply(values[i]);
            if constexpr (Others == 0 || Others > 2) {
                for (unsigned k = 2; k < others; ++k) {
                    Part<T> third[inFlight];
#pragma unroll
                    for (unsigned i = 0; i < inFlight; ++i)
                        third[i] = readRow(a.rows[k] + out.column, now.index(a, fields, at, i, k), rowBytes);
#pragma unroll
                    for (unsigned i = 0; i < inFlight; ++i)
                        product[i].multiply(third[i]);
                }
            }
#pragma unroll
            for (unsigned i = 0; i < inFlight; ++i) {
                if (now.begins(i)) {
                    if (cut)
                        pieces.set(2 * group, lane, run, sum);
                    else
                        out.putRow(row, sum);
                    cut = false;
                    row = a.runRows[++run];
                    sum = Part<T>::zero();
                }
                if (Others > 1 || others > 1)
                    sum.add(product[i], second[i]);
                else
                    sum.add(product[i]);
            }
        }
    }
    pieces.set(2 * group + 1, lane, run, sum);
    __syncwarp();

    // ---- the groups of a warp; its first and last piece then lie where its first group's lay
    const unsigned firstPiece = warp * 2 * groupsOfWarp;
    if (threadIdx.x % 32 < Lanes) {
        std::uint32_t firstRun = noRun, lastRun = noRun;
        Part<T> firstSum = Part<T>::zero(), lastSum = Part<T>::zero();
        pieces.addUp(
            2 * groupsOfWarp, lane, [&](unsigned i) { return firstPiece + i; },
            [&](std::uint32_t r, const Part<T>& s) { firstRun = r, firstSum = s; },
            [&](std::uint32_t r, const Part<T>& s) { out.put(r, s); },
            [&](std::uint32_t r, const Part<T>& s) { lastRun = r, lastSum = s; });
        __syncwarp((1U << Lanes) - 1); // all have read the runs
        pieces.set(firstPiece, lane, firstRun, firstSum);
        pieces.set(firstPiece + 1, lane, lastRun, lastSum);
    }
    __syncthreads();

    // ---- the warps of the block
    if (threadIdx.x < Lanes) {
        Records<Kind> first;
        first.fetch(a, blockIdx.x * groups * a.perGroup);
        const bool cut = !first.begins(0);
        pieces.addUp(
            2 * warps, lane, [&](unsigned i) { return i / 2 * 2 * groupsOfWarp + i % 2; },
            [&](std::uint32_t r, const Part<T>& s) {
                if (cut)
                    out.putPartial(blockIdx.x, 0, s);
                else
                    out.put(r, s);
            },
            [&](std::uint32_t r, const Part<T>& s) { out.put(r, s); },
            [&](std::uint32_t, const Part<T>& s) { out.putPartial(blockIdx.x, 1, s); });
    }
}

/// A warp for every block: if the run it ends in begins in it, the run's pieces are added up, those of the blocks that follow
/// dealt out to the groups of the warp.
template <class T, unsigned Lanes>
__global__ void __launch_bounds__(blockThreads)
    cutRunsKernel(const __grid_constant__ RunsArguments<T> a, unsigned perBlock, unsigned wordsAnEntry)
{
    constexpr unsigned groupsOfWarp = 32 / Lanes;
    const unsigned block = (blockIdx.x * blockThreads + threadIdx.x) / 32;
    if (block >= a.blocks)
        return;
    const unsigned lane = threadIdx.x % Lanes, group = threadIdx.x % 32 / Lanes, part = blockIdx.y * Lanes + lane;
    const Output<T> out{a, (part < a.parts ? part : 0) * Part<T>::columns, part < a.parts};
    const auto firstRun = [&](unsigned b) { return a.stretches[b * (perBlock / formats::runsStretch)].run(); };
    const auto beginsRun = [&](unsigned b) { return a.words[Count{b} * perBlock * wordsAnEntry + (wordsAnEntry - 1)] >> 31 != 0; };
    const auto lastRun = [&](unsigned b) { return b + 1 == a.blocks ? a.runs - 1 : firstRun(b + 1) - (beginsRun(b + 1) ? 1 : 0); };

    const std::uint64_t run = lastRun(block);
    if (run == firstRun(block) && !beginsRun(block))
        return; // it began before
    // The last block whose first entry is in this run and has not begun it.
    unsigned low = block, high = a.blocks - 1;
    while (low < high) {
        const unsigned middle = low + (high - low + 1) / 2;
        if (firstRun(middle) > run || (firstRun(middle) == run && beginsRun(middle) && middle > block))
            high = middle - 1;
        else
            low = middle;
    }
    const auto partial = [&](unsigned b, unsigned end) {
        return *reinterpret_cast<const Part<T>*>(rowOf(a.partials + out.column, 2 * b + end, out.rowBytes()));
    };
    Part<T> sum = Part<T>::zero();
    for (unsigned b = block + group; b <= low; b += groupsOfWarp)
        sum.add(partial(b, b == block || lastRun(b) == run ? 1 : 0));
#pragma unroll
    for (unsigned distance = 16; distance >= Lanes; distance /= 2)
        sum.add(sum.fromLane(distance));
    if (group == 0)
        out.put(static_cast<std::uint32_t>(run), sum);
}

template <class T, unsigned Lanes, unsigned Others, RunsRecord::Kind Kind, bool KeepFirst = true>
void launchOf(const RunsArguments<T>& a, const cuda::Stream& stream)
{
    const unsigned slabs = (a.parts + Lanes - 1) / Lanes;
    runsKernel<T, Lanes, Others, Kind, KeepFirst><<<dim3(a.blocks, slabs), blockThreads, 0, stream>>>(a);
    CUDA_CHECK_LAUNCH();
    const unsigned perBlock = blockThreads / Lanes * a.perGroup;
    constexpr unsigned words = Kind == RunsRecord::Kind::Wide ? 2 : 1;
    cutRunsKernel<T, Lanes><<<dim3((a.blocks + 7) / 8, slabs), blockThreads, 0, stream>>>(a, perBlock, words);
    CUDA_CHECK_LAUNCH();
}

/// Where there are two other modes; with more of them keeping none of the first's rows was measured to gain nothing.
template <class T, unsigned Lanes, RunsRecord::Kind Kind> void launchTwo(const RunsArguments<T>& a, const cuda::Stream& stream)
{
    a.keepFirst ? launchOf<T, Lanes, 2, Kind, true>(a, stream) : launchOf<T, Lanes, 2, Kind, false>(a, stream);
}

template <class T, unsigned Lanes> void launchLanes(const RunsArguments<T>& a, const cuda::Stream& stream)
{
    using Kind = RunsRecord::Kind;
    switch (a.record.kind) {
    case Kind::Narrow:
        return a.record.others == 2 ? launchTwo<T, Lanes, Kind::Narrow>(a, stream) : launchOf<T, Lanes, 0, Kind::Narrow>(a, stream);
    case Kind::Wide:
        return a.record.others == 2 ? launchTwo<T, Lanes, Kind::Wide>(a, stream)
            : a.record.others == 3  ? launchOf<T, Lanes, 3, Kind::Wide>(a, stream)
            : a.record.others == 4  ? launchOf<T, Lanes, 4, Kind::Wide>(a, stream)
                                    : launchOf<T, Lanes, 0, Kind::Wide>(a, stream);
    case Kind::Loose:
        return launchOf<T, Lanes, 0, Kind::Loose>(a, stream);
    }
}

template <class T> void launchRuns(const RunsArguments<T>& a, unsigned lanes, const cuda::Stream& stream)
{
    switch (lanes) {
    case 2:
        return launchLanes<T, 2>(a, stream);
    case 4:
        return launchLanes<T, 4>(a, stream);
    default:
        return launchLanes<T, 8>(a, stream);
    }
}

} // namespace kernels::mttkrp::gpu
