// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/ntf/cuda_rows.cuh"
#include "kernels/formats/entry_transfer.cuh"

#include <vector>

namespace kernels::ntf::gpu {

/// Entries on the device, their values divided by a unit. What is built of them stays when they go.
template <class T> class LoadedEntries {
public:
    LoadedEntries(const SparseTensor&, double unit, RunControl&, const cuda::Stream&);
    const formats::gpu::EntryColumns<T>& columns() const { return m_columns; }

private:
    std::vector<cuda::DeviceBuffer<Index>> m_indices;
    cuda::DeviceBuffer<T> m_values;
    formats::gpu::EntryColumns<T> m_columns;
};

/// So many teams and cut rows, from the first.
struct PassPart {
    std::uint32_t teams = 0, near = 0, far = 0;
};

/// A mode's copy of the entries, and which of its rows are cut between teams.
template <class T> struct ModeCopy {
    formats::gpu::DeviceRuns<T> runs;
    std::uint32_t teams = 0;
    cuda::DeviceBuffer<CutRow> near, far;
    std::vector<PassPart> parts; ///< what it takes until the rows of each part are finished
    cuda::DeviceBuffer<Index> empty; ///< rows without entries, where there are parts

    PassPart whole() const { return {teams, static_cast<std::uint32_t>(near.count()), static_cast<std::uint32_t>(far.count())}; }

    std::uint64_t bytes() const { return runs.bytes() + near.bytes() + far.bytes() + empty.bytes(); }
};

/// rank: of the rows that are walked; partEnds: behind the last row of each part. Throws as buildRuns() does.
template <class T>
ModeCopy<T> copyOf(const formats::gpu::EntryColumns<T>&, unsigned mode, unsigned rank, const std::vector<Index>& partEnds, RunControl&,
                   const cuda::Stream&);

/// Entries of every row of a mode.
template <class T>
void countEntries(const formats::gpu::EntryColumns<T>&, unsigned mode, cuda::DeviceBuffer<Count>& counts, const cuda::Stream&);

} // namespace kernels::ntf::gpu
