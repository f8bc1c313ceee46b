// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/sparsity.h"

#include <algorithm>

namespace kernels {
namespace {

Count zerosOf(const auto& numbers) { return static_cast<Count>(std::count(numbers.begin(), numbers.end(), 0)); }

} // namespace

Sparsity sparsityOf(const Model& model)
{
    Sparsity sparsity;
    sparsity.coreZeros = zerosOf(model.core);
    sparsity.coreNumbers = model.core.size();
    for (const Matrix& factor : model.factors) {
        sparsity.factorZeros += std::visit([](const auto& numbers) { return zerosOf(numbers); }, factor.data);
        sparsity.factorNumbers += Count{factor.rows} * factor.columns;
    }
    return sparsity;
}

} // namespace kernels
