// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/types.h"

#include <type_traits>
#include <utility>

namespace kernels {

/// Run-time precision → the type masters are held in: the only such switch.
/// f receives std::type_identity<double> for fp64 and std::type_identity<float> for everything else.
template <class F> decltype(auto) dispatchMasterType(Precision precision, F&& f)
{
    if (precision == Precision::Fp64)
        return std::forward<F>(f)(std::type_identity<double>{});
    return std::forward<F>(f)(std::type_identity<float>{});
}

} // namespace kernels
