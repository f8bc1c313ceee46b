// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#ifdef POLYAD_WITH_CUPTI
#include "kernels/telemetry/cupti.cuh"

#include "kernels/base/error.h"

#include <cstdlib>

#include <dlfcn.h>
#include <fmt/format.h>

namespace kernels::telemetry::cupti {
namespace {

/// By name where the linker looks, then where the toolkit puts it. Major versions from the newest down: the parameter
/// blocks carry their sizes, so an older library understands what it knows.
void* openLibrary()
{
    std::vector<std::string> folders{""};
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
        if (const char* const home = std::getenv(variable); home && *home)
            for (const char* below : {"/lib64/", "/extras/CUPTI/lib64/", "/lib/"})
                folders.push_back(std::string(home) + below);
    for (const char* folder : {"/usr/local/cuda/lib64/", "/usr/local/cuda/extras/CUPTI/lib64/", "/usr/local/cuda/lib/"})
        folders.emplace_back(folder);
    for (const std::string& folder : folders)
        for (const char* name : {"libcupti.so.13", "libcupti.so.12"})
            if (void* const library = dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL))
                return library;
    return nullptr;
}

std::string percentOfPeak(const char* counter) { return std::string(counter) + ".avg.pct_of_peak_sustained_elapsed"; }

} // namespace

Library::Library()
{
    void* const library = openLibrary();
    if (!library)
        refuse("libcupti.so.13 is not installed", "It comes with the CUDA toolkit (cuda-cupti).");
#define POLYAD_LOAD(function)                                                                                                              \
    function = reinterpret_cast<decltype(function)>(dlsym(library, #function));                                                            \
    if (!function)                                                                                                                         \
        refuse("the CUPTI installed is too old: it has no " #function);
    POLYAD_CUPTI_FUNCTIONS(POLYAD_LOAD)
#undef POLYAD_LOAD
}

const Library& Library::instance()
{
    static const Library library; // a failed try is tried again by the next caller
    return library;
}

void Library::check(CUptiResult result, const char* call) const
{
    if (result == CUPTI_SUCCESS)
        return;
    const char* text = nullptr;
    cuptiGetResultString(result, &text);
    switch (result) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
        refuse("the driver gives its counters to administrators only",
               "An administrator can open them to all (module option NVreg_RestrictProfilingToAdminUsers=0).");
    case CUPTI_ERROR_HARDWARE_BUSY:
        refuse("another program is using the counters");
    default:
        refuse(fmt::format("{} failed: {}", call, text ? text : "unknown error"));
    }
}

void Library::refuse(const std::string& reason, const std::string& hint)
{
    throw Error(ErrorKind::Device, Error::Details{reason, "CUPTI PM sampling", {}, {}, hint});
}

namespace {

std::vector<MetricSet> processorSets()
{
    // sm__throughput itself takes 10 to 20 passes. What fits one is named after its group of counters:
    // TriageCompute on GH100 and GB100, TriageSCG on GA10x and AD10x, TriageA on TU10x; GA100 and GB20x have none.
    const std::string dram = percentOfPeak("dram__throughput");
    std::vector<MetricSet> all;
    for (const char* counter : {"TriageCompute.sm__throughput", "TriageSCG.sm__throughput", "SM.TriageA.sm__throughput"}) {
        all.push_back({{percentOfPeak(counter), dram}, "SM throughput"});
        all.push_back({{percentOfPeak(counter)}, "SM throughput"});
    }
    all.push_back({{percentOfPeak("sm__inst_executed_realtime"), dram}, "SM issue rate"});
    all.push_back({{percentOfPeak("sm__inst_executed_realtime")}, "SM issue rate"});
    return all;
}

/// The caches of the multiprocessors, each set alone.
std::vector<MetricSet> cacheSets()
{
    std::vector<MetricSet> all;
    for (const char* counter : {"SM_A.TriageCompute.l1tex__throughput", "TriageCompute.l1tex__throughput", "TriageSCG.l1tex__throughput",
                                "SM.TriageA.l1tex__throughput"})
        all.push_back({{percentOfPeak(counter)}, "L1 throughput"});
    return all;
}

} // namespace

const std::vector<MetricSet>& metricSets(Counters counters)
{
    static const std::vector<MetricSet> processors = processorSets(), caches = cacheSets();
    return counters == Counters::Caches ? caches : processors;
}

Configuration::Configuration(const char* chip, std::vector<std::uint8_t> availability, const MetricSet& set)
    : m_availability(std::move(availability))
    , m_set(set)
{
    for (const std::string& name : m_set.metrics)
        m_names.push_back(name.c_str());
    POLYAD_CUPTI_PARAMS(CUpti_Profiler_Host_Initialize_Params, start);
    start.profilerType = CUPTI_PROFILER_TYPE_PM_SAMPLING;
    start.pChipName = chip;
    start.pCounterAvailabilityImage = m_availability.empty() ? nullptr : m_availability.data();
    m_cupti.check(m_cupti.cuptiProfilerHostInitialize(&start), "cuptiProfilerHostInitialize");
    m_host = start.pHostObject;
    try {
        configure();
    } catch (...) {
        release();
        throw;
    }
}

Configuration::~Configuration() { release(); }

void Configuration::release()
{
    POLYAD_CUPTI_PARAMS(CUpti_Profiler_Host_Deinitialize_Params, end);
    end.pHostObject = m_host;
    (void)m_cupti.cuptiProfilerHostDeinitialize(&end);
}

void Configuration::configure()
{
    POLYAD_CUPTI_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params, add);
    add.pHostObject = m_host;
    add.ppMetricNames = m_names.data();
    add.numMetrics = m_names.size();
    m_cupti.check(m_cupti.cuptiProfilerHostConfigAddMetrics(&add), "cuptiProfilerHostConfigAddMetrics");

    POLYAD_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params, size);
    size.pHostObject = m_host;
    m_cupti.check(m_cupti.cuptiProfilerHostGetConfigImageSize(&size), "cuptiProfilerHostGetConfigImageSize");
    m_image.resize(size.configImageSize);

    POLYAD_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImage_Params, image);
    image.pHostObject = m_host;
    image.pConfigImage = m_image.data();
    image.configImageSize = m_image.size();
    m_cupti.check(m_cupti.cuptiProfilerHostGetConfigImage(&image), "cuptiProfilerHostGetConfigImage");

    POLYAD_CUPTI_PARAMS(CUpti_Profiler_Host_GetNumOfPasses_Params, passes);
    passes.pConfigImage = m_image.data();
    passes.configImageSize = m_image.size();
    m_cupti.check(m_cupti.cuptiProfilerHostGetNumOfPasses(&passes), "cuptiProfilerHostGetNumOfPasses");
    m_passes = passes.numOfPasses;
}

std::vector<double> Configuration::evaluate(const std::vector<std::uint8_t>& counterData, std::size_t sample) const
{
    std::vector<double> values(m_names.size());
    POLYAD_CUPTI_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, evaluation);
    evaluation.pHostObject = m_host;
    evaluation.pCounterDataImage = counterData.data();
    evaluation.counterDataImageSize = counterData.size();
    evaluation.rangeIndex = sample;
    evaluation.ppMetricNames = const_cast<const char**>(m_names.data());
    evaluation.numMetrics = m_names.size();
    evaluation.pMetricValues = values.data();
    m_cupti.check(m_cupti.cuptiProfilerHostEvaluateToGpuValues(&evaluation), "cuptiProfilerHostEvaluateToGpuValues");
    return values;
}

std::unique_ptr<Configuration> onePassConfiguration(const char* chip, const std::vector<std::uint8_t>& availability, Counters counters)
{
    for (const MetricSet& set : metricSets(counters)) {
        try {
            auto configuration = std::make_unique<Configuration>(chip, availability, set);
            if (configuration->passes() == 1)
                return configuration;
        } catch (const Error&) { // this chip does not know the counter: the next set
        }
    }
    Library::refuse(fmt::format("the chip {} has no counters that can be sampled in one pass", chip));
}

} // namespace kernels::telemetry::cupti
#endif
