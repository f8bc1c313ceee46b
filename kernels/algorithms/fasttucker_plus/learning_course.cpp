// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/learning_course.h"

#include <algorithm>
#include <cmath>

namespace kernels::fasttucker_plus {

LearningCourse::LearningCourse(const ValueScale& values, double numbersPerEntry)
    : m_variance(std::max(values.rootMeanSquare * values.rootMeanSquare - values.mean * values.mean, 0.0))
    , m_numbersPerEntry(numbersPerEntry)
{
}

void LearningCourse::remember(double rmse)
{
    constexpr double fast = 0.05; // an iteration; the first one says nothing
    const bool tells = std::isfinite(m_least) && rmse < m_least && !learnsByHeart();
    const double gain = tells ? 1 - rmse / m_least : 0;
    m_time += 1 - std::min(gain / fast, 1.0);
    const bool was = onPlateau();
    m_least = std::fmin(m_least, rmse);
    if (onPlateau())
        ++m_onPlateau;
    else if (!was && m_onPlateau > 0)
        --m_onPlateau;
}

double LearningCourse::penaltyShare() const
{
    const double noise = 2 * m_least * m_least;
    return noise < m_variance && !learnsByHeart() ? noise / m_variance : 1;
}

bool LearningCourse::onPlateau() const
{
    constexpr double nothing = 0.98;
    return m_variance > 0 && m_least > nothing * std::sqrt(m_variance);
}

Matrix LearningCourse::save() const
{
    Matrix numbers(1, savedNumbers, true);
    numbers.set(0, 0, m_time);
    numbers.set(0, 1, m_least);
    numbers.set(0, 2, m_onPlateau);
    return numbers;
}

void LearningCourse::restore(const Matrix& numbers)
{
    m_time = numbers.at(0, 0);
    m_least = numbers.at(0, 1);
    m_onPlateau = static_cast<unsigned>(numbers.at(0, 2));
}

} // namespace kernels::fasttucker_plus
