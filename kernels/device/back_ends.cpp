// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/device/back_ends.h"

#include "kernels/base/error.h"
#include "kernels/base/module_file.h"
#include "kernels/device/cuda_module.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <exception>

namespace kernels {

void addCpuBackEnds(BackEnds&); // written by cmake/PolyadRegistries.cmake
namespace formats {
void addCpuBackEnds(BackEnds&); // csf_builder.cpp
}
namespace mttkrp {
void addCpuBackEnds(BackEnds&); // operations/mttkrp/back_end_cpu.cpp
}
namespace spttm {
void addCpuBackEnds(BackEnds&); // operations/spttm/back_end_cpu.cpp
}

namespace {

constexpr const char* moduleFile = "libpolyad_cuda.so";

/// Empty when the module has added its back ends, else why not, to follow "no CUDA device: ".
std::string openModule(BackEnds& table)
{
    const auto file = findModule(moduleFile, "POLYAD_CUDA_MODULE");
    if (file.empty())
        return "the CUDA module is not installed";
    // Never closed: its back ends and their objects live as long as the program.
    void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char* const why = dlerror();
        return fmt::format("the CUDA module cannot be opened ({})", why ? why : "unknown reason");
    }
    const auto entry = reinterpret_cast<void (*)(BackEnds&, const char*)>(dlsym(handle, cudaModuleEntry));
    if (!entry)
        return fmt::format("the CUDA module lacks {}", cudaModuleEntry);
    BackEnds added = table; // so that a module that fails half way leaves nothing behind
    entry(added, POLYAD_MODULE_INTERFACE);
    if (!added.cudaDevices || !added.cudaFreeMemory)
        return "the CUDA module belongs to another version of Polyad";
    table = std::move(added);
    return {};
}

struct OpenedBackEnds {
    BackEnds table;
    std::string moduleProblem;

    OpenedBackEnds()
    {
        addCpuBackEnds(table);
        formats::addCpuBackEnds(table);
        mttkrp::addCpuBackEnds(table);
        spttm::addCpuBackEnds(table);
        try {
            moduleProblem = openModule(table);
        } catch (const std::exception& e) {
            moduleProblem = e.what();
        }
    }
};

const OpenedBackEnds& opened()
{
    static const OpenedBackEnds instance;
    return instance;
}

} // namespace

void BackEnds::add(std::string algorithm, DeviceKind kind, Factory factory)
{
    m_factories[{std::move(algorithm), kind}] = std::move(factory);
}

const BackEnds::Factory* BackEnds::find(std::string_view algorithm, DeviceKind kind) const
{
    const auto it = m_factories.find({std::string(algorithm), kind});
    return it == m_factories.end() ? nullptr : &it->second;
}

const BackEnds& backEnds() { return opened().table; }

const std::string& cudaModuleProblem() { return opened().moduleProblem; }

std::unique_ptr<BackEnd> makeBackEnd(std::string_view algorithm, Precision precision, const DeviceId& id)
{
    device(id); // throws where there is none
    const BackEnds::Factory* const factory = backEnds().find(algorithm, id.kind);
    if (!factory)
        throw Error(
            ErrorKind::NoDevice,
            {fmt::format("{} has no back end for this device", algorithm), toString(id), {}, {}, "Choose another device or algorithm."});
    return (*factory)(precision, id);
}

} // namespace kernels
