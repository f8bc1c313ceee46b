// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/registry.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace kernels::tucker_hooi {

/// How the leading vectors of a mode are found.
enum class Vectors {
    Columns, ///< eigenvectors of YᵀY, Π J square
    Rows, ///< of Y Yᵀ, as many rows and columns as the mode has slices
    Range ///< subspace iteration on Y itself, from the factor and some random columns
};
std::string_view toString(Vectors);

/// Columns beside the wanted ones in a subspace iteration.
constexpr unsigned columnsMore = 8;
/// Rows that a task works on; the parts of a sum are dealt out in such chunks.
constexpr std::uint64_t rowsAtOnce(std::uint64_t width) { return width <= 4096 ? 256 : 32; }
/// Columns of Y that a task turns over for Y Yᵀ.
constexpr std::uint64_t columnsAtOnce = 64;

/// What follows from the sizes of one mode.
struct ModePlan {
    std::uint64_t slices = 0; ///< with entries, at most
    std::uint64_t width = 0; ///< of Y
    unsigned rank = 0;
    unsigned thinColumns = 0; ///< of Z, at most
    Vectors vectors = Vectors::Columns;
};

/// How a run is made to fit, the first of these that does: all is held; Y in blocks of rows, whose chains are computed again for
/// every product; trees, too, built again for every mode.
struct Plan {
    std::vector<ModePlan> modes;
    bool holdsY = true, holdsTrees = true;
    MemoryUse memory;
};
Plan planRun(const RunConfig&, const ProblemShape&, std::uint64_t room);

/// In the room that the run's memory limit leaves, or in any.
MemoryUse estimateMemory(const RunConfig&, const ProblemShape&);

/// Of a device with so many free bytes. Throws OutOfMemory.
Plan planThatFits(const SolverInput&, std::uint64_t free);

/// What the CPU allocates beside trees and factors, in numbers.
struct HostRooms {
    std::uint64_t y = 0; ///< in the run's type
    std::uint64_t by = 0; ///< in the run's type: what Y is multiplied by
    std::uint64_t z = 0, sums = 0, work = 0; ///< in fp64; work of each thread
};
HostRooms hostRooms(const Plan&, const ProblemShape&, const std::vector<unsigned>& ranks, unsigned valueBytes);
std::uint64_t hostStride(std::uint64_t columns, unsigned valueBytes); ///< of rows of Y
std::uint64_t thinStride(std::uint64_t columns); ///< of rows of Z
/// Rows of a block of Y, where Y is not held.
std::uint64_t blockRows(const ModePlan&, unsigned valueBytes);
/// Sums of so many numbers are made in parts that are added up at last, the same ones for any number of threads.
std::uint64_t sumParts(std::uint64_t numbers);

/// What a GPU allocates beside trees and factors, in numbers; all but y in fp64.
struct DeviceRooms {
    std::uint64_t y = 0, z = 0, small = 0, sums = 0;
};
DeviceRooms deviceRooms(const Plan&, unsigned valueBytes);
std::uint64_t deviceBlockRows(const ModePlan&, unsigned valueBytes);
/// Of the depth of a product whose result has so many numbers.
unsigned deviceParts(std::uint64_t numbers, std::uint64_t depth);

} // namespace kernels::tucker_hooi
