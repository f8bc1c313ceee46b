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

/// A mode's copy of the entries, and which of its rows are cut between teams.
template <class T> struct ModeCopy {
    formats::gpu::DeviceRuns<T> runs;
    std::uint32_t teams = 0;
    cuda::DeviceBuffer<CutRow> near, far;

    std::uint64_t bytes() const { return runs.bytes() + near.bytes() + far.bytes(); }
};

/// rank: of the rows that are walked. Throws as buildRuns() does.
template <class T> ModeCopy<T> copyOf(const formats::gpu::EntryColumns<T>&, unsigned mode, unsigned rank, RunControl&, const cuda::Stream&);

/// Entries of every row of a mode.
template <class T>
void countEntries(const formats::gpu::EntryColumns<T>&, unsigned mode, cuda::DeviceBuffer<Count>& counts, const cuda::Stream&);

} // namespace kernels::ntf::gpu
