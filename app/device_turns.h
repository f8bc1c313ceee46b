// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/types.h"

#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace app {

/// Who computes where: a device works on one run at a time, also on one that it shares with others. Whoever asked first for a device comes
/// first, so that a run on several is not passed by for ever by runs on single ones. Thread-safe.
class DeviceTurns {
public:
    /// Whether its devices are taken now; else it has a claim on them until it takes them or withdraws.
    bool take(const void* who, const std::vector<kernels::DeviceId>&);
    void withdraw(const void* who); ///< it does not wait any more
    void give(const std::vector<kernels::DeviceId>&); ///< what was taken

private:
    using Names = std::set<std::string>;
    static Names namesOf(const std::vector<kernels::DeviceId>&);

    std::mutex m_mutex;
    Names m_taken;
    std::vector<std::pair<const void*, Names>> m_claims; ///< in the order they were made
};

} // namespace app
