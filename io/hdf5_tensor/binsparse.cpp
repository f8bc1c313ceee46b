// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/error.h"
#include "io/hdf5_tensor/parts.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

// Binsparse 0.*: a JSON attribute describes the arrays beside it. Read: coordinates, that is COO (order 2) and
// custom with one sparse level of any rank.

namespace io::hdf5_tensor {
namespace {

using Json = nlohmann::json;

class Description {
public:
    Description(const std::string& text, std::string where)
        : m_where(std::move(where))
    {
        if (text.size() > hdf5::longestText)
            refuse("its description is too long", kernels::formatBytes(text.size()), "at most 16 MiB");
        m_json = Json::parse(text, nullptr, false);
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
            refuse("this Binsparse version is not read", fmt::format("\"{}\"", version), "0.1 or another 0.x");
    }

    void refuseWhatIsNotRead() const
    {
        if (const auto structure = m_json.find("structure"); structure != m_json.end() && !structure->is_null())
            refuse("a Binsparse structure is not read", structure->dump(), "all entries stored", "Store the whole tensor.");
        const std::string type = valueType();
        if (type.find("complex[") != std::string::npos)
            refuse("complex values are not read", type, "real values");
    }

    std::string valueType() const
    {
        const auto types = m_json.find("data_types");
        return types != m_json.end() && types->is_object() ? text(*types, "values") : std::string();
    }

    /// transpose[k]: the mode that indices_k counts.
    std::vector<unsigned> modeOf(unsigned order) const
    {
        std::vector<unsigned> modes(order);
        std::iota(modes.begin(), modes.end(), 0u);
        const std::string format = text(m_json, "format");
        if (format == "COO" || format == "COOR" || format == "COOC") {
            if (order != 2)
                refuse(fmt::format("Binsparse {} is for matrices", format), fmt::format("{} modes", order), "2");
            if (format == "COOC")
                std::swap(modes[0], modes[1]);
            return modes;
        }
        if (format != "custom" && !m_json.contains("custom"))
            refuse("this Binsparse format is not read", fmt::format("\"{}\"", format), "COO, or custom with one sparse level",
                   "Convert it to coordinates first.");
        return customModes(modes);
    }

private:
    std::vector<unsigned> customModes(std::vector<unsigned> modes) const
    {
        const auto custom = m_json.find("custom");
        if (custom == m_json.end() || !custom->is_object())
            refuse("the Binsparse description lacks its custom format", {}, {});
        const auto level = custom->find("level");
        const bool oneSparseLevel = level != custom->end() && level->is_object() && text(*level, "level_desc") == "sparse"
            && level->value("rank", Json()) == modes.size() && level->contains("level") && (*level)["level"].is_object()
            && text((*level)["level"], "level_desc") == "element";
        if (!oneSparseLevel)
            refuse("this Binsparse layout is not read", level == custom->end() ? "no level" : level->dump().substr(0, 120),
                   fmt::format("one sparse level of rank {}", modes.size()), "Convert it to coordinates first.");
        if (!custom->contains("transpose"))
            return modes;
        const auto transpose = wholes(*custom, "transpose");
        std::vector<std::uint64_t> sorted = transpose;
        std::sort(sorted.begin(), sorted.end());
        if (!std::equal(sorted.begin(), sorted.end(), modes.begin(), modes.end()))
            refuse("transpose is not a permutation of the modes", (*custom)["transpose"].dump(),
                   fmt::format("0 to {} once each", modes.size() - 1));
        std::copy(transpose.begin(), transpose.end(), modes.begin());
        return modes;
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
    parts.modeOf = description.modeOf(parts.order);
    parts.baseIsCertain = true;
    parts.baseReason = "Binsparse counts from 0";
    parts.oneValue = description.valueType().starts_with("iso[");
    parts.values = hdf5::openDataset(group, "values", where);
    const auto declared = description.json().find("number_of_stored_values");
    if (declared == description.json().end() || !declared->is_number_unsigned())
        description.refuse("number_of_stored_values is missing", {}, "a whole number");
    parts.entries = declared->get<std::uint64_t>();
    for (unsigned k = 0; k < parts.order; ++k)
        parts.perMode.push_back(hdf5::openDataset(group, fmt::format("indices_{}", k), where));
    return parts;
}

} // namespace io::hdf5_tensor
