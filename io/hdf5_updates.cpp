// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/hdf5_updates.h"

#include "io/file_updates.h"
#include "io/hdf5_model.h"
#include "io/hdf5_read.h"
#include "io/hdf5_write.h"
#include "io/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace io {
namespace {

using namespace hdf5;

constexpr std::uint64_t mostUpdates = std::uint64_t{1} << 24;
constexpr hsize_t chunk = 1024;

struct Column {
    const char* name;
    std::uint64_t UpdateRecord::*count = nullptr;
    double UpdateRecord::*number = nullptr;
};

constexpr std::array columns{Column{"iteration", &UpdateRecord::iteration, nullptr},
                             Column{"entries", &UpdateRecord::entries, nullptr},
                             Column{"new_rows", &UpdateRecord::newRows, nullptr},
                             Column{"weight", nullptr, &UpdateRecord::weight},
                             Column{"steps", &UpdateRecord::steps, nullptr},
                             Column{"passes", &UpdateRecord::passes, nullptr},
                             Column{"seconds", nullptr, &UpdateRecord::seconds},
                             Column{"rmse_before", nullptr, &UpdateRecord::rmseBefore},
                             Column{"rmse_after", nullptr, &UpdateRecord::rmseAfter},
                             Column{"mae_after", nullptr, &UpdateRecord::maeAfter},
                             Column{"divergence_after", nullptr, &UpdateRecord::divergenceAfter},
                             Column{"sums_anew", &UpdateRecord::sumsAnew, nullptr}};
constexpr const char* ruleColumn = "rule";
constexpr const char* fileColumn = "file_name";
constexpr const char* timeColumn = "finished_utc";
constexpr const char* checksumColumn = "sha256";
constexpr const char* paperRule = "paper";
constexpr const char* ourRule = "ours";

constexpr std::array<std::string_view, 2> sumArrays{"numerator_", "denominator_"};
constexpr std::array<std::string_view, 2> furtherArrays{"factor_at_", "entries_"};

CheckedDataset openColumn(const Object& group, const char* name, const std::string& where, std::uint64_t length)
{
    CheckedDataset set = openDataset(group.id(), name, where);
    if (set.dims.size() != 1 || set.dims[0] != length)
        throw Error(
            {"has another length than the other columns", set.where, fmt::format("{}", set.elements), fmt::format("{}", length), {}});
    return set;
}

template <class T, class Set>
void readColumn(Session& session, const Object& group, const char* name, const std::string& where, std::uint64_t length, const Set& set)
{
    if (!hasLink(group.id(), name))
        return;
    std::vector<T> values(length);
    readArray(session, openColumn(group, name, where, length), values.data());
    for (std::size_t i = 0; i < length; ++i)
        set(i, values[i]);
}

} // namespace

void writeUpdates(Session& session, hid_t root, const std::vector<UpdateRecord>& updates)
{
    if (updates.empty())
        return;
    const Group group = createGroup(root, "updates");
    const Storage storage{chunk, false, true};
    for (const Column& column : columns) {
        if (column.count) {
            std::vector<std::uint64_t> counts;
            for (const UpdateRecord& update : updates)
                counts.push_back(update.*column.count);
            writeArray(session, group.id(), column.name, counts.data(), {counts.size()}, storage);
        } else {
            std::vector<double> numbers;
            for (const UpdateRecord& update : updates)
                numbers.push_back(update.*column.number);
            writeArray(session, group.id(), column.name, numbers.data(), {numbers.size()}, storage);
        }
    }
    std::vector<std::string> rules, files, times, checksums;
    for (const UpdateRecord& update : updates) {
        rules.push_back(update.paperRule ? paperRule : ourRule);
        files.push_back(update.fileName);
        times.push_back(update.finishedUtc);
        checksums.push_back(update.sha256);
    }
    writeStrings(group.id(), ruleColumn, rules);
    writeStrings(group.id(), fileColumn, files);
    writeStrings(group.id(), timeColumn, times);
    writeStrings(group.id(), checksumColumn, checksums);
}

std::vector<UpdateRecord> readUpdates(Session& session, hid_t root, const std::string& name)
{
    if (!hasLink(root, "updates"))
        return {};
    const std::string where = name + " /updates";
    const Object group = openObject(root, "updates", name);
    if (!isGroup(group) || !hasLink(group.id(), columns[0].name))
        return {};
    const CheckedDataset first = openDataset(group.id(), columns[0].name, where);
    if (first.dims.size() != 1 || first.elements > mostUpdates)
        throw Error(
            {"is not a column", first.where, fmt::format("{} numbers", first.elements), fmt::format("at most {}", mostUpdates), {}});
    std::vector<UpdateRecord> updates(first.elements);
    for (const Column& column : columns) {
        if (column.count)
            readColumn<std::uint64_t>(session, group, column.name, where, updates.size(),
                                      [&](std::size_t i, std::uint64_t v) { updates[i].*column.count = v; });
        else
            readColumn<double>(session, group, column.name, where, updates.size(),
                               [&](std::size_t i, double v) { updates[i].*column.number = v; });
    }
    std::size_t bytesLeft = labelBytesTogether;
    const auto readTexts = [&](const char* column, const auto& set) {
        if (!hasLink(group.id(), column))
            return;
        const auto texts = readStrings(session, group.id(), column, where, updates.size(), bytesLeft);
        for (std::size_t i = 0; i < updates.size(); ++i)
            set(updates[i], texts[i]);
    };
    readTexts(ruleColumn, [](UpdateRecord& update, const std::string& text) { update.paperRule = text == paperRule; });
    readTexts(fileColumn, [](UpdateRecord& update, const std::string& text) { update.fileName = text; });
    readTexts(timeColumn, [](UpdateRecord& update, const std::string& text) { update.finishedUtc = text; });
    readTexts(checksumColumn, [](UpdateRecord& update, const std::string& text) { update.sha256 = text; });
    return updates;
}

bool isKeptArray(std::string_view name)
{
    const auto fits = [name](std::string_view prefix) { return name.starts_with(prefix); };
    return std::any_of(sumArrays.begin(), sumArrays.end(), fits) || std::any_of(furtherArrays.begin(), furtherArrays.end(), fits);
}

std::optional<std::vector<UpdateRecord>> updatesOfFile(const std::string& path)
{
    std::vector<UpdateRecord> updates;
    bool isModel = false;
    try {
        Session session;
        const File file = openFile(path);
        isModel = textAttribute(file.id(), "polyad_format", path) == "model";
        if (isModel)
            updates = readUpdates(session, file.id(), path);
        if (isModel && updates.empty() && hasLink(file.id(), "updates"))
            return std::nullopt;
    } catch (const Error&) {
        if (isModel)
            return std::nullopt;
    }
    return updates;
}

bool hasLearnt(const std::string& path)
{
    const auto updates = updatesOfFile(path);
    return !updates || !updates->empty();
}

void separateOwnErrors(std::vector<UpdateRecord>& updates, std::vector<kernels::IterationRecord>& history)
{
    auto row = history.begin(); // both ascend
    for (UpdateRecord& update : updates) {
        row = std::find_if(row, history.end(), [&](const kernels::IterationRecord& each) { return each.iteration >= update.iteration; });
        if (row == history.end())
            return;
        if (row->iteration != update.iteration || update.sawAllEntries() || row->trainRmse != update.rmseAfter)
            continue;
        update.maeAfter = row->trainMae;
        update.divergenceAfter = row->divergence;
        row->trainRmse = row->trainMae = row->divergence = kernels::notMeasured;
    }
}

void requireWholeKept(const kernels::SolverState& kept, const kernels::Model& model, const std::string& where)
{
    const auto require = [&](std::string_view prefix, unsigned mode, std::size_t columnCount, bool needed) {
        const std::string name = fmt::format("{}{}", prefix, mode);
        const auto found = kept.find(name);
        if (found == kept.end() && needed)
            throw Error({"what later updates need is not whole",
                         where,
                         "no " + name,
                         fmt::format("{}0 to {}{}", prefix, prefix, model.order() - 1),
                         {}});
        if (found != kept.end() && (found->second.rows != model.dims[mode] || found->second.columns != columnCount))
            throw Error({"has another shape than the model",
                         where + '/' + name,
                         fmt::format("{} × {}", found->second.rows, found->second.columns),
                         fmt::format("{} × {}", model.dims[mode], columnCount),
                         {}});
    };
    for (unsigned n = 0; n < model.order(); ++n) {
        for (const std::string_view prefix : sumArrays)
            require(prefix, n, model.ranks[n], true);
        require(furtherArrays[0], n, model.ranks[n], kept.contains("factor_at_0"));
        require(furtherArrays[1], n, 1, false);
    }
}

} // namespace io
