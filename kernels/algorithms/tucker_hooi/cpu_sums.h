// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/tucker_hooi/back_end.h"
#include "kernels/base/chunks.h"

#include <algorithm>

namespace kernels::tucker_hooi {

/// Sums over rows, in parts (plan.h: sumParts()) that are added up at last: chunks of rows belong to parts in turn, so that a sum has the
/// same bits for any number of threads and however rows are cut into blocks.
class PartialSums {
public:
    void allocate(std::uint64_t numbers) { m_numbers.resize(numbers); }
    std::uint64_t size() const { return m_numbers.size(); }
    double* data() { return m_numbers.data(); }
    double operator[](std::uint64_t i) const { return m_numbers[i]; }

    void clear(std::uint64_t numbers, RunControl& control)
    {
        forEachChunk(numbers, Count{1} << 16, control,
                     [&](Count, Count begin, Count end) { std::fill(m_numbers.begin() + begin, m_numbers.begin() + end, 0.0); });
    }

    /// Of parts whose lower triangles are there.
    Square symmetric(std::uint64_t side, std::uint64_t stride, std::uint64_t parts, std::uint64_t partRows = 0) const
    {
        const auto n = static_cast<Eigen::Index>(side);
        const std::uint64_t each = (partRows ? partRows : side) * stride;
        Square sum(n, n);
        tbb::parallel_for(Eigen::Index{0}, n, [&](Eigen::Index i) {
            for (Eigen::Index j = 0; j <= i; ++j) {
                double x = 0;
                for (std::uint64_t part = 0; part < parts; ++part)
                    x += m_numbers[part * each + static_cast<std::uint64_t>(i) * stride + static_cast<std::uint64_t>(j)];
                sum(i, j) = sum(j, i) = x;
            }
        });
        return sum;
    }

    /// body(first, count) for stretches of rows, each of which takes so many multiplications: some ten milliseconds of all of them
    /// between two looks at a pause. They end where chunks of `atOnce` do.
    template <class Body>
    static void forEachStretch(std::uint64_t first, std::uint64_t count, std::uint64_t atOnce, std::uint64_t each, const Body& body)
    {
        constexpr std::uint64_t work = std::uint64_t{1} << 30;
        const std::uint64_t rows = std::max<std::uint64_t>(1, work / std::max<std::uint64_t>(each, 1) / atOnce) * atOnce;
        for (std::uint64_t begin = first; begin < first + count;) {
            const std::uint64_t end = std::min(first + count, (begin / rows + 1) * rows);
            body(begin, end - begin);
            begin = end;
        }
    }

    /// body(first, count) for the chunks of these rows that belong to a part.
    template <class Body>
    static void forEachChunkOf(std::uint64_t part, std::uint64_t parts, std::uint64_t first, std::uint64_t count, std::uint64_t atOnce,
                               RunControl& control, const Body& body)
    {
        const std::uint64_t begin = first / atOnce;
        for (std::uint64_t chunk = begin + (part + parts - begin % parts) % parts;
             chunk * atOnce < first + count && !control.stopRequested(); chunk += parts)
            body(chunk * atOnce, std::min(atOnce, first + count - chunk * atOnce));
    }

private:
    Array<double> m_numbers;
};

} // namespace kernels::tucker_hooi
