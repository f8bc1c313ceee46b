// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/device/back_ends.h"
#include "kernels/models/model.h"
#include "kernels/operations/mttkrp/mttkrp.h"

namespace kernels::mttkrp {

/// MTTKRP by itself on a device, for benchmarks and tests; algorithms use the operations where their factors lie.
class MttkrpBackEnd : public BackEnd {
public:
    /// Formats there are on the device, the first the one to take where nothing else speaks.
    virtual const std::vector<std::string>& formats() const = 0;
    /// Brings factors (rows × settings.rank) to the device, and entries where they fit; the tensor outlives what is built of it.
    virtual void load(const SparseTensor&, const std::vector<Matrix>& factors, const Settings&, RunControl&) = 0;
    /// Builds a format of all modes, in place of the one before; returns when it stands. Throws as mttkrp::makeOnCpu does.
    virtual void build(std::string_view format, RunControl&) = 0;
    /// Returns seconds on the device.
    virtual double compute(unsigned mode, RunControl&) = 0;
    /// Of the last compute.
    virtual Matrix result() const = 0;
    virtual std::uint64_t formatBytes() const = 0;
    /// Of the format that stands (Operation).
    virtual std::string chosen() const = 0;
    virtual std::vector<Detail> details() const = 0;
    virtual bool remaps() const = 0;
    virtual std::uint64_t streamedBytes() const { return 0; } ///< that come to the device for every product
};

/// What the back end is called in the table.
inline constexpr const char* backEndId = "mttkrp";

/// Throws Error(NoDevice).
std::unique_ptr<MttkrpBackEnd> makeMttkrp(Precision, const DeviceId&);

} // namespace kernels::mttkrp
