// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/formats/runs_cuda.cuh"

#include "kernels/base/error.h"
#include "kernels/device/device_memory.cuh"
#include "kernels/formats/build_work.cuh"

#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <limits>
#include <string>

namespace kernels::formats::gpu {
namespace {

using cuda::DeviceBuffer;

/// Whether a sorted entry begins a run.
struct BeginsRun {
    const std::uint64_t* keys;
    RunsKey key;

    __device__ Position operator()(Position sorted) const { return sorted == 0 || key.run(keys[sorted]) != key.run(keys[sorted - 1]); }
};

/// What is written of sorted entries, and from what.
template <class T> struct Columns {
    const Index* indices[maxOrder]; ///< [other]
    const T* values;
    RunsRecord record;
    unsigned blockShift; ///< 32: the first of the others is kept whole
    std::uint32_t* words;
    T* toValues;
    Count positions;

    __device__ Index kept(Position entry, unsigned other) const
    {
        const Index index = indices[other][entry];
        return other == 0 && blockShift < 32 ? index & ((Index{1} << blockShift) - 1) : index;
    }

    __device__ void write(Count place, Position entry, bool begins) const
    {
        toValues[place] = values[entry];
        if (record.kind == RunsRecord::Kind::Loose) {
            for (unsigned k = 0; k < record.others; ++k)
                words[k * positions + place] = kept(entry, k) | (k == 0 && begins ? beginsRun : 0);
            return;
        }
        std::uint64_t word = 0;
        for (unsigned k = 0; k < record.others; ++k)
            word |= std::uint64_t{kept(entry, k)} << record.shift[k];
        if (record.kind == RunsRecord::Kind::Narrow)
            words[place] = static_cast<std::uint32_t>(word) | (begins ? beginsRun : 0);
        else
            reinterpret_cast<std::uint64_t*>(words)[place] = word | (begins ? beginsRunWide : 0);
    }
};

/// All public: nvcc takes no lambdas of private functions.
template <class T> struct Builder {
    Builder(const EntryColumns<T>& entries, const RunsPlan& plan, RunControl& control, const cuda::Stream& stream)
        : m_entries(entries)
        , m_work(stream, control)
        , m_pairs(entries.entries)
    {
        m_runs.plan = plan;
        m_runs.entries = entries.entries;
    }

    DeviceRuns<T> build()
    {
        sort();
        placeBlocks();
        countRuns();
        write();
        return std::move(m_runs);
    }

    const RunsPlan& plan() const { return m_runs.plan; }
    Count entries() const { return m_runs.entries; }

    void sort()
    {
        m_work.forEach(entries(),
                       [row = m_entries.indices[plan().mode], blocked = m_entries.indices[plan().others[0]],
                        second = m_entries.indices[plan().secondMode()], key = plan().key, keys = m_pairs.keys.data(),
                        numbers = m_pairs.payloads.data()] __device__(Count e) {
                           keys[e] = key.of(row[e], blocked[e], second[e]);
                           numbers[e] = static_cast<Position>(e);
                       });
        m_pairs.sort(plan().key.bits, m_work);
        m_work.checkpoint();
        m_pairs.otherKeys = {};
        m_pairs.otherPayloads = {};
    }

    /// The first sorted entry of every block, and where blocks begin and end.
    void placeBlocks()
    {
        DeviceBuffer<Count> first(plan().blocks + 1);
        m_work.forEach(plan().blocks + 1,
                       [keys = m_pairs.keys.data(), count = entries(), key = plan().key, to = first.data()] __device__(Count block) {
                           Count begin = 0, end = count;
                           while (begin < end) {
                               const Count middle = begin + (end - begin) / 2;
                               if (key.block(keys[middle]) < block)
                                   begin = middle + 1;
                               else
                                   end = middle;
                           }
                           to[block] = begin;
                       });
        m_first.resize(plan().blocks + 1);
        CUDA_CHECK(cudaMemcpyAsync(m_first.data(), first.data(), first.bytes(), cudaMemcpyDeviceToHost, m_work.stream));
        m_work.stream.synchronize();
        Count position = 0;
        for (unsigned block = 0; block < plan().blocks; ++block) {
            m_runs.blockBegins.push_back(position);
            m_runs.blockEnds.push_back(position + m_first[block + 1] - m_first[block]);
            position = roundedUp(m_runs.blockEnds.back(), runsAlignment);
        }
        position = roundedUp(position, plan().places.span());
        m_runs.blockBegins.push_back(position);
    }

    /// m_run[s]: runs up to sorted entry s, its own counted.
    void countRuns()
    {
        m_run = DeviceBuffer<Position>(entries());
        const auto begins =
            thrust::make_transform_iterator(thrust::counting_iterator<Position>(0), BeginsRun{m_pairs.keys.data(), plan().key});
        m_work.run([&](void* memory, std::size_t& bytes) {
            return cub::DeviceScan::InclusiveSum(memory, bytes, begins, m_run.data(), static_cast<std::int64_t>(entries()), m_work.stream);
        });
        const Position runs = entries() == 0 ? 0 : m_work.fetch(m_run.data() + entries() - 1);
        m_runs.rows = DeviceBuffer<Index>(runs);
    }

    void write()
    {
        const Count positions = m_runs.blockBegins.back();
        m_runs.words = DeviceBuffer<std::uint32_t>(positions * plan().record.words());
        m_runs.values = DeviceBuffer<T>(positions);
        m_runs.stretches = DeviceBuffer<RunsStretch>(positions / runsStretch);
        if (positions == 0)
            return;
        CUDA_CHECK(cudaMemsetAsync(m_runs.words.data(), 0, m_runs.words.bytes(), m_work.stream));
        CUDA_CHECK(cudaMemsetAsync(m_runs.values.data(), 0, m_runs.values.bytes(), m_work.stream));
        DeviceBuffer<Count> shifts(plan().blocks); // from a sorted entry to its position
        std::vector<Count> onHost;
        for (unsigned block = 0; block < plan().blocks; ++block)
            onHost.push_back(m_runs.blockBegins[block] - m_first[block]);
        CUDA_CHECK(cudaMemcpyAsync(shifts.data(), onHost.data(), shifts.bytes(), cudaMemcpyHostToDevice, m_work.stream));
        writeEntries(shifts.data());
        tellPadding();
        m_work.checkpoint();
    }

    void writeEntries(const Count* shifts)
    {
        Columns<T> columns{};
        for (unsigned k = 0; k < plan().others.size(); ++k)
            columns.indices[k] = m_entries.indices[plan().others[k]];
        columns.values = m_entries.values;
        columns.record = plan().record;
        columns.blockShift = plan().key.blockShift;
        columns.words = m_runs.words.data();
        columns.toValues = m_runs.values.data();
        columns.positions = m_runs.positions();
        m_work.forEach(entries(),
                       [columns, shifts, places = plan().places, begins = BeginsRun{m_pairs.keys.data(), plan().key},
                        numbers = m_pairs.payloads.data(), run = m_run.data(), rows = m_runs.rows.data(),
                        stretches = m_runs.stretches.data()] __device__(Count s) {
                           const std::uint64_t key = begins.keys[s];
                           const unsigned block = begins.key.block(key);
                           const Count position = s + shifts[block];
                           const bool first = begins(static_cast<Position>(s));
                           columns.write(places.of(position), numbers[s], first);
                           if (first)
                               rows[run[s] - 1] = begins.key.row(key);
                           if (position % runsStretch == 0)
                               stretches[position / runsStretch] = RunsStretch::of(run[s] - 1, block);
                       });
    }

    /// Stretches of padding alone belong to the run before them.
    void tellPadding()
    {
        for (unsigned block = 0; block < plan().blocks; ++block) {
            const Count first = (m_runs.blockEnds[block] + runsStretch - 1) / runsStretch;
            const Count count = m_runs.blockBegins[block + 1] / runsStretch - first;
            m_work.forEach(count,
                           [to = m_runs.stretches.data() + first, run = m_run.data(), last = m_first[block + 1],
                            block] __device__(Count i) { to[i] = RunsStretch::of(last == 0 ? 0 : run[last - 1] - 1, block); });
        }
    }

    const EntryColumns<T>& m_entries;
    Work m_work;
    Pairs<Position> m_pairs; ///< keys and numbers of the entries, sorted
    std::vector<Count> m_first; ///< sorted entry of every block; then all
    DeviceBuffer<Position> m_run;
    DeviceRuns<T> m_runs;
};

} // namespace

template <class T>
DeviceRuns<T> buildRuns(const EntryColumns<T>& entries, const RunsPlan& plan, RunControl& control, const cuda::Stream& stream)
{
    constexpr Count most = std::numeric_limits<Position>::max()
        - (Count{runsAlignment} << 9); // with the padding of all blocks, and of the last one of threads
    if (entries.entries > most)
        throw Error(ErrorKind::BadArgument,
                    {"entries in runs on a GPU are fewer than 2^32, padding counted",
                     "tensor",
                     std::to_string(entries.entries) + " entries",
                     {},
                     "Use the CPU, or the format coo."});
    cuda::requireFree(deviceRunsBuildBytes(plan, entries.dims, entries.entries, sizeof(T)),
                      "Use the format coo, fewer entries, or the CPU.");
    requireFreeBit(plan, entries.dims);
    control.checkpoint();
    return Builder<T>(entries, plan, control, stream).build();
}
template DeviceRuns<float> buildRuns(const EntryColumns<float>&, const RunsPlan&, RunControl&, const cuda::Stream&);
template DeviceRuns<double> buildRuns(const EntryColumns<double>&, const RunsPlan&, RunControl&, const cuda::Stream&);

} // namespace kernels::formats::gpu
