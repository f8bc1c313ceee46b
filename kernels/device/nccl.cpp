// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/device/nccl.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

namespace kernels::nccl {
namespace {

constexpr const char* name = "libnccl.so.2";

template <class Function> bool find(void* handle, Function& function, const char* symbol)
{
    function = reinterpret_cast<Function>(dlsym(handle, symbol));
    return function != nullptr;
}

/// It is there and does not load: of another machine, cut off, or without what it needs itself.
std::string problemOf(std::string_view told)
{
    if (told.starts_with(name) && told.find("No such file") != std::string_view::npos)
        return fmt::format("several GPUs need NCCL ({}), which was not found; install it (Debian: libnccl2), or name its folder in "
                           "LD_LIBRARY_PATH",
                           name);
    return fmt::format("several GPUs need NCCL ({}), which could not be opened: {}", name, told);
}

Library open()
{
    Library nccl;
    // Since 2.22 it connects GPUs within the first sum of each kind. One that has no memory left for it then leaves the others waiting
    // for ever inside the library; while communicators are made, all of them are told.
    setenv("NCCL_RUNTIME_CONNECT", "0", 0);
    void* const handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char* const told = dlerror();
        nccl.problem = problemOf(told ? told : "");
        return nccl;
    }
    const bool whole = find(handle, nccl.errorString, "ncclGetErrorString") && find(handle, nccl.groupStart, "ncclGroupStart")
        && find(handle, nccl.groupEnd, "ncclGroupEnd") && find(handle, nccl.commInitAll, "ncclCommInitAll")
        && find(handle, nccl.commDestroy, "ncclCommDestroy") && find(handle, nccl.commAbort, "ncclCommAbort")
        && find(handle, nccl.asyncError, "ncclCommGetAsyncError") && find(handle, nccl.allReduce, "ncclAllReduce")
        && find(handle, nccl.broadcast, "ncclBroadcast");
    find(handle, nccl.lastError, "ncclGetLastError");
    if (!whole)
        nccl.problem = fmt::format("several GPUs need NCCL 2.4 or later; the {} that was found lacks some of its functions", name);
    return nccl;
}

} // namespace

const Library& library()
{
    static const Library opened = open();
    return opened;
}

} // namespace kernels::nccl
