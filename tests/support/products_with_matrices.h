// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/models/model.h"
#include "support/random_tensor.h"

#include <cmath>
#include <map>

/// Products of tensors with matrices by the definition, in fp64.
namespace test {

/// A value, and what its terms come to in absolute value.
struct SummedUp {
    double value = 0, size = 0;
};
using Elements = std::map<std::vector<kernels::Index>, SummedUp>;

inline Elements elementsOf(const kernels::SparseTensor& tensor)
{
    Elements elements;
    for (kernels::Count e = 0; e < tensor.entries(); ++e) {
        SummedUp& at = elements[indexOf(tensor, e)];
        at.value += tensor.value(e);
        at.size += std::abs(tensor.value(e));
    }
    return elements;
}

inline Elements multipliedPlainly(const Elements& elements, unsigned mode, const kernels::Matrix& matrix)
{
    Elements product;
    for (const auto& [index, element] : elements) {
        std::vector<kernels::Index> at = index;
        for (std::size_t r = 0; r < matrix.columns; ++r) {
            at[mode] = static_cast<kernels::Index>(r);
            SummedUp& sum = product[at];
            sum.value += element.value * matrix.at(index[mode], r);
            sum.size += element.size * std::abs(matrix.at(index[mode], r));
        }
    }
    return product;
}

} // namespace test
