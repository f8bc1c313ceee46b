// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace kernels {

/// For which loops are compiled (cmake/PolyadRegistries.cmake): x86-64 levels, or the one there is elsewhere.
enum class InstructionSet { Generic, V2, V3, V4 };

/// The best this machine has.
InstructionSet instructionSet();

} // namespace kernels
