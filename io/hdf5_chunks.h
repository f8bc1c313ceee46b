// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/hdf5_read.h"

// HDF5 packs and unpacks chunks on one core. These functions use all cores. HDF5 only reads and writes the packed bytes.

namespace io::hdf5 {

/// A dataset whose chunks are whole rows of native numbers, packed by deflate, with or without shuffle.
class ParallelChunks {
public:
    /// Nothing for any other dataset. HDF5 reads those.
    static std::optional<ParallelChunks> of(const CheckedDataset&);

    /// Whether these are whole chunks.
    bool match(const CheckedDataset&, hsize_t row, hsize_t count) const;
    /// Reads rows that match as T, by HDF5's rules for numbers that T does not hold.
    template <class T> void read(const CheckedDataset&, hsize_t row, hsize_t count, T* to) const;

private:
    enum class Stored { Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64, Float, Double };

    std::size_t chunkElements() const { return m_chunkRows * m_rowElements; }

    Stored m_stored = Stored::UInt8;
    hsize_t m_chunkRows = 0, m_rowElements = 1;
    int m_shuffle = -1, m_deflate = -1; ///< which filter it is; -1: none

    template <class T, class From> void readStored(const CheckedDataset&, hsize_t row, hsize_t count, T* to) const;
};

/// Fills a new dataset of chunks of so many rows, shuffled and deflated. progress: null, or told of bytes.
template <class T>
void writeChunks(Session&, const Dataset&, const std::string& name, const T* data, const std::vector<hsize_t>& dims, hsize_t chunkRows,
                 kernels::Progress* progress);

} // namespace io::hdf5
