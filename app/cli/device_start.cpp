// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/device_start.h"

#include "kernels/base/registry.h"
#include "kernels/device/device_list.h"

#include <algorithm>

namespace cli {
namespace {

std::vector<kernels::DeviceId> devicesOf(const kernels::RunConfig& config)
{
    if (!config.devices.empty())
        return config.devices;
    const auto& all = kernels::algorithms();
    const auto info = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.id == config.algorithm; });
    return info == all.end() ? std::vector<kernels::DeviceId>() : std::vector{info->deviceFor(config.variant, config.format, {})};
}

} // namespace

DeviceStart::DeviceStart(const kernels::RunConfig& config)
    : m_time{"starting the device", kernels::StageTime::Clock::now(), 0, true}
    , m_thread([this, config] {
        try {
            for (const kernels::DeviceId& device : devicesOf(config))
                kernels::startDevice(device);
        } catch (const std::exception&) { // settings that do not exist are refused later
        }
        m_time.seconds = std::chrono::duration<double>(kernels::StageTime::Clock::now() - m_time.began).count();
    })
{
}

DeviceStart::~DeviceStart() { (void)time(); }

const kernels::StageTime& DeviceStart::time()
{
    if (m_thread.joinable())
        m_thread.join();
    return m_time;
}

} // namespace cli
