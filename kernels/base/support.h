// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <utility>

namespace kernels {

/// Yes, or the reason why not, as text a person can be shown.
struct Support {
    std::string reason; ///< empty: supported
    explicit operator bool() const noexcept { return reason.empty(); }
    static Support yes() { return {}; }
    static Support no(std::string why) { return {std::move(why)}; }
};

} // namespace kernels
