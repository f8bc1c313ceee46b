// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/baselines_json.h"
#include "io/checkpoint_file.h"
#include "io/file_format.h"
#include "io/hdf5_model.h"
#include "io/hdf5_modes.h"
#include "io/hdf5_read.h"
#include "io/hdf5_sparse.h"
#include "io/hdf5_updates.h"
#include "io/input_stream.h"
#include "io/labels.h"
#include "io/memory_budget.h"
#include "io/metric_columns.h"
#include "io/model_file.h"
#include "io/run_config_json.h"
#include "io/text/ktensor.h"
#include "kernels/operations/components.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>

namespace io {
namespace {

using namespace hdf5;

constexpr std::uint64_t longestHistory = std::uint64_t{1} << 32;
constexpr const char* readableVersion = "1.";
constexpr std::size_t longestState = 10000; ///< arrays

/// Reads a group that has what a model file has. Sizes are told by /model's attributes; every dataset must agree before it is allocated.
class ModelReader {
public:
    ModelReader(Session& session, hid_t root, std::string name, kernels::Progress* progress, ReadState readState)
        : m_session(session)
        , m_root(root)
        , m_name(std::move(name))
        , m_progress(progress)
        , m_readState(readState)
        , m_budget(0)
    {
    }

    ModelFile read()
    {
        if (hasLink(m_root, "model"))
            readModelGroup();
        readMetrics();
        readTelemetry();
        readRun();
        readInput();
        for (const kernels::Index size : m_content.model.dims.empty() ? m_content.input.dims : m_content.model.dims)
            m_content.modes.push_back(kernels::Mode{size, {}, {}});
        readModes(m_session, m_root, m_name, m_content.modes, m_progress);
        m_content.updates = readUpdates(m_session, m_root, m_name);
        separateOwnErrors(m_content.updates, m_content.history);
        if (m_readState != ReadState::No && hasLink(m_root, "state"))
            readState();
        return std::move(m_content);
    }

private:
    [[noreturn]] static void refuse(const std::string& where, const std::string& message, const std::string& found = {},
                                    const std::string& expected = {})
    {
        throw Error({message, where, found, expected, {}});
    }

    std::string text(const Object& group, const char* attribute, const std::string& where) const
    {
        return textAttribute(group.id(), attribute, where).value_or("");
    }

    /// An attribute that must be there and name something known.
    template <class T>
    T named(const Object& group, const char* attribute, const std::string& where, std::optional<T> (*parse)(std::string_view)) const
    {
        const std::string found = text(group, attribute, where);
        const auto value = parse(found);
        if (!value)
            refuse(where, fmt::format("{} is unknown", attribute), fmt::format("\"{}\"", found));
        return *value;
    }

    template <class T> std::vector<T> sizes(const Object& group, const char* attribute, const std::string& where, std::uint64_t most) const
    {
        const auto numbers = wholesAttribute(group.id(), attribute, where, kernels::maxOrder);
        if (!numbers)
            refuse(where, fmt::format("{} are missing", attribute));
        std::vector<T> result;
        for (const std::uint64_t number : *numbers) {
            if (number < 1 || number > most)
                refuse(where, fmt::format("{} out of range", attribute), fmt::format("{}", number), fmt::format("1 to {}", most));
            result.push_back(static_cast<T>(number));
        }
        return result;
    }

    void readModelGroup()
    {
        const std::string where = m_name + " /model";
        const Object group = openObject(m_root, "model", m_name);
        kernels::Model& model = m_content.model;
        model.kind = named<kernels::ModelKind>(group, "kind", where, kernels::modelKindFromString);
        m_content.objective = named<kernels::Objective>(group, "objective", where, kernels::objectiveFromString);
        model.dims = sizes<kernels::Index>(group, "dims", where, std::numeric_limits<kernels::Index>::max());
        model.ranks = sizes<unsigned>(group, "ranks", where, kernels::maxRank);
        const std::uint64_t order = wholeAttribute(group.id(), "order", where).value_or(model.dims.size());
        if (order < kernels::minOrder || order > kernels::maxOrder)
            refuse(where, "order out of range", fmt::format("{}", order), fmt::format("{} to {}", kernels::minOrder, kernels::maxOrder));
        if (model.dims.size() != order || model.ranks.size() != order)
            refuse(where, "dims, ranks and order differ", fmt::format("{} dims, {} ranks", model.dims.size(), model.ranks.size()),
                   fmt::format("{} of each", order));
        m_content.equation = text(group, "equation", where);
        m_content.bestIteration = wholeAttribute(group.id(), "iteration", where).value_or(0);
        for (unsigned n = 0; n < order; ++n)
            model.factors.push_back(readMatrix(group, fmt::format("factor_{}", n), where, model.dims[n], model.ranks[n]));
        readCore(group, where);
        std::size_t bytesLeft = labelBytesTogether;
        if (isGroup(group) && hasLink(group.id(), "component_names"))
            m_content.componentNames =
                readStrings(m_session, group.id(), "component_names", where, kernels::componentCount(model), bytesLeft, m_progress);
    }

    void readCore(const Object& group, const std::string& where)
    {
        kernels::Model& model = m_content.model;
        switch (model.kind) {
        case kernels::ModelKind::Cp:
            for (const unsigned rank : model.ranks) {
                if (rank != model.ranks[0])
                    refuse(where, "the ranks of a cp model differ", fmt::format("{}", fmt::join(model.ranks, ", ")), "one rank");
            }
            model.coreRank = model.ranks[0];
            model.weights.resize(model.ranks[0]);
            readExactly(group, "weights", where, {model.ranks[0]},
                        [&](const CheckedDataset& set) { readArray(m_session, set, model.weights.data(), m_progress); });
            break;
        case kernels::ModelKind::Tucker:
            if (const Object core = openObject(group.id(), "core", where); isGroup(core)) {
                model.core = readSparseCore(m_session, core, where + "/core", model.ranks, m_bytes, m_budget, m_progress);
                break;
            }
            readExactly(group, "core", where, {model.ranks.begin(), model.ranks.end()}, [&](const CheckedDataset& set) {
                model.core.resize(set.elements);
                readArray(m_session, set, model.core.data(), m_progress);
            });
            break;
        case kernels::ModelKind::FastTucker: {
            const CheckedDataset first = openDataset(group.id(), "core_factor_0", where);
            if (first.dims.size() != 2 || first.dims[1] < 1 || first.dims[1] > kernels::maxRank)
                refuse(first.where, "is not the shape of a core factor", fmt::format("{}", fmt::join(first.dims, " × ")),
                       fmt::format("{} × R", model.ranks[0]));
            model.coreRank = static_cast<unsigned>(first.dims[1]);
            for (unsigned n = 0; n < model.order(); ++n)
                model.coreFactors.push_back(readMatrix(group, fmt::format("core_factor_{}", n), where, model.ranks[n], model.coreRank));
            break;
        }
        }
    }

    template <class Read>
    void readExactly(const Object& group, const std::string& name, const std::string& where, const std::vector<hsize_t>& shape,
                     const Read& read)
    {
        const CheckedDataset set = openDataset(group.id(), name, where);
        if (set.dims != shape)
            refuse(set.where, "has another shape than the model", fmt::format("{}", fmt::join(set.dims, " × ")),
                   fmt::format("{}", fmt::join(shape, " × ")));
        if (set.numbers != NumberClass::Floating || set.elementBytes > sizeof(double))
            refuse(set.where, "has another type", {}, "float32 or float64");
        m_bytes += set.elements * sizeof(double);
        m_budget.require(m_bytes);
        read(set);
    }

    kernels::Matrix readMatrix(const Object& group, const std::string& name, const std::string& where, std::size_t rows,
                               std::size_t columns)
    {
        if (const Object object = openObject(group.id(), name, where); isGroup(object))
            return readSparseMatrix(m_session, object, where + '/' + name, rows, columns, m_bytes, m_budget, m_progress);
        kernels::Matrix matrix;
        readExactly(group, name, where, {rows, columns}, [&](const CheckedDataset& set) {
            matrix = kernels::Matrix(rows, columns, set.elementBytes > sizeof(float));
            std::visit([&](auto& data) { readArray(m_session, set, data.data(), m_progress); }, matrix.data);
        });
        return matrix;
    }

    /// The length all columns of a group share, told by the one that must be there.
    std::optional<std::uint64_t> columnLength(const Object& group, const char* name, const std::string& where)
    {
        if (!isGroup(group) || !hasLink(group.id(), name))
            return std::nullopt;
        const CheckedDataset set = openDataset(group.id(), name, where);
        if (set.dims.size() != 1 || set.dims[0] > longestHistory)
            refuse(set.where, "is not a column", fmt::format("{}", fmt::join(set.dims, " × ")), "one dimension");
        m_bytes += set.elements * sizeof(kernels::IterationRecord);
        m_budget.require(m_bytes);
        return set.dims[0];
    }

    /// Calls set(row, value) for each element; a column that is missing says nothing.
    template <class T, class Set>
    void readColumn(const Object& group, const char* name, const std::string& where, std::uint64_t length, const Set& set)
    {
        if (!hasLink(group.id(), name))
            return;
        const CheckedDataset column = openDataset(group.id(), name, where);
        if (column.dims.size() != 1 || column.dims[0] != length)
            refuse(column.where, "has another length than the other columns", fmt::format("{}", column.elements),
                   fmt::format("{}", length));
        std::vector<T> values(length);
        readArray(m_session, column, values.data(), nullptr);
        for (std::size_t i = 0; i < length; ++i)
            set(i, values[i]);
    }

    void readMetrics()
    {
        if (!hasLink(m_root, "metrics"))
            return;
        const std::string where = m_name + " /metrics";
        const Object group = openObject(m_root, "metrics", m_name);
        const auto length = columnLength(group, metricColumns[0].name, where);
        if (!length)
            return;
        m_content.history.resize(*length);
        for (const MetricColumn& column : metricColumns) {
            if (column.count)
                readColumn<std::uint64_t>(group, column.name, where, *length,
                                          [&](std::size_t i, std::uint64_t v) { m_content.history[i].*column.count = v; });
            else
                readColumn<double>(group, column.name, where, *length,
                                   [&](std::size_t i, double v) { m_content.history[i].*column.number = v; });
        }
    }

    void readTelemetry()
    {
        if (!hasLink(m_root, "telemetry"))
            return;
        const Object all = openObject(m_root, "telemetry", m_name);
        if (!isGroup(all))
            return;
        for (std::size_t k = 0; hasLink(all.id(), fmt::format("dev_{}", k)); ++k) {
            const std::string name = fmt::format("dev_{}", k);
            const std::string where = fmt::format("{} /telemetry/{}", m_name, name);
            readSeries(openObject(all.id(), name, where), where);
        }
    }

    void readSeries(const Object& group, const std::string& where)
    {
        TelemetrySeries series;
        series.info.id = text(group, "source", where);
        series.info.title = series.info.id;
        series.info.metric = series.info.quantity = text(group, "metric", where);
        series.info.deviceName = text(group, "device_name", where);
        series.info.deviceUuid = text(group, "uuid", where);
        series.info.intervalMs =
            static_cast<unsigned>(std::min<std::uint64_t>(wholeAttribute(group.id(), "interval_ms", where).value_or(0), 1u << 30));
        const std::uint64_t length = columnLength(group, "t_s", where).value_or(0);
        auto& samples = series.samples;
        samples.resize(length);
        if (isGroup(group)) {
            readColumn<double>(group, "t_s", where, length, [&](std::size_t i, double v) { samples[i].seconds = v; });
            readColumn<float>(group, "sm_percent", where, length, [&](std::size_t i, float v) { samples[i].smPercent = v; });
            readColumn<float>(group, "dram_percent", where, length, [&](std::size_t i, float v) { samples[i].dramPercent = v; });
            readColumn<std::uint64_t>(group, "memory_bytes", where, length,
                                      [&](std::size_t i, std::uint64_t v) { samples[i].memoryBytes = v; });
            readColumn<float>(group, "power_w", where, length, [&](std::size_t i, float v) { samples[i].powerWatts = v; });
        }
        m_content.telemetry.push_back(std::move(series));
    }

    std::string optionalText(const Object& group, const char* name, const std::string& where) const
    {
        return isGroup(group) && hasLink(group.id(), name) ? readText(group.id(), name, where) : std::string();
    }

    void readRun()
    {
        if (!hasLink(m_root, "run"))
            return;
        const std::string where = m_name + " /run";
        const Object group = openObject(m_root, "run", m_name);
        m_content.status = text(group, "status", where);
        m_content.stopReason = text(group, "stop_reason", where);
        m_content.startedUtc = text(group, "started_utc", where);
        m_content.finishedUtc = text(group, "finished_utc", where);
        m_content.memory.deviceBytes = wholeAttribute(group.id(), "device_bytes", where).value_or(0);
        m_content.memory.hostBytes = wholeAttribute(group.id(), "host_bytes", where).value_or(0);
        m_content.environment = optionalText(group, "environment", where);
        m_content.command = optionalText(group, "command", where);
        m_content.log = optionalText(group, "log", where);
        if (const std::string baselines = optionalText(group, "baselines", where); !baselines.empty())
            m_content.baselines = baselinesFromJson(baselines, where + "/baselines");
        if (const std::string config = optionalText(group, "config", where); !config.empty())
            m_content.config = runConfigFromJson(config, where + "/config", UnknownKeys::Ignore);
    }

    void readInput()
    {
        if (!hasLink(m_root, "input"))
            return;
        const std::string where = m_name + " /input";
        const Object group = openObject(m_root, "input", m_name);
        InputDescription& input = m_content.input;
        input.fileName = text(group, "file_name", where);
        input.sha256 = text(group, "sha256", where);
        input.layout = text(group, "layout", where);
        input.indexBase = text(group, "index_base", where);
        if (isGroup(group) && hasLink(group.id(), "recipe"))
            input.recipe = table::recipeFromJson(readText(group.id(), "recipe", where), where + "/recipe");
        if (const auto meaning = textAttribute(group.id(), "empty_cells", where))
            input.emptyCells = kernels::emptyCellsFromString(*meaning).value_or(kernels::EmptyCells::Unsaid);
        if (hasAttribute(group.id(), "dims"))
            input.dims = sizes<kernels::Index>(group, "dims", where, std::numeric_limits<kernels::Index>::max());
        input.entries = wholeAttribute(group.id(), "nnz", where).value_or(0);
        input.trainEntries = wholeAttribute(group.id(), "nnz_train", where).value_or(0);
        input.testEntries = wholeAttribute(group.id(), "nnz_test", where).value_or(0);
        input.valueMin = numberAttribute(group.id(), "value_min", where).value_or(0);
        input.valueMax = numberAttribute(group.id(), "value_max", where).value_or(0);
        input.valueMean = numberAttribute(group.id(), "value_mean", where).value_or(0);
        if (isGroup(group) && hasLink(group.id(), "test_positions"))
            readTestPositions(group, where);
    }

    void readTestPositions(const Object& group, const std::string& where)
    {
        auto& positions = m_content.input.testPositions;
        const CheckedDataset set = openDataset(group.id(), "test_positions", where);
        if (set.dims.size() != 1 || set.elements > kernels::maxEntries || set.numbers == NumberClass::Floating)
            refuse(set.where, "is no list of positions");
        m_bytes += set.elements * sizeof(kernels::Count);
        m_budget.require(m_bytes);
        positions.resize(set.elements);
        readArray(m_session, set, positions.data(), m_progress);
        for (std::size_t i = 1; i < positions.size(); ++i) {
            if (positions[i] <= positions[i - 1])
                refuse(set.where, "positions are not ascending", fmt::format("{} after {}", positions[i], positions[i - 1]));
        }
        if (!positions.empty() && positions.back() >= m_content.input.entries)
            refuse(set.where, "a position lies past the tensor's entries", fmt::format("{}", positions.back()),
                   fmt::format("less than {}", m_content.input.entries));
    }

    void readState()
    {
        const std::string where = m_name + " /state";
        const Object group = openObject(m_root, "state", m_name);
        if (hasAttribute(group.id(), stateVersionAttribute) && m_readState == ReadState::Yes)
            readCheckpointState(group, where);
        else
            readKeptOrNone(group, where);
    }

    /// A session opens whatever became of one run's sums: it only cannot learn then.
    void readKeptOrNone(const Object& group, const std::string& where)
    {
        try {
            readKept(group, where);
        } catch (const Error&) {
            if (m_readState != ReadState::KeptIfWhole)
                throw;
        }
    }

    /// Complete, or none.
    void readKept(const Object& group, const std::string& where)
    {
        kernels::SolverState kept;
        for (const std::string& name : linkNames(group.id(), where, longestState))
            if (isKeptArray(name))
                kept[name] = readStateArray(group, name, where);
        if (kept.empty())
            return;
        requireWholeKept(kept, m_content.model, where);
        m_content.kept = std::make_shared<const kernels::SolverState>(std::move(kept));
    }

    void readCheckpointState(const Object& group, const std::string& where)
    {
        const std::uint64_t version = wholeAttribute(group.id(), stateVersionAttribute, where).value_or(0);
        if (version != stateVersion)
            refuse(where, "was written in a version that is not read here", fmt::format("{}", version), fmt::format("{}", stateVersion));
        SavedState& state = m_content.state.emplace();
        state.seconds = numberAttribute(group.id(), "seconds", where).value_or(0);
        state.trainChecksum = wholeAttribute(group.id(), "train_checksum", where).value_or(0);
        state.testChecksum = wholeAttribute(group.id(), "test_checksum", where).value_or(0);
        state.source = optionalText(group, "source", where);
        for (const std::string& name : linkNames(group.id(), where, longestState))
            if (name.starts_with(stateArrayPrefix))
                state.solver[name.substr(stateArrayPrefix.size())] = readStateArray(group, name, where);
    }

    /// Its shape is the algorithm's business, which looks at it.
    kernels::Matrix readStateArray(const Object& group, const std::string& name, const std::string& where)
    {
        const std::vector<hsize_t> dims = openDataset(group.id(), name, where).dims;
        if (dims.size() != 2)
            refuse(where + '/' + name, "is no table of numbers", fmt::format("{} dimensions", dims.size()), "2");
        return readMatrix(group, name, where, dims[0], dims[1]);
    }

    Session& m_session;
    hid_t m_root;
    std::string m_name;
    kernels::Progress* m_progress;
    ReadState m_readState;
    MemoryBudget m_budget;
    std::uint64_t m_bytes = 0;
    ModelFile m_content;
};

void requireFinite(double value, const std::string& name, const auto& place)
{
    if (!std::isfinite(value))
        throw Error({fmt::format("{} is {}", place(), std::isnan(value) ? "not a number" : "infinite"),
                     name,
                     {},
                     {},
                     "Such a model predicts nothing. Run it again with smaller steps, or use another file."});
}

void requireFinite(const kernels::Matrix& matrix, const std::string& name, const std::string& what)
{
    std::visit(
        [&](const auto& data) {
            for (std::size_t i = 0; i < data.size(); ++i)
                requireFinite(static_cast<double>(data[i]), name,
                              [&] { return fmt::format("{}, row {}, column {}", what, i / matrix.columns + 1, i % matrix.columns + 1); });
        },
        matrix.data);
}

void requireFinite(const kernels::Model& model, const std::string& name)
{
    for (std::size_t n = 0; n < model.factors.size(); ++n)
        requireFinite(model.factors[n], name, fmt::format("factor of mode {}", n + 1));
    for (std::size_t r = 0; r < model.weights.size(); ++r)
        requireFinite(model.weights[r], name, [&] { return fmt::format("weight {}", r + 1); });
    for (std::size_t n = 0; n < model.coreFactors.size(); ++n)
        requireFinite(model.coreFactors[n], name, fmt::format("core matrix of mode {}", n + 1));
    for (std::size_t i = 0; i < model.core.size(); ++i)
        requireFinite(model.core[i], name, [&] {
            std::vector<std::size_t> place(model.ranks.size());
            std::size_t rest = i;
            for (std::size_t n = place.size(); n-- > 0; rest /= model.ranks[n])
                place[n] = rest % model.ranks[n] + 1;
            return fmt::format("core at {}", fmt::join(place, ", "));
        });
}

} // namespace

void requireFileKind(hid_t root, const std::string& kind, const std::string& name)
{
    const auto found = textAttribute(root, "polyad_format", name);
    if (found != kind)
        throw Error({fmt::format("is not a {} file", kind), name, found ? *found : "no attribute polyad_format", kind, {}});
    const std::string version = textAttribute(root, "polyad_format_version", name).value_or("");
    if (!version.starts_with(readableVersion))
        throw Error({"was written in a version that is not read here", name, version, "1.0 or a later 1.x", {}});
}

ModelFile readModelGroups(Session& session, hid_t group, const std::string& name, kernels::Progress* progress, ReadState readState)
{
    return ModelReader(session, group, name, progress, readState).read();
}

ModelFile readModel(const std::string& path, kernels::Progress* progress, ReadState readState)
{
    if (progress)
        progress->begin("reading", InputFile(path, progress).bytes());
    if (text::isKtensorFile(path))
        return text::readKtensor(path, progress);
    Session session; // first: everything below is closed inside it
    const File file = openFile(path, progress);
    const std::string name = fileNameOf(path);
    requireFileKind(file.id(), "model", name);
    openObject(file.id(), "model", name); // a run of a session may be without one
    ModelFile content = readModelGroups(session, file.id(), name, progress, readState);
    requireFinite(content.model, name);
    return content;
}

namespace {

enum class Kind { Other, Model, Checkpoint };

Kind kindOf(const std::string& path, kernels::Progress* progress)
{
    try {
        const Session session;
        const File file = openFile(path, progress);
        if (textAttribute(file.id(), "polyad_format", path) != "model")
            return Kind::Other;
        if (!hasLink(file.id(), "state"))
            return Kind::Model;
        const Object state = openObject(file.id(), "state", path);
        return hasAttribute(state.id(), stateVersionAttribute) ? Kind::Checkpoint : Kind::Model;
    } catch (const Error&) {
        return Kind::Other;
    }
}

} // namespace

bool isModelFile(const std::string& path, kernels::Progress* progress)
{
    return text::isKtensorFile(path, progress) || kindOf(path, progress) != Kind::Other;
}

bool isCheckpointFile(const std::string& path) { return kindOf(path, nullptr) == Kind::Checkpoint; }

} // namespace io
