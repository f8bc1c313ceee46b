// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/checked_dims.h"

#include "io/error.h"

#include <fmt/format.h>

#include <limits>

namespace io {

unsigned checkedOrder(std::uint64_t order, const std::string& where)
{
    if (order < kernels::minOrder || order > kernels::maxOrder)
        throw Error({"number of modes out of range",
                     where,
                     fmt::format("{}", order),
                     fmt::format("{} to {}", kernels::minOrder, kernels::maxOrder),
                     {}});
    return static_cast<unsigned>(order);
}

std::vector<kernels::Index> checkedDims(const std::vector<std::uint64_t>& sizes, const std::string& where)
{
    constexpr std::uint64_t largest = std::numeric_limits<kernels::Index>::max();
    checkedOrder(sizes.size(), where);
    std::vector<kernels::Index> dims;
    for (const std::uint64_t size : sizes) {
        if (size < 1 || size > largest)
            throw Error({"size of a mode out of range", where, fmt::format("{}", size), fmt::format("1 to {}", largest), {}});
        dims.push_back(static_cast<kernels::Index>(size));
    }
    return dims;
}

} // namespace io
