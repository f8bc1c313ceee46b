// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "support/runs.h"

#include <QtTest>

#include <cmath>

namespace test {

inline kernels::SparseTensor inDoubles(const kernels::SparseTensor& tensor, double scale)
{
    kernels::SparseTensor to(tensor.dims(), tensor.entries(), true);
    to.indices = tensor.indices;
    for (kernels::Count e = 0; e < tensor.entries(); ++e)
        to.setValue(e, scale * (tensor.value(e) + 4));
    return to;
}

/// Values that fp32 holds none of, some 10⁻⁵¹ and 10⁴⁰, are learnt in fp32 as others are, on whatever device the configuration names: what
/// is wrong, nothing where the text is empty. tolerance: of errors, relative.
inline QString differenceOfFarValues(kernels::RunConfig config, double tolerance)
{
    const kernels::SyntheticProblem problem = plantedProblem({30, 20, 15}, 2000, 3, 0.1);
    config.precision = kernels::Precision::Fp32;
    fixIterations(config, 4);
    const auto ran = [&](double scale) {
        const kernels::SparseTensor test = inDoubles(problem.test, scale);
        return runOn(config, inDoubles(problem.train, scale), &test);
    };
    const kernels::RunResult plain = ran(1);
    for (const int exponent : {-170, 133}) {
        const kernels::RunResult far = ran(std::ldexp(1.0, exponent));
        for (std::size_t t = 0; t < plain.history.size(); ++t) {
            const auto apart = [&](double there, double here) { return std::abs(std::ldexp(there, -exponent) - here) / here; };
            const double train = apart(far.history[t].trainRmse, plain.history[t].trainRmse);
            const double test = apart(far.history[t].testRmse, plain.history[t].testRmse);
            if (!(train <= tolerance && test <= tolerance))
                return QStringLiteral("2^%1, iteration %2: errors are %3 and %4 apart").arg(exponent).arg(t + 1).arg(train).arg(test);
        }
    }
    return {};
}

} // namespace test
