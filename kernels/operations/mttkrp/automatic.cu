// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/mttkrp/automatic.h"

#include "kernels/device/device_stopwatch.cuh"
#include "kernels/operations/mttkrp/mttkrp_cuda.cuh"

namespace kernels::mttkrp::gpu {
namespace {

/// The second time that the products of all modes are computed, of factors that are zero.
template <class T>
double secondsOf(Operation<T>& operation, const std::vector<Index>& dims, unsigned rank, RunControl& control, const cuda::Stream& stream)
{
    const std::size_t stride = deviceStride<T>(rank), numbers = *std::max_element(dims.begin(), dims.end()) * stride;
    cuda::DeviceBuffer<T> rows(numbers), out(numbers);
    CUDA_CHECK(cudaMemsetAsync(rows.data(), 0, rows.bytes(), stream));
    const Factors<T> factors{std::vector<const T*>(dims.size(), rows.data()), stride};
    cuda::DeviceStopwatch stopwatch;
    double seconds = 0;
    for (unsigned round = 0; round < 2; ++round) {
        stopwatch.start(stream);
        for (unsigned mode = 0; mode < dims.size(); ++mode)
            operation.compute(mode, factors, out.data(), control);
        seconds = stopwatch.seconds(stream);
    }
    return seconds;
}

} // namespace

template <class T>
Made<T> makeAutomaticFormat(const Plan& plan, const EntryColumns<T>& entries, const Settings& settings, RunControl& control,
                            const cuda::Stream& stream)
{
    return makeAutomatic<T>(
        plan, [&](const std::string& format) { return makeOnCuda<T>(format, entries, settings, control, stream); },
        [&](Operation<T>& operation) { return secondsOf(operation, entries.dims, settings.rank, control, stream); });
}
template Made<float> makeAutomaticFormat(const Plan&, const EntryColumns<float>&, const Settings&, RunControl&, const cuda::Stream&);
template Made<double> makeAutomaticFormat(const Plan&, const EntryColumns<double>&, const Settings&, RunControl&, const cuda::Stream&);

} // namespace kernels::mttkrp::gpu
