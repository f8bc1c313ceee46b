// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/rate_tries.h"

#include <cmath>

namespace kernels::fasttucker_plus {

namespace {

constexpr double little = 1.0 / 8; ///< of whole rates

} // namespace

bool RateTries::isTime(double fading, double gain) const
{
    constexpr double loss = 0.0002; // less may be an accident among small gains, but not twice in a row
    constexpr double less = 1.0 / 32, nearlyNothing = 1.0 / 64;
    constexpr double much = 0.001; // for rates of a thirtieth: what noise costs is averaged out by then
    return (fading < little && (gain < -loss || m_lost > 1)) || (fading < less && gain > much) || fading < nearlyNothing;
}

RateTries::Turn RateTries::remember(double testRmse, double fading)
{
    constexpr unsigned patience = 5, mostLost = 15; // iterations: whole rates first cost what faded ones had averaged out
    constexpr double worth = 0.002;
    const bool gains = testRmse < m_least;
    const double gain = std::isfinite(m_least) ? 1 - testRmse / m_least : 0;
    m_least = std::fmin(m_least, testRmse);
    m_lost = gains || (!trying() && (m_anew || fading >= little)) ? 0 : m_lost + 1;
    m_anew = m_anew && fading > little;
    m_aside = !gains && (trying() || m_anew);
    if (!trying()) {
        if (m_over || m_anew || !isTime(fading, gain))
            return Turn::None;
        m_aside = !gains;
        m_from = m_least;
        m_ofTry = std::numeric_limits<double>::infinity();
        m_left = patience;
        m_lost = 0;
        return Turn::Begins;
    }
    if (testRmse < m_ofTry * (1 - worth)) {
        m_ofTry = testRmse;
        m_left = patience;
    } else
        --m_left;
    if (m_lost >= mostLost)
        m_left = 0;
    if (trying())
        return Turn::None;
    m_over = !(m_least < m_from * (1 - worth));
    m_anew = !m_over;
    return m_over ? Turn::Back : Turn::Anew;
}

void RateTries::giveUp()
{
    m_left = 0;
    m_over = true;
}

Matrix RateTries::save() const
{
    const double all[savedNumbers] = {
        m_least, m_from, m_ofTry, static_cast<double>(m_left), static_cast<double>(m_lost), m_over ? 2.0 : m_anew ? 1.0 : 0.0};
    Matrix numbers(1, savedNumbers, true);
    for (std::size_t i = 0; i < savedNumbers; ++i)
        numbers.set(0, i, all[i]);
    return numbers;
}

void RateTries::restore(const Matrix& numbers)
{
    m_least = numbers.at(0, 0);
    m_from = numbers.at(0, 1);
    m_ofTry = numbers.at(0, 2);
    m_left = static_cast<unsigned>(numbers.at(0, 3));
    m_lost = static_cast<unsigned>(numbers.at(0, 4));
    m_over = numbers.at(0, 5) == 2;
    m_anew = numbers.at(0, 5) == 1;
}

} // namespace kernels::fasttucker_plus
