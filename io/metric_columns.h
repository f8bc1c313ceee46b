// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run.h"

#include <array>
#include <cstdint>

namespace io {

/// One column of the history, as the model file's /metrics and metrics.csv name it: a count or a measurement.
struct MetricColumn {
    const char* name;
    std::uint64_t kernels::IterationRecord::*count = nullptr;
    double kernels::IterationRecord::*number = nullptr;
};

inline constexpr std::array metricColumns{
    MetricColumn{"iteration", &kernels::IterationRecord::iteration, nullptr},
    MetricColumn{"elapsed_s", nullptr, &kernels::IterationRecord::elapsed},
    MetricColumn{"seconds_factor", nullptr, &kernels::IterationRecord::secondsFactor},
    MetricColumn{"seconds_core", nullptr, &kernels::IterationRecord::secondsCore},
    MetricColumn{"seconds_evaluate", nullptr, &kernels::IterationRecord::secondsEvaluate},
    MetricColumn{"seconds_convert", nullptr, &kernels::IterationRecord::secondsConvert},
    MetricColumn{"nonzeros", &kernels::IterationRecord::nonzeros, nullptr},
    MetricColumn{"train_rmse", nullptr, &kernels::IterationRecord::trainRmse},
    MetricColumn{"test_rmse", nullptr, &kernels::IterationRecord::testRmse},
    MetricColumn{"train_mae", nullptr, &kernels::IterationRecord::trainMae},
    MetricColumn{"test_mae", nullptr, &kernels::IterationRecord::testMae},
    MetricColumn{"fit", nullptr, &kernels::IterationRecord::fit},
    MetricColumn{"objective_value", nullptr, &kernels::IterationRecord::objective},
    MetricColumn{"divergence_value", nullptr, &kernels::IterationRecord::divergence},
    MetricColumn{"test_divergence_value", nullptr, &kernels::IterationRecord::testDivergence},
    MetricColumn{"learning_rate_a", nullptr, &kernels::IterationRecord::learningRateA},
    MetricColumn{"learning_rate_b", nullptr, &kernels::IterationRecord::learningRateB},
};

} // namespace io
