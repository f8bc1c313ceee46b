// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/registry.h"
#include "kernels/base/run_control.h"
#include "kernels/formats/flycoo_parts.h"
#include "kernels/tensor/sparse_tensor.h"

#include <array>
#include <vector>

/// FLYCOO (Wijeratne and others): the entries stand in the order that one mode wants, and while the next mode is worked on they
/// are brought into that one's order, in a second copy. They are fetched from where they lie in the old order and written one
/// after another; the paper scatters them while the mode before is worked on, which writes half-filled sectors all over memory.
namespace kernels::formats {

/// How records and orders are made.
struct FlycooPlan {
    std::vector<Index> dims;
    unsigned partitions = 1; ///< of every mode
    FlycooRecord record;
    std::vector<FlycooKey> keys; ///< [mode]
    std::vector<unsigned> seconds; ///< [mode]: the shortest other one

    unsigned order() const { return static_cast<unsigned>(dims.size()); }
    unsigned next(unsigned mode) const { return (mode + 1) % order(); }
    unsigned previous(unsigned mode) const { return (mode + order() - 1) % order(); }
};

/// At least one partition and at most one for every entry.
FlycooPlan planFlycoo(const std::vector<Index>& dims, Count entries, unsigned partitions, unsigned valueBytes);

/// So many rows with so many entries each.
struct RowGroup {
    Count entries = 0, rows = 0;
};

/// A stretch of a partition that has entries of one row only, of a row that other partitions share.
struct FlycooCut {
    Index row = 0;
    std::uint32_t begin = 0, end = 0; ///< positions
    friend bool operator==(const FlycooCut&, const FlycooCut&) = default;
};

/// A mode's order: positions begins[p] … begins[p + 1] are partition p. First its shares of cut rows, then its own rows.
struct FlycooPartitions {
    std::vector<std::uint32_t> begins;
    std::vector<FlycooCut> cuts; ///< by partition; those of a row are of one partition each, ascending
    std::vector<std::uint32_t> firstCut; ///< [partition]; then all

    unsigned count() const { return static_cast<unsigned>(firstCut.size() - 1); }
    /// Where its own rows begin.
    std::uint32_t ownBegin(unsigned partition) const
    {
        return firstCut[partition] == firstCut[partition + 1] ? begins[partition] : cuts[firstCut[partition + 1] - 1].end;
    }
    double fullestOfMean() const; ///< entries of the fullest partition, in units of the mean
    std::uint64_t bytes() const;
    friend bool operator==(const FlycooPartitions&, const FlycooPartitions&) = default;
};

/// Partitions and what building them takes: rows by their rank, heaviest first.
struct FlycooPlaces {
    FlycooPartitions partitions; ///< rows of cuts are ranks
    Index cutRows = 0;
    std::uint32_t pieceEntries = 1;
    Array<std::uint32_t> shift; ///< [rank]
    std::vector<std::uint32_t> firstSorted, firstPiece; ///< [cut row]
    std::vector<std::uint32_t> pieceBegins; ///< [piece]
};

/// Each row to the least filled partition, heaviest rows first. Rows heavier than the mean partition are then dealt out in
/// pieces, which come first in their partitions. Groups come with falling entries, above zero; together they have fewer than 2^32.
/// Throws Cancelled.
FlycooPlaces placeRows(const std::vector<RowGroup>&, unsigned partitions, RunControl&);

/// Which of the two copies has the entries in which mode's order.
struct FlycooCopies {
    static constexpr unsigned none = ~0u;
    std::array<unsigned, 2> mode{0, none};
    unsigned latest = 0;

    unsigned with(unsigned wanted) const { return mode[0] == wanted ? 0 : mode[1] == wanted ? 1 : none; }
};

template <class T> struct Flycoo {
    FlycooPlan plan;
    Count entries = 0;
    std::array<Array<FlycooVector>, 2> copies; ///< [position × vectors]; built: the first, in the order of mode 0
    std::vector<Array<std::uint32_t>> sources; ///< [mode][position]: its entry's position in the order of the mode before
    std::vector<FlycooPartitions> partitions; ///< [mode]

    std::uint64_t bytes() const;
};

/// The same bits whatever the number of threads. Throws Error(BadArgument) for 2^32 entries and more, OutOfMemory before it
/// begins, Cancelled at a stop.
template <class T> Flycoo<T> buildFlycoo(const SparseTensor&, const FlycooPlan&, RunControl&);
extern template Flycoo<float> buildFlycoo(const SparseTensor&, const FlycooPlan&, RunControl&);
extern template Flycoo<double> buildFlycoo(const SparseTensor&, const FlycooPlan&, RunControl&);

/// Throws Error(BadArgument) where positions do not fit 32 bits.
void requireFlycooFits(Count entries);

/// Brings the entries of one copy, in the order of the mode before, into that of the mode in the other.
template <class T> void remap(Flycoo<T>&, unsigned mode, unsigned fromCopy, RunControl&);
extern template void remap(Flycoo<float>&, unsigned, unsigned, RunControl&);
extern template void remap(Flycoo<double>&, unsigned, unsigned, RunControl&);

/// The entries in the order they have in a copy.
template <class T> SparseTensor toCoo(const Flycoo<T>&, unsigned copy);
extern template SparseTensor toCoo(const Flycoo<float>&, unsigned);
extern template SparseTensor toCoo(const Flycoo<double>&, unsigned);

/// The most bytes of both copies and all else that is kept, and of the building beside the tensor, on the CPU and on a GPU.
std::uint64_t flycooBytes(const FlycooPlan&, Count entries);
std::uint64_t flycooBuildBytes(const FlycooPlan&, Count entries);
std::uint64_t deviceFlycooBuildBytes(const FlycooPlan&, Count entries);
/// On the host meanwhile: rows are dealt out there, a mode's after another's.
std::uint64_t hostBytesOfDeviceFlycoo(const std::vector<Index>& dims, Count entries);

TensorFormatInfo flycooInfo();

} // namespace kernels::formats
