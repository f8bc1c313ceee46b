// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_storage.cuh"
#include "kernels/algorithms/fasttucker_plus/grouped_records.h"
#include "kernels/device/l2_halves.cuh"

/// Entries arranged by their hottest rows (grouped_records.h), on the device.
namespace kernels::fasttucker_plus::gpu {

static_assert(entriesPerTile == slab); // a tile's rows and a block of columns are the sides of one product

/// What a kernel reads.
struct GroupedTiles {
    const uint4* records =
        nullptr; ///< a tile's [entry][quads], padding entries being of row 0, value 0, everybody's mates; then its TileHeader
    const unsigned* groups = nullptr; ///< first tile << groupBits | tiles − 1
};

/// Where the rows of the last place, the coolest, are at home.
struct RowHomes {
    cuda::L2HalvesView halves; ///< none: all in one half
    const unsigned char* rows = nullptr;
    unsigned rowBytes = 0; ///< from one to the next

    __device__ unsigned of(Index row) const { return halves.pages ? halves.of(rows + std::size_t{row} * rowBytes) : 0; }
};

/// Sorts entries by their hottest rows, so that those who share them stand together.
template <class T> void sortByHotRows(const Grouping&, Entries<T>&, const std::vector<std::vector<float>>& shares, const cuda::Stream&);

/// The entries of a run, arranged on the device.
class GroupedEntries {
public:
    GroupedEntries() = default;
    /// Sorts entries that are on the device already, those of one home before those of the other. Between: 24 bytes an entry more.
    /// slotBits: of each place, how far the slots of its rows are apart (slotBitsOf()); records have those, not the rows.
    GroupedEntries(const Grouping&, const std::vector<unsigned>& slotBits, const RowHomes&, const Entries<float>&,
                   const std::vector<std::vector<float>>& shares, const cuda::Stream&);

    /// Writes into the records how much smaller the steps of a place's rows are; scales: one a row, on the device; null: 1.
    void setSteps(unsigned place, const StepLevels&, const float* scales, cudaStream_t);

    const Grouping& grouping() const { return m_grouping; }
    unsigned groups() const { return m_groupCount; }
    GroupedTiles tiles() const { return {m_records.data(), m_groups.data()}; }

private:
    Grouping m_grouping;
    std::vector<unsigned> m_slotBits; ///< of each place
    RecordShape m_shape{2, false};
    unsigned m_tileCount = 0, m_groupCount = 0;
    cuda::DeviceBuffer<uint4> m_records;
    cuda::DeviceBuffer<unsigned> m_groups;
};

} // namespace kernels::fasttucker_plus::gpu
