// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/bench.h"
#include "app/cli/bench_counters.h"
#include "app/open_tensor.h"
#include "kernels/base/types.h"
#include "kernels/operations/mttkrp/mttkrp.h"

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cli {

/// What the products of all modes took in one format, or why they were not measured.
struct MttkrpRow {
    std::string tensor; ///< how the command names it
    std::vector<kernels::Index> dims;
    kernels::Count entries = 0;
    std::string format, precision;
    unsigned rank = 0, partitions = 0, threads = 0; ///< the last two as they were asked for
    std::string reason, chosen;
    double buildSeconds = 0;
    std::uint64_t bytes = 0, streamedBytes = 0; ///< of the format; those that came to the device for each mode
    std::vector<Spread> modes;
    std::vector<double> still; ///< of formats that remap: medians without the remap
    std::vector<kernels::mttkrp::Detail> details;
    std::vector<CounterReading> counters;
    std::optional<double> gatherSeconds; ///< of gathers of as many rows that do nothing else

    bool measured() const { return reason.empty(); }
    double sum() const;
    double remapShare() const;
    double streamedPerSecond() const;
    /// Rows gathered for all modes, and with them the bytes: an entry and mode has N − 1 rows, its other indices and a value.
    double gatheredRows() const;
    double logicalBytes() const;
    std::optional<double> counter(std::string_view quantity) const; ///< per cent
};

/// How long bare gathers of all rows take that the products of all modes gather: of each factor, random ones.
class GatherCeiling {
public:
    explicit GatherCeiling(const kernels::DeviceId& device)
        : m_device(device)
    {
    }
    std::optional<double> seconds(const std::vector<kernels::Index>& dims, kernels::Count entries, unsigned rank, kernels::Precision,
                                  kernels::RunControl&);
    /// Of one matrix.
    std::optional<double> rowsPerSecond(kernels::Count rows, unsigned rank, kernels::Precision, kernels::RunControl&);

private:
    kernels::DeviceId m_device;
    std::map<std::pair<kernels::Count, std::uint64_t>, std::optional<double>> m_rowsPerSecond; ///< [rows, bytes of one]
};

struct MttkrpEffort {
    std::uint64_t times = 5;
    bool counters = false;
};

/// A row for each format, in turn. Throws Cancelled, Error(Device).
std::vector<MttkrpRow> measureMttkrp(const app::OpenTensor&, const std::string& tensor, const std::vector<std::string>& formats,
                                     kernels::Precision, const kernels::mttkrp::Settings&, const kernels::DeviceInfo&, const MttkrpEffort&,
                                     GatherCeiling&);

/// Rows of one tensor.
std::string mttkrpTable(const std::vector<MttkrpRow>&);
nlohmann::ordered_json mttkrpJson(const MttkrpRow&);

} // namespace cli
