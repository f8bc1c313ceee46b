// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/pareto_front.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace ui {

std::vector<std::size_t> paretoFront(std::span<const QPointF> points, bool higherIsBetter)
{
    const auto height = [&](std::size_t i) { return higherIsBetter ? -points[i].y() : points[i].y(); };
    std::vector<std::size_t> order(points.size()), front;
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return points[a].x() != points[b].x() ? points[a].x() < points[b].x() : height(a) < height(b);
    });
    for (const std::size_t i : order)
        if (front.empty() || height(i) < height(front.back()))
            front.push_back(i);
    return front;
}

std::vector<std::vector<std::size_t>> paretoFronts(std::span<const QPointF> points, std::span<const int> groups, bool higherIsBetter)
{
    std::map<int, std::vector<std::size_t>> members;
    for (std::size_t i = 0; i < points.size(); ++i)
        members[groups[i]].push_back(i);
    std::vector<std::vector<std::size_t>> fronts;
    for (const auto& [group, places] : members) {
        std::vector<QPointF> own;
        for (const std::size_t i : places)
            own.push_back(points[i]);
        std::vector<std::size_t>& front = fronts.emplace_back(paretoFront(own, higherIsBetter));
        for (std::size_t& i : front)
            i = places[i];
    }
    return fronts;
}

} // namespace ui
