// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/step_caution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kernels {
namespace {

constexpr double overshoot = 3; ///< so many times the least training RMSE, or the values' size, is no noise
constexpr unsigned mostStepsBack = 6;

} // namespace

std::string StepCaution::judge(double rmse)
{
    if (m_stepsBack >= mostStepsBack || rmse <= overshoot * m_reference)
        return {};
    ++m_stepsBack;
    m_factor /= 3;
    const std::string what = std::isfinite(rmse) ? fmt::format("The errors grew to {:.4g}", rmse) : "The errors were no longer finite";
    return fmt::format("{}: back to the best factors so far, with steps {:.3g} times as large.", what, m_factor);
}

void StepCaution::remember(double rmse) { m_reference = std::min(m_reference, rmse); }

Matrix StepCaution::save() const
{
    Matrix numbers(1, savedNumbers, true);
    numbers.set(0, 0, m_factor);
    numbers.set(0, 1, m_reference);
    numbers.set(0, 2, m_stepsBack);
    return numbers;
}

void StepCaution::restore(const Matrix& numbers)
{
    m_factor = numbers.at(0, 0);
    m_reference = numbers.at(0, 1);
    m_stepsBack = static_cast<unsigned>(numbers.at(0, 2));
}

} // namespace kernels
