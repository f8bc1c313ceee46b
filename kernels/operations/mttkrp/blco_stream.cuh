// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/device/event.cuh"
#include "kernels/device/locked_pages.cuh"
#include "kernels/operations/mttkrp/blco.cuh"
#include "kernels/operations/mttkrp/blco_pieces.h"

#include <array>
#include <functional>

namespace kernels::mttkrp::gpu {

/// Linearised entries on the host, which come to the device piece by piece as often as they are wanted: while one is worked on the
/// next is copied.
template <class T> class BlcoStream {
public:
    /// Through so much of the device's memory (blcoPieces).
    BlcoStream(formats::Blco<T>, std::uint64_t room, const cuda::Stream&);
    ~BlcoStream();
    BlcoStream(const BlcoStream&) = delete;
    BlcoStream& operator=(const BlcoStream&) = delete;

    /// work puts into the stream what is to be done with a piece. Asks for a stop once a piece.
    void forEachPiece(const std::function<void(const BlcoEntries<T>&)>& work, RunControl&);
    /// The same with columns, of a part of a piece at a time.
    void forEachPart(const std::function<void(const EntryColumns<T>&)>& work, RunControl&);

    const formats::Blco<T>& onHost() const { return m_blco; }

private:
    struct Piece {
        cuda::DeviceBuffer<std::uint64_t> words;
        cuda::DeviceBuffer<T> values;
        cuda::DeviceBuffer<Count> begins;
        cuda::DeviceBuffer<Index> bases;
        cuda::Event copied, done;
        BlcoEntries<T> entries{};
    };

    template <class E> void copy(cuda::DeviceBuffer<E>& to, const Array<E>& from, Count first, Count count) const;
    Count blockOf(Count entry) const;
    void copyTo(Piece&, Count first);

    formats::Blco<T> m_blco;
    cuda::LockedPages m_words, m_values, m_begins, m_bases;
    BlcoPieces m_sizes;
    const cuda::Stream& m_stream;
    cuda::Stream m_copies;
    std::array<Piece, 2> m_pieces;
    cuda::DeviceBuffer<Index> m_unpacked; ///< [mode][entry of a part]
};

extern template class BlcoStream<float>;
extern template class BlcoStream<double>;

/// Its products.
template <class T> Made<T> makeBlco(std::shared_ptr<BlcoStream<T>>, const Settings&, const cuda::Stream&); // blco.cu

} // namespace kernels::mttkrp::gpu
