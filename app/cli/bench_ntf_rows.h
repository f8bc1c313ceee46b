// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/bench_frame.h"
#include "kernels/base/error.h"
#include "kernels/base/run.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

/// What the measurements of `bench ntf` have in common.
namespace cli {

/// Of one tensor on one device, or on one, one more and so on.
struct NtfSection {
    std::string text; ///< with its head
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    bool stopped = false; ///< by Ctrl-C: rows are missing
};

/// The divergence that is minimised; of an algorithm that stands beside ntf, its id.
std::string methodOf(const kernels::RunConfig&);
bool isNtf(const kernels::RunConfig&);
/// What a row's numbers are of.
nlohmann::ordered_json rowJson(const BenchSubject&, const kernels::RunConfig&);

/// A row of each config; Ctrl-C keeps those there are, and throws Cancelled where there are none.
template <class Measure> auto rowsOf(const std::vector<kernels::RunConfig>& configs, const Measure& measure)
{
    std::vector<decltype(measure(configs.front()))> rows;
    try {
        for (const kernels::RunConfig& config : configs)
            rows.push_back(measure(config));
    } catch (const kernels::Cancelled&) { // what was measured took its time
        if (rows.empty())
            throw;
    }
    return rows;
}
/// "stopped after 2 of 3 models"; empty where none is missing.
std::string stoppedText(std::size_t rows, std::size_t wanted);

/// Tells how far a run is.
class IterationCounter : public kernels::RunObserver {
public:
    explicit IterationCounter(kernels::Progress& progress)
        : m_progress(progress)
    {
    }
    void iterationDone(const kernels::IterationRecord&) override { m_progress.advance(1); }

private:
    kernels::Progress& m_progress;
};

/// Iterations of each config: so many after a warm-up, within so many seconds a row with its preparation (0: as long as it takes).
NtfSection ntfIterations(const BenchSubject&, const app::OpenTensor&, const std::vector<kernels::RunConfig>&, std::uint64_t times,
                         double secondsLimit);

} // namespace cli
