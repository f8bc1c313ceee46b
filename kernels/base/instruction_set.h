// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace kernels {

/// For which loops are compiled (cmake/PolyadRegistries.cmake): x86-64 levels, or the one there is elsewhere.
enum class InstructionSet { Generic, V2, V3, V4 };

/// The best this machine has; POLYAD_INSTRUCTION_SET=v2 or v3 in the environment asks for no more than that.
InstructionSet instructionSet();

} // namespace kernels

/// Declares void fill(Table&) of every set, in namespaces of that where this stands; ends in a semicolon of yours.
/// POLYAD_FILL_BEST fills a table of loops with those compiled for the best set: v2::fill(table) and so on, looked up where it stands.
#if defined(__x86_64__)
#define POLYAD_DECLARE_FILLS(Table)                                                                                                        \
    namespace v2 {                                                                                                                         \
    void fill(Table&);                                                                                                                     \
    }                                                                                                                                      \
    namespace v3 {                                                                                                                         \
    void fill(Table&);                                                                                                                     \
    }                                                                                                                                      \
    namespace v4 {                                                                                                                         \
    void fill(Table&);                                                                                                                     \
    }                                                                                                                                      \
    static_assert(true)
#define POLYAD_FILL_BEST(table)                                                                                                            \
    (kernels::instructionSet() == kernels::InstructionSet::V4       ? v4::fill(table)                                                      \
         : kernels::instructionSet() == kernels::InstructionSet::V3 ? v3::fill(table)                                                      \
                                                                    : v2::fill(table))
#else
#define POLYAD_DECLARE_FILLS(Table)                                                                                                        \
    namespace generic {                                                                                                                    \
    void fill(Table&);                                                                                                                     \
    }                                                                                                                                      \
    static_assert(true)
#define POLYAD_FILL_BEST(table) generic::fill(table)
#endif
