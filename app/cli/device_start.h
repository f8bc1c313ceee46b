// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/run_config.h"
#include "kernels/base/stage_times.h"

#include <thread>

namespace cli {

/// Starts a run's GPUs while its tensor is read. A run on the CPU starts none.
class DeviceStart {
public:
    explicit DeviceStart(const kernels::RunConfig&);
    ~DeviceStart();
    DeviceStart(const DeviceStart&) = delete;
    DeviceStart& operator=(const DeviceStart&) = delete;

    /// Waits for its end.
    const kernels::StageTime& time();

private:
    kernels::StageTime m_time;
    std::thread m_thread;
};

} // namespace cli
