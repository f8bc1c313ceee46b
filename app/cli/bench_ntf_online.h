// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/bench_ntf_rows.h"
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
    /// Throws for an option that does nothing here. online: updates are measured; runs: runs are.
    void requireEffective(bool online, bool runs) const;
    std::uint64_t iterationsOfRuns() const;
    /// Throws Error(BadArgument) for what cannot be done, or has no effect, on these devices.
    NtfOnlinePlan plan(const std::vector<kernels::DeviceId>&) const;
};

/// Of each config: a run on what came first, then every rule's updates with every weight, and runs on all that came so far; of what stands
/// beside ntf the runs alone. summary: batches in one line.
NtfSection ntfOnline(const BenchSubject&, const app::OpenTensor&, const std::vector<kernels::RunConfig>&, const NtfOnlinePlan&,
                     bool summary);
nlohmann::ordered_json jsonOf(const NtfOnlinePlan&);

} // namespace cli
