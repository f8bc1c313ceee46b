// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/mttkrp/format_sizes.h"

#include "kernels/operations/mttkrp/mttkrp.h"

#include <algorithm>

namespace kernels::mttkrp {

std::optional<std::uint64_t> formatBytes(const TensorFormatInfo& format, DeviceKind kind, const ProblemShape& shape, unsigned valueBytes)
{
    const std::vector<std::string>& there = kind == DeviceKind::Cpu ? cpuFormats() : cudaFormats();
    if (std::find(there.begin(), there.end(), format.id) == there.end())
        return std::nullopt;
    if (kind == DeviceKind::Cpu || format.id == "coo") // the entries themselves
        return format.bytes(shape, valueBytes);
    return bytesOn(kind, format.id, shape, Settings{}, valueBytes).kept;
}

} // namespace kernels::mttkrp
