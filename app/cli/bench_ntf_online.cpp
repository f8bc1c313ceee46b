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
        weights.push_back(parseNumber("--weight", one, aboveZero, 1e6));
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
    return fmt::format("{} {} R = {}", methodOf(row.config), toString(row.config.precision), row.config.ranks.front());
}

/// "a run on 1,200 entries took 3.2 s, test RMSE 0.91, divergence 0.4"
std::string runText(const NtfTraining& training)
{
    std::string text = fmt::format("a run on {} took {}, test RMSE {}", countText(training.entries, "entry", "entries"),
                                   secondsText(training.seconds), numberText(training.heldOut.rmse));
    return std::isfinite(training.heldOut.divergence) ? text + ", divergence " + numberText(training.heldOut.divergence) : text;
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
    if (!isNtf(row.config)) {
        std::string text;
        for (const NtfTraining& training : row.trainings)
            text += fmt::format("{}: {}\n", name, runText(training));
        return row.reason.empty() ? text : text + fmt::format("{}: {}\n", name, row.reason);
    }
    std::string text = fmt::format("{}: at first {}\n\n", name, runText(row.trainings.front()));
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
            notes += fmt::format("{}: {}\n", nameOf(updates), updates.reason);
    }
    if (!row.reason.empty())
        notes += row.reason + '\n';
    return text + (table.size() > 1 ? tableText(table, {false, true, true, true, true, true, true, true, true, true, true}) + '\n' : "")
        + notes;
}

/// A line for all batches of a rule and weight: the mean of their times, and how good the model is after the last one.
std::string summaryOf(const std::vector<NtfOnlineRow>& rows)
{
    std::vector<std::vector<std::string>> table{{"method", "precision", "R", "rule", "weight", "a batch", "with files", "a run", "of a run",
                                                 "test RMSE", "of a run", "test divergence", "of a run"}};
    std::string notes;
    for (const NtfOnlineRow& row : rows) {
        const std::string precision(toString(row.config.precision)), rank = std::to_string(row.config.ranks.front());
        if (!row.reason.empty())
            notes += fmt::format("{}: {}\n", nameOf(row), row.reason);
        if (!row.trainings.empty() && !isNtf(row.config)) {
            const NtfTraining& run = row.trainings.back();
            table.push_back({methodOf(row.config), precision, rank, "", "", "", "", secondsText(run.seconds), "", "",
                             numberText(run.heldOut.rmse), "", ""});
        }
        for (const NtfUpdates& updates : row.updates) {
            if (!updates.reason.empty())
                notes += fmt::format("{}, {}: {}\n", nameOf(row), nameOf(updates), updates.reason);
            if (updates.batches.empty())
                continue;
            const NtfTraining& run = trainingBefore(row, static_cast<unsigned>(updates.batches.size()));
            const HeldOutError& last = updates.batches.back().heldOut;
            table.push_back({methodOf(row.config), precision, rank, idOf(updates.rule), fmt::format("{:g}", updates.weight),
                             secondsText(meanSeconds(updates, false)), secondsText(meanSeconds(updates, true)), secondsText(run.seconds),
                             percentText(meanSeconds(updates, true) / run.seconds), numberText(last.rmse), numberText(run.heldOut.rmse),
                             numberText(last.divergence), numberText(run.heldOut.divergence)});
        }
    }
    std::vector<bool> right(table.front().size(), true);
    for (const std::size_t text : {0, 1, 3})
        right[text] = false;
    return (table.size() > 1 ? tableText(table, right) : "") + (notes.empty() ? "" : '\n' + notes);
}

ordered_json jsonOf(const HeldOutError& error)
{
    ordered_json object = ordered_json::object();
    for (const auto& [key, value] : {std::pair{"rmse", error.rmse}, {"divergence", error.divergence}})
        if (std::isfinite(value))
            object[key] = value;
    return object;
}

ordered_json jsonOf(const BenchSubject& subject, const NtfOnlineRow& row)
{
    ordered_json object = rowJson(subject, row.config);
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
    sub.add_option("--iterations", iterations, "With --online, and in tables of runs: of every run (50)")->type_name("N");
}

void NtfOnlineOptions::requireEffective(bool online, bool runs) const
{
    for (const auto& [option, value] : {std::pair{"--batches", &batches},
                                        {"--batch-percent", &batchPercent},
                                        {"--rule", &rules},
                                        {"--weight", &weights},
                                        {"--steps", &steps},
                                        {"--passes", &passes},
                                        {"--pass-every", &passEvery},
                                        {"--retrain-every", &retrainEvery}})
        requireEffect(option, value->has_value(), online, "without --online");
    requireEffect("--iterations", iterations.has_value(), online || runs, "without --online, or a table of runs");
}

std::uint64_t NtfOnlineOptions::iterationsOfRuns() const
{
    return iterations ? parseWhole("--iterations", *iterations, 1, 1000000) : NtfOnlinePlan().iterations;
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
    plan.iterations = iterationsOfRuns();
    return plan;
}

NtfSection ntfOnline(const BenchSubject& subject, const app::OpenTensor& open, const std::vector<kernels::RunConfig>& configs,
                     const NtfOnlinePlan& plan, bool summary)
{
    std::vector<NtfOnlineRow> rows;
    {
        kernels::Progress& progress = Interrupt::progress();
        const StageLine line(progress);
        const NtfStream stream(open, plan, progress);
        std::uint64_t steps = 0;
        for (const kernels::RunConfig& config : configs)
            steps += stepsOfNtfOnline(config, plan);
        progress.setEntries(0); // those that were read
        progress.begin("training and updating", steps);
        rows = rowsOf(configs, [&](const kernels::RunConfig& config) { return measureNtfOnline(stream, config, plan, progress); });
    }
    NtfSection section;
    section.stopped = rows.size() < configs.size();
    section.text = benchHead(subject, headOf(plan)) + (summary ? summaryOf(rows) : "");
    for (const NtfOnlineRow& row : rows) {
        if (!summary)
            section.text += (&row == rows.data() ? "" : "\n") + tableOf(row);
        section.rows.push_back(jsonOf(subject, row));
    }
    section.text += stoppedText(rows.size(), configs.size());
    return section;
}

ordered_json jsonOf(const NtfOnlinePlan& plan)
{
    return {{"batches", plan.batches},      {"batch_percent", 100 * plan.batchShare}, {"steps", plan.steps},
            {"passes", plan.passes},        {"pass_every", plan.passEvery},           {"retrain_every", plan.retrainEvery},
            {"iterations", plan.iterations}};
}

} // namespace cli
