// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/bench_mttkrp_rows.h"

#include "app/cli/interrupt.h"
#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"
#include "kernels/base/random.h"
#include "kernels/device/row_gather.h"
#include "kernels/operations/mttkrp/back_end.h"

#include <chrono>

namespace cli {
namespace {

std::vector<kernels::Matrix> drawnFactors(const kernels::SparseTensor& tensor, unsigned rank, bool doubles)
{
    std::vector<kernels::Matrix> factors;
    for (unsigned n = 0; n < tensor.order(); ++n) {
        factors.push_back(kernels::Matrix::unfilled(tensor.modes[n].size, rank, doubles));
        std::visit(
            [&](auto& numbers) {
                for (std::size_t i = 0; i < numbers.size(); ++i)
                    numbers[i] = static_cast<std::decay_t<decltype(numbers[0])>>(kernels::random::uniform(1, n, i));
            },
            factors.back().data);
    }
    return factors;
}

/// The factors as they are drawn and as they are laid out, and the products of the longest mode.
void requireHostFits(const kernels::SparseTensor& tensor, unsigned rank, kernels::Precision precision)
{
    std::uint64_t rows = 0;
    for (const kernels::Index size : tensor.dims())
        rows += size;
    constexpr std::uint64_t line = 64;
    const std::uint64_t row = (std::uint64_t{rank} * (precision == kernels::Precision::Fp64 ? 8 : 4) + line - 1) / line * line;
    kernels::requireHostMemory(3 * rows * row, "Choose a smaller rank.");
}

class Measuring {
public:
    Measuring(const kernels::SparseTensor& tensor, kernels::Precision precision, const kernels::DeviceId& device,
              const kernels::mttkrp::Settings& settings)
        : m_tensor(tensor)
        , m_precision(precision)
        , m_rank(settings.rank)
        , m_mttkrp(kernels::mttkrp::makeMttkrp(precision, device))
    {
        const Interrupt::Watch watch(m_control);
        m_mttkrp->load(tensor, drawnFactors(tensor, m_rank, precision == kernels::Precision::Fp64), settings, m_control);
    }

    /// Of the format that was measured last.
    std::vector<CounterReading> counters(const kernels::DeviceInfo& device)
    {
        const Interrupt::Watch watch(m_control);
        return readCounters(device, [&] {
            for (unsigned mode = 0; mode < m_tensor.order(); ++mode)
                m_mttkrp->compute(mode, m_control);
        });
    }

    MttkrpRow measure(const std::string& format, std::uint64_t times)
    {
        const Interrupt::Watch watch(m_control);
        MttkrpRow result;
        result.dims = m_tensor.dims();
        result.entries = m_tensor.entries();
        result.format = format;
        result.precision = toString(m_precision);
        result.rank = m_rank;
        try {
            const auto begin = std::chrono::steady_clock::now();
            m_mttkrp->build(format, m_control);
            result.buildSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
            result.bytes = m_mttkrp->formatBytes();
            result.chosen = m_mttkrp->chosen();
            result.streamedBytes = m_mttkrp->streamedBytes();
            result.details = m_mttkrp->details();
            measureModes(times, result);
        } catch (const kernels::Error& error) {
            if (error.kind() == kernels::ErrorKind::Device)
                throw;
            result.reason = error.what();
            result.modes.clear();
        }
        return result;
    }

private:
    /// Mode after mode, as algorithms ask for them. A format that remaps is asked twice: the second time it does not.
    void measureModes(std::uint64_t times, MttkrpRow& to)
    {
        const unsigned order = m_tensor.order();
        const bool remaps = m_mttkrp->remaps();
        std::vector<std::vector<double>> seconds(order), still(order);
        for (std::uint64_t round = 0; round <= times; ++round) // the first is the warm-up
            for (unsigned mode = 0; mode < order; ++mode) {
                const double taken = m_mttkrp->compute(mode, m_control);
                const double again = remaps ? m_mttkrp->compute(mode, m_control) : 0;
                if (round > 0) {
                    seconds[mode].push_back(taken);
                    still[mode].push_back(again);
                }
            }
        for (unsigned mode = 0; mode < order; ++mode) {
            to.modes.push_back(spreadOf(seconds[mode]));
            if (remaps)
                to.still.push_back(spreadOf(still[mode]).median);
        }
    }

    const kernels::SparseTensor& m_tensor;
    kernels::Precision m_precision;
    unsigned m_rank;
    std::unique_ptr<kernels::mttkrp::MttkrpBackEnd> m_mttkrp;
    kernels::RunControl m_control;
};

} // namespace

std::optional<double> GatherCeiling::rowsPerSecond(kernels::Count rows, unsigned rank, kernels::Precision precision,
                                                   kernels::RunControl& control)
{
    const std::uint64_t align = m_device.kind == kernels::DeviceKind::Cpu ? 64 : 16; // as rows of factors lie there
    const std::uint64_t rowBytes = (std::uint64_t{rank} * (precision == kernels::Precision::Fp64 ? 8 : 4) + align - 1) / align * align;
    const auto [at, added] = m_rowsPerSecond.try_emplace({rows, rowBytes});
    if (added)
        at->second = kernels::measureRowGather(m_device, rows, rowBytes, control);
    return at->second;
}

std::optional<double> GatherCeiling::seconds(const std::vector<kernels::Index>& dims, kernels::Count entries, unsigned rank,
                                             kernels::Precision precision, kernels::RunControl& control)
{
    double seconds = 0;
    for (const kernels::Index rows : dims) {
        const auto rate = rowsPerSecond(rows, rank, precision, control);
        if (!rate)
            return std::nullopt;
        seconds += static_cast<double>(entries) * static_cast<double>(dims.size() - 1) / *rate;
    }
    return seconds;
}

std::vector<MttkrpRow> measureMttkrp(const app::OpenTensor& open, const std::string& tensor, const std::vector<std::string>& formats,
                                     kernels::Precision precision, const kernels::mttkrp::Settings& settings,
                                     const kernels::DeviceInfo& device, const MttkrpEffort& effort, GatherCeiling& ceiling)
{
    requireHostFits(open.tensor, settings.rank, precision);
    std::vector<MttkrpRow> rows;
    {
        Measuring measuring(open.tensor, precision, device.id, settings);
        for (const std::string& format : formats) {
            rows.push_back(measuring.measure(format, effort.times));
            if (effort.counters && rows.back().measured())
                rows.back().counters = measuring.counters(device);
        }
    }
    kernels::RunControl control; // the ceiling's matrices take the place of the formats
    const Interrupt::Watch watch(control);
    const auto gather = ceiling.seconds(open.tensor.dims(), open.tensor.entries(), settings.rank, precision, control);
    for (MttkrpRow& row : rows) {
        row.tensor = tensor;
        row.partitions = settings.partitions;
        row.threads = settings.threads;
        row.gatherSeconds = gather;
    }
    return rows;
}

} // namespace cli
