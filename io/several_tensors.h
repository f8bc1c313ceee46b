// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/error.h"

#include <string>
#include <utility>
#include <vector>

namespace io {

/// A file holds several tensors where one is wanted: whoever can ask a person reads FILE.h5:/group or FILE.npz:array of these.
class SeveralTensors : public Error {
public:
    SeveralTensors(Details details, std::vector<std::string> groups)
        : Error(std::move(details))
        , m_groups(std::move(groups))
    {
    }

    const std::vector<std::string>& groups() const noexcept { return m_groups; } ///< "/day1", "day1"

private:
    std::vector<std::string> m_groups;
};

} // namespace io
