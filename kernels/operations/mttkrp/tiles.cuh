// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/operations/mttkrp/mttkrp_cuda.cuh"
#include "kernels/operations/mttkrp/tile_settings.h"

#include <vector>

/// Products of entries in an order that is no mode's, but in which neighbours are near in every mode (tile_kernels.cuh).
namespace kernels::mttkrp::gpu {

/// What the kernel is given beside the entries.
template <class T> struct TileArguments {
    unsigned perTile; ///< entries that a block of threads takes, a power of two
    unsigned others;
    unsigned char modes[maxOrder]; ///< [column]: the product's, then the others
    const T* rows[maxOrder]; ///< [other]
    unsigned parts; ///< of 16 bytes in a row
    T* out; ///< so many copies of the product, dealt out to the blocks
    unsigned copies;
    Index outRows;
};

/// Adds the entries' share of the product to its copies. Entries: BlcoEntries, CooEntries, HicooEntries.
template <class T, class Entries> void launchTiles(TileArguments<T>, const Entries&, unsigned multiprocessors, const cuda::Stream&);

/// product = the sum of the copies.
template <class T> void launchSumOfCopies(const TileArguments<T>&, T* product, const cuda::Stream&);

/// A product, whichever way its entries come: begin, add any number of them, end.
template <class T> class TileProduct {
public:
    explicit TileProduct(const cuda::Stream& stream)
        : m_stream(stream)
    {
        int device = 0, multiprocessors = 0;
        CUDA_CHECK(cudaGetDevice(&device));
        CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
        m_multiprocessors = static_cast<unsigned>(multiprocessors);
    }

    void begin(const std::vector<Index>& dims, unsigned mode, const Factors<T>& factors, T* out)
    {
        m_arguments = {};
        m_arguments.parts = static_cast<unsigned>(factors.stride * sizeof(T) / 16);
        m_arguments.modes[0] = static_cast<unsigned char>(mode);
        for (unsigned n = 0; n < dims.size(); ++n)
            if (n != mode) {
                m_arguments.rows[m_arguments.others++] = factors.rows[n];
                m_arguments.modes[m_arguments.others] = static_cast<unsigned char>(n);
            }
        m_arguments.outRows = dims[mode];
        m_arguments.copies = tileCopies(dims[mode]);
        m_out = out;
        const std::size_t elements = std::size_t{m_arguments.copies} * m_arguments.outRows * factors.stride;
        m_arguments.out = m_arguments.copies > 1 ? roomFor(elements) : out;
        CUDA_CHECK(cudaMemsetAsync(m_arguments.out, 0, elements * sizeof(T), m_stream));
    }
    unsigned columns() const { return m_arguments.others + 1; }
    unsigned modeOf(unsigned column) const { return m_arguments.modes[column]; }
    template <class Entries> void add(const Entries& entries)
    {
        if (entries.entries > 0)
            launchTiles(m_arguments, entries, m_multiprocessors, m_stream);
    }
    void end()
    {
        if (m_arguments.copies > 1)
            launchSumOfCopies(m_arguments, m_out, m_stream);
    }

private:
    T* roomFor(std::size_t elements)
    {
        if (elements > m_copies.count()) {
            m_stream.synchronize();
            m_copies = {};
            m_copies = cuda::DeviceBuffer<T>(elements);
        }
        return m_copies.data();
    }

    const cuda::Stream& m_stream;
    unsigned m_multiprocessors = 1;
    TileArguments<T> m_arguments{};
    T* m_out = nullptr;
    cuda::DeviceBuffer<T> m_copies;
};

} // namespace kernels::mttkrp::gpu
