// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/formats/csf_builder.h"

#include "kernels/base/error.h"

namespace kernels::formats {

std::unique_ptr<CsfBuilder> makeCsfBuilder(Precision precision, const DeviceId& device)
{
    std::unique_ptr<BackEnd> made = makeBackEnd(csfBuilderId, precision, device);
    auto* const own = dynamic_cast<CsfBuilder*>(made.get());
    if (!own)
        throw Error(ErrorKind::Internal, "the back end that builds trees of fibres has another interface");
    made.release();
    return std::unique_ptr<CsfBuilder>(own);
}

} // namespace kernels::formats
