// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/error.h"
#include "io/hdf5_tensor/levels.h"
#include "io/hdf5_tensor/parts.h"
#include "io/json_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

// Binsparse 0.*: a JSON attribute describes the arrays beside it. Read are all formats of matrices, and custom nestings of
// sparse and dense levels, CSF among them.

namespace io::hdf5_tensor {
namespace {

using Json = nlohmann::ordered_json;
using kernels::Count;

/// Formats that have a name, and their levels; rank 0: none.
struct LevelShape {
    bool dense = false;
    unsigned rank = 0;
};
struct MatrixFormat {
    const char* name;
    bool byColumn;
    LevelShape levels[2];
};
constexpr MatrixFormat matrixFormats[] = {
    {"COO", false, {{false, 2}}},
    {"COOR", false, {{false, 2}}},
    {"COOC", true, {{false, 2}}},
    {"CSR", false, {{true, 1}, {false, 1}}},
    {"CSC", true, {{true, 1}, {false, 1}}},
    {"DCSR", false, {{false, 1}, {false, 1}}},
    {"DCSC", true, {{false, 1}, {false, 1}}},
    {"DMAT", false, {{true, 2}}},
    {"DMATR", false, {{true, 2}}},
    {"DMATC", true, {{true, 2}}},
};

/// Entries of dense levels that share one value stand nowhere in the file: a few bytes could ask for all memory.
constexpr Count mostCellsOfOneValue = Count{1} << 20;

class Description {
public:
    Description(const std::string& text, std::string where)
        : m_where(std::move(where))
        , m_json(parseJson(text, m_where + ", attribute binsparse"))
    {
        if (m_json.is_object() && m_json.contains("binsparse") && m_json["binsparse"].is_object())
            m_json = Json(m_json["binsparse"]);
        if (!m_json.is_object())
            refuse("the attribute binsparse is not a JSON object", {}, {});
    }

    [[noreturn]] void refuse(const std::string& message, const std::string& found, const std::string& expected,
                             const std::string& hint = {}) const
    {
        throw Error({message, m_where, found, expected, hint});
    }

    const std::string& where() const { return m_where; }
    const Json& json() const { return m_json; }

    std::string text(const Json& object, const char* key) const
    {
        const auto it = object.find(key);
        return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
    }

    std::vector<std::uint64_t> wholes(const Json& object, const char* key) const
    {
        const auto it = object.find(key);
        const bool fine = it != object.end() && it->is_array() && it->size() <= kernels::maxOrder
            && std::all_of(it->begin(), it->end(), [](const Json& number) { return number.is_number_unsigned(); });
        if (!fine)
            refuse(fmt::format("{} of the Binsparse description is missing or not a list of whole numbers", key), {},
                   fmt::format("2 to {} numbers", kernels::maxOrder));
        return it->get<std::vector<std::uint64_t>>();
    }

    void checkVersion() const
    {
        const std::string version = text(m_json, "version");
        if (!version.starts_with("0."))
            refuse("this Binsparse version is not read", shown(version), "0.1 or another 0.x");
    }

    void refuseWhatIsNotRead() const
    {
        if (const auto structure = m_json.find("structure"); structure != m_json.end() && !structure->is_null())
            refuse("a Binsparse structure is not read", shown(*structure), "all entries stored", "Store the whole tensor.");
        const std::string type = valueType();
        if (type.find("complex[") != std::string::npos)
            refuse("complex values are not read", shown(type), "real values");
    }

    std::string valueType() const
    {
        const auto types = m_json.find("data_types");
        return types != m_json.end() && types->is_object() ? text(*types, "values") : std::string();
    }

    /// The levels, outermost first, and modeOf: the mode that each dimension of them counts. No dataset is looked at.
    void readShape(Parts& parts) const
    {
        parts.modeOf.resize(parts.order);
        std::iota(parts.modeOf.begin(), parts.modeOf.end(), 0u);
        const std::string format = text(m_json, "format");
        const auto known = std::find_if(std::begin(matrixFormats), std::end(matrixFormats),
                                        [&](const MatrixFormat& matrix) { return format == matrix.name; });
        if (known == std::end(matrixFormats)) {
            readCustom(parts, format);
            return;
        }
        if (parts.order != 2)
            refuse(fmt::format("Binsparse {} is for matrices", format), fmt::format("{} modes", parts.order), "2");
        if (known->byColumn)
            std::swap(parts.modeOf[0], parts.modeOf[1]);
        unsigned first = 0;
        for (const LevelShape& shape : known->levels) {
            if (shape.rank)
                parts.levels.push_back({shape.dense, first, shape.rank, {}, {}});
            first += shape.rank;
        }
    }

private:
    void readCustom(Parts& parts, const std::string& format) const
    {
        const auto custom = m_json.find("custom");
        if (custom == m_json.end() || !custom->is_object())
            refuse("this Binsparse format is not read", shown(format), "a format of matrices (COO, CSR, …), or custom with its levels",
                   "Convert it to coordinates first.");
        const Json* level = &*custom;
        unsigned first = 0;
        while (true) {
            const auto next = level->find("level");
            if (next == level->end() || !next->is_object())
                refuse("a level of the Binsparse description lacks the next one", shown(*level), "level_desc element at the end");
            level = &*next;
            const std::string kind = text(*level, "level_desc");
            if (kind == "element")
                break;
            if (kind != "sparse" && kind != "dense")
                refuse("this Binsparse level is not read", shown(kind), "sparse, dense or element", "Convert it to coordinates first.");
            const auto rank = level->find("rank");
            if (rank == level->end() || !rank->is_number_unsigned() || rank->get<std::uint64_t>() < 1
                || rank->get<std::uint64_t>() > parts.order - first)
                refuse("the ranks of the levels do not make up the order", rank == level->end() ? "no rank" : shown(*rank),
                       fmt::format("{} together", parts.order));
            parts.levels.push_back({kind == "dense", first, rank->get<unsigned>(), {}, {}});
            first += parts.levels.back().rank;
        }
        if (first != parts.order)
            refuse("the ranks of the levels do not make up the order", fmt::format("{}", first), fmt::format("{}", parts.order));
        if (custom->contains("transpose"))
            readTranspose(parts, *custom);
    }

    void readTranspose(Parts& parts, const Json& custom) const
    {
        const auto transpose = wholes(custom, "transpose");
        std::vector<std::uint64_t> sorted = transpose;
        std::sort(sorted.begin(), sorted.end());
        if (!std::equal(sorted.begin(), sorted.end(), parts.modeOf.begin(), parts.modeOf.end()))
            refuse("transpose is not a permutation of the modes", shown(custom.at("transpose")),
                   fmt::format("0 to {} once each", parts.order - 1));
        std::copy(transpose.begin(), transpose.end(), parts.modeOf.begin());
    }

    std::string m_where;
    Json m_json;
};

void refuseFillValue(hid_t group, const std::string& where)
{
    if (!hdf5::hasLink(group, "fill_value"))
        return;
    const hdf5::CheckedDataset set = hdf5::openDataset(group, "fill_value", where);
    double value = 0;
    if (set.elements == 1)
        hdf5::readBox(set, std::vector<hsize_t>(set.dims.size(), 0), set.dims, &value);
    if (set.elements != 1 || value != 0)
        throw Error({"a fill value other than 0 is not read", set.where, fmt::format("{}", value), "0", {}});
}

void refuseOtherVersion(hid_t group, const std::string& where)
{
    const auto version = hdf5::textAttribute(group, "polyad_format_version", where);
    if (version && !version->starts_with("1."))
        throw Error({"was written in a version that is not read here", where, *version, "1.0 or a later 1.x", {}});
}

void openLevels(Parts& parts, hid_t group)
{
    for (Level& level : parts.levels) {
        if (level.dense)
            continue;
        if (level.first > 0)
            level.pointers = hdf5::openDataset(group, fmt::format("pointers_to_{}", level.first), parts.where);
        for (unsigned k = level.first; k < level.first + level.rank; ++k)
            level.indices.push_back(hdf5::openDataset(group, fmt::format("indices_{}", k), parts.where));
    }
}

} // namespace

std::optional<Parts> binsparseParts(hid_t group, const std::string& where)
{
    const auto text = hdf5::textAttribute(group, "binsparse", where);
    if (!text)
        return std::nullopt;
    refuseOtherVersion(group, where);
    const Description description(*text, where);
    description.checkVersion();
    description.refuseWhatIsNotRead();
    refuseFillValue(group, where);

    Parts parts;
    parts.where = where;
    parts.layout = hdf5::hasAttribute(group, "polyad_format") ? "Polyad HDF5 (Binsparse)"
                                                              : fmt::format("Binsparse {}", description.text(description.json(), "format"));
    parts.dims = checkedDims(description.wholes(description.json(), "shape"), where);
    parts.order = static_cast<unsigned>(parts.dims->size());
    description.readShape(parts);
    parts.baseIsCertain = true;
    parts.baseReason = "Binsparse counts from 0";
    parts.oneValue = description.valueType().starts_with("iso[");
    parts.values = hdf5::openDataset(group, "values", where);
    const auto declared = description.json().find("number_of_stored_values");
    if (declared == description.json().end() || !declared->is_number_unsigned())
        description.refuse("number_of_stored_values is missing", {}, "a whole number");
    parts.entries = declared->get<std::uint64_t>();
    const bool coordinates = parts.levels.size() == 1 && !parts.levels.front().dense;
    if (coordinates) {
        parts.levels.clear();
        for (unsigned k = 0; k < parts.order; ++k)
            parts.perMode.push_back(hdf5::openDataset(group, fmt::format("indices_{}", k), where));
        return parts;
    }
    openLevels(parts, group);
    if (const Count found = entriesOfLevels(parts); found != parts.entries)
        description.refuse("its levels hold another number of values than declared", fmt::format("{}", found),
                           fmt::format("{}", parts.entries));
    if (parts.oneValue && parts.levels.back().dense && parts.entries > mostCellsOfOneValue)
        description.refuse("one value stands for too many cells", fmt::format("{} cells", parts.entries),
                           fmt::format("at most {}", mostCellsOfOneValue), "Store a value per cell, or coordinates.");
    return parts;
}

} // namespace io::hdf5_tensor
