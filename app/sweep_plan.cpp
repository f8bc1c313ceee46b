// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sweep_plan.h"

#include "app/messages.h"
#include "app/run_job.h"
#include "kernels/base/default_split.h"
#include "kernels/base/error.h"
#include "kernels/base/several_devices.h"

#include <QCoreApplication>
#include <QStringList>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <stdexcept>
#include <system_error>

namespace app {
namespace {

using kernels::RunConfig;

QString tr(const char* text) { return QCoreApplication::translate("SweepPlan", text); }

/// What is chosen first decides what the others bring with them.
int precedence(const std::string& field)
{
    constexpr const char* order[] = {"algorithm", "variant", "device", "format", "precision"};
    const auto at = std::find(std::begin(order), std::end(order), field);
    return static_cast<int>(at - std::begin(order));
}

/// Columns: what a person tells runs apart by at the end, before their replicates.
int column(const std::string& field) { return field == "seed" ? 2 : field == "rank" ? 1 : 0; }

bool varies(const std::vector<SweepAxis>& axes, const char* field)
{
    return std::any_of(axes.begin(), axes.end(), [&](const SweepAxis& axis) { return axis.field == field; });
}

/// As it was chosen, or by itself: then it goes on to be chosen by itself.
struct Follows {
    bool format, precision, split, coreRank;

    explicit Follows(const RunConfig& base)
    {
        const kernels::AlgorithmInfo& info = kernels::algorithm(base.algorithm);
        format = base.format == info.formatFor(base.variant);
        precision = base.devices.empty() || base.precision == info.precisionFor(base.devices.front());
        split = base.split == kernels::defaultSplit(info.objective);
        coreRank = base.coreRank == 0 || base.coreRank == base.largestRank();
    }
};

void follow(RunConfig& config, const Follows& follows, const std::vector<SweepAxis>& axes, bool otherAlgorithm, bool otherVariant)
{
    const kernels::AlgorithmInfo& info = kernels::algorithm(config.algorithm);
    const bool formatIsThere = std::find(info.formats.begin(), info.formats.end(), config.format) != info.formats.end();
    if (!varies(axes, "format") && ((otherVariant && follows.format) || (otherAlgorithm && (follows.format || !formatIsThere))))
        config.format = info.formatFor(config.variant);
    if (!varies(axes, "precision") && follows.precision && (otherAlgorithm || otherVariant || varies(axes, "device"))) {
        const kernels::DeviceId device =
            config.devices.empty() ? info.deviceFor(config.variant, config.format, {}) : config.devices.front();
        config.precision = info.precisionFor(device);
    }
    if (otherAlgorithm && follows.split)
        config.split = kernels::defaultSplit(info.objective);
    if (follows.coreRank)
        config.coreRank = 0;
}

/// The row's config before it is checked. Throws what setSweepValue() throws.
RunConfig chosen(const RunConfig& base, const std::vector<SweepAxis>& axes, const std::vector<std::string>& values)
{
    const Follows follows(base);
    std::vector<std::size_t> order(axes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return precedence(axes[a].field) < precedence(axes[b].field); });
    RunConfig config = base;
    bool followed = false;
    const auto followOnce = [&] {
        if (!followed)
            follow(config, follows, axes, config.algorithm != base.algorithm, config.variant != base.variant);
        followed = true;
    };
    for (const std::size_t a : order) {
        if (precedence(axes[a].field) >= precedence("format"))
            followOnce(); // what was not chosen gives way before what was is set
        setSweepValue(config, axes[a].field, values[a]);
    }
    followOnce();
    return config;
}

void requireRoom(const SweepRow& row)
{
    if (!row.needs.fits())
        throw kernels::OutOfMemory(kernels::toString(row.config.devices), row.needs.bytes, row.needs.limit,
                                   "It would need a smaller rank or another format.");
}

void check(SweepRow& row, const RunConfig& base, const SweepPlan& plan, const OpenTensor& tensor,
           const std::function<RunNeeds(const RunConfig&)>& needs)
{
    row.config = base;
    try {
        row.config = chosen(base, plan.axes, row.values);
        row.config = resolveFor(row.config, tensor);
        if (needs)
            row.needs = needs(row.config);
        requireRoom(row);
        const auto same = std::find_if(plan.rows.begin(), plan.rows.end(),
                                       [&](const SweepRow& other) { return other.refusal.isEmpty() && other.config == row.config; });
        if (same != plan.rows.end())
            row.refusal = tr("The same run as %1.").arg(plan.rowName(*same));
    } catch (const std::exception& error) {
        row.refusal = messageFor(error);
    }
}

std::vector<unsigned> ranksOf(const std::string& text)
{
    std::vector<unsigned> ranks;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('x', begin), text.size());
        const std::uint64_t rank = std::min<std::uint64_t>(std::stoull(text.substr(begin, std::min<std::size_t>(end - begin, 10))),
                                                           ~0u); // told by resolve() where it is too large
        ranks.push_back(static_cast<unsigned>(rank));
        begin = end + 1;
    }
    return ranks;
}

/// All 64 bits: seeds use them.
std::uint64_t countOf(const std::string& field, const std::string& text)
{
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value); // takes no sign
    if (error == std::errc::result_out_of_range)
        throw kernels::Error(kernels::ErrorKind::BadArgument, {"too large a number", field, text, {}, {}});
    if (error != std::errc{} || end != text.data() + text.size())
        throw kernels::Error(kernels::ErrorKind::BadArgument, {"no such number", field, text, "0 or more", {}});
    return value;
}

unsigned smallOf(const std::string& field, const std::string& text)
{
    return static_cast<unsigned>(std::min<std::uint64_t>(countOf(field, text), 1u << 30));
}

void setAlgorithm(RunConfig& config, const std::string& id)
{
    if (id == config.algorithm)
        return;
    config.algorithm = id; // its variant and parameters are its own
    config.variant = kernels::algorithm(id).variants.front().id;
    config.parameters.clear();
    config.init = RunConfig{}.init;
}

void setParameter(RunConfig& config, const std::string& field, const std::string& text)
{
    const kernels::AlgorithmInfo& info = kernels::algorithm(config.algorithm);
    const kernels::ParameterSpec* const spec = info.parameter(field);
    if (!spec)
        throw kernels::Error(kernels::ErrorKind::BadArgument, fmt::format("{} has no parameter {}.", info.title, field));
    config.parameters[field] = kernels::parseParameter(*spec, text);
}

void setCoreRank(RunConfig& config, const std::string& text)
{
    const kernels::AlgorithmInfo& info = kernels::algorithm(config.algorithm);
    if (info.model != kernels::ModelKind::FastTucker)
        throw kernels::Error(kernels::ErrorKind::BadArgument, fmt::format("{} has no core: its rank is all there is.", info.title));
    config.coreRank = smallOf("core-rank", text);
}

/// Whatever the locale. Text of sweepValues() is a number.
double realOf(const std::string& text)
{
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

kernels::SplitConfig splitOf(const std::string& text)
{
    const double fraction = realOf(text);
    return {fraction > 0 ? kernels::SplitKind::Random : kernels::SplitKind::None, fraction > 0 ? fraction : 0.1, {}};
}

/// Every combination, the last axis the fastest.
template <class Visit> void forEachCombination(const std::vector<SweepAxis>& axes, const Visit& visit)
{
    std::vector<std::size_t> at(axes.size(), 0);
    for (;;) {
        visit(at);
        std::size_t axis = axes.size();
        while (axis > 0 && ++at[axis - 1] == axes[axis - 1].values.size())
            at[--axis] = 0;
        if (axis == 0)
            return;
    }
}

void checkAxes(const std::vector<SweepAxis>& axes)
{
    std::size_t count = 1;
    for (const SweepAxis& axis : axes) {
        if (std::count_if(axes.begin(), axes.end(), [&](const SweepAxis& other) { return other.field == axis.field; }) > 1)
            throw kernels::Error(kernels::ErrorKind::BadArgument,
                                 fmt::format("{} is varied twice: put all its values in one list.", axis.field));
        count *= axis.values.size();
        if (count > 1'000'000)
            break;
    }
    if (count > mostSweepRuns)
        throw kernels::Error(
            kernels::ErrorKind::BadArgument,
            fmt::format("The sweep would have {} combinations, and {} is the most: leave out values, or vary fewer fields.",
                        count > 1'000'000 ? "more than a million" : fmt::format("{}", count), mostSweepRuns));
}

} // namespace

std::size_t SweepPlan::runCount() const
{
    return static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), [](const SweepRow& row) { return row.refusal.isEmpty(); }));
}

double SweepPlan::seconds() const
{
    double sum = 0;
    for (const SweepRow& row : rows)
        sum += row.refusal.isEmpty() ? row.seconds() : 0;
    return sum;
}

TimeRange SweepPlan::range() const
{
    TimeRange sum;
    for (const SweepRow& row : rows)
        if (row.refusal.isEmpty()) {
            sum.least += row.range().least;
            sum.most += row.range().most;
        }
    return sum;
}

bool SweepPlan::secondsMeasured() const
{
    return std::all_of(rows.begin(), rows.end(), [](const SweepRow& row) { return !row.refusal.isEmpty() || row.needs.measured; });
}

std::uint64_t SweepPlan::mostBytes() const
{
    std::uint64_t most = 0;
    for (const SweepRow& row : rows)
        most = std::max(most, row.refusal.isEmpty() ? row.needs.bytes : 0);
    return most;
}

QString SweepPlan::rowName(const SweepRow& row) const
{
    const auto tells = [](const SweepAxis& axis) { return axis.values.size() > 1 || axis.field == "rank"; };
    const bool anyTells = std::any_of(axes.begin(), axes.end(), tells); // else all are named: a run needs a name
    QStringList parts;
    for (std::size_t a = 0; a < axes.size(); ++a) {
        const QString value = QString::fromStdString(row.values[a]);
        if (anyTells && !tells(axes[a]))
            continue;
        if (axes[a].field == "algorithm")
            parts += QString::fromStdString(kernels::algorithm(row.values[a]).title);
        else if (axes[a].field == "rank")
            parts += tr("rank %1").arg(value);
        else if (axes[a].field == "seed")
            parts += tr("seed %1").arg(value);
        else
            parts += QString::fromStdString(axes[a].field) + u' ' + value;
    }
    return parts.join(QStringLiteral(", "));
}

void setSweepValue(RunConfig& config, const std::string& field, const std::string& text)
{
    if (field == "algorithm")
        setAlgorithm(config, text);
    else if (field == "variant")
        config.variant = text;
    else if (field == "format")
        config.format = text;
    else if (field == "precision")
        config.precision = kernels::precisionFromString(text).value_or(config.precision);
    else if (field == "device")
        config.devices = kernels::devicesFromString(text);
    else if (field == "rank")
        config.ranks = ranksOf(text);
    else if (field == "core-rank")
        setCoreRank(config, text);
    else if (field == "seed")
        config.seed = countOf(field, text);
    else if (field == "iterations")
        config.stopping.iterations = countOf(field, text);
    else if (field == "tolerance")
        config.stopping.tolerance = realOf(text);
    else if (field == "patience")
        config.stopping.patience = smallOf(field, text);
    else if (field == "test-fraction")
        config.split = splitOf(text);
    else if (field == "deterministic")
        config.deterministic = text == "true";
    else if (field == "threads")
        config.threads = smallOf(field, text);
    else
        setParameter(config, field, text);
}

SweepPlan planSweep(const RunConfig& base, std::vector<SweepAxis> axes, const OpenTensor& tensor,
                    const std::function<RunNeeds(const RunConfig&)>& needs)
{
    checkAxes(axes);
    std::stable_sort(axes.begin(), axes.end(), [](const SweepAxis& a, const SweepAxis& b) { return column(a.field) < column(b.field); });
    SweepPlan plan{axes, {}};
    // Seeds go round outermost: one curve over all ranks is there early, and runs of a seed share their test part.
    if (!axes.empty() && axes.back().field == "seed")
        std::rotate(axes.begin(), axes.end() - 1, axes.end());
    const bool seedsFirst = !axes.empty() && axes.front().field == "seed";
    forEachCombination(axes, [&](const std::vector<std::size_t>& at) {
        SweepRow row;
        for (std::size_t a = 0; a < axes.size(); ++a)
            row.values.push_back(axes[a].values[at[a]]);
        if (seedsFirst)
            std::rotate(row.values.begin(), row.values.begin() + 1, row.values.end());
        check(row, base, plan, tensor, needs);
        plan.rows.push_back(std::move(row));
    });
    return plan;
}

SweepAxis replicateAxis(const RunConfig& base, unsigned count)
{
    SweepAxis axis{"seed", {}};
    for (unsigned i = 0; i < std::max(1u, count); ++i)
        axis.values.push_back(fmt::format("{}", base.seed + i));
    return axis;
}

RunConfig withoutRankAndSeed(RunConfig config)
{
    if (config.effectiveCoreRank() == config.largestRank())
        config.coreRank = 0;
    config.ranks = {1};
    config.seed = 0;
    config.threads = 0; // where it ran does not matter to what it found
    config.memoryLimit = 0;
    return config;
}

QString rankText(const RunConfig& config)
{
    QStringList ranks;
    for (const unsigned rank : config.ranks)
        ranks += QString::number(rank);
    return ranks.count(ranks.value(0)) == ranks.size() ? ranks.value(0) : ranks.join(u'x');
}

} // namespace app
