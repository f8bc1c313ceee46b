// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernels {

using Index = std::uint32_t; ///< position inside one mode, counted from 0
using Count = std::uint64_t; ///< numbers of entries and offsets

constexpr unsigned minOrder = 2;
constexpr unsigned maxOrder = 16;
constexpr unsigned maxRank = 1024;
constexpr Count maxEntries = Count{1} << 40;

/// The precision products are computed in. Masters are fp32, or fp64 for Fp64.
enum class Precision { Fp64, Fp32, Tf32, Fp16, Bf16 };
enum class Objective { Observed, All }; ///< all: missing entries are zeros
/// What a cell without an entry says: nothing happened there, or nobody knows.
enum class EmptyCells { Unsaid, Zero, Unknown };
enum class ModelKind { Cp, Tucker, FastTucker };
enum class DeviceKind { Cpu, Cuda };

/// "cpu", or "cuda:0".
struct DeviceId {
    DeviceKind kind = DeviceKind::Cpu;
    int index = 0;
    friend bool operator==(const DeviceId&, const DeviceId&) = default;
};

std::string_view toString(Precision);
std::string_view toString(Objective); ///< "observed" | "all"
std::string_view toString(EmptyCells); ///< "unsaid" | "zero" | "unknown"
std::string_view toString(ModelKind); ///< "cp" | "tucker" | "fasttucker"
std::string toString(const DeviceId&);

std::optional<Precision> precisionFromString(std::string_view);
std::optional<Objective> objectiveFromString(std::string_view);
std::optional<EmptyCells> emptyCellsFromString(std::string_view); ///< "zero" | "unknown"
std::optional<ModelKind> modelKindFromString(std::string_view);
/// "auto" → {}; "cpu" → {cpu}; "cuda:0,1" → {cuda:0, cuda:1}. Throws Error(BadArgument) for anything else.
std::vector<DeviceId> devicesFromString(std::string_view);

/// All of them, in the order a person expects to see them.
const std::vector<Precision>& allPrecisions();

} // namespace kernels
