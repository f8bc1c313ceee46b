// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/spttm/spttm.h"

#include "kernels/base/chunks.h"
#include "kernels/base/error.h"
#include "kernels/formats/scoo.h"
#include "kernels/tensor/entry_keys.h"
#include "kernels/tensor/sort.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

namespace kernels::spttm {
namespace {

/// Of a GPU, for what CUB works in beside an eighth of a byte an entry, and for pieces.
constexpr std::uint64_t slackOnCuda = std::uint64_t{16} << 20;

constexpr std::uint64_t most64 = std::numeric_limits<std::uint64_t>::max();

std::uint64_t sumOf(std::uint64_t a, std::uint64_t b) { return a > most64 - b ? most64 : a + b; }
std::uint64_t productOf(std::uint64_t a, std::uint64_t b) { return b != 0 && a > most64 / b ? most64 : a * b; }

void check(const Shape& shape, unsigned mode, unsigned rank)
{
    if (mode >= shape.dims.size())
        throw Error(
            ErrorKind::BadArgument,
            {"there is no such mode to multiply along", "mode", std::to_string(mode + 1), fmt::format("1 to {}", shape.dims.size()), {}});
    if (std::find(shape.denseModes.begin(), shape.denseModes.end(), mode) != shape.denseModes.end())
        throw Error(ErrorKind::BadArgument,
                    {"the tensor is dense along this mode already, so that a sparse product along it is none", "mode",
                     std::to_string(mode + 1), "a sparse mode", "Multiply along each mode once."});
    if (rank < 1 || rank > maxRank)
        throw Error(ErrorKind::BadArgument,
                    {"a matrix cannot have so many columns here", "rank", std::to_string(rank), fmt::format("1 to {}", maxRank), {}});
}

/// Sparse modes with that of the product last, as entries are sorted.
std::vector<Index> sortedDims(const Shape& shape, unsigned mode)
{
    std::vector<Index> dims;
    for (unsigned n = 0; n < shape.dims.size(); ++n)
        if (n != mode && std::find(shape.denseModes.begin(), shape.denseModes.end(), n) == shape.denseModes.end())
            dims.push_back(shape.dims[n]);
    dims.push_back(shape.dims[mode]);
    return dims;
}

std::uint64_t fibreBytes(const Shape& shape, Count fibres)
{
    return fibres * ((shape.sparseModes() - 1) * sizeof(Index) + sizeof(Count)) + sizeof(Count);
}

std::uint64_t keptBytes(const Shape& shape, Count fibres, unsigned valueBytes)
{
    const std::uint64_t entry = sumOf(sizeof(Index), productOf(shape.blockSize(), valueBytes));
    return sumOf(productOf(shape.entries, entry), fibreBytes(shape, fibres));
}

/// On the CPU entries go through a sorted copy, blocks of several values through their order. On a GPU entries are brought there
/// and sorted with keys of 64 bits.
std::uint64_t sortingBytes(DeviceKind kind, const Shape& shape, const std::vector<Index>& dims, Count fibres, unsigned valueBytes)
{
    const std::uint64_t indices = shape.entries * dims.size() * sizeof(Index);
    const std::uint64_t values = productOf(shape.entries, productOf(shape.blockSize(), valueBytes));
    const bool single = shape.blockSize() == 1;
    std::uint64_t bytes = 0;
    if (kind == DeviceKind::Cuda) {
        constexpr std::uint64_t position = sizeof(std::uint32_t), key = sizeof(std::uint64_t);
        const bool packed = keyParts(dims).size() == 1;
        const std::uint64_t payload = packed && single ? std::uint64_t{valueBytes} : position;
        const std::uint64_t pairs = productOf(shape.entries, 2 * (key + payload));
        const std::uint64_t cutting = sumOf(shape.entries * (key + payload + 3 * position), keptBytes(shape, fibres, valueBytes));
        bytes = sumOf(sumOf(indices, values), sumOf(std::max(pairs, cutting), shape.entries / 8 + slackOnCuda));
    } else if (single) {
        const std::uint64_t copy = indices + values;
        bytes = copy + std::max(sortBytes(dims, shape.entries, valueBytes), fibreBytes(shape, fibres));
    } else {
        const std::uint64_t order = shape.entries * sizeof(Count);
        const std::uint64_t ordering = std::max(shape.entries * 2 * (sizeof(std::uint64_t) + sizeof(Count)), order + indices);
        bytes = sumOf(indices, std::max(ordering, sumOf(order, sumOf(values, sumOf(indices, fibreBytes(shape, fibres))))));
    }
    return std::max(bytes, keptBytes(shape, fibres, valueBytes));
}

/// The matrix, and a block for every piece that begins inside a fibre.
std::uint64_t workBytes(DeviceKind kind, const Shape& shape, unsigned mode, unsigned rank, unsigned valueBytes)
{
    const Count pieces = shape.entries / entriesPerPiece(kind, shape.entries, rank);
    const std::uint64_t matrix = std::uint64_t{shape.dims[mode]} * rank * valueBytes;
    return sumOf(matrix, productOf(pieces, productOf(shape.blockSize(), std::uint64_t{rank} * valueBytes)));
}

std::uint64_t atOnce(DeviceKind kind, const Shape& shape, unsigned mode, unsigned rank, unsigned valueBytes, Count fibres,
                     std::uint64_t work)
{
    const std::uint64_t matrix = std::uint64_t{shape.dims[mode]} * rank * valueBytes;
    const std::uint64_t entries = // stay on a GPU for other modes
        kind == DeviceKind::Cpu
        ? 0
        : sumOf(slackOnCuda,
                productOf(shape.entries, sumOf(sizeof(Index) * shape.sparseModes(), productOf(shape.blockSize(), valueBytes))));
    const std::uint64_t computing =
        sumOf(entries, sumOf(keptBytes(shape, fibres, valueBytes), sumOf(work, resultBytes(shape, fibres, rank, valueBytes))));
    return std::max(computing, sumOf(matrix, sortingBytes(kind, shape, sortedDims(shape, mode), fibres, valueBytes)));
}

} // namespace

const std::vector<std::string>& variantsOn(DeviceKind kind)
{
    static const std::vector<std::string> cpu{balancedId, sequentialId, tbbId}, cuda{balancedId, gpuId, gpuSharedId};
    return kind == DeviceKind::Cpu ? cpu : cuda;
}

void requireVariant(std::string_view variant, DeviceKind kind)
{
    const std::vector<std::string>& known = variantsOn(kind);
    if (std::find(known.begin(), known.end(), variant) == known.end())
        throw Error(ErrorKind::BadArgument,
                    {fmt::format("there is no such product of a tensor and a matrix on {}", kind == DeviceKind::Cpu ? "the CPU" : "a GPU"),
                     "variant",
                     std::string(variant),
                     fmt::format("{}", fmt::join(known, ", ")),
                     {}});
}

Count Shape::blockSize() const { return formats::scooBlockSize(dims, denseModes); }

std::uint64_t resultBytes(const Shape& shape, Count fibres, unsigned rank, unsigned valueBytes)
{
    return formats::scooBytes(shape.sparseModes() - 1, fibres, productOf(shape.blockSize(), rank), valueBytes);
}

Count entriesPerPiece(DeviceKind kind, Count entries, unsigned rank)
{
    if (kind == DeviceKind::Cpu) {
        constexpr Count fewest = 128, most = 8192;
        return std::clamp<Count>(entries / 64, std::max<Count>(fewest, rank), most);
    }
    constexpr Count fewest = 64, warp = 32, mostPieces = 1 << 16; // a warp's each
    return chunkCount(std::max<Count>({fewest, rank, chunkCount(entries, mostPieces)}), warp) * warp;
}

Plan planFor(DeviceKind kind, const Shape& shape, unsigned mode, unsigned rank, unsigned valueBytes)
{
    check(shape, mode, rank);
    const std::vector<Index> dims = sortedDims(shape, mode);
    Plan plan;
    plan.mostFibres = 1;
    for (std::size_t k = 0; k + 1 < dims.size(); ++k)
        plan.mostFibres = std::min(shape.entries, productOf(plan.mostFibres, dims[k]));
    plan.mostFibres = std::min(shape.entries, plan.mostFibres);
    plan.sorting = sortingBytes(kind, shape, dims, plan.mostFibres, valueBytes);
    plan.fibres = keptBytes(shape, plan.mostFibres, valueBytes);
    plan.product = workBytes(kind, shape, mode, rank, valueBytes);
    plan.result = resultBytes(shape, plan.mostFibres, rank, valueBytes);
    plan.most = atOnce(kind, shape, mode, rank, valueBytes, plan.mostFibres, plan.product);
    plan.least = atOnce(kind, shape, mode, rank, valueBytes, std::min<Count>(1, plan.mostFibres), 0);
    return plan;
}

} // namespace kernels::spttm
