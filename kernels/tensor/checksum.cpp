// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/tensor/checksum.h"

#include "kernels/base/chunks.h"
#include "kernels/base/random.h"

#include <bit>
#include <vector>

namespace kernels {
namespace {

constexpr Count entriesPerChunk = Count{1} << 16;

/// Order matters: (a, b) and (b, a) give other sums.
std::uint64_t joined(std::uint64_t sum, std::uint64_t next) { return random::mix(sum ^ next) + next; }

} // namespace

std::uint64_t checksum(const SparseTensor& tensor, RunControl& control)
{
    std::vector<std::uint64_t> sums(chunkCount(tensor.entries(), entriesPerChunk));
    std::visit(
        [&](const auto& values) {
            forEachChunk(tensor.entries(), entriesPerChunk, control, [&](Count chunk, Count begin, Count end) {
                std::uint64_t sum = chunk;
                for (Count e = begin; e < end; ++e) {
                    for (const auto& column : tensor.indices)
                        sum = joined(sum, column[e]);
                    // A number is the same in fp32 and fp64 files.
                    sum = joined(sum, std::bit_cast<std::uint64_t>(static_cast<double>(values[e])));
                }
                sums[chunk] = sum;
            });
        },
        tensor.values);
    std::uint64_t total = tensor.entries();
    for (const Mode& mode : tensor.modes)
        total = joined(total, mode.size);
    for (const std::uint64_t sum : sums)
        total = joined(total, sum);
    return total ? total : 1;
}

} // namespace kernels
