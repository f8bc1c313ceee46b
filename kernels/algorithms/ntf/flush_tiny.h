// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace kernels::ntf {

/// While it lives this thread takes numbers too small for a full mantissa as 0. Numbers that a model does without fall by a factor an
/// iteration; on their last way to 0 each product with them would take a hundred times as long.
class FlushTiny {
public:
#if defined(__x86_64__)
    FlushTiny()
        : m_before(_mm_getcsr())
    {
        constexpr unsigned resultsAreZero = 0x8000, operandsAreZero = 0x0040;
        _mm_setcsr(m_before | resultsAreZero | operandsAreZero);
    }
    ~FlushTiny() { _mm_setcsr(m_before); }

private:
    unsigned m_before;

public:
#else
    FlushTiny() { }
    ~FlushTiny() { }
#endif
    FlushTiny(const FlushTiny&) = delete;
    FlushTiny& operator=(const FlushTiny&) = delete;
};

} // namespace kernels::ntf
