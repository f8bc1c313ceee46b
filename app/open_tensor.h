// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/file_format.h"
#include "kernels/base/run_config.h"
#include "kernels/tensor/sparse_tensor.h"
#include "kernels/tensor/statistics.h"

#include <QString>

#include <memory>
#include <optional>

namespace app {

/// A tensor the person works with: immutable once opened, shared by runs and pages.
struct OpenTensor {
    int id = 0;                       ///< running number within the session
    QString name;                     ///< "flights.tns"
    QString path;                     ///< empty for generated tensors
    QString origin;                   ///< "generated: netflix-like, scale 0.1", or the path
    kernels::SparseTensor tensor;
    kernels::SparseTensor test;       ///< presets bring a test part; else empty
    kernels::TensorStatistics statistics;
    io::LoadReport report;
    std::optional<kernels::RunConfig> suggested; ///< samples come with a run worth watching

    bool hasTestPart() const { return test.entries() > 0; }
};
using OpenTensorPtr = std::shared_ptr<const OpenTensor>;

} // namespace app
