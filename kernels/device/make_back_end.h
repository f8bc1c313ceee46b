// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/error.h"
#include "kernels/device/back_ends.h"

#include <memory>
#include <string>
#include <string_view>

namespace kernels {

/// makeBackEnd() as the interface it has.
template <class Interface> std::unique_ptr<Interface> makeBackEndOf(std::string_view id, Precision precision, const DeviceId& device)
{
    std::unique_ptr<BackEnd> made = makeBackEnd(id, precision, device);
    auto* const own = dynamic_cast<Interface*>(made.get());
    if (!own)
        throw Error(ErrorKind::Internal, "the back end of " + std::string(id) + " has another interface");
    made.release();
    return std::unique_ptr<Interface>(own);
}

} // namespace kernels
