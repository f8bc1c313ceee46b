// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/bench_ntf_online.h"

#include "app/cli/arguments.h"
#include "app/cli/formatting.h"
#include "app/cli/interrupt.h"
#include "app/cli/ntf_online_measure.h"
#include "app/cli/stage_line.h"
#include "kernels/base/error.h"
#include "kernels/base/several_devices.h"
#include "kernels/operations/divergence.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace cli {
namespace {

using kernels::ntf::OnlineRule;
using nlohmann::ordered_json;

constexpr unsigned mostBatches = 10000;
constexpr double mostBatchShare = 0.9; ///< of all batches together: a run needs entries to begin with

const char* idOf(OnlineRule rule) { return rule == OnlineRule::Paper ? "paper" : "ours"; }

std::vector<OnlineRule> parseRules(const std::string& text)
{
    std::vector<OnlineRule> rules;
    for (const std::string& id : splitAt(text, ',')) {
        if (id != "ours" && id != "paper")
            throw kernels::Error(kernels::ErrorKind::BadArgument,
                                 {"not a value for this option", "--rule", fmt::format("\"{}\"", id), "ours, paper or ours,paper", {}});
        rules.push_back(id == "paper" ? OnlineRule::Paper : OnlineRule::Ours);
        if (std::count(rules.begin(), rules.end(), rules.back()) > 1)
            throw kernels::Error(kernels::ErrorKind::BadArgument, {"a rule is named twice", "--rule", text, "each once", {}});
    }
    return rules;
}

std::vector<double> parseWeights(const std::string& text)
{
    std::vector<double> weights;
    for (const std::string& one : splitAt(text, ',')) {
        weights.push_back(parseNumber("--weight", one, std::numeric_limits<double>::min(), 1e6));
        if (std::count(weights.begin(), weights.end(), weights.back()) > 1)
            throw kernels::Error(kernels::ErrorKind::BadArgument, {"a weight is named twice", "--weight", text, "each once", {}});
    }
    return weights;
}

/// "ours", or "ours, weight 0.5"
std::string nameOf(const NtfUpdates& updates)
{
    return idOf(updates.rule) + (updates.weight == 1 ? "" : fmt::format(", weight {:g}", updates.weight));
}

std::string nameOf(const NtfOnlineRow& row)
{
    return fmt::format("{} {} R = {}", std::get<std::string>(row.config.parameters.at("divergence")), toString(row.config.precision),
                       row.config.ranks.front());
}

const NtfTraining* retrainingAfter(const NtfOnlineRow& row, unsigned batches)
{
    const auto found = std::find_if(row.trainings.begin(), row.trainings.end(), [&](const NtfTraining& t) { return t.batches == batches; });
    return batches > 0 && found != row.trainings.end() ? &*found : nullptr;
}

/// The last run before, or with, so many batches: never on more entries than these.
const NtfTraining& trainingBefore(const NtfOnlineRow& row, unsigned batches)
{
    const auto later = [&](const NtfTraining& t) { return t.batches > batches; };
    return *std::prev(std::find_if(row.trainings.begin(), row.trainings.end(), later));
}

double meanSeconds(const NtfUpdates& updates, bool files)
{
    double sum = 0;
    for (const NtfBatch& batch : updates.batches)
        sum += batch.seconds + (files ? batch.fileSeconds : 0);
    return sum / static_cast<double>(updates.batches.size());
}

/// "+0.8 %"
std::string besideText(double value, double reference) { return fmt::format("{:+.2f} %", 100 * (value / reference - 1)); }

std::string sumText(const NtfOnlineRow& row, const NtfUpdates& updates)
{
    const NtfBatch& last = updates.batches.back();
    const auto batches = static_cast<unsigned>(updates.batches.size());
    const NtfTraining& training = trainingBefore(row, batches);
    std::string text = fmt::format("{}: {} a batch, {} with its files, {} of the {} of a run on {}", nameOf(updates),
                                   secondsText(meanSeconds(updates, false)), secondsText(meanSeconds(updates, true)),
                                   percentText(meanSeconds(updates, true) / training.seconds), secondsText(training.seconds),
                                   countText(training.entries, "entry", "entries"));
    if (training.batches == batches)
        text += fmt::format("; test RMSE {}, divergence {} beside it", besideText(last.heldOut.rmse, training.heldOut.rmse),
                            besideText(last.heldOut.divergence, training.heldOut.divergence));
    return text + '\n';
}

std::string tableOf(const NtfOnlineRow& row)
{
    const std::string name = nameOf(row);
    if (row.trainings.empty())
        return fmt::format("{}: {}\n", name, row.reason);
    const NtfTraining& first = row.trainings.front();
    std::string text = fmt::format("{}: a run on the first {} took {}, test RMSE {}, divergence {}\n\n", name,
                                   countText(first.entries, "entry", "entries"), secondsText(first.seconds), numberText(first.heldOut.rmse),
                                   numberText(first.heldOut.divergence));
    std::vector<std::vector<std::string>> table{{"rule", "batch", "new rows", "passes", "update", "with files", "of a run", "test RMSE",
                                                 "retrained", "test divergence", "retrained"}};
    std::string notes;
    for (const NtfUpdates& updates : row.updates) {
        for (unsigned number = 1; number <= updates.batches.size(); ++number) {
            const NtfBatch& batch = updates.batches[number - 1];
            const NtfTraining* const anew = retrainingAfter(row, number);
            const double seconds = batch.seconds + batch.fileSeconds;
            table.push_back({number == 1 ? nameOf(updates) : "", std::to_string(number), countText(batch.newRows),
                             batch.passes ? std::to_string(batch.passes) : "", secondsText(batch.seconds), secondsText(seconds),
                             percentText(seconds / trainingBefore(row, number).seconds), numberText(batch.heldOut.rmse),
                             anew ? numberText(anew->heldOut.rmse) : "", numberText(batch.heldOut.divergence),
                             anew ? numberText(anew->heldOut.divergence) : ""});
        }
        if (!updates.batches.empty())
            notes += sumText(row, updates);
        if (!updates.reason.empty())
            notes += fmt::format("{}: {}\n", idOf(updates.rule), updates.reason);
    }
    if (!row.reason.empty())
        notes += row.reason + '\n';
    return text + (table.size() > 1 ? tableText(table, {false, true, true, true, true, true, true, true, true, true, true}) + '\n' : "")
        + notes;
}

ordered_json jsonOf(const HeldOutError& error)
{
    ordered_json object = ordered_json::object();
    for (const auto& [key, value] : {std::pair{"rmse", error.rmse}, {"divergence", error.divergence}})
        if (std::isfinite(value))
            object[key] = value;
    return object;
}

ordered_json jsonOf(const NtfOnlineRow& row)
{
    ordered_json object{{"divergence", std::get<std::string>(row.config.parameters.at("divergence"))},
                        {"precision", toString(row.config.precision)},
                        {"rank", row.config.ranks.front()}};
    if (!row.reason.empty())
        object["reason"] = row.reason;
    for (const NtfTraining& training : row.trainings)
        object["trainings"].push_back({{"batches", training.batches},
                                       {"entries", training.entries},
                                       {"seconds", training.seconds},
                                       {"test", jsonOf(training.heldOut)}});
    for (const NtfUpdates& updates : row.updates) {
        ordered_json one{
            {"rule", idOf(updates.rule)}, {"weight", updates.weight}, {"steps", updates.steps}, {"batches", ordered_json::array()}};
        if (!updates.reason.empty())
            one["reason"] = updates.reason;
        for (const NtfBatch& batch : updates.batches)
            one["batches"].push_back({{"entries", batch.entries},
                                      {"new_rows", batch.newRows},
                                      {"passes", batch.passes},
                                      {"seconds", {{"update", batch.seconds}, {"files", batch.fileSeconds}}},
                                      {"test", jsonOf(batch.heldOut)}});
        object["updates"].push_back(one);
    }
    return object;
}

std::string headOf(const NtfOnlinePlan& plan)
{
    std::string text = fmt::format("{} of {:g} % each in the order of the last mode, beside runs of {} on all that came, their best kept",
                                   countText(plan.batches, "batch", "batches"), 100 * plan.batchShare,
                                   countText(plan.iterations, "iteration", "iterations"));
    if (plan.passes > 0 && plan.passEvery <= plan.batches) // --batches may be below the usual --pass-every
        text += fmt::format("; at most {} over all entries after every {}", countText(plan.passes, "pass", "passes"),
                            plan.passEvery == 1 ? "batch" : fmt::format("{} batches", plan.passEvery));
    return text;
}

} // namespace

void NtfOnlineOptions::addTo(CLI::App& sub)
{
    sub.add_flag("--online", wanted, "Models that learn entries as they come, beside retraining (below)");
    sub.add_option("--batches", batches, "With --online: how many (20)")->type_name("N");
    sub.add_option("--batch-percent", batchPercent, "With --online: how much of the entries to learn each is (1)")->type_name("P");
    sub.add_option("--rule", rules, "With --online: ours, paper (both)")->type_name("RULE,...");
    sub.add_option("--weight", weights, "With --online: of new entries beside old ones, in turn; without passes where not 1 (1)")
        ->type_name("W,...");
    sub.add_option("--steps", steps, "With --online: steps of a row by our rule (3)")->type_name("N");
    sub.add_option("--passes", passes, "With --online: passes over old and new entries, 0 for none (2)")->type_name("N");
    sub.add_option("--pass-every", passEvery, "With --online: after so many batches (10)")->type_name("N");
    sub.add_option("--retrain-every", retrainEvery, "With --online: so often, and after the last batch (as --pass-every)")->type_name("N");
    sub.add_option("--iterations", iterations, "With --online: of every run (50)")->type_name("N");
}

void NtfOnlineOptions::requireEffective() const
{
    for (const auto& [option, value] : {std::pair{"--batches", &batches},
                                        {"--batch-percent", &batchPercent},
                                        {"--rule", &rules},
                                        {"--weight", &weights},
                                        {"--steps", &steps},
                                        {"--passes", &passes},
                                        {"--pass-every", &passEvery},
                                        {"--retrain-every", &retrainEvery},
                                        {"--iterations", &iterations}})
        requireEffect(option, value->has_value(), wanted, "without --online");
}

NtfOnlinePlan NtfOnlineOptions::plan(const std::vector<kernels::DeviceId>& devices) const
{
    if (devices.size() > 1)
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"updates are measured on one device", "--device", kernels::toString(devices), "one device", {}});
    NtfOnlinePlan plan;
    const auto whole = [](const char* option, const std::optional<std::string>& text, unsigned otherwise, unsigned least, unsigned most) {
        return text ? static_cast<unsigned>(parseWhole(option, *text, least, most)) : otherwise;
    };
    plan.batches = whole("--batches", batches, plan.batches, 1, mostBatches);
    if (batchPercent)
        plan.batchShare = parseNumber("--batch-percent", *batchPercent, 1e-6, 100 * mostBatchShare) / 100;
    if (plan.batches * plan.batchShare > mostBatchShare + 1e-12)
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"too little is left for the run that comes first",
                              "--batches",
                              fmt::format("{} of {:g} % each", plan.batches, 100 * plan.batchShare),
                              "90 % of the entries to learn at most",
                              {}});
    plan.rules = parseRules(rules.value_or("ours,paper"));
    const bool hasOurs = std::find(plan.rules.begin(), plan.rules.end(), OnlineRule::Ours) != plan.rules.end();
    requireEffect("--steps", steps.has_value(), hasOurs, "with --rule paper, which takes one");
    plan.steps = whole("--steps", steps, plan.steps, 1, kernels::ntf::mostOnlineSteps);
    plan.weights = parseWeights(weights.value_or("1"));
    const bool passesCan = std::all_of(plan.weights.begin(), plan.weights.end(), [](double weight) { return weight == 1; });
    plan.passes = whole("--passes", passes, passesCan ? plan.passes : 0, 0, 1000);
    if (plan.passes > 0 && !passesCan)
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"passes over all entries count each of them once", "--weight", *weights, "1 where there are passes",
                              "Leave --weight out, or --passes."});
    requireEffect("--pass-every", passEvery.has_value(), plan.passes > 0, passesCan ? "with --passes 0" : "with such a --weight");
    plan.passEvery = whole("--pass-every", passEvery, plan.passEvery, 1, mostBatches);
    requireEffect("--pass-every", passEvery.has_value(), plan.passEvery <= plan.batches, "where there are fewer --batches");
    requireEffect("--passes", passes.has_value(), plan.passes == 0 || plan.passEvery <= plan.batches,
                  "where --pass-every is more than there are --batches");
    plan.retrainEvery = whole("--retrain-every", retrainEvery, plan.passEvery, 1, mostBatches);
    plan.iterations = whole("--iterations", iterations, static_cast<unsigned>(plan.iterations), 1, 1000000);
    return plan;
}

std::string ntfOnlineText(const BenchSubject& subject, const app::OpenTensor& open, const std::vector<kernels::RunConfig>& configs,
                          const NtfOnlinePlan& plan, bool json)
{
    std::vector<NtfOnlineRow> rows;
    {
        kernels::Progress& progress = Interrupt::progress();
        const StageLine line(progress);
        const NtfStream stream(open, plan, progress);
        progress.setEntries(0); // those that were read
        progress.begin("training and updating", configs.size() * stepsOfNtfOnline(plan));
        try {
            for (const kernels::RunConfig& config : configs)
                rows.push_back(measureNtfOnline(stream, config, plan, progress));
        } catch (const kernels::Cancelled&) { // what was measured took its time
            if (rows.empty())
                throw;
        }
    }
    const bool stopped = rows.size() < configs.size();
    if (!json) {
        std::string text = benchHead(subject, headOf(plan));
        for (const NtfOnlineRow& row : rows)
            text += (&row == rows.data() ? "" : "\n") + tableOf(row);
        return text + (stopped ? fmt::format("\nstopped after {} of {} models\n", rows.size(), configs.size()) : "");
    }
    ordered_json object = benchFrame("ntf", subject);
    object["online"] = {{"batches", plan.batches},      {"batch_percent", 100 * plan.batchShare}, {"steps", plan.steps},
                        {"passes", plan.passes},        {"pass_every", plan.passEvery},           {"retrain_every", plan.retrainEvery},
                        {"iterations", plan.iterations}};
    if (stopped)
        object["stopped"] = true;
    for (const NtfOnlineRow& row : rows)
        object["rows"].push_back(jsonOf(row));
    return object.dump(2) + '\n';
}

} // namespace cli
