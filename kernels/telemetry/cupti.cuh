// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/telemetry/telemetry.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_result.h>
#include <cupti_target.h>

/// CUPTI, opened at run time: a GPU may be used without it, and it is not ours to ship.
namespace kernels::telemetry::cupti {

// The functions used, each a member of Library under its own name.
#define POLYAD_CUPTI_FUNCTIONS(use)                                                                                                        \
    use(cuptiGetResultString) use(cuptiProfilerInitialize) use(cuptiProfilerDeviceSupported) use(cuptiDeviceGetChipName)                   \
        use(cuptiProfilerHostInitialize) use(cuptiProfilerHostDeinitialize) use(cuptiProfilerHostConfigAddMetrics)                         \
            use(cuptiProfilerHostGetConfigImageSize) use(cuptiProfilerHostGetConfigImage) use(cuptiProfilerHostGetNumOfPasses)             \
                use(cuptiProfilerHostEvaluateToGpuValues) use(cuptiPmSamplingGetCounterAvailability) use(cuptiPmSamplingEnable)            \
                    use(cuptiPmSamplingDisable) use(cuptiPmSamplingSetConfig) use(cuptiPmSamplingStart) use(cuptiPmSamplingStop)           \
                        use(cuptiPmSamplingDecodeData) use(cuptiPmSamplingGetCounterDataSize) use(cuptiPmSamplingGetCounterDataInfo)       \
                            use(cuptiPmSamplingCounterDataImageInitialize) use(cuptiPmSamplingCounterDataGetSampleInfo)

/// Opened on first use and never closed: CUPTI does not survive being unloaded.
class Library {
public:
    static const Library& instance(); ///< throws Error(Device)

    void check(CUptiResult, const char* call) const;
    [[noreturn]] static void refuse(const std::string& reason, const std::string& hint = {});

#define POLYAD_DECLARE(name) decltype(&::name) name = nullptr;
    POLYAD_CUPTI_FUNCTIONS(POLYAD_DECLARE)
#undef POLYAD_DECLARE

private:
    Library();
};

/// A parameter block with its size filled in: every call of CUPTI takes one.
#define POLYAD_CUPTI_PARAMS(type, name)                                                                                                    \
    type name{};                                                                                                                           \
    name.structSize = type##_STRUCT_SIZE

/// What a metric set measures: names in CUPTI's words. The second, if any, is DRAM throughput.
struct MetricSet {
    std::vector<std::string> metrics;
    std::string quantity; ///< "SM throughput"
};

/// The sets in order of preference; which of them a chip can sample in one pass is asked at run time.
const std::vector<MetricSet>& metricSets(Counters);

/// A host object of CUPTI with one metric set configured: makes the image the counters are set up from, and evaluates theirs.
class Configuration {
public:
    /// Throws Error when the chip does not know a metric.
    Configuration(const char* chip, std::vector<std::uint8_t> availability, const MetricSet&);
    ~Configuration();
    Configuration(const Configuration&) = delete;
    Configuration& operator=(const Configuration&) = delete;

    std::size_t passes() const { return m_passes; }
    const std::vector<std::uint8_t>& image() const { return m_image; }
    const std::vector<const char*>& names() const { return m_names; }
    const MetricSet& set() const { return m_set; }
    std::vector<double> evaluate(const std::vector<std::uint8_t>& counterData, std::size_t sample) const;

private:
    void configure();
    void release();

    const Library& m_cupti = Library::instance();
    const std::vector<std::uint8_t> m_availability; ///< CUPTI does not say whether it copies it
    const MetricSet m_set;
    std::vector<const char*> m_names;
    CUpti_Profiler_Host_Object* m_host = nullptr;
    std::vector<std::uint8_t> m_image;
    std::size_t m_passes = 0;
};

/// The first set of metrics that the chip can sample in one pass. Throws Error where there is none.
std::unique_ptr<Configuration> onePassConfiguration(const char* chip, const std::vector<std::uint8_t>& availability,
                                                    Counters = Counters::Processors);

} // namespace kernels::telemetry::cupti
