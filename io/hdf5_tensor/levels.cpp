// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/hdf5_tensor/levels.h"

#include "io/error.h"
#include "io/hdf5_tensor/index_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace io::hdf5_tensor {
namespace {

using hdf5::CheckedDataset;
using kernels::Count;
using kernels::Index;

Index sizeOf(const Parts& parts, unsigned dimension) { return (*parts.dims)[parts.modeOf[dimension]]; }

void requireList(const CheckedDataset& set, Count elements, const char* message)
{
    if (set.dims.size() != 1 || set.elements != elements)
        throw Error({message, set.where, fmt::format("{}", set.elements), fmt::format("a list of {}", elements), {}});
    if (set.numbers == hdf5::NumberClass::Other)
        throw Error({"holds no real numbers", set.where, {}, "integers", {}});
}

/// Positions below one level, from those above it.
Count positionsBelow(const Parts& parts, const Level& level, Count above)
{
    if (level.dense) {
        for (unsigned k = level.first; k < level.first + level.rank; ++k) {
            if (above > kernels::maxEntries / sizeOf(parts, k))
                throw Error({"too many entries",
                             parts.where,
                             "dense levels with the product of all sizes",
                             fmt::format("at most {}", kernels::maxEntries),
                             {}});
            above *= sizeOf(parts, k);
        }
        return above;
    }
    if (level.pointers)
        requireList(*level.pointers, above + 1, "another number of pointers than arrays and one");
    for (const CheckedDataset& indices : level.indices)
        requireList(indices, level.indices.front().elements, "the indices of a level differ in number");
    return level.indices.front().elements;
}

/// Works from the innermost level outwards. m_owner[e] is the position, in the level at hand, that entry e lies in; it
/// never falls from entry to entry, so that each dataset is walked through once.
class LevelReader {
public:
    LevelReader(hdf5::Session& session, const Parts& parts, kernels::Progress& progress, kernels::SparseTensor& tensor)
        : m_session(session)
        , m_parts(parts)
        , m_progress(progress)
        , m_tensor(tensor)
        , m_owner(parts.entries)
    {
        std::iota(m_owner.begin(), m_owner.end(), Count{0});
    }

    void read()
    {
        for (std::size_t l = m_parts.levels.size(); l-- > 0;) {
            const Level& level = m_parts.levels[l];
            if (level.dense) {
                divide(level);
                continue;
            }
            for (unsigned s = 0; s < level.rank; ++s)
                gather(level.indices[s], m_tensor.indices[m_parts.modeOf[level.first + s]]);
            if (level.pointers)
                climb(*level.pointers, level.indices.front().elements);
        }
    }

private:
    void divide(const Level& level)
    {
        m_progress.throwIfCancelled();
        for (unsigned k = level.first + level.rank; k-- > level.first;) {
            const Index size = sizeOf(m_parts, k);
            auto& to = m_tensor.indices[m_parts.modeOf[k]];
            for (Count e = 0; e < m_owner.size(); ++e) {
                to[e] = static_cast<Index>(m_owner[e] % size);
                m_owner[e] /= size;
            }
        }
    }

    void gather(const CheckedDataset& indices, kernels::Array<Index>& to)
    {
        kernels::Array<Index> slab;
        Count e = 0;
        hdf5::forEachSlab(m_session, indices, &m_progress, [&](hsize_t begin, hsize_t count) {
            slab.resize(count);
            readIndexRows(indices, begin, count, count, slab.data());
            for (; e < m_owner.size() && m_owner[e] < begin + count; ++e)
                to[e] = slab[m_owner[e] - begin];
        });
    }

    /// From positions to those of the arrays they lie in: array p holds positions [pointers[p], pointers[p + 1]).
    void climb(const CheckedDataset& pointers, Count positions)
    {
        kernels::Array<std::int64_t> slab;
        Count e = 0, last = 0;
        hdf5::forEachSlab(m_session, pointers, &m_progress, [&](hsize_t begin, hsize_t count) {
            slab.resize(count);
            hdf5::readRows(pointers, begin, count, slab.data());
            for (hsize_t i = 0; i < count; ++i) {
                const Count p = begin + i;
                const bool inOrder = slab[i] >= 0 && static_cast<Count>(slab[i]) >= last && (p > 0 || slab[i] == 0);
                if (!inOrder || static_cast<Count>(slab[i]) > positions)
                    throw Error({"pointers do not rise from 0 to the number of indices",
                                 fmt::format("{} entry {} (from 0)", pointers.where, p),
                                 fmt::format("{}", slab[i]),
                                 p == 0 ? "0" : fmt::format("{} to {}", last, positions),
                                 {}});
                last = static_cast<Count>(slab[i]);
                for (; e < m_owner.size() && m_owner[e] < last; ++e)
                    m_owner[e] = p - 1;
            }
        });
        if (last != positions)
            throw Error({"the last pointer is not the number of indices",
                         pointers.where,
                         fmt::format("{}", last),
                         fmt::format("{}", positions),
                         {}});
    }

    hdf5::Session& m_session;
    const Parts& m_parts;
    kernels::Progress& m_progress;
    kernels::SparseTensor& m_tensor;
    kernels::Array<Count> m_owner;
};

template <class Body> void forEachDataset(const Parts& parts, const Body& body)
{
    for (const Level& level : parts.levels) {
        std::for_each(level.indices.begin(), level.indices.end(), body);
        if (level.pointers)
            body(*level.pointers);
    }
}

} // namespace

Count entriesOfLevels(const Parts& parts)
{
    Count positions = 1;
    for (const Level& level : parts.levels)
        positions = positionsBelow(parts, level, positions);
    return positions;
}

std::uint64_t storedBytesOfLevels(const Parts& parts)
{
    std::uint64_t bytes = 0;
    forEachDataset(parts, [&](const CheckedDataset& set) { bytes += set.elements * set.elementBytes; });
    return bytes;
}

std::uint64_t workBytesOfLevels(const Parts& parts) { return parts.levels.empty() ? 0 : parts.entries * sizeof(Count); }

void readLevels(hdf5::Session& session, const Parts& parts, kernels::Progress& progress, kernels::SparseTensor& tensor)
{
    LevelReader(session, parts, progress, tensor).read();
}

} // namespace io::hdf5_tensor
