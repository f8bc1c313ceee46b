// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/instruction_set.h"

#include <cstdint>

namespace kernels {

/// Multiply-adds of the widest vectors in registers, as many next to each other as hide their latency.
template <class T> struct MultiplyAdds {
    std::uint64_t operations = 0; ///< of one round
    T (*run)(std::uint64_t rounds, T start) = nullptr; ///< what it returns is of no meaning, but comes of all of them
};

POLYAD_DECLARE_FILLS(MultiplyAdds<float>);
POLYAD_DECLARE_FILLS(MultiplyAdds<double>);

} // namespace kernels
