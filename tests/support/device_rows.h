// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/error.h"
#include "kernels/base/registry.h"
#include "kernels/base/run.h"
#include "kernels/device/device_list.h"

#include <QMetaType>

#include <algorithm>
#include <string>
#include <vector>

/// The rows every test of an algorithm runs over: what it says it supports, on the devices there are.
/// A machine without a CUDA device tests the CPU alone.
namespace test {

struct DeviceRow {
    std::string algorithm, variant, format;
    kernels::Precision precision = kernels::Precision::Fp32;
    kernels::DeviceId device;

    std::string name() const
    {
        return algorithm + " " + variant + " " + format + " " + std::string(toString(precision)) + " " + toString(device);
    }
    bool doubles() const { return precision == kernels::Precision::Fp64; }

    /// Whether a run may ask for the same bits every time: not where entries are added in no certain order.
    bool promisesBits() const
    {
        kernels::RunConfig asked = config();
        asked.deterministic = true;
        try {
            kernels::resolve(asked, {2, 2});
            return true;
        } catch (const kernels::Error&) {
            return false;
        }
    }

    kernels::RunConfig config() const
    {
        kernels::RunConfig config;
        config.algorithm = algorithm;
        config.variant = variant;
        config.format = format;
        config.precision = precision;
        config.devices = {device};
        return config;
    }
};

inline std::vector<DeviceRow> deviceRows()
{
    std::vector<DeviceRow> rows;
    for (const auto& device : kernels::devices())
        for (const auto& info : kernels::algorithms())
            for (const auto& variant : info.variants)
                for (const auto& format : info.formats)
                    for (const auto precision : kernels::allPrecisions())
                        if (device.problem.empty() && info.supports({variant.id, format, precision, device.id}))
                            rows.push_back({info.id, variant.id, format, precision, device.id});
    return rows;
}

/// Ranks as near to those asked for as a model may have them: no more than a mode has rows where that matters, and a dense core of
/// moderate size.
inline std::vector<unsigned> possibleRanks(const DeviceRow& row, const std::vector<kernels::Index>& dims, std::vector<unsigned> ranks)
{
    constexpr double largestCore = 1 << 14;
    const kernels::AlgorithmInfo& info = kernels::algorithm(row.algorithm);
    for (std::size_t n = 0; n < ranks.size() && info.ranksWithinModes; ++n)
        ranks[n] = std::min(ranks[n], static_cast<unsigned>(dims[n]));
    const auto core = [&] {
        double cells = 1;
        for (const unsigned rank : ranks)
            cells *= rank;
        return cells;
    };
    while (info.model == kernels::ModelKind::Tucker && core() > largestCore)
        *std::max_element(ranks.begin(), ranks.end()) /= 2;
    return ranks;
}

} // namespace test

Q_DECLARE_METATYPE(test::DeviceRow)
