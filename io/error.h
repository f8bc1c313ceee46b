// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/error.h"

namespace io {

/// A file that cannot be read or written: where (file and line or dataset), found, expected, hint.
class Error : public kernels::Error {
public:
    explicit Error(Details details)
        : kernels::Error(kernels::ErrorKind::BadInput, std::move(details))
    {
    }
};

} // namespace io
