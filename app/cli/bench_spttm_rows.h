// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/bench.h"
#include "app/cli/bench_mttkrp_rows.h"
#include "app/open_tensor.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace cli {

/// What a product of a tensor with a matrix took in one variant, or why it was not measured.
struct SpttmRow {
    unsigned mode = 0; ///< from 0
    unsigned step = 0; ///< of a chain, from 1; 0: the tensor itself is multiplied
    std::string variant, precision, reason;
    unsigned rank = 0;
    kernels::Count rows = 0, entries = 0, blockSize = 1; ///< of the matrix; of what is multiplied, a block for each entry
    kernels::Count fibres = 0, longest = 0;
    std::uint64_t plannedMost = 0, plannedLeast = 0, fibreBytes = 0, resultBytes = 0;
    double prepareSeconds = 0;
    Spread seconds;
    std::optional<double> bytesPerSecond, rowsPerSecond; ///< the device's: of a copy, of gathers of such rows

    bool measured() const { return reason.empty(); }
    double valueBytes() const { return precision == "fp64" ? 8 : 4; }
    double streamedBytes() const; ///< entries read and rows written, once
    double gatheredBytes() const; ///< a row of the matrix for every entry
    /// Of the device for these bytes: the stream at the speed of a copy, then the gathers at theirs.
    std::optional<double> ceilingSeconds() const;
    std::optional<double> ceilingShare() const;
};

struct SpttmPlan {
    std::vector<unsigned> modes; ///< from 0
    std::vector<std::string> variants;
    kernels::Precision precision = kernels::Precision::Fp32;
    unsigned rank = 0;
    bool chain = false; ///< each product is of what came of the one before, computed in the first variant
    std::uint64_t times = 5;
};

/// What a device's memory can do, asked once for each kind of row.
class SpttmCeiling {
public:
    explicit SpttmCeiling(const kernels::DeviceId& device)
        : m_device(device)
        , m_gathers(device)
    {
    }
    void tell(SpttmRow&, kernels::Precision, kernels::RunControl&);

private:
    kernels::DeviceId m_device;
    GatherCeiling m_gathers;
    bool m_asked = false;
    std::optional<double> m_bytesPerSecond;
};

/// Rows mode by mode, the variants of one mode together. Throws Cancelled, Error(Device).
std::vector<SpttmRow> measureSpttm(const app::OpenTensor&, const SpttmPlan&, const kernels::DeviceInfo&, SpttmCeiling&);

std::string spttmTable(const std::vector<SpttmRow>&);
nlohmann::ordered_json spttmJson(const SpttmRow&);

} // namespace cli
