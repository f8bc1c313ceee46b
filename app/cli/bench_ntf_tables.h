// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/types.h"

#include <string>
#include <vector>

namespace cli {

/// What `bench ntf` tells of its tensors.
enum class NtfMeasurement {
    Iterations, ///< their times
    Course, ///< errors of runs, iteration by iteration
    Online ///< updates beside runs
};

/// Where a table is measured unless somebody says.
enum class NtfDevices {
    Cpu,
    First, ///< the first GPU, else the CPU
    CpuAndFirst, ///< each alone
    EveryGpu ///< one, one more, and so on; without any the CPU
};

/// Tensors of a table where none is given: real data does not come with this program.
enum class NtfTensors {
    Ratings, ///< in the shapes of MovieLens, in three modes and in four, and of Netflix
    Netflix,
    Drawn ///< counts and intensities
};

/// A table or figure of the paper on GSSNTF: lists for the options that are not given; empty: the option's own default.
struct NtfTable {
    const char *id, *number, *compares; ///< number: the paper's, "fig10"
    NtfMeasurement measurement;
    const char *divergences, *ranks, *beside, *weights; ///< of the options of these names
    NtfDevices devices;
    NtfTensors tensors;
};

/// By its id or the paper's number. Throws Error(BadArgument) with the known ones, and the nearest.
const NtfTable& ntfTable(const std::string& name);
/// Groups, each measured apart: on its first device, then on one more.
std::vector<std::vector<kernels::DeviceId>> devicesOf(const NtfTable&);
/// onGpu: whole; else a part of each that a CPU can bear.
std::vector<std::string> tensorsOf(const NtfTable&, bool onGpu);
/// What stands above a table: what it shows, and what its own tensors are.
std::string headOf(const NtfTable&, bool ownTensors);

/// Lines of the help: a table's names and what it compares.
std::string ntfTablesHelp();

} // namespace cli
