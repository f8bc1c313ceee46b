// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <vector>

namespace kernels {

/// Observers on two sides, who timed the way to the same places.
struct NearAndFar {
    std::vector<int> side; ///< of each observer: 1 or −1
    std::vector<double> mean; ///< of its times
    bool found = false; ///< two sides, and every observer's times agree with one of them
};

/// times[observer · places + place]. Observers of one side find the same places far; those of the other find them near.
NearAndFar nearAndFar(const std::vector<unsigned>& times, std::size_t places);

} // namespace kernels
