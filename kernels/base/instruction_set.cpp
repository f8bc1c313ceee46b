// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/instruction_set.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace kernels {
namespace {

#if defined(__x86_64__)
InstructionSet ofThisMachine()
{
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq")
        && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd"))
        return InstructionSet::V4;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
        return InstructionSet::V3;
    return InstructionSet::V2;
}

/// What POLYAD_INSTRUCTION_SET allows, so that the loops of lesser machines can be tried on this one.
InstructionSet allowed()
{
    const char* name = std::getenv("POLYAD_INSTRUCTION_SET");
    const std::string_view most = name ? name : "";
    return most == "v2" ? InstructionSet::V2 : most == "v3" ? InstructionSet::V3 : InstructionSet::V4;
}
#endif

} // namespace

InstructionSet instructionSet()
{
#if defined(__x86_64__)
    static const InstructionSet best = std::min(ofThisMachine(), allowed());
    return best;
#else
    return InstructionSet::Generic;
#endif
}

} // namespace kernels
