// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/command.h"
#include "kernels/device/device_list.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cli {

/// The middle of several measurements, with the least and the most.
struct Spread {
    double median = 0, least = 0, most = 0;
};
Spread spreadOf(std::vector<double> values); ///< of at least one

/// "61.2 ms (60.8 ms … 63.0 ms)"
std::string spreadText(const Spread&);

/// Where a bench computes: "auto" is the first GPU that can be used, else the CPU. Throws Error, also for several devices.
kernels::DeviceInfo benchDevice(const std::string& option);
/// The same of benches that also measure several devices which share the work.
std::vector<kernels::DeviceId> benchDevices(const std::string& option);

/// Main memory this process held at most so far.
std::uint64_t peakResidentBytes();

/// Parts of `polyad-cli bench`, a file each.
void addBenchLoad(CLI::App& bench, Action&);
void addBenchFastTucker(CLI::App& bench, Action&);
void addBenchTucker(CLI::App& bench, Action&);
void addBenchCp(CLI::App& bench, Action&);
void addBenchFormats(CLI::App& bench, Action&);
void addBenchMttkrp(CLI::App& bench, Action&);
void addBenchSpttm(CLI::App& bench, Action&);
void addBenchHooi(CLI::App& bench, Action&);
void addBenchNtf(CLI::App& bench, Action&);

} // namespace cli
