// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace kernels {

/// For which loops are compiled (cmake/PolyadRegistries.cmake): x86-64 levels, or the one there is elsewhere.
enum class InstructionSet { Generic, V2, V3, V4 };

/// The best this machine has; POLYAD_INSTRUCTION_SET=v2 or v3 in the environment asks for no more than that.
InstructionSet instructionSet();

} // namespace kernels

/// Fills a table of loops with those compiled for the best set: v2::fill(table) and so on, looked up where this stands.
#if defined(__x86_64__)
#define POLYAD_FILL_BEST(table)                                                                                                            \
    (kernels::instructionSet() == kernels::InstructionSet::V4       ? v4::fill(table)                                                      \
         : kernels::instructionSet() == kernels::InstructionSet::V3 ? v3::fill(table)                                                      \
                                                                    : v2::fill(table))
#else
#define POLYAD_FILL_BEST(table) generic::fill(table)
#endif
