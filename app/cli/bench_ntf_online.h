// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/bench_frame.h"
#include "app/cli/ntf_online_measure.h"

#include <optional>
#include <string>
#include <vector>

namespace cli {

/// `bench ntf --online`: entries come in batches, in the order of the last mode, and models learn them beside retraining.
struct NtfOnlineOptions {
    bool wanted = false;
    std::optional<std::string> batches, batchPercent, rules, weights, steps, passes, passEvery, retrainEvery, iterations;

    void addTo(CLI::App&);
    void requireEffective() const; ///< throws for an option that does nothing without --online
    /// Throws Error(BadArgument) for what cannot be done, or has no effect, on these devices.
    NtfOnlinePlan plan(const std::vector<kernels::DeviceId>&) const;
};

/// The whole output. Of each config: a run on what came first, then every rule's updates with every weight, and runs on all that came so
/// far.
std::string ntfOnlineText(const BenchSubject&, const app::OpenTensor&, const std::vector<kernels::RunConfig>&, const NtfOnlinePlan&,
                          bool json);

} // namespace cli
