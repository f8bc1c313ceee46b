// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/registry.h"
#include "kernels/device/device_list.h"

#include <optional>
#include <string>
#include <vector>

namespace kernels {

/// As devicesFromString() reads it: "cpu", "cuda:0,1"; none: "auto".
std::string toString(const std::vector<DeviceId>&);

/// A GPU that is there more than once; the CPU may be, as ranks of one process.
std::optional<DeviceId> namedTwice(const std::vector<DeviceId>&);

/// Whether a run of the algorithm can be shared by them; yes for a single one. Asks for the library that GPUs need for it.
Support supportsSeveral(const AlgorithmInfo&, const std::vector<DeviceId>&);

/// What can be offered of so many: every device alone, then GPUs without a problem in blocks of two, four and so on, in the end all of
/// them.
std::vector<std::vector<DeviceId>> deviceChoices(const std::vector<DeviceInfo>&);

} // namespace kernels
