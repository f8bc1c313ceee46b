// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/device/device_list.h"

#include <QTest>

namespace test {

/// Where a GPU is promised (POLYAD_EXPECT_GPU=1) its absence is a failure, not a reason to skip.
inline bool gpuPromised() { return qEnvironmentVariable("POLYAD_EXPECT_GPU") == QLatin1String("1"); }

} // namespace test

/// First line of every test that needs a CUDA device.
#define POLYAD_NEEDS_GPU()                                                                                                                 \
    do {                                                                                                                                   \
        const std::string absence = kernels::cudaAbsenceReason();                                                                          \
        if (!absence.empty() && test::gpuPromised())                                                                                       \
            QFAIL(absence.c_str());                                                                                                        \
        if (!absence.empty())                                                                                                              \
            QSKIP(absence.c_str());                                                                                                        \
    } while (false)
