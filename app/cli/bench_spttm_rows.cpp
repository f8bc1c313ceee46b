// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/bench_spttm_rows.h"

#include "app/cli/formatting.h"
#include "app/cli/interrupt.h"
#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"
#include "kernels/base/random.h"
#include "kernels/device/memory_bandwidth.h"
#include "kernels/operations/spttm/back_end.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>

namespace cli {
namespace {

using nlohmann::ordered_json;

kernels::Matrix drawnMatrix(kernels::Index rows, unsigned rank, kernels::Precision precision)
{
    const bool doubles = precision == kernels::Precision::Fp64;
    kernels::requireHostMemory(std::uint64_t{rows} * rank * (doubles ? 8 : 4), "Choose a smaller rank or another mode.");
    kernels::Matrix matrix = kernels::Matrix::unfilled(rows, rank, doubles);
    std::visit(
        [&](auto& numbers) {
            for (std::size_t i = 0; i < numbers.size(); ++i)
                numbers[i] = static_cast<std::decay_t<decltype(numbers[0])>>(kernels::random::uniform(1, 0, i));
        },
        matrix.data);
    return matrix;
}

class Measuring {
public:
    Measuring(const app::OpenTensor& open, const SpttmPlan& plan, const kernels::DeviceInfo& device, SpttmCeiling& ceiling)
        : m_plan(plan)
        , m_device(device)
        , m_ceiling(ceiling)
        , m_spttm(kernels::spttm::makeSpttm(plan.precision, device.id))
    {
        m_shape = {open.tensor.dims(), {}, open.tensor.entries()};
        m_spttm->load(open.tensor, m_control);
    }

    std::vector<SpttmRow> measure()
    {
        const Interrupt::Watch watch(m_control);
        std::vector<SpttmRow> rows;
        for (std::size_t step = 0; step < m_plan.modes.size(); ++step) {
            std::vector<SpttmRow> ofMode = measureMode(m_plan.modes[step], static_cast<unsigned>(step));
            const bool last = !ofMode.front().measured() && m_plan.chain; // nothing to go on with
            std::move(ofMode.begin(), ofMode.end(), std::back_inserter(rows));
            if (last)
                break;
        }
        for (SpttmRow& row : rows)
            m_ceiling.tell(row, m_plan.precision, m_control);
        return rows;
    }

private:
    std::vector<SpttmRow> measureMode(unsigned mode, unsigned step)
    {
        std::vector<SpttmRow> rows;
        SpttmRow row;
        row.mode = mode;
        row.step = m_plan.chain ? step + 1 : 0;
        row.precision = toString(m_plan.precision);
        row.rank = m_plan.rank;
        row.rows = m_shape.dims[mode];
        row.entries = m_shape.entries;
        row.blockSize = m_shape.blockSize();
        const bool prepared = attempt(row, [&] { prepare(row); });
        for (const std::string& variant : m_plan.variants) {
            SpttmRow own = row;
            own.variant = variant;
            if (prepared)
                attempt(own, [&] { own.seconds = timed(variant); });
            rows.push_back(own);
        }
        if (m_plan.chain && rows.front().measured()) {
            m_spttm->compute(m_plan.variants.front(), m_control);
            m_spttm->proceed(m_control);
            m_shape.dims[mode] = m_plan.rank;
            m_shape.denseModes.push_back(mode);
            m_shape.entries = row.fibres;
        }
        return rows;
    }

    /// What does not fit, or is not there, is told in the row; a device that fails ends the bench.
    template <class Work> bool attempt(SpttmRow& row, const Work& work)
    {
        try {
            work();
            return true;
        } catch (const kernels::Error& error) {
            if (error.kind() == kernels::ErrorKind::Device)
                throw;
            row.reason = error.what();
            return false;
        }
    }

    void prepare(SpttmRow& row)
    {
        const auto valueBytes = static_cast<unsigned>(row.valueBytes());
        const kernels::spttm::Plan plan = kernels::spttm::planFor(m_device.id.kind, m_shape, row.mode, row.rank, valueBytes);
        row.plannedMost = plan.most;
        row.plannedLeast = plan.least;
        const kernels::Matrix matrix = drawnMatrix(m_shape.dims[row.mode], row.rank, m_plan.precision);
        const auto begin = std::chrono::steady_clock::now();
        const kernels::spttm::Prepared prepared = m_spttm->prepare(row.mode, matrix, m_control);
        row.prepareSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        row.fibres = prepared.fibres;
        row.longest = prepared.longest;
        row.fibreBytes = prepared.fibreBytes;
        row.resultBytes = prepared.resultBytes;
    }

    Spread timed(const std::string& variant)
    {
        std::vector<double> seconds;
        for (std::uint64_t round = 0; round <= m_plan.times; ++round) { // the first is the warm-up
            const double taken = m_spttm->compute(variant, m_control);
            if (round > 0)
                seconds.push_back(taken);
        }
        return spreadOf(seconds);
    }

    const SpttmPlan& m_plan;
    const kernels::DeviceInfo& m_device;
    SpttmCeiling& m_ceiling;
    kernels::RunControl m_control;
    std::unique_ptr<kernels::spttm::SpttmBackEnd> m_spttm;
    kernels::spttm::Shape m_shape; ///< of what is multiplied next
};

} // namespace

double SpttmRow::streamedBytes() const
{
    const double block = static_cast<double>(blockSize) * valueBytes();
    return static_cast<double>(entries) * (sizeof(kernels::Index) + block) + static_cast<double>(fibres) * block * rank;
}

double SpttmRow::gatheredBytes() const { return static_cast<double>(entries) * rank * valueBytes(); }

std::optional<double> SpttmRow::ceilingSeconds() const
{
    if (!measured() || !bytesPerSecond || !rowsPerSecond)
        return std::nullopt;
    return streamedBytes() / *bytesPerSecond + static_cast<double>(entries) / *rowsPerSecond;
}

std::optional<double> SpttmRow::ceilingShare() const
{
    const auto needed = ceilingSeconds();
    return needed ? std::optional(*needed / seconds.median) : std::nullopt;
}

void SpttmCeiling::tell(SpttmRow& row, kernels::Precision precision, kernels::RunControl& control)
{
    if (!row.measured())
        return;
    if (!m_asked) {
        m_asked = true;
        if (const auto bandwidth = kernels::measureMemoryBandwidth(m_device, 0, control))
            m_bytesPerSecond = bandwidth->bytesPerSecond;
    }
    row.bytesPerSecond = m_bytesPerSecond;
    row.rowsPerSecond = m_gathers.rowsPerSecond(row.rows, row.rank, precision, control);
}

std::vector<SpttmRow> measureSpttm(const app::OpenTensor& open, const SpttmPlan& plan, const kernels::DeviceInfo& device,
                                   SpttmCeiling& ceiling)
{
    return Measuring(open, plan, device, ceiling).measure();
}

std::string spttmTable(const std::vector<SpttmRow>& rows)
{
    std::vector<std::vector<std::string>> table{
        {"mode", "variant", "precision", "R", "entries", "fibres", "longest", "time", "bytes/s", "of ceiling", "sorted in", "result"}};
    std::vector<bool> right(table.front().size(), true);
    right[1] = right[2] = false;
    std::string reasons;
    for (const SpttmRow& row : rows) {
        const std::string mode = row.step > 0 ? fmt::format("{}. {}", row.step, row.mode + 1) : std::to_string(row.mode + 1);
        std::vector<std::string> cells{mode, row.variant, row.precision, std::to_string(row.rank), countText(row.entries)};
        if (row.measured()) {
            const double rate = (row.streamedBytes() + row.gatheredBytes()) / row.seconds.median;
            const auto share = row.ceilingShare();
            cells.insert(cells.end(),
                         {countText(row.fibres), countText(row.longest), secondsText(row.seconds.median),
                          kernels::formatBytes(static_cast<std::uint64_t>(rate)), share ? percentText(*share) : "-",
                          secondsText(row.prepareSeconds), kernels::formatBytes(row.resultBytes)});
        } else {
            cells.insert(cells.end(), 7, "-");
            reasons += fmt::format("mode {} {} {} R = {}: {}\n", mode, row.variant, row.precision, row.rank, row.reason);
        }
        table.push_back(cells);
    }
    return tableText(table, right) + reasons;
}

ordered_json spttmJson(const SpttmRow& row)
{
    ordered_json json{{"mode", row.mode + 1}};
    if (row.step > 0)
        json["step"] = row.step;
    json.update({{"variant", row.variant}, {"precision", row.precision}, {"rank", row.rank}, {"entries", row.entries}});
    if (row.step > 1)
        json["values_of_an_entry"] = row.blockSize;
    if (row.plannedMost > 0)
        json["planned_bytes"] = {{"most", row.plannedMost}, {"least", row.plannedLeast}};
    if (!row.measured()) {
        json["reason"] = row.reason;
        return json;
    }
    json["fibres"] = row.fibres;
    json["longest_fibre"] = row.longest;
    json["seconds"] = {{"median", row.seconds.median}, {"min", row.seconds.least}, {"max", row.seconds.most}, {"sort", row.prepareSeconds}};
    if (const auto needed = row.ceilingSeconds()) {
        json["seconds"]["at_the_ceilings"] = *needed;
        json["share_of_ceiling"] = *row.ceilingShare();
        json["ceilings"] = {{"copied_bytes_per_second", *row.bytesPerSecond}, {"rows_gathered_per_second", *row.rowsPerSecond}};
    }
    json["bytes"] = {
        {"streamed", row.streamedBytes()}, {"gathered", row.gatheredBytes()}, {"fibres", row.fibreBytes}, {"result", row.resultBytes}};
    json["bytes_per_second"] = (row.streamedBytes() + row.gatheredBytes()) / row.seconds.median;
    return json;
}

} // namespace cli
