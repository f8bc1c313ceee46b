// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/tensor/find_entries.h"

#include "kernels/base/chunks.h"
#include "kernels/base/error.h"

#include <fmt/format.h>

namespace kernels {
namespace {

struct Range {
    Count begin = 0, end = 0;
};

/// Where the entries lie whose first modes have these indices; everything, where order does not tell.
Range bisect(const SparseTensor& tensor, std::span<const Index> first)
{
    Range range{0, tensor.entries()};
    if (!tensor.sorted)
        return range;
    for (unsigned n = 0; n < first.size() && range.begin < range.end; ++n) {
        const auto begin = tensor.indices[n].begin();
        const auto [low, high] =
            std::equal_range(begin + static_cast<std::ptrdiff_t>(range.begin), begin + static_cast<std::ptrdiff_t>(range.end), first[n]);
        range = {static_cast<Count>(low - begin), static_cast<Count>(high - begin)};
    }
    return range;
}

void checkOrder(const SparseTensor& tensor, std::span<const Index> index)
{
    if (index.size() != tensor.order())
        throw Error(
            ErrorKind::BadArgument,
            {"an index per mode is needed", "looking up entries", fmt::format("{}", index.size()), fmt::format("{}", tensor.order()), {}});
}

/// Entries of the range with this index in every mode but `passedOver`.
std::vector<Count> matching(const SparseTensor& tensor, std::span<const Index> index, Range range, unsigned passedOver, Progress* progress)
{
    constexpr Count entriesPerChunk = Count{1} << 18;
    const auto fits = [&](Count entry) {
        for (unsigned n = tensor.order(); n-- > 0;) // the last modes tell most entries apart
            if (n != passedOver && tensor.indices[n][entry] != index[n])
                return false;
        return true;
    };
    const Count entries = range.end - range.begin;
    std::vector<std::vector<Count>> parts(chunkCount(entries, entriesPerChunk));
    forEachChunk(entries, entriesPerChunk, progress, [&](Count chunk, Count begin, Count end) {
        for (Count entry = range.begin + begin; entry < range.begin + end; ++entry)
            if (fits(entry))
                parts[chunk].push_back(entry);
    });
    std::vector<Count> found;
    for (const auto& part : parts)
        found.insert(found.end(), part.begin(), part.end());
    return found;
}

} // namespace

std::vector<Count> entriesAt(const SparseTensor& tensor, std::span<const Index> index)
{
    checkOrder(tensor, index);
    return matching(tensor, index, bisect(tensor, index), tensor.order(), nullptr);
}

std::vector<Count> entriesAlong(const SparseTensor& tensor, std::span<const Index> index, unsigned freeMode, Progress* progress)
{
    checkOrder(tensor, index);
    return matching(tensor, index, bisect(tensor, index.first(std::min(freeMode, tensor.order()))), freeMode, progress);
}

} // namespace kernels
