// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/device/nvml_memory.h"

#include "kernels/base/error.h"
#include "kernels/device/nvml.h"

#include <memory>

namespace kernels {
namespace {

/// Opened once and kept: the question is asked again and again. Null where there is no driver.
const nvml::Library* library()
{
    static const std::unique_ptr<const nvml::Library> opened = [] {
        try {
            return std::make_unique<const nvml::Library>("NVML");
        } catch (const Error&) {
            return std::unique_ptr<const nvml::Library>();
        }
    }();
    return opened.get();
}

} // namespace

std::optional<std::uint64_t> nvmlFreeMemory(const std::string& uuid)
{
    const nvml::Library* const nvml = library();
    if (!nvml || !uuid.starts_with("GPU-"))
        return std::nullopt;
    // CUDA writes the uuid of a part of a GPU like a GPU's own.
    for (const std::string& name : {uuid, "MIG-" + uuid.substr(4)}) {
        try {
            if (const nvml::Device device = nvml->findUuid(name))
                return nvml->memory(device).free;
        } catch (const Error&) { // found, but it does not tell
        }
    }
    return std::nullopt;
}

} // namespace kernels
