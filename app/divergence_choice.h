// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/open_tensor.h"
#include "kernels/operations/divergence.h"

namespace app {

/// Whether the config leaves its divergence to the values.
bool leavesDivergence(const kernels::RunConfig&);
/// What suits them, and why. Looks at a sample: a millisecond or two.
kernels::DivergenceAdvice divergenceAdvice(const OpenTensor&);
/// With the divergence by its name, so that what runs, is recorded and repeated says what was minimised.
kernels::RunConfig withDivergence(kernels::RunConfig, const OpenTensor&);

} // namespace app
