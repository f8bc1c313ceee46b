// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "io/file_format.h"
#include "kernels/base/error.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

/// Any bytes as a text tensor: a tensor or a sentence, nothing else.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const int file = memfd_create("tensor.tns", 0);
    if (file < 0)
        return 0;
    if (write(file, data, size) == static_cast<ssize_t>(size)) {
        io::ReadOptions options;
        options.memoryLimit = std::uint64_t{256} << 20;
        kernels::Progress progress;
        try {
            io::readTensor("/proc/self/fd/" + std::to_string(file), options, progress).tensor.check();
        } catch (const kernels::Error&) {
        }
    }
    close(file);
    return 0;
}
