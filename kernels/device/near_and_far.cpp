// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/device/near_and_far.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kernels {
namespace {

constexpr double leastAgreement = 0.5; ///< correlation of an observer's times with its side's; 0.97 and more were seen
constexpr int rounds = 5; ///< the first guess, one observer's times, has settled after two

double product(const std::vector<double>& a, const std::vector<double>& b)
{
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

} // namespace

NearAndFar nearAndFar(const std::vector<unsigned>& times, std::size_t places)
{
    NearAndFar result;
    const std::size_t observers = places > 0 ? times.size() / places : 0;
    if (observers < 2)
        return result;
    std::vector<std::vector<double>> centred(observers, std::vector<double>(places));
    for (std::size_t o = 0; o < observers; ++o) {
        const auto first = times.begin() + static_cast<std::ptrdiff_t>(o * places);
        result.mean.push_back(std::accumulate(first, first + static_cast<std::ptrdiff_t>(places), 0.0) / static_cast<double>(places));
        std::transform(first, first + static_cast<std::ptrdiff_t>(places), centred[o].begin(),
                       [mean = result.mean.back()](unsigned time) { return time - mean; });
    }
    result.side.resize(observers);
    std::vector<double> profile = centred[0];
    for (int round = 0; round < rounds; ++round) {
        for (std::size_t o = 0; o < observers; ++o)
            result.side[o] = product(profile, centred[o]) > 0 ? 1 : -1;
        std::fill(profile.begin(), profile.end(), 0.0);
        for (std::size_t o = 0; o < observers; ++o)
            for (std::size_t p = 0; p < places; ++p)
                profile[p] += result.side[o] * centred[o][p];
    }
    const auto agrees = [&](const std::vector<double>& own) {
        return std::abs(product(profile, own)) >= leastAgreement * std::sqrt(product(profile, profile) * product(own, own));
    };
    const auto [least, most] = std::minmax_element(result.side.begin(), result.side.end());
    result.found = *least < *most && product(profile, profile) > 0 && std::all_of(centred.begin(), centred.end(), agrees);
    return result;
}

} // namespace kernels
