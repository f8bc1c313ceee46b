// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/run_config_json.h"
#include "kernels/base/error.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

/// Run settings as JSON: what is accepted comes back from its own text unchanged.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try {
        const std::string written = io::toJson(io::runConfigFromJson(text));
        if (io::toJson(io::runConfigFromJson(written)) != written)
            std::abort();
    } catch (const kernels::Error&) {
    }
    return 0;
}
