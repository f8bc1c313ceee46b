// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/ntf/cuda_entries.cuh"
#include "kernels/formats/build_work.cuh"

#include <algorithm>

namespace kernels::ntf::gpu {
namespace {

using cuda::DeviceBuffer;
using formats::RunsRecord;
using formats::gpu::Work;

/// Where a team's entries begin and end among the runs.
struct TeamEnds {
    std::uint32_t firstRun, lastRun;
    Index lastRow;
    std::uint32_t begins; ///< the first entry begins its run
};

/// Where the first entry of a team lies in the runs.
template <class T> struct FirstEntries {
    RunsRecord::Kind kind;
    formats::RunsPlaces places;
    const std::uint32_t* words;
    const formats::RunsStretch* stretches;
    const Index* rows;
    std::uint32_t teams, runs, perTeam;

    __device__ std::uint32_t run(std::uint32_t team) const
    {
        return static_cast<std::uint32_t>(stretches[Count{team} * perTeam / formats::runsStretch].run());
    }
    __device__ std::uint32_t begins(std::uint32_t team) const
    {
        const Count place = places.of(Count{team} * perTeam);
        return words[kind == RunsRecord::Kind::Wide ? 2 * place + 1 : place] >> 31;
    }
    __device__ TeamEnds operator()(std::uint32_t team) const
    {
        const std::uint32_t last = team + 1 < teams ? run(team + 1) - begins(team + 1) : runs - 1;
        return {run(team), last, rows[last], begins(team)};
    }
};

struct CutRows {
    std::vector<CutRow> near, far;
};

/// Every row that begins in a team, but does not end before it does.
CutRows cutRowsOf(const Array<TeamEnds>& teams)
{
    constexpr std::uint32_t mostHeads = 24; ///< that a thread adds up by itself
    CutRows cut;
    for (std::size_t t = 0; t < teams.size(); ++t) {
        if (teams[t].lastRun == teams[t].firstRun && !teams[t].begins)
            continue;
        std::uint32_t heads = 0;
        for (std::size_t next = t + 1; next < teams.size() && !teams[next].begins && teams[next].firstRun == teams[t].lastRun; ++next)
            ++heads;
        (heads > mostHeads ? cut.far : cut.near).push_back({teams[t].lastRow, static_cast<std::uint32_t>(t), heads});
    }
    return cut;
}

/// Teams and cut rows are in the order of rows. The team that a part's end lies in may begin with the last of its rows.
PassPart partOf(Index end, const Array<TeamEnds>& teams, const CutRows& cut)
{
    const auto below = [&](const std::vector<CutRow>& rows) {
        return static_cast<std::uint32_t>(std::partition_point(rows.begin(), rows.end(), [&](const CutRow& row) { return row.row < end; })
                                          - rows.begin());
    };
    const auto full = std::partition_point(teams.begin(), teams.end(), [&](const TeamEnds& team) { return team.lastRow < end; });
    const Count needed = formats::roundedUp(static_cast<Count>(full - teams.begin()) + 1, launchedTeams);
    return {static_cast<std::uint32_t>(std::min<Count>(needed, teams.size())), below(cut.near), below(cut.far)};
}

template <class Row> DeviceBuffer<Row> sent(const std::vector<Row>& rows, const cuda::Stream& stream)
{
    DeviceBuffer<Row> to(rows.size());
    if (!rows.empty())
        CUDA_CHECK(cudaMemcpyAsync(to.data(), rows.data(), to.bytes(), cudaMemcpyHostToDevice, stream));
    stream.synchronize(); // the rows are the caller's
    return to;
}

/// filled: ascending.
std::vector<Index> rowsBetween(const Array<Index>& filled, Index rows)
{
    std::vector<Index> empty;
    Index next = 0;
    for (const Index row : filled) {
        for (; next < row; ++next)
            empty.push_back(next);
        next = row + 1;
    }
    for (; next < rows; ++next)
        empty.push_back(next);
    return empty;
}

} // namespace

template <class T>
LoadedEntries<T>::LoadedEntries(const SparseTensor& tensor, double unit, RunControl& control, const cuda::Stream& stream)
    : m_values(tensor.entries())
    , m_columns{tensor.dims(), {}, m_values.data(), tensor.entries()}
{
    control.stage("uploading");
    cuda::Uploader uploader(stream, control);
    for (const Array<Index>& indices : tensor.indices) {
        m_indices.emplace_back(indices.size());
        uploader.upload(indices.data(), indices.size(), m_indices.back().data());
        m_columns.indices.push_back(m_indices.back().data());
    }
    constexpr Count atOnce = Count{1} << 16;
    std::vector<T> scaled(std::min(atOnce, tensor.entries())); // divided before they are rounded, or T might hold none of them
    std::visit(
        [&](const auto& values) {
            for (Count begin = 0; begin < values.size(); begin += atOnce) {
                const Count count = std::min<Count>(atOnce, values.size() - begin);
                std::transform(values.data() + begin, values.data() + begin + count, scaled.begin(),
                               [unit](auto x) { return static_cast<T>(static_cast<double>(x) / unit); });
                uploader.upload(scaled.data(), count, m_values.data() + begin);
            }
        },
        tensor.values);
    control.stage("arranging");
}
template class LoadedEntries<float>;
template class LoadedEntries<double>;

template <class T>
ModeCopy<T> copyOf(const formats::gpu::EntryColumns<T>& entries, unsigned mode, unsigned rank, const std::vector<Index>& partEnds,
                   RunControl& control, const cuda::Stream& stream)
{
    ModeCopy<T> copy;
    const auto parts = static_cast<unsigned>(partEnds.size());
    copy.parts.resize(parts);
    if (entries.entries == 0) {
        if (parts > 0)
            copy.empty = sent(rowsBetween({}, entries.dims[mode]), stream);
        return copy;
    }
    copy.runs = formats::gpu::buildRuns(entries, planOf(entries.dims, mode, entries.entries, parts, rank, sizeof(T)), control, stream);
    copy.teams = static_cast<std::uint32_t>(teamsOf(entries.entries, parts, rank, sizeof(T)));
    const formats::RunsPlan& plan = copy.runs.plan;
    const FirstEntries<T> first{plan.record.kind,
                                plan.places,
                                copy.runs.words.data(),
                                copy.runs.stretches.data(),
                                copy.runs.rows.data(),
                                copy.teams,
                                static_cast<std::uint32_t>(copy.runs.rows.count()),
                                plan.places.perGroup};
    DeviceBuffer<TeamEnds> ends(copy.teams);
    const Work work(stream, control);
    work.forEach(copy.teams, [first, to = ends.data()] __device__(Count team) { to[team] = first(static_cast<std::uint32_t>(team)); });
    const Array<TeamEnds> teams = formats::gpu::download(ends, stream);
    const CutRows cut = cutRowsOf(teams);
    std::transform(partEnds.begin(), partEnds.end(), copy.parts.begin(), [&](Index end) { return partOf(end, teams, cut); });
    copy.near = sent(cut.near, stream);
    copy.far = sent(cut.far, stream);
    if (parts > 0)
        copy.empty = sent(rowsBetween(formats::gpu::download(copy.runs.rows, stream), entries.dims[mode]), stream);
    work.checkpoint();
    return copy;
}
template ModeCopy<float> copyOf(const formats::gpu::EntryColumns<float>&, unsigned, unsigned, const std::vector<Index>&, RunControl&,
                                const cuda::Stream&);
template ModeCopy<double> copyOf(const formats::gpu::EntryColumns<double>&, unsigned, unsigned, const std::vector<Index>&, RunControl&,
                                 const cuda::Stream&);

template <class T>
void countEntries(const formats::gpu::EntryColumns<T>& entries, unsigned mode, DeviceBuffer<Count>& counts, const cuda::Stream& stream)
{
    RunControl unasked;
    const Work work(stream, unasked);
    CUDA_CHECK(cudaMemsetAsync(counts.data(), 0, counts.bytes(), stream));
    work.forEach(entries.entries, [rows = entries.indices[mode], to = counts.data()] __device__(Count e) {
        atomicAdd(reinterpret_cast<unsigned long long*>(to + rows[e]), 1ULL);
    });
}
template void countEntries(const formats::gpu::EntryColumns<float>&, unsigned, DeviceBuffer<Count>&, const cuda::Stream&);
template void countEntries(const formats::gpu::EntryColumns<double>&, unsigned, DeviceBuffer<Count>&, const cuda::Stream&);

} // namespace kernels::ntf::gpu
