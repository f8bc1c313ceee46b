// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace io {

/// SHA-256 (FIPS 180-4) of bytes given piece by piece.
class Sha256 {
public:
    Sha256();
    void add(std::string_view bytes);
    std::string hex(); ///< lower case; ends the message

private:
    struct Free {
        void operator()(evp_md_ctx_st*) const;
    };
    std::unique_ptr<evp_md_ctx_st, Free> m_context;
};

} // namespace io
