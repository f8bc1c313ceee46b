// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/model_file.h"

#include "io/baselines_json.h"
#include "io/checkpoint_file.h"
#include "io/hdf5_model.h"
#include "io/hdf5_modes.h"
#include "io/hdf5_sparse.h"
#include "io/hdf5_updates.h"
#include "io/hdf5_write.h"
#include "io/labels.h"
#include "io/metric_columns.h"
#include "io/run_config_json.h"
#include "kernels/base/version.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>

namespace io {
namespace {

using namespace hdf5;

constexpr hsize_t metricsChunk = 1024;
constexpr double normTolerance = 1e-4; // columns of float factors, normalised in float

std::string utcNow()
{
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

std::string splitText(kernels::SplitKind kind)
{
    switch (kind) {
    case kernels::SplitKind::None:
        return "none";
    case kernels::SplitKind::Random:
        return "random";
    case kernels::SplitKind::File:
        return "file";
    }
    return "none";
}

std::vector<std::uint64_t> widened(const auto& numbers) { return {numbers.begin(), numbers.end()}; }

bool isNonnegative(const kernels::Matrix& matrix)
{
    return std::visit([](const auto& data) { return std::all_of(data.begin(), data.end(), [](auto v) { return v >= 0; }); }, matrix.data);
}

bool isNonnegative(const kernels::Model& model)
{
    const auto fine = [](const kernels::Matrix& matrix) { return isNonnegative(matrix); };
    return std::all_of(model.factors.begin(), model.factors.end(), fine)
        && std::all_of(model.coreFactors.begin(), model.coreFactors.end(), fine)
        && std::all_of(model.core.begin(), model.core.end(), [](double v) { return v >= 0; });
}

bool hasUnitColumns(const kernels::Matrix& matrix)
{
    std::vector<double> squares(matrix.columns, 0);
    for (std::size_t row = 0; row < matrix.rows; ++row) {
        for (std::size_t column = 0; column < matrix.columns; ++column)
            squares[column] += matrix.at(row, column) * matrix.at(row, column);
    }
    return std::all_of(squares.begin(), squares.end(), [](double s) { return s == 0 || std::abs(std::sqrt(s) - 1) < normTolerance; });
}

/// cp only: weights descending, factor columns of 2-norm 1.
bool isNormalised(const kernels::Model& model)
{
    return model.kind == kernels::ModelKind::Cp && !model.weights.empty() && std::is_sorted(model.weights.rbegin(), model.weights.rend())
        && std::all_of(model.factors.begin(), model.factors.end(), hasUnitColumns);
}

std::uint64_t bytesOfKept(const ModelFile& content)
{
    std::uint64_t bytes = 0;
    if (content.kept)
        for (const auto& [name, matrix] : *content.kept)
            bytes += matrix.rows * matrix.columns * (matrix.hasDoubles() ? sizeof(double) : sizeof(float));
    return bytes;
}

/// Fills a group with what a model file has.
class ModelWriter {
public:
    ModelWriter(Session& session, hid_t root, const ModelFile& content, const kernels::Model* model, kernels::Progress* progress)
        : m_session(session)
        , m_root(root)
        , m_content(content)
        , m_model(model)
        , m_progress(progress)
    {
    }

    void write()
    {
        if (m_model)
            writeModelGroup(*m_model);
        writeMetrics();
        writeTelemetry();
        writeRun();
        writeInput();
        writeModes(m_session, root(), m_content.modes);
        writeUpdates(m_session, root(), m_content.updates);
        const bool keeps = m_model && m_content.kept;
        if (m_content.state || keeps) {
            const Group group = createGroup(root(), "state");
            writeAttribute(group.id(), "algorithm", m_content.config.algorithm);
            if (m_content.state)
                writeState(group.id(), *m_content.state);
            if (keeps)
                for (const auto& [name, matrix] : *m_content.kept)
                    writeMatrix(group.id(), name, matrix);
        }
    }

private:
    hid_t root() const { return m_root; }

    void writeMatrix(hid_t group, const std::string& name, const kernels::Matrix& matrix)
    {
        std::visit(
            [&](const auto& data) {
                writeArray(m_session, group, name, data.data(), {matrix.rows, matrix.columns}, {}, m_progress);
            },
            matrix.data);
    }

    void writeModelGroup(const kernels::Model& model)
    {
        const Group group = createGroup(root(), "model");
        writeAttribute(group.id(), "kind", std::string(kernels::toString(model.kind)));
        writeAttribute(group.id(), "order", std::uint64_t{model.order()});
        writeAttribute(group.id(), "dims", widened(model.dims));
        writeAttribute(group.id(), "ranks", widened(model.ranks));
        writeAttribute(group.id(), "objective", std::string(kernels::toString(m_content.objective)));
        writeAttribute(group.id(), "algorithm", m_content.config.algorithm);
        writeAttribute(group.id(), "variant", m_content.config.variant);
        writeAttribute(group.id(), "precision", std::string(kernels::toString(m_content.config.precision)));
        if (const auto divergence = m_content.config.parameters.find("divergence"); divergence != m_content.config.parameters.end())
            writeAttribute(group.id(), "divergence", kernels::toString(divergence->second));
        writeAttribute(group.id(), "nonnegative", std::uint8_t{isNonnegative(model)});
        writeAttribute(group.id(), "normalised", std::uint8_t{isNormalised(model)});
        writeAttribute(group.id(), "equation", m_content.equation);
        writeAttribute(group.id(), "iteration", m_content.bestIteration);
        for (unsigned n = 0; n < model.order(); ++n) {
            const std::string name = fmt::format("factor_{}", n);
            if (model.kind == kernels::ModelKind::Tucker && isSparse(model.factors[n]))
                writeSparse(m_session, group.id(), name, model.factors[n], m_progress);
            else
                writeMatrix(group.id(), name, model.factors[n]);
        }
        writeCore(group.id(), model);
        if (!m_content.componentNames.empty())
            writeStrings(group.id(), "component_names", m_content.componentNames);
    }

    void writeCore(hid_t group, const kernels::Model& model)
    {
        const std::vector<hsize_t> shape(model.ranks.begin(), model.ranks.end());
        switch (model.kind) {
        case kernels::ModelKind::Cp: {
            const std::vector<double> weights = model.weights.empty() ? std::vector<double>(model.ranks.at(0), 1.0) : model.weights;
            writeArray(m_session, group, "weights", weights.data(), {weights.size()}, {}, m_progress);
            break;
        }
        case kernels::ModelKind::Tucker:
            if (isSparse(model.core, model.ranks.size()))
                writeSparse(m_session, group, "core", model.core, model.ranks, m_progress);
            else
                writeArray(m_session, group, "core", model.core.data(), shape, {}, m_progress);
            break;
        case kernels::ModelKind::FastTucker:
            for (unsigned n = 0; n < model.order(); ++n)
                writeMatrix(group, fmt::format("core_factor_{}", n), model.coreFactors[n]);
            if (const auto core = kernels::denseCore(model))
                writeArray(m_session, group, "core", core->data(), shape, {}, m_progress);
            break;
        }
    }

    void writeMetrics()
    {
        const Group group = createGroup(root(), "metrics");
        writeAttribute(group.id(), "best_iteration", m_content.bestIteration);
        const auto& history = m_content.history;
        const Storage storage{metricsChunk, false, true};
        for (const MetricColumn& column : metricColumns) {
            if (column.count) {
                std::vector<std::uint64_t> counts;
                for (const kernels::IterationRecord& record : history)
                    counts.push_back(record.*column.count);
                writeArray(m_session, group.id(), column.name, counts.data(), {counts.size()}, storage);
            } else {
                std::vector<double> numbers;
                for (const kernels::IterationRecord& record : history)
                    numbers.push_back(record.*column.number);
                writeArray(m_session, group.id(), column.name, numbers.data(), {numbers.size()}, storage);
            }
        }
    }

    template <class T, class Get>
    void writeSamples(hid_t group, const char* name, const std::vector<kernels::telemetry::Sample>& samples, const Get& get)
    {
        std::vector<T> column;
        for (const kernels::telemetry::Sample& sample : samples)
            column.push_back(get(sample));
        writeArray(m_session, group, name, column.data(), {column.size()}, Storage{metricsChunk, false, true});
    }

    void writeTelemetry()
    {
        const Group all = createGroup(root(), "telemetry");
        for (std::size_t k = 0; k < m_content.telemetry.size(); ++k) {
            const TelemetrySeries& series = m_content.telemetry[k];
            const Group group = createGroup(all.id(), fmt::format("dev_{}", k));
            writeAttribute(group.id(), "device_name", series.info.deviceName);
            writeAttribute(group.id(), "uuid", series.info.deviceUuid);
            writeAttribute(group.id(), "source", series.info.id);
            writeAttribute(group.id(), "metric", series.info.metric);
            writeAttribute(group.id(), "interval_ms", std::uint64_t{series.info.intervalMs});
            using kernels::telemetry::Sample;
            writeSamples<double>(group.id(), "t_s", series.samples, [](const Sample& s) { return s.seconds; });
            writeSamples<float>(group.id(), "sm_percent", series.samples, [](const Sample& s) { return s.smPercent; });
            writeSamples<float>(group.id(), "dram_percent", series.samples, [](const Sample& s) { return s.dramPercent; });
            writeSamples<std::uint64_t>(group.id(), "memory_bytes", series.samples, [](const Sample& s) { return s.memoryBytes; });
            writeSamples<float>(group.id(), "power_w", series.samples, [](const Sample& s) { return s.powerWatts; });
        }
    }

    void writeRun()
    {
        const Group group = createGroup(root(), "run");
        writeAttribute(group.id(), "status", m_content.status);
        writeAttribute(group.id(), "stop_reason", m_content.stopReason);
        writeAttribute(group.id(), "seed", m_content.config.seed);
        writeAttribute(group.id(), "deterministic", std::uint8_t{m_content.config.deterministic});
        writeAttribute(group.id(), "started_utc", m_content.startedUtc);
        writeAttribute(group.id(), "finished_utc", m_content.finishedUtc);
        writeAttribute(group.id(), "device_bytes", m_content.memory.deviceBytes);
        writeAttribute(group.id(), "host_bytes", m_content.memory.hostBytes);
        writeText(group.id(), "config", toJson(m_content.config, 1));
        writeText(group.id(), "environment", m_content.environment);
        writeText(group.id(), "command", m_content.command);
        if (!m_content.log.empty())
            writeText(group.id(), "log", m_content.log);
        if (m_content.baselines)
            writeText(group.id(), "baselines", toJson(*m_content.baselines));
    }

    void writeInput()
    {
        const InputDescription& input = m_content.input;
        const kernels::SplitConfig& split = m_content.config.split;
        const Group group = createGroup(root(), "input");
        writeAttribute(group.id(), "file_name", input.fileName);
        writeAttribute(group.id(), "sha256", input.sha256);
        writeAttribute(group.id(), "layout", input.layout);
        writeAttribute(group.id(), "index_base", input.indexBase);
        if (input.recipe)
            writeText(group.id(), "recipe", table::toJson(*input.recipe));
        if (input.emptyCells != kernels::EmptyCells::Unsaid)
            writeAttribute(group.id(), "empty_cells", std::string(kernels::toString(input.emptyCells)));
        writeAttribute(group.id(), "dims", widened(input.dims.empty() && m_model ? m_model->dims : input.dims));
        writeAttribute(group.id(), "nnz", input.entries);
        writeAttribute(group.id(), "nnz_train", input.trainEntries);
        writeAttribute(group.id(), "nnz_test", input.testEntries);
        writeAttribute(group.id(), "value_min", input.valueMin);
        writeAttribute(group.id(), "value_max", input.valueMax);
        writeAttribute(group.id(), "value_mean", input.valueMean);
        writeAttribute(group.id(), "split", splitText(split.kind));
        writeAttribute(group.id(), "split_seed", m_content.config.seed);
        writeAttribute(group.id(), "test_fraction", split.testFraction);
        if (split.kind == kernels::SplitKind::Random)
            writeArray(m_session, group.id(), "test_positions", input.testPositions.data(), {input.testPositions.size()},
                       input.testPositions.empty() ? Storage{} : Storage{chunkElements, true, false}, m_progress);
    }

    void writeState(hid_t group, const SavedState& state)
    {
        writeAttribute(group, stateVersionAttribute, stateVersion);
        writeAttribute(group, "seconds", state.seconds);
        writeAttribute(group, "train_checksum", state.trainChecksum);
        writeAttribute(group, "test_checksum", state.testChecksum);
        if (!state.source.empty())
            writeText(group, "source", state.source);
        for (const auto& [name, matrix] : state.solver)
            writeMatrix(group, std::string(stateArrayPrefix) + name, matrix);
    }

    Session& m_session;
    hid_t m_root;
    const ModelFile& m_content;
    const kernels::Model* m_model; ///< null: there is none
    kernels::Progress* m_progress;
};

} // namespace

/// What cannot be written must not be found out half-way.
void requireWholeModel(const std::string& path, const kernels::Model& model)
{
    const auto refuse = [&](const char* what) { throw Error({fmt::format("the model is incomplete: {}", what), path, {}, {}, {}}); };
    const std::size_t order = model.dims.size();
    if (order < kernels::minOrder || order > kernels::maxOrder || model.ranks.size() != order || model.factors.size() != order)
        refuse("dims, ranks and factors differ in number");
    for (std::size_t n = 0; n < order; ++n) {
        if (model.factors[n].rows != model.dims[n] || model.factors[n].columns != model.ranks[n])
            refuse("a factor has another shape than its mode");
    }
    std::size_t coreElements = 1;
    for (const unsigned rank : model.ranks)
        coreElements *= rank;
    if (model.kind == kernels::ModelKind::Tucker && model.core.size() != coreElements)
        refuse("the core has another shape than the ranks");
    if (model.kind == kernels::ModelKind::Cp && !model.weights.empty() && model.weights.size() != model.ranks[0])
        refuse("the weights differ in number from the rank");
    if (model.kind == kernels::ModelKind::FastTucker) {
        if (model.coreFactors.size() != order)
            refuse("core factors are missing");
        for (std::size_t n = 0; n < order; ++n) {
            if (model.coreFactors[n].rows != model.ranks[n] || model.coreFactors[n].columns != model.coreRank)
                refuse("a core factor has another shape than the ranks");
        }
    }
}

void writeFileKind(hid_t root, const char* kind)
{
    writeAttribute(root, "polyad_format", std::string(kind));
    writeAttribute(root, "polyad_format_version", std::string("1.0"));
    writeAttribute(root, "generator", "Polyad " + kernels::version());
    writeAttribute(root, "created_utc", utcNow());
}

void writeModelGroups(Session& session, hid_t group, const ModelFile& content, const kernels::Model* model, kernels::Progress* progress)
{
    ModelWriter(session, group, content, model, progress).write();
}

void writeModel(const std::string& path, const ModelFile& content, kernels::Progress* progress)
{
    writeModel(path, content, content.model, progress);
}

void writeModel(const std::string& path, const ModelFile& content, const kernels::Model& model, kernels::Progress* progress)
{
    requireWholeModel(path, model);
    if (progress)
        progress->begin("writing", model.bytes() + bytesOfKept(content) + content.input.testPositions.size() * sizeof(kernels::Count));
    writeFile(path, [&](Session& session, hid_t root) {
        writeFileKind(root, "model");
        writeModelGroups(session, root, content, &model, progress);
    });
}

} // namespace io
