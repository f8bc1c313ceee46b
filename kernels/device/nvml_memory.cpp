// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/device/nvml_memory.h"

#include <dlfcn.h>

namespace kernels {
namespace {

// The few declarations of nvml.h that are used here: the CUDA toolkit does not bring that header.
using NvmlDevice = struct NvmlDeviceHandle*;
struct NvmlMemory {
    unsigned long long total, free, used;
};
constexpr int nvmlSuccess = 0;

/// libnvidia-ml.so.1, opened once and kept: the questions are asked again and again. Null functions where it is missing.
class Nvml {
public:
    Nvml()
    {
        void* const library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
        if (!library)
            return;
        int (*initialise)() = nullptr;
        load(library, initialise, "nvmlInit_v2");
        load(library, handleByUuid, "nvmlDeviceGetHandleByUUID");
        load(library, memoryInfo, "nvmlDeviceGetMemoryInfo");
        m_usable = initialise && handleByUuid && memoryInfo && initialise() == nvmlSuccess;
    }
    bool usable() const { return m_usable; }

    int (*handleByUuid)(const char*, NvmlDevice*) = nullptr;
    int (*memoryInfo)(NvmlDevice, NvmlMemory*) = nullptr;

private:
    template <class Function> static void load(void* library, Function& function, const char* name)
    {
        function = reinterpret_cast<Function>(dlsym(library, name));
    }

    bool m_usable = false;
};

} // namespace

std::optional<std::uint64_t> nvmlFreeMemory(const std::string& uuid)
{
    static const Nvml nvml;
    if (!nvml.usable() || !uuid.starts_with("GPU-"))
        return std::nullopt;
    // CUDA writes the uuid of a part of a GPU like a GPU's own.
    for (const std::string& name : {uuid, "MIG-" + uuid.substr(4)}) {
        NvmlDevice device = nullptr;
        NvmlMemory memory{};
        if (nvml.handleByUuid(name.c_str(), &device) == nvmlSuccess && nvml.memoryInfo(device, &memory) == nvmlSuccess)
            return memory.free;
    }
    return std::nullopt;
}

} // namespace kernels
