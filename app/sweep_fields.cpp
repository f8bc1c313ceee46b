// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a sweep can vary, from the registry.
#include "app/sweep_values.h"

#include <QCoreApplication>

#include <algorithm>

namespace app {
namespace {

using Kind = SweepField::Kind;

template <class Items> void addIds(std::vector<std::string>& ids, const Items& items)
{
    for (const auto& item : items)
        if (const std::string& id = item.id; std::find(ids.begin(), ids.end(), id) == ids.end())
            ids.push_back(id);
}

Kind kindOf(const kernels::ParameterSpec& spec)
{
    return spec.type == kernels::ParameterType::Integer ? Kind::Whole
        : spec.type == kernels::ParameterType::Real     ? Kind::Real
                                                        : Kind::Words;
}

void addParameters(std::vector<SweepField>& fields, const kernels::AlgorithmInfo& info)
{
    for (const kernels::ParameterSpec& spec : info.parameters) {
        if (std::any_of(fields.begin(), fields.end(), [&](const SweepField& field) { return field.id == spec.id; }))
            continue;
        const bool flag = spec.type == kernels::ParameterType::Boolean;
        fields.push_back({spec.id, spec.label, kindOf(spec), flag ? std::vector<std::string>{"false", "true"} : spec.choices});
    }
}

} // namespace

std::vector<SweepField> sweepFields(const std::vector<std::string>& algorithms)
{
    std::vector<std::string> all, variants, formats, precisions;
    addIds(all, kernels::algorithms());
    bool hasCore = false;
    for (const std::string& id : algorithms) {
        const kernels::AlgorithmInfo& info = kernels::algorithm(id);
        addIds(variants, info.variants);
        for (const std::string& format : info.formats)
            if (std::find(formats.begin(), formats.end(), format) == formats.end())
                formats.push_back(format);
        hasCore = hasCore || info.model == kernels::ModelKind::FastTucker;
    }
    for (const kernels::Precision precision : kernels::allPrecisions())
        precisions.emplace_back(kernels::toString(precision));
    std::vector<SweepField> fields{{"rank", QT_TRANSLATE_NOOP("sweep", "Rank"), Kind::Ranks, {}}};
    if (hasCore)
        fields.push_back({"core-rank", QT_TRANSLATE_NOOP("sweep", "Core rank"), Kind::Whole, {}});
    fields.insert(fields.end(),
                  {{"seed", QT_TRANSLATE_NOOP("sweep", "Seed"), Kind::Whole, {}},
                   {"algorithm", QT_TRANSLATE_NOOP("sweep", "Algorithm"), Kind::Words, all},
                   {"variant", QT_TRANSLATE_NOOP("sweep", "Variant"), Kind::Words, variants},
                   {"format", QT_TRANSLATE_NOOP("sweep", "Format"), Kind::Words, formats},
                   {"precision", QT_TRANSLATE_NOOP("sweep", "Precision"), Kind::Words, precisions},
                   {"device", QT_TRANSLATE_NOOP("sweep", "Device"), Kind::Words, {"auto", "cpu"}},
                   {"iterations", QT_TRANSLATE_NOOP("sweep", "Iterations"), Kind::Whole, {}},
                   {"tolerance", QT_TRANSLATE_NOOP("sweep", "Tolerance"), Kind::Real, {}},
                   {"patience", QT_TRANSLATE_NOOP("sweep", "Patience"), Kind::Whole, {}},
                   {"test-fraction", QT_TRANSLATE_NOOP("sweep", "Test part"), Kind::Real, {}},
                   {"deterministic", QT_TRANSLATE_NOOP("sweep", "Deterministic"), Kind::Words, {"false", "true"}},
                   {"threads", QT_TRANSLATE_NOOP("sweep", "CPU threads"), Kind::Whole, {}}});
    for (const std::string& id : algorithms)
        addParameters(fields, kernels::algorithm(id));
    return fields;
}

} // namespace app
