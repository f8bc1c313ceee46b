// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/host_device.h"

#include <cmath>
#include <cstdint>

/// Counter-based random numbers: a draw is a pure function of (seed, counter), so results do not
/// depend on the number of threads and are equal on CPU and GPU.
namespace kernels::random {

POLYAD_HOST_DEVICE std::uint64_t mix(std::uint64_t z)
{
    z += 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

/// The stream separates uses of one seed: give every purpose its own.
POLYAD_HOST_DEVICE std::uint64_t bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t counter)
{
    return mix(mix(seed ^ mix(stream)) ^ mix(counter));
}

/// In the open interval (0, 1).
POLYAD_HOST_DEVICE double uniform(std::uint64_t bits) { return (static_cast<double>(bits >> 11) + 0.5) * (1.0 / 9007199254740992.0); }

POLYAD_HOST_DEVICE double uniform(std::uint64_t seed, std::uint64_t stream, std::uint64_t counter)
{
    return uniform(bits(seed, stream, counter));
}

/// Standard normal by Box and Muller; uses two counters' worth of bits of one stream.
POLYAD_HOST_DEVICE double normal(std::uint64_t seed, std::uint64_t stream, std::uint64_t counter)
{
    const double u = uniform(seed, stream, 2 * counter);
    const double v = uniform(seed, stream, 2 * counter + 1);
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

} // namespace kernels::random
