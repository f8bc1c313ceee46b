// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/setting_differences.h"

#include "kernels/base/error.h"
#include "kernels/base/registry.h"
#include "kernels/base/several_devices.h"

#include <QCoreApplication>
#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace app {
namespace {

using kernels::RunConfig;

QString tr(const char* text) { return QCoreApplication::translate("settings", text); }
QString words(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }
QString yesOrNo(bool value) { return value ? tr("yes") : tr("no"); }
template <class T> QString numberOr(T value, const QString& none) { return value == T{} ? none : QString::number(value); }

const kernels::AlgorithmInfo* findAlgorithm(const std::string& id)
{
    const auto& all = kernels::algorithms();
    const auto at = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.id == id; });
    return at == all.end() ? nullptr : &*at;
}

/// The title of what has this id, else the id itself.
template <class Items> QString titleOf(const Items& items, const std::string& id)
{
    const auto at = std::find_if(items.begin(), items.end(), [&](const auto& each) { return each.id == id; });
    return words(at == items.end() ? id : at->title);
}

QString ranksText(const RunConfig& config)
{
    QStringList ranks;
    for (const unsigned rank : config.ranks)
        ranks += QString::number(rank);
    return ranks.count(ranks.value(0)) == ranks.size() ? ranks.value(0) : ranks.join(QStringLiteral(", "));
}

QString splitText(const kernels::SplitConfig& split)
{
    switch (split.kind) {
    case kernels::SplitKind::None:
        return tr("none");
    case kernels::SplitKind::File:
        return split.testFile.empty() ? tr("the tensor's own") : QFileInfo(QString::fromStdString(split.testFile)).fileName();
    case kernels::SplitKind::Random:
        break;
    }
    return tr("%1 %").arg(split.testFraction * 100, 0, 'g', 6);
}

QString valueText(const kernels::ParameterValue& value, const kernels::ParameterSpec* spec)
{
    if (const bool* flag = std::get_if<bool>(&value))
        return yesOrNo(*flag);
    const QString text = QString::fromStdString(kernels::toString(value));
    return spec && !spec->unit.empty() ? text + u' ' + QString::fromStdString(spec->unit) : text;
}

struct Setting {
    QString id; ///< a parameter's; of other settings empty: their labels are their own
    QString label, value;
    bool usual = false; ///< a parameter that stands as its algorithm has it by default
};
using Settings = std::vector<Setting>;

Settings parametersOf(const RunConfig& config, const kernels::AlgorithmInfo* info)
{
    Settings settings;
    if (info) // in the schema's order
        for (const kernels::ParameterSpec& spec : info->parameters)
            if (const auto at = config.parameters.find(spec.id); at != config.parameters.end())
                settings.push_back({QString::fromStdString(spec.id), QString::fromStdString(spec.label), valueText(at->second, &spec),
                                    at->second == spec.defaultValue});
    for (const auto& [id, value] : config.parameters)
        if (!info || !info->parameter(id))
            settings.push_back({QString::fromStdString(id), QString::fromStdString(id), valueText(value, nullptr)});
    return settings;
}

Settings settingsOf(const RunConfig& config)
{
    const kernels::AlgorithmInfo* const info = findAlgorithm(config.algorithm);
    Settings settings{{{}, tr("Algorithm"), titleOf(kernels::algorithms(), config.algorithm)}};
    if (info && info->variants.size() > 1)
        settings.push_back({{}, tr("Variant"), titleOf(info->variants, config.variant)});
    settings.insert(settings.end(),
                    {{{}, tr("Format"), titleOf(kernels::tensorFormats(), config.format)},
                     {{}, tr("Device"), words(kernels::toString(config.devices))},
                     {{}, tr("Precision"), words(kernels::toString(config.precision))},
                     {{}, tr("Rank"), ranksText(config)}});
    if (info && info->model == kernels::ModelKind::FastTucker)
        settings.push_back({{}, tr("Core rank"), QString::number(config.effectiveCoreRank())});
    settings.insert(settings.end(),
                    {{{}, tr("Test split"), splitText(config.split)},
                     {{}, tr("Seed"), QString::number(config.seed)},
                     {{}, tr("Initial factors"), QString::fromStdString(config.init)},
                     {{}, tr("Deterministic"), yesOrNo(config.deterministic)}});
    const Settings parameters = parametersOf(config, info);
    settings.insert(settings.end(), parameters.begin(), parameters.end());
    const kernels::StoppingRules& stopping = config.stopping;
    settings.insert(
        settings.end(),
        {{{}, tr("Iterations"), QString::number(stopping.iterations)},
         {{}, tr("Tolerance"), numberOr(stopping.tolerance, tr("none"))},
         {{}, tr("Patience"), QString::number(stopping.patience)},
         {{}, tr("Time limit"), stopping.secondsLimit > 0 ? tr("%1 s").arg(stopping.secondsLimit) : tr("none")},
         {{}, tr("Memory limit"), config.memoryLimit ? QString::fromStdString(kernels::formatBytes(config.memoryLimit)) : tr("none")},
         {{}, tr("CPU threads"), numberOr(config.threads, tr("all"))}});
    return settings;
}

/// A row to be: parameters of one label are still two.
struct Place {
    QString id;
    SettingRow row;
};

/// Where the setting stands, or should: behind the ones that come before it in the run's own order.
std::size_t placeOf(std::vector<Place>& places, const Setting& setting, std::size_t after)
{
    const auto isIt = [&](const Place& place) { return place.id == setting.id && place.row.label == setting.label; };
    const auto at = std::find_if(places.begin(), places.end(), isIt);
    if (at != places.end())
        return static_cast<std::size_t>(at - places.begin());
    places.insert(places.begin() + static_cast<std::ptrdiff_t>(after), {setting.id, {setting.label, {}, true}});
    return after;
}

void fillUp(QStringList& values, std::size_t count)
{
    while (values.size() < static_cast<qsizetype>(count))
        values += QStringLiteral("–");
}

} // namespace

std::vector<SettingRow> settingRows(const std::vector<RunConfig>& configs)
{
    std::vector<Place> places;
    for (std::size_t run = 0; run < configs.size(); ++run) {
        std::size_t next = 0;
        for (const Setting& setting : settingsOf(configs[run])) {
            const std::size_t place = placeOf(places, setting, next);
            fillUp(places[place].row.values, run);
            places[place].row.values += setting.value;
            places[place].row.usual &= setting.usual;
            next = place + 1;
        }
    }
    std::vector<SettingRow> rows;
    for (Place& place : places) {
        fillUp(place.row.values, configs.size());
        rows.push_back(std::move(place.row));
    }
    return rows;
}

std::vector<SettingRow> settingDifferences(const std::vector<RunConfig>& configs)
{
    std::vector<SettingRow> rows = settingRows(configs);
    const bool several =
        std::any_of(configs.begin(), configs.end(), [&](const RunConfig& each) { return each.algorithm != configs.front().algorithm; });
    std::erase_if(rows, [several](const SettingRow& row) {
        return row.values.count(row.values.value(0)) == row.values.size() || (several && row.usual);
    });
    return rows;
}

} // namespace app
