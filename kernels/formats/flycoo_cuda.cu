// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/formats/flycoo_cuda.cuh"

#include "kernels/device/device_memory.cuh"
#include "kernels/formats/build_work.cuh"

#include <cub/device/device_run_length_encode.cuh>

#include <bit>
#include <string>
#include <type_traits>

namespace kernels::formats::gpu {
namespace {

using cuda::DeviceBuffer;

template <class E, class From> DeviceBuffer<E> uploaded(const From& from, const cuda::Stream& stream)
{
    DeviceBuffer<E> to(from.size());
    CUDA_CHECK(cudaMemcpyAsync(to.data(), from.data(), to.bytes(), cudaMemcpyHostToDevice, stream));
    stream.synchronize(); // the source may go
    return to;
}

template <class E> std::vector<E> downloaded(const E* from, std::size_t count, const cuda::Stream& stream)
{
    std::vector<E> to(count);
    CUDA_CHECK(cudaMemcpyAsync(to.data(), from, count * sizeof(E), cudaMemcpyDeviceToHost, stream));
    stream.synchronize();
    return to;
}

/// Where a mode's entries go, as the device reads it.
struct DevicePlaces {
    DeviceBuffer<std::uint32_t> shift, firstSorted, firstPiece, pieceBegins;
    FlycooPositions positions;

    DevicePlaces() = default;
    DevicePlaces(const FlycooPlaces& places, const cuda::Stream& stream)
        : shift(uploaded<std::uint32_t>(places.shift, stream))
        , firstSorted(uploaded<std::uint32_t>(places.firstSorted, stream))
        , firstPiece(uploaded<std::uint32_t>(places.firstPiece, stream))
        , pieceBegins(uploaded<std::uint32_t>(places.pieceBegins, stream))
        , positions{shift.data(), places.cutRows, places.pieceEntries, firstSorted.data(), firstPiece.data(), pieceBegins.data()}
    {
    }
};

/// Rows by their entries, heaviest first, and where they go. All public: nvcc takes no lambdas of private functions.
struct RowOrder {
    DeviceBuffer<Index> rankOf; ///< [row]
    FlycooPartitions partitions;
    DevicePlaces places;

    RowOrder(const Index* rowOfEntry, Count entries, unsigned mode, const FlycooPlan& plan, Work& work)
        : rankOf(plan.dims[mode])
    {
        // Sorted by what a row lacks of all entries.
        Pairs<Index> sorted(plan.dims[mode]);
        countEntries(rowOfEntry, entries, sorted, work);
        sorted.sort(static_cast<unsigned>(std::bit_width(entries)), work);
        FlycooPlaces onHost = placeRows(groupsOf(sorted, entries, work), plan.partitions, work.control);
        const std::vector<Index> cutRows = downloaded(sorted.payloads.data(), onHost.cutRows, work.stream);
        for (FlycooCut& cut : onHost.partitions.cuts)
            cut.row = cutRows[cut.row];
        partitions = onHost.partitions;
        places = DevicePlaces(onHost, work.stream);
        tellRanks(sorted, work);
        work.checkpoint();
    }

    static void countEntries(const Index* rowOfEntry, Count entries, Pairs<Index>& to, Work& work)
    {
        const Count rows = to.keys.count();
        DeviceBuffer<std::uint32_t> counts(rows);
        CUDA_CHECK(cudaMemsetAsync(counts.data(), 0, counts.bytes(), work.stream));
        work.forEach(entries, [rowOfEntry, to = counts.data()] __device__(Count e) { atomicAdd(to + rowOfEntry[e], 1U); });
        work.forEach(rows, [counts = counts.data(), entries, keys = to.keys.data(), numbers = to.payloads.data()] __device__(Count row) {
            keys[row] = entries - counts[row];
            numbers[row] = static_cast<Index>(row);
        });
        work.stream.synchronize();
    }

    void tellRanks(const Pairs<Index>& sorted, Work& work)
    {
        work.forEach(sorted.payloads.count(), [rowOf = sorted.payloads.data(), rankOf = rankOf.data()] __device__(Count rank) {
            rankOf[rowOf[rank]] = static_cast<Index>(rank);
        });
    }

    static std::vector<RowGroup> groupsOf(const Pairs<Index>& sorted, Count entries, Work& work)
    {
        constexpr Count mostDistinct = 92'684; // together such counts come to 2^32 entries; and none
        const Count rows = sorted.keys.count(), most = std::min(rows, mostDistinct);
        DeviceBuffer<std::uint64_t> keys(most);
        DeviceBuffer<std::uint32_t> lengths(most), count(1);
        work.run([&](void* memory, std::size_t& bytes) {
            return cub::DeviceRunLengthEncode::Encode(memory, bytes, sorted.keys.data(), keys.data(), lengths.data(), count.data(),
                                                      static_cast<std::int64_t>(rows), work.stream);
        });
        const std::uint32_t groups = work.fetch(count.data());
        const auto lacking = downloaded(keys.data(), groups, work.stream);
        const auto rowsOf = downloaded(lengths.data(), groups, work.stream);
        std::vector<RowGroup> result;
        for (std::uint32_t g = 0; g < groups && lacking[g] < entries; ++g)
            result.push_back({entries - lacking[g], rowsOf[g]});
        return result;
    }
};

/// What records are written of.
template <class T> struct Columns {
    const Index* indices[maxOrder];
    const T* values;
    FlycooRecord record;

    __device__ void write(Count entry, FlycooVector* to) const
    {
        for (unsigned v = 0; v < record.vectors; ++v) {
            FlycooVector bits{};
            if (v == 0)
                *reinterpret_cast<T*>(bits.words) = values[entry];
            for (unsigned n = 0; n < record.order; ++n)
                if (record.word[n] / 4 == v)
                    bits.words[record.word[n] % 4] |= indices[n][entry] << record.shift[n];
            to[v] = bits;
        }
    }
};

DevicePartitions onDevice(const FlycooPartitions& from, const cuda::Stream& stream)
{
    std::vector<Index> rows;
    for (const FlycooCut& cut : from.cuts)
        rows.push_back(cut.row);
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    std::vector<std::uint32_t> first(rows.size() + 1, 0), cuts(from.cuts.size());
    const auto rowOf = [&](const FlycooCut& cut) { return std::lower_bound(rows.begin(), rows.end(), cut.row) - rows.begin(); };
    for (const FlycooCut& cut : from.cuts)
        ++first[rowOf(cut) + 1];
    for (std::size_t row = 1; row < first.size(); ++row)
        first[row] += first[row - 1];
    std::vector<std::uint32_t> at = first;
    for (std::uint32_t c = 0; c < cuts.size(); ++c)
        cuts[at[rowOf(from.cuts[c])]++] = c;
    return {uploaded<std::uint32_t>(from.begins, stream), uploaded<std::uint32_t>(from.firstCut, stream),
            uploaded<FlycooCut>(from.cuts, stream),       uploaded<std::uint32_t>(first, stream),
            uploaded<std::uint32_t>(cuts, stream),        static_cast<unsigned>(rows.size())};
}

template <class T> struct Builder {
    Builder(const EntryColumns<T>& entries, const FlycooPlan& plan, RunControl& control, const cuda::Stream& stream)
        : m_entries(entries)
        , m_work(stream, control)
    {
        m_flycoo.plan = plan;
        m_flycoo.entries = entries.entries;
    }

    DeviceFlycoo<T> build()
    {
        for (unsigned mode = 0; mode < plan().order(); ++mode) {
            m_rows.emplace_back(m_entries.indices[mode], entries(), mode, plan(), m_work);
            m_flycoo.partitions.push_back(m_rows.back().partitions);
            m_flycoo.onDevice.push_back(onDevice(m_rows.back().partitions, m_work.stream));
        }
        const DeviceBuffer<Position> first = positionsIn(0);
        writeRecords(first.data());
        DeviceBuffer<Position> before;
        m_flycoo.sources.resize(plan().order());
        for (unsigned mode = 1; mode < plan().order(); ++mode) {
            DeviceBuffer<Position> here = positionsIn(mode);
            link(mode, mode == 1 ? first.data() : before.data(), here.data());
            before = std::move(here);
        }
        link(0, before.data(), first.data());
        m_flycoo.copies[1] = DeviceBuffer<FlycooVector>(m_flycoo.copies[0].count());
        return std::move(m_flycoo);
    }

    const FlycooPlan& plan() const { return m_flycoo.plan; }
    Count entries() const { return m_flycoo.entries; }

    /// Of every entry in the order of a mode.
    DeviceBuffer<Position> positionsIn(unsigned mode)
    {
        const unsigned second = plan().seconds[mode];
        Pairs<Position> sorted(entries());
        m_work.forEach(entries(),
                       [key = plan().keys[mode], row = m_entries.indices[mode], rank = m_rows[mode].rankOf.data(),
                        other = m_entries.indices[second], otherRank = m_rows[second].rankOf.data(), keys = sorted.keys.data(),
                        numbers = sorted.payloads.data()] __device__(Count e) {
                           keys[e] = key.of(rank[row[e]], otherRank[other[e]]);
                           numbers[e] = static_cast<Position>(e);
                       });
        sorted.sort(plan().keys[mode].bits(), m_work);
        m_work.checkpoint();
        sorted.otherKeys = {};
        sorted.otherPayloads = {};
        DeviceBuffer<Position> result(entries());
        m_work.forEach(entries(),
                       [key = plan().keys[mode], positions = m_rows[mode].places.positions, keys = sorted.keys.data(),
                        numbers = sorted.payloads.data(), to = result.data()] __device__(Count s) {
                           to[numbers[s]] = positions.of(static_cast<Position>(s), key.rank(keys[s]));
                       });
        m_work.checkpoint();
        return result;
    }

    void writeRecords(const Position* positions)
    {
        m_flycoo.copies[0] = DeviceBuffer<FlycooVector>(entries() * plan().record.vectors);
        Columns<T> columns{};
        for (unsigned n = 0; n < plan().order(); ++n)
            columns.indices[n] = m_entries.indices[n];
        columns.values = m_entries.values;
        columns.record = plan().record;
        m_work.forEach(entries(), [columns, positions, to = m_flycoo.copies[0].data()] __device__(Count e) {
            columns.write(e, to + Count{positions[e]} * columns.record.vectors);
        });
        m_work.checkpoint();
    }

    /// From a mode's positions back to those in the mode before.
    void link(unsigned mode, const Position* before, const Position* here)
    {
        m_flycoo.sources[mode] = DeviceBuffer<Position>(entries());
        m_work.forEach(entries(),
                       [before, here, sources = m_flycoo.sources[mode].data()] __device__(Count e) { sources[here[e]] = before[e]; });
        m_work.checkpoint();
    }

    const EntryColumns<T>& m_entries;
    Work m_work;
    std::vector<RowOrder> m_rows; ///< [mode]
    DeviceFlycoo<T> m_flycoo;
};

} // namespace

template <class T> std::uint64_t DeviceFlycoo<T>::bytes() const
{
    std::uint64_t sum = copies[0].bytes() + copies[1].bytes();
    for (const auto& positions : sources)
        sum += positions.bytes();
    for (const DevicePartitions& mode : onDevice)
        sum += mode.bytes();
    return sum;
}
template struct DeviceFlycoo<float>;
template struct DeviceFlycoo<double>;

template <class T>
DeviceFlycoo<T> buildFlycoo(const EntryColumns<T>& entries, const FlycooPlan& plan, RunControl& control, const cuda::Stream& stream)
{
    requireFlycooFits(entries.entries);
    cuda::requireFree(deviceFlycooBuildBytes(plan, entries.entries), "Use the format runs or coo, fewer entries, or the CPU.");
    control.checkpoint();
    return Builder<T>(entries, plan, control, stream).build();
}
template DeviceFlycoo<float> buildFlycoo(const EntryColumns<float>&, const FlycooPlan&, RunControl&, const cuda::Stream&);
template DeviceFlycoo<double> buildFlycoo(const EntryColumns<double>&, const FlycooPlan&, RunControl&, const cuda::Stream&);

template <class T> void remap(DeviceFlycoo<T>& flycoo, unsigned mode, unsigned fromCopy, const cuda::Stream& stream)
{
    const Count vectors = flycoo.plan.record.vectors;
    if (flycoo.entries > 0)
        CUDA_CHECK(cub::DeviceFor::Bulk(
            flycoo.entries * vectors,
            [vectors, from = flycoo.copies[fromCopy].data(), to = flycoo.copies[1 - fromCopy].data(),
             sources = flycoo.sources[mode].data()] __device__(Count i) { to[i] = from[sources[i / vectors] * vectors + i % vectors]; },
            stream));
}
template void remap(DeviceFlycoo<float>&, unsigned, unsigned, const cuda::Stream&);
template void remap(DeviceFlycoo<double>&, unsigned, unsigned, const cuda::Stream&);

} // namespace kernels::formats::gpu
