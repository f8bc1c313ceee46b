// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/hdf5_chunks.h"

#include "io/deflate.h"
#include "io/error.h"
#include "io/ordered_pipeline.h"
#include "kernels/base/array.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

namespace io::hdf5 {
namespace {

constexpr std::size_t mostInFlight = std::size_t{256} << 20; ///< bytes of chunks that are worked on at once

/// Byte b of all numbers, then byte b + 1 of all: what HDF5's filter "shuffle" makes.
template <class T> void shuffle(const T* from, std::size_t count, unsigned char* to)
{
    const auto* const bytes = reinterpret_cast<const unsigned char*>(from);
    for (std::size_t b = 0; b < sizeof(T); ++b)
        for (std::size_t i = 0; i < count; ++i)
            to[b * count + i] = bytes[i * sizeof(T) + b];
}

template <std::size_t Bytes> struct Unsigned;
template <> struct Unsigned<1> {
    using Type = std::uint8_t;
};
template <> struct Unsigned<2> {
    using Type = std::uint16_t;
};
template <> struct Unsigned<4> {
    using Type = std::uint32_t;
};
template <> struct Unsigned<8> {
    using Type = std::uint64_t;
};

template <class From> From stored(const unsigned char* bytes, std::size_t count, std::size_t i, bool shuffled)
{
    using Bits = typename Unsigned<sizeof(From)>::Type;
    Bits bits = 0;
    if (shuffled)
        for (std::size_t b = 0; b < sizeof(From); ++b)
            bits = static_cast<Bits>(bits | static_cast<Bits>(Bits{bytes[b * count + i]} << (8 * b)));
    else
        std::memcpy(&bits, bytes + i * sizeof(From), sizeof bits);
    From number;
    std::memcpy(&number, &bits, sizeof number);
    return number;
}

/// As HDF5 converts: whole numbers that do not fit become the nearest that does.
template <class T, class From> T converted(From x)
{
    if constexpr (std::is_integral_v<T> && std::is_integral_v<From>) {
        if (std::in_range<T>(x))
            return static_cast<T>(x);
        return x < From{0} ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
    } else
        return static_cast<T>(x);
}

template <class T, class From> void convert(const unsigned char* bytes, std::size_t chunkElements, std::size_t count, bool shuffled, T* to)
{
    if constexpr (std::is_same_v<T, From>) {
        if (!shuffled) {
            std::memcpy(to, bytes, count * sizeof(T));
            return;
        }
    }
    if (shuffled)
        for (std::size_t i = 0; i < count; ++i)
            to[i] = converted<T>(stored<From>(bytes, chunkElements, i, true));
    else
        for (std::size_t i = 0; i < count; ++i)
            to[i] = converted<T>(stored<From>(bytes, chunkElements, i, false));
}

[[noreturn]] void refuseChunk(const std::string& where)
{
    throw Error({"the packed data is damaged", where, {}, {}, "Copy or download the file again."});
}

std::size_t slotsFor(std::size_t chunkBytes) { return std::max<std::size_t>(2, mostInFlight / std::max<std::size_t>(1, 3 * chunkBytes)); }

} // namespace

std::optional<ParallelChunks> ParallelChunks::of(const CheckedDataset& set)
{
    if (set.chunk.empty() || set.dims.empty() || set.numbers == NumberClass::Other)
        return std::nullopt;
    ParallelChunks chunks;
    chunks.m_chunkRows = set.chunk[0];
    for (std::size_t d = 1; d < set.dims.size(); ++d) {
        if (set.chunk[d] != set.dims[d])
            return std::nullopt;
        chunks.m_rowElements *= set.dims[d];
    }
    const Properties creation(H5Dget_create_plist(set.dataset.id()));
    const int filters = H5Pget_nfilters(creation.id());
    for (int i = 0; i < filters; ++i) {
        unsigned flags = 0, config = 0;
        std::size_t values = 0;
        const H5Z_filter_t filter = H5Pget_filter2(creation.id(), static_cast<unsigned>(i), &flags, &values, nullptr, 0, nullptr, &config);
        if (filter == H5Z_FILTER_SHUFFLE && i == 0)
            chunks.m_shuffle = i;
        else if (filter == H5Z_FILTER_DEFLATE && i == filters - 1)
            chunks.m_deflate = i;
        else
            return std::nullopt;
    }
    if (chunks.m_deflate < 0) // nothing to unpack
        return std::nullopt;
    const Type type(H5Dget_type(set.dataset.id()));
    const std::pair<hid_t, Stored> known[] = {{H5T_NATIVE_INT8, Stored::Int8},     {H5T_NATIVE_INT16, Stored::Int16},
                                              {H5T_NATIVE_INT32, Stored::Int32},   {H5T_NATIVE_INT64, Stored::Int64},
                                              {H5T_NATIVE_UINT8, Stored::UInt8},   {H5T_NATIVE_UINT16, Stored::UInt16},
                                              {H5T_NATIVE_UINT32, Stored::UInt32}, {H5T_NATIVE_UINT64, Stored::UInt64},
                                              {H5T_NATIVE_FLOAT, Stored::Float},   {H5T_NATIVE_DOUBLE, Stored::Double}};
    for (const auto& [native, stored] : known)
        if (H5Tequal(type.id(), native) > 0) {
            chunks.m_stored = stored;
            return chunks;
        }
    return std::nullopt;
}

bool ParallelChunks::match(const CheckedDataset& set, hsize_t row, hsize_t count) const
{
    return row % m_chunkRows == 0 && (count % m_chunkRows == 0 || row + count == set.dims[0]);
}

template <class T> void ParallelChunks::read(const CheckedDataset& set, hsize_t row, hsize_t count, T* to) const
{
    switch (m_stored) {
    case Stored::Int8:
        return readStored<T, std::int8_t>(set, row, count, to);
    case Stored::Int16:
        return readStored<T, std::int16_t>(set, row, count, to);
    case Stored::Int32:
        return readStored<T, std::int32_t>(set, row, count, to);
    case Stored::Int64:
        return readStored<T, std::int64_t>(set, row, count, to);
    case Stored::UInt8:
        return readStored<T, std::uint8_t>(set, row, count, to);
    case Stored::UInt16:
        return readStored<T, std::uint16_t>(set, row, count, to);
    case Stored::UInt32:
        return readStored<T, std::uint32_t>(set, row, count, to);
    case Stored::UInt64:
        return readStored<T, std::uint64_t>(set, row, count, to);
    case Stored::Float:
        return readStored<T, float>(set, row, count, to);
    case Stored::Double:
        return readStored<T, double>(set, row, count, to);
    }
}

template <class T, class From> void ParallelChunks::readStored(const CheckedDataset& set, hsize_t row, hsize_t count, T* to) const
{
    struct Slot {
        hsize_t row = 0;
        std::uint32_t skipped = 0; ///< filters that this chunk did without
        bool isThere = true;
        kernels::Array<unsigned char> packed, unpacked;
    };
    if constexpr (std::is_integral_v<T> && std::is_floating_point_v<From>)
        fail(set.where, "floats were asked for as whole numbers");
    const std::size_t chunkBytes = chunkElements() * sizeof(From);
    const std::size_t mostPacked = chunkBytes + chunkBytes / 8 + 4096; // incompressible bytes take a little more room
    std::vector<hsize_t> offset(set.dims.size(), 0);
    hsize_t next = row;
    // HDF5 is entered by one thread at a time: the pipeline's first stage.
    const auto take = [&](Slot& slot) {
        if (next >= row + count)
            return false;
        slot.row = offset[0] = next;
        next += m_chunkRows;
        hsize_t bytes = 0;
        slot.isThere = H5Dget_chunk_storage_size(set.dataset.id(), offset.data(), &bytes) >= 0 && bytes > 0;
        if (!slot.isThere) {
            const hsize_t rows = std::min(m_chunkRows, row + count - slot.row);
            readRowsByHdf5(set, slot.row, rows, to + (slot.row - row) * m_rowElements);
            return true;
        }
        if (bytes > mostPacked)
            refuseChunk(set.where);
        slot.packed.resize(bytes);
        check(H5Dread_chunk(set.dataset.id(), H5P_DEFAULT, offset.data(), &slot.skipped, slot.packed.data()), set.where,
              "the data cannot be read");
        return true;
    };
    const auto work = [&](Slot& slot) {
        if (!slot.isThere)
            return;
        const bool packed = (slot.skipped >> m_deflate & 1) == 0, shuffled = m_shuffle >= 0 && (slot.skipped >> m_shuffle & 1) == 0;
        if (packed) {
            slot.unpacked.resize(chunkBytes);
            if (!inflateZlib(slot.packed.data(), slot.packed.size(), slot.unpacked.data(), chunkBytes))
                refuseChunk(set.where);
        } else if (slot.packed.size() != chunkBytes)
            refuseChunk(set.where);
        const hsize_t rows = std::min(m_chunkRows, row + count - slot.row);
        convert<T, From>((packed ? slot.unpacked : slot.packed).data(), chunkElements(), rows * m_rowElements, shuffled && sizeof(From) > 1,
                         to + (slot.row - row) * m_rowElements);
    };
    runInOrder<Slot>(
        take, [](Slot&) {}, [](Slot&) {}, work, slotsFor(chunkBytes));
}

template void ParallelChunks::read(const CheckedDataset&, hsize_t, hsize_t, float*) const;
template void ParallelChunks::read(const CheckedDataset&, hsize_t, hsize_t, double*) const;
template void ParallelChunks::read(const CheckedDataset&, hsize_t, hsize_t, std::int64_t*) const;
template void ParallelChunks::read(const CheckedDataset&, hsize_t, hsize_t, std::uint32_t*) const;
template void ParallelChunks::read(const CheckedDataset&, hsize_t, hsize_t, std::uint64_t*) const;

template <class T>
void writeChunks(Session& session, const Dataset& dataset, const std::string& name, const T* data, const std::vector<hsize_t>& dims,
                 hsize_t chunkRows, kernels::Progress* progress)
{
    struct Slot {
        hsize_t row = 0;
        std::size_t bytes = 0;
        std::uint32_t skipped = 0;
        kernels::Array<unsigned char> shuffled, packed;
        Deflater deflater;
    };
    constexpr std::uint32_t deflate = 1 << 1; // shuffle is the first filter
    hsize_t rowElements = 1;
    for (std::size_t d = 1; d < dims.size(); ++d)
        rowElements *= dims[d];
    const std::size_t chunkElements = chunkRows * rowElements, chunkBytes = chunkElements * sizeof(T);
    hsize_t next = 0;
    const auto take = [&](Slot& slot) {
        if (progress)
            progress->throwIfCancelled();
        slot.row = next;
        next += chunkRows;
        return slot.row < dims[0];
    };
    const auto work = [&](Slot& slot) {
        const std::size_t count = std::min(chunkRows, dims[0] - slot.row) * rowElements;
        const T* from = data + slot.row * rowElements;
        kernels::Array<T> whole; // the last chunk is filled up
        if (count < chunkElements) {
            whole.assign(from, from + count);
            whole.resize(chunkElements, T{});
            std::fill(whole.begin() + static_cast<std::ptrdiff_t>(count), whole.end(), T{});
            from = whole.data();
        }
        slot.shuffled.resize(chunkBytes);
        shuffle(from, chunkElements, slot.shuffled.data());
        slot.packed.resize(chunkBytes);
        slot.bytes = slot.deflater.deflateZlib(slot.shuffled.data(), chunkBytes, slot.packed.data(), slot.packed.size());
        slot.skipped = slot.bytes == 0 ? deflate : 0;
    };
    std::vector<hsize_t> offset(dims.size(), 0);
    const auto give = [&](Slot& slot) {
        offset[0] = slot.row;
        const bool packed = slot.skipped == 0;
        check(H5Dwrite_chunk(dataset.id(), H5P_DEFAULT, slot.skipped, offset.data(), packed ? slot.bytes : chunkBytes,
                             (packed ? slot.packed : slot.shuffled).data()),
              name, "the array cannot be written");
        if (progress)
            progress->advance(std::min(chunkRows, dims[0] - slot.row) * rowElements * sizeof(T));
    };
    runInOrder<Slot>(
        take, work, give, [](Slot&) {}, slotsFor(chunkBytes));
    session.giveWay();
}

template void writeChunks(Session&, const Dataset&, const std::string&, const float*, const std::vector<hsize_t>&, hsize_t,
                          kernels::Progress*);
template void writeChunks(Session&, const Dataset&, const std::string&, const double*, const std::vector<hsize_t>&, hsize_t,
                          kernels::Progress*);
template void writeChunks(Session&, const Dataset&, const std::string&, const std::uint32_t*, const std::vector<hsize_t>&, hsize_t,
                          kernels::Progress*);
template void writeChunks(Session&, const Dataset&, const std::string&, const std::uint64_t*, const std::vector<hsize_t>&, hsize_t,
                          kernels::Progress*);

} // namespace io::hdf5
