// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tensor_reference.h"

#include "io/error.h"
#include "io/hdf5_name.h"
#include "io/json_text.h"
#include "io/spooled_stream.h"

#include <QDir>
#include <QFileInfo>

#include <nlohmann/json.hpp>

#include <algorithm>

namespace app {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* where = "checkpoint /state/source";

Json toJson(const std::vector<io::ModeNaming>& naming)
{
    Json list = Json::array();
    for (const io::ModeNaming& each : naming) {
        Json one{{"mode", each.mode}};
        if (each.name)
            one["name"] = *each.name;
        if (each.labelFile)
            one["labels"] = *each.labelFile;
        list.push_back(std::move(one));
    }
    return list;
}

/// Absent in what was written before modes could be named.
std::vector<io::ModeNaming> namingFrom(const Json& json)
{
    std::vector<io::ModeNaming> naming;
    if (!json.contains("naming"))
        return naming;
    for (const Json& one : json.at("naming")) {
        io::ModeNaming each{one.at("mode").get<unsigned>(), {}, {}};
        if (one.contains("name"))
            each.name = one.at("name").get<std::string>();
        if (one.contains("labels"))
            each.labelFile = one.at("labels").get<std::string>();
        naming.push_back(std::move(each));
    }
    return naming;
}

/// Absent in what was written before it could be said.
void addEmptyCells(Json& json, kernels::EmptyCells meaning)
{
    if (meaning != kernels::EmptyCells::Unsaid)
        json["empty_cells"] = kernels::toString(meaning);
}

kernels::EmptyCells emptyCellsFrom(const Json& json)
{
    if (!json.contains("empty_cells"))
        return kernels::EmptyCells::Unsaid;
    const auto meaning = kernels::emptyCellsFromString(json.at("empty_cells").get<std::string>());
    if (!meaning)
        throw io::Error({"unknown meaning of empty cells", where, json.at("empty_cells").dump(), "zero or unknown", {}});
    return *meaning;
}

Json toJson(const io::ReadOptions& options)
{
    Json json{{"index_base", static_cast<int>(options.indexBase)},
              {"duplicates", static_cast<int>(options.duplicates)},
              {"keep_zeros", options.keepZeros},
              {"dims", options.dims},
              {"layout", options.layout},
              {"double_values", options.doubleValues},
              {"naming", toJson(options.naming)}};
    if (options.recipe)
        json["recipe"] = Json::parse(io::table::toJson(*options.recipe));
    addEmptyCells(json, options.emptyCells);
    return json;
}

io::ReadOptions optionsFrom(const Json& json)
{
    io::ReadOptions options;
    const int base = json.at("index_base").get<int>();
    const int duplicates = json.at("duplicates").get<int>();
    if (base < 0 || base > static_cast<int>(io::IndexBase::PerMode) || duplicates < 0
        || duplicates > static_cast<int>(kernels::Duplicates::Max))
        throw io::Error({"unknown way to read a tensor", where, json.dump(), {}, {}});
    options.indexBase = static_cast<io::IndexBase>(base);
    options.duplicates = static_cast<kernels::Duplicates>(duplicates);
    options.keepZeros = json.at("keep_zeros").get<bool>();
    options.dims = json.at("dims").get<std::vector<kernels::Index>>();
    options.layout = json.at("layout").get<std::string>();
    options.doubleValues = json.at("double_values").get<bool>();
    options.naming = namingFrom(json);
    if (json.contains("recipe"))
        options.recipe = io::table::recipeFromJson(json.at("recipe").dump(), where);
    options.emptyCells = emptyCellsFrom(json);
    return options;
}

/// "3" of {"--data-seed", "3"}.
std::uint64_t dataSeedOf(const OpenTensor& tensor)
{
    const auto& options = tensor.command.options;
    const auto at = std::find(options.begin(), options.end(), "--data-seed");
    return at == options.end() ? defaultDataSeed : std::stoull(*(at + 1));
}

/// Where the file is now, if it moved with the folder: of /home/a/study/data/x.tns, study/data/x.tns, data/x.tns and x.tns are looked
/// for in the folder and in the one above, so that of files of one name the likeliest is taken. Empty: nowhere.
QString nearTo(const QString& folder, const QString& file)
{
    const QStringList parts = QDir::fromNativeSeparators(file).split(QLatin1Char('/'), Qt::SkipEmptyParts);
    for (const QString& base : {folder, folder + QStringLiteral("/..")})
        for (qsizetype first = 0; first < parts.size(); ++first) {
            const QString there = QDir::cleanPath(base + QLatin1Char('/') + parts.mid(first).join(QLatin1Char('/')));
            if (QFileInfo(there).isFile())
                return there;
        }
    return {};
}

/// How much of "FILE.h5:/group" is the file, also where that is gone.
std::size_t fileLength(const std::string& path)
{
    const std::size_t length = io::splitHdf5Name(path).file.size(), colon = path.find(":/");
    const bool isThere = length < path.size() || QFileInfo::exists(QString::fromStdString(path));
    return isThere || colon == std::string::npos || colon == 0 ? length : colon;
}

/// "there.h5:/x" for "gone.h5:/x"; as it was where the file is in its place, or nowhere.
std::string nearTo(const std::string& folder, const std::string& path)
{
    const std::string file = path.substr(0, fileLength(path));
    if (QFileInfo::exists(QString::fromStdString(file)))
        return path;
    const QString there = nearTo(QString::fromStdString(folder), QString::fromStdString(file));
    return there.isEmpty() ? path : there.toStdString() + path.substr(file.size());
}

} // namespace

std::string referenceTo(const OpenTensor& tensor)
{
    if (io::isStream(tensor.path.toStdString())) // nobody else can read it again
        return {};
    if (!tensor.path.isEmpty()) {
        const std::string path = tensor.path.toStdString();
        const std::string file = io::splitHdf5Name(path).file;
        const std::string absolute = QFileInfo(QString::fromStdString(file)).absoluteFilePath().toStdString();
        return Json{{"file", absolute + path.substr(file.size())}, {"read", toJson(tensor.readOptions)}}.dump();
    }
    if (!kernels::parsePresetReference(tensor.command.argument))
        return {};
    Json json{{"preset", tensor.command.argument}, {"data_seed", dataSeedOf(tensor)}, {"naming", toJson(tensor.readOptions.naming)}};
    addEmptyCells(json, tensor.readOptions.emptyCells);
    return json.dump();
}

std::string referenceToLearnt(const LearntReference& learnt)
{
    Json json{{"learnt", toJson(learnt.options)}};
    if (learnt.madeFrom > 0)
        json["made_from"] = learnt.madeFrom;
    return json.dump();
}

std::optional<LearntReference> learntBy(const std::string& reference)
{
    try {
        const Json json = reference.empty() ? Json() : io::parseJson(reference, where);
        if (!json.contains("learnt"))
            return std::nullopt;
        return LearntReference{optionsFrom(json.at("learnt")), json.value("made_from", std::uint64_t{0})};
    } catch (const std::exception&) { // opening it says what is wrong
        return std::nullopt;
    }
}

std::string fileOf(const std::string& reference)
{
    try {
        return io::parseJson(reference, where).value("file", std::string());
    } catch (const Json::exception&) {
        return {};
    }
}

std::string movedTo(const std::string& reference, const std::string& file)
{
    Json json = io::parseJson(reference, where);
    const std::string old = json.value("file", std::string());
    json["file"] = file + old.substr(fileLength(old)); // with the group that was read
    return json.dump();
}

std::string foundNear(const std::string& reference, const std::string& folder)
{
    Json json = io::parseJson(reference, where);
    if (json.contains("file") && json["file"].is_string())
        json["file"] = nearTo(folder, json["file"].get<std::string>());
    Json* const naming = json.contains("naming")                   ? &json["naming"]
        : json.contains("read") && json["read"].contains("naming") ? &json["read"]["naming"]
                                                                   : nullptr;
    if (naming)
        for (Json& each : *naming)
            if (each.contains("labels") && each["labels"].is_string())
                each["labels"] = nearTo(folder, each["labels"].get<std::string>());
    return json.dump();
}

std::shared_ptr<OpenTensor> openReference(const std::string& reference, Statistics statistics, kernels::Progress& progress)
{
    Json json;
    std::string file;
    io::ReadOptions options;
    std::optional<kernels::PresetReference> preset;
    std::uint64_t seed = 0;
    try {
        json = io::parseJson(reference, where);
        if (json.contains("file")) {
            file = json.at("file").get<std::string>();
            options = optionsFrom(json.at("read"));
        } else {
            preset = kernels::parsePresetReference(json.at("preset").get<std::string>());
            seed = json.at("data_seed").get<std::uint64_t>();
            options.naming = namingFrom(json);
            options.emptyCells = emptyCellsFrom(json);
        }
    } catch (const Json::exception& error) {
        throw io::Error({"does not say where the run's tensor is", where, error.what(), {}, {}});
    }
    if (!preset)
        return openTensorFile(file, options, statistics, progress);
    auto open = openPreset(preset->id, preset->scale, seed, statistics, progress);
    nameModes(*open, options, progress);
    sayEmptyCells(*open, options.emptyCells);
    return open;
}

} // namespace app
