// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu.h"
#include "kernels/base/error.h"
#include "kernels/base/run.h"
#include "kernels/operations/evaluate.h"
#include "kernels/tensor/synthetic.h"

#include <QtTest>

#include <cmath>
#include <dlfcn.h>
#include <optional>

using namespace kernels;

namespace {

constexpr const char* trap = ".version 6.4\n.target sm_70\n.address_size 64\n.visible .entry lose() { trap; }\n";

template <class Function> Function driverCall(const char* name)
{
    static void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
    return driver ? reinterpret_cast<Function>(dlsym(driver, name)) : nullptr;
}

/// Runs a kernel that traps in the context CUDA's run-time library uses on device 0: from then on every call there fails, as
/// after a real fault. False when the driver would not even do that.
bool loseDevice()
{
    using Handle = void*;
    const auto initialise = driverCall<int (*)(unsigned)>("cuInit");
    const auto retain = driverCall<int (*)(Handle*, int)>("cuDevicePrimaryCtxRetain");
    const auto makeCurrent = driverCall<int (*)(Handle)>("cuCtxSetCurrent");
    const auto load = driverCall<int (*)(Handle*, const void*)>("cuModuleLoadData");
    const auto find = driverCall<int (*)(Handle*, Handle, const char*)>("cuModuleGetFunction");
    using Launch = int (*)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void**, void**);
    const auto launch = driverCall<Launch>("cuLaunchKernel");
    const auto synchronize = driverCall<int (*)()>("cuCtxSynchronize");
    if (!initialise || !retain || !makeCurrent || !load || !find || !launch || !synchronize)
        return false;
    Handle context = nullptr, module = nullptr, function = nullptr;
    return initialise(0) == 0 && retain(&context, 0) == 0 && makeCurrent(context) == 0 && load(&module, trap) == 0
        && find(&function, module, "lose") == 0 && launch(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr) == 0
        && synchronize() != 0;
}

struct Loser : RunObserver {
    bool lost = false;
    void iterationDone(const IterationRecord& record) override
    {
        if (record.iteration == 5)
            lost = loseDevice();
    }
};

} // namespace

/// In a program of its own, in this order: no context is made before the first run, and afterwards the device is lost for good.
class CudaDeviceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aListStartsNoDevice()
    {
        POLYAD_NEEDS_GPU();
        const DeviceInfo info = device(DeviceId{DeviceKind::Cuda, 0});
        const std::optional<std::uint64_t> free = freeMemory(info.id);
        QVERIFY(!free || (*free > 0 && *free <= info.memoryTotal)); // nothing where NVML is missing
        const auto state = driverCall<int (*)(int, unsigned*, int*)>("cuDevicePrimaryCtxGetState");
        QVERIFY(state);
        unsigned flags = 0;
        int active = 1;
        QCOMPARE(state(0, &flags, &active), 0);
        QCOMPARE(active, 0);
        QVERIFY(freeMemory(info.id, StartDevice::IfNeeded).value_or(0) > 0);
    }

    void aLostDeviceKeepsTheBestModelAndTheCpuGoesOn()
    {
        POLYAD_NEEDS_GPU();
        SyntheticSpec spec;
        spec.dims = {600, 500, 400};
        spec.entries = 80000;
        spec.testEntries = 8000;
        spec.noise = 0.1;
        const SyntheticProblem problem = generate(spec);
        RunConfig config;
        config.devices = {DeviceId{DeviceKind::Cuda, 0}};
        config.stopping.iterations = 20;
        config.stopping.tolerance = 0;
        Loser loser;
        RunControl control;
        const RunResult result = run(config, problem.train, &problem.test, loser, control);
        QVERIFY(loser.lost);
        QVERIFY(result.reason == StopReason::Failed);
        QCOMPARE(result.history.size(), std::size_t{5});
        QVERIFY2(result.failure.starts_with("GPU 0") && result.failure.find('\n') == std::string::npos, result.failure.c_str());
        QVERIFY2(result.failure.find("after a restart of the program") != std::string::npos, result.failure.c_str());
        QVERIFY(result.bestIteration >= 1);
        const double claimed = result.history[result.bestIteration - 1].testRmse;
        QVERIFY(std::abs(evaluateModel(result.best, problem.test).rmse() - claimed) <= 1e-4 * claimed); // fp32 sums against fp64 ones

        RunObserver observer;
        QVERIFY_EXCEPTION_THROWN(run(config, problem.train, &problem.test, observer, control), Error); // a sentence, no crash
        config.devices = {DeviceId{}};
        QVERIFY(run(config, problem.train, &problem.test, observer, control).reason == StopReason::Iterations);
    }
};

QTEST_GUILESS_MAIN(CudaDeviceTest)
#include "tst_cuda_device.moc"
