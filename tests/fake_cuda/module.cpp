// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Stands in for the CUDA module (POLYAD_CUDA_MODULE): one device that computes on the CPU and can be lost in the
// middle of a run (POLYAD_FAKE_GPUS: so many), and one that fails when it is asked. Lets machines without a GPU test what a GPU may do.
#include "kernels/algorithms/fasttucker_plus/back_end.h"
#include "kernels/algorithms/ntf/back_end.h"
#include "kernels/base/error.h"
#include "kernels/device/communicator.h"
#include "kernels/telemetry/telemetry.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

#include <unistd.h>

namespace kernels {
namespace {

std::atomic<int> freeMemoryQuestions{0};

using fasttucker_plus::CorePass;
using fasttucker_plus::FactorPass;
using fasttucker_plus::PlusBackEnd;
using fasttucker_plus::Problem;

/// The CPU's back end until POLYAD_FAKE_LOST_AFTER factor passes were made; then every call that would reach the
/// device fails as CUDA's do after a sticky error.
class LosableBackEnd final : public PlusBackEnd {
public:
    explicit LosableBackEnd(std::unique_ptr<BackEnd> cpu)
        : m_cpu(dynamic_cast<PlusBackEnd*>(cpu.release()))
    {
        if (const char* const passes = std::getenv("POLYAD_FAKE_LOST_AFTER"))
            m_passesLeft = std::atoi(passes);
        if (const char* const copies = std::getenv("POLYAD_FAKE_COPIES_REFUSED"))
            m_copiesRefused = std::atoi(copies);
    }

    std::vector<fasttucker_plus::Concurrency> concurrency(const fasttucker_plus::Flight& flight) const override
    {
        return present().concurrency(flight);
    }
    void load(const Problem& problem, RunControl& control) override { present().load(problem, control); }
    void factorPass(const FactorPass& pass, RunControl& control) override
    {
        if (m_passesLeft >= 0 && m_passesLeft-- == 0)
            m_lost = true;
        present().factorPass(pass, control);
    }
    void corePass(const CorePass& pass, RunControl& control) override { present().corePass(pass, control); }
    ErrorSums evaluate(bool testSet, RunControl& control) override { return present().evaluate(testSet, control); }
    void rememberBest() override { present().rememberBest(); }
    Model model(Snapshot snapshot) const override
    {
        if (m_copiesRefused-- > 0)
            throw std::bad_alloc();
        return present().model(snapshot);
    }
    void replaceLatest(const Model& model, RunControl& control) override { present().replaceLatest(model, control); }
    MemoryUse memoryUse() const override { return {m_cpu->memoryUse().hostBytes, 0}; }
    std::string groupedNote() const override { return m_cpu->groupedNote(); }
    void join(fasttucker_plus::Joint joint, RunControl& control) override { present().join(std::move(joint), control); }
    fasttucker_plus::Changes takeChanges(const fasttucker_plus::Join& join) override { return present().takeChanges(join); }
    void change(const fasttucker_plus::Join& join) override { present().change(join); }

private:
    PlusBackEnd& present() const
    {
        if (m_lost)
            throw Error(ErrorKind::Device,
                        {"unspecified launch failure (cudaErrorLaunchFailure)",
                         "GPU 0 (Losable)",
                         {},
                         {},
                         "The device can be used again after a restart of the program; save what is open first."});
        return *m_cpu;
    }

    std::unique_ptr<PlusBackEnd> m_cpu;
    int m_passesLeft = -1; ///< negative: never lost
    mutable int m_copiesRefused = 0; ///< for want of the host's memory
    bool m_lost = false;
};

/// The CPU's back end of ntf, with POLYAD_FAKE_FREE bytes free.
class NarrowBackEnd final : public ntf::NtfBackEnd {
public:
    explicit NarrowBackEnd(std::unique_ptr<BackEnd> cpu)
        : m_cpu(dynamic_cast<NtfBackEnd*>(cpu.release()))
    {
    }
    std::uint64_t freeBytes() const override
    {
        const char* const free = std::getenv("POLYAD_FAKE_FREE");
        return free ? std::strtoull(free, nullptr, 10) : m_cpu->freeBytes();
    }
    void load(const ntf::Problem& problem, RunControl& control) override { m_cpu->load(problem, control); }
    void renewRows(unsigned mode, const ntf::RowStep& step, RunControl& control) override { m_cpu->renewRows(mode, step, control); }
    ntf::RowSums sumRows(unsigned mode, RunControl& control) override { return m_cpu->sumRows(mode, control); }
    void stepRows(unsigned mode, const ntf::RowStep& step, RunControl& control) override { m_cpu->stepRows(mode, step, control); }
    ntf::SumMatrices sums() const override { return m_cpu->sums(); }
    void replaceSums(const ntf::SumMatrices& sums) override { m_cpu->replaceSums(sums); }
    ntf::Judgement evaluate(bool testSet, RunControl& control) override { return m_cpu->evaluate(testSet, control); }
    double squares(unsigned mode, bool weighted, RunControl& control) override { return m_cpu->squares(mode, weighted, control); }
    void rememberBest() override { m_cpu->rememberBest(); }
    Model model(Snapshot snapshot) const override { return m_cpu->model(snapshot); }
    Matrix rows(unsigned mode) const override { return m_cpu->rows(mode); }
    void replaceRows(unsigned mode, const Matrix& rows, RunControl& control) override { m_cpu->replaceRows(mode, rows, control); }
    MemoryUse memoryUse() const override { return m_cpu->memoryUse(); }

private:
    std::unique_ptr<NtfBackEnd> m_cpu;
};

/// A driver that takes its time: until POLYAD_FAKE_LIST_AFTER, a file, is there.
void waitForFile()
{
    const char* const file = std::getenv("POLYAD_FAKE_LIST_AFTER");
    for (int i = 0; file && i < 3000 && access(file, F_OK) != 0; ++i)
        usleep(10'000);
}

std::vector<DeviceInfo> listDevices()
{
    waitForFile();
    DeviceInfo good;
    good.id = {DeviceKind::Cuda, 0};
    good.name = "Losable";
    good.memoryTotal = std::uint64_t{1} << 30;
    good.processors = 4;
    std::vector<DeviceInfo> all{good};
    const char* const count = std::getenv("POLYAD_FAKE_GPUS");
    for (int i = 1; count && i < std::atoi(count); ++i) {
        all.push_back(good);
        all.back().id.index = i;
    }
    DeviceInfo bad;
    bad.id = {DeviceKind::Cuda, static_cast<int>(all.size())};
    bad.problem = "uncorrectable ECC error encountered (cudaErrorECCUncorrectable)";
    all.push_back(bad);
    return all;
}

std::vector<std::unique_ptr<Communicator>> communicatorsOf(const std::vector<int>& devices)
{
    return makeCommunicators(std::vector<DeviceId>(devices.size(), DeviceId{})); // threads, as they are on the CPU
}

/// POLYAD_FAKE_NCCL=missing: as on a machine without the library.
std::string communicationProblemOf()
{
    const char* const nccl = std::getenv("POLYAD_FAKE_NCCL");
    return nccl && std::strcmp(nccl, "missing") == 0 ? "several GPUs need NCCL (libnccl.so.2), which was not found" : "";
}

/// A counter that always says 20 % of the first GPU, 30 % of the second and so on; the third has none.
class StandingCounter final : public telemetry::Source {
public:
    explicit StandingCounter(const DeviceInfo& device)
        : m_percent(20 + 10.0F * static_cast<float>(device.id.index))
    {
        m_info.id = "cupti-pm";
        m_info.title = m_info.metric = m_info.quantity = "a counter";
        m_info.intervalMs = 2;
    }
    const telemetry::SourceInfo& info() const override { return m_info; }
    std::vector<telemetry::Sample> read() override
    {
        telemetry::Sample sample;
        sample.smPercent = m_percent;
        return {sample};
    }

private:
    telemetry::SourceInfo m_info;
    float m_percent;
};

std::unique_ptr<telemetry::Source> counterOf(const DeviceInfo& device, telemetry::Counters)
{
    if (device.id.index == 2)
        throw Error(ErrorKind::Device, "this one has no counters");
    return std::make_unique<StandingCounter>(device);
}

std::uint64_t freeMemoryOf(int)
{
    ++freeMemoryQuestions;
    return std::uint64_t{1} << 29;
}

} // namespace
} // namespace kernels

extern "C" int polyadFreeMemoryQuestions() { return kernels::freeMemoryQuestions; }

/// As module_cuda.cpp does; POLYAD_FAKE_INTERFACE makes this the module of another build.
extern "C" void polyadRegisterCuda(kernels::BackEnds& table, const char* hostInterface)
{
    using namespace kernels;
    const char* const pretended = std::getenv("POLYAD_FAKE_INTERFACE");
    if (std::strcmp(hostInterface, pretended ? pretended : POLYAD_MODULE_INTERFACE) != 0)
        throw Error(ErrorKind::NoDevice, "the CUDA module belongs to another build of Polyad");
    const BackEnds::Factory cpu = *table.find("fasttucker-plus", DeviceKind::Cpu);
    table.cudaDevices = &listDevices;
    table.cudaFreeMemory = &freeMemoryOf;
    table.cudaCommunicators = &communicatorsOf;
    table.cudaCommunicationProblem = &communicationProblemOf;
    table.cuptiPmSource = &counterOf;
    const BackEnds::Factory ntf = *table.find("ntf", DeviceKind::Cpu), cpAls = *table.find("cp-als", DeviceKind::Cpu);
    table.add("ntf", DeviceKind::Cuda, [ntf](Precision precision, const DeviceId&) -> std::unique_ptr<BackEnd> {
        return std::make_unique<NarrowBackEnd>(ntf(precision, DeviceId{}));
    });
    table.add("cp-als", DeviceKind::Cuda, [cpAls](Precision precision, const DeviceId&) { return cpAls(precision, DeviceId{}); });
    table.add("fasttucker-plus", DeviceKind::Cuda, [cpu](Precision precision, const DeviceId&) -> std::unique_ptr<BackEnd> {
        return std::make_unique<LosableBackEnd>(cpu(precision, DeviceId{}));
    });
}
