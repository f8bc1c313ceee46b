// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/random.h"
#include "kernels/base/types.h"

namespace kernels::ntf {

/// startNumber() of back_end.h, for kernels too.
POLYAD_HOST_DEVICE double startNumberOf(std::uint64_t seed, unsigned mode, Count row, unsigned rank, unsigned r, double size)
{
    constexpr std::uint64_t startStream = 0x6e74'0000;
    return size * (0.5 + random::uniform(seed, startStream + mode, row * rank + r));
}

} // namespace kernels::ntf
