// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/device_turns.h"

#include <algorithm>

namespace app {

DeviceTurns::Names DeviceTurns::namesOf(const std::vector<kernels::DeviceId>& devices)
{
    Names names;
    for (const kernels::DeviceId& device : devices)
        names.insert(kernels::toString(device));
    return names;
}

bool DeviceTurns::take(const void* who, const std::vector<kernels::DeviceId>& devices)
{
    const Names names = namesOf(devices);
    const auto meets = [&](const Names& others) {
        return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return others.contains(name); });
    };
    const std::lock_guard lock(m_mutex);
    const auto own = std::find_if(m_claims.begin(), m_claims.end(), [who](const auto& claim) { return claim.first == who; });
    const bool isFree = !meets(m_taken) && std::none_of(m_claims.begin(), own, [&](const auto& claim) { return meets(claim.second); });
    if (isFree) {
        m_taken.insert(names.begin(), names.end());
        if (own != m_claims.end())
            m_claims.erase(own);
    } else if (own == m_claims.end()) {
        m_claims.emplace_back(who, names);
    }
    return isFree;
}

void DeviceTurns::withdraw(const void* who)
{
    const std::lock_guard lock(m_mutex);
    std::erase_if(m_claims, [who](const auto& claim) { return claim.first == who; });
}

void DeviceTurns::give(const std::vector<kernels::DeviceId>& devices)
{
    const std::lock_guard lock(m_mutex);
    for (const std::string& name : namesOf(devices))
        m_taken.erase(name);
}

} // namespace app
