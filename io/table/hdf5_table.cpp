// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/table/hdf5_table.h"

#include "io/error.h"
#include "io/labels.h"
#include "io/table/header.h"
#include "io/table/pickle.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace io::table {
namespace {

using hdf5::CheckedDataset;
using Meaning = StoredValue::Meaning;

constexpr std::size_t mostColumns = 16'384;
constexpr std::size_t mostLabelBytes = std::size_t{256} << 20;
constexpr std::size_t longestRow = std::size_t{16} << 20;
constexpr std::size_t bytesAtOnce = std::size_t{4} << 20;

struct FreeMemory {
    void operator()(char* memory) const { H5free_memory(memory); }
};

/// An attribute that is text: what it holds up to its end, as it is stored.
std::string attribute(hid_t object, const std::string& name, const std::string& where)
{
    const auto bytes = hdf5::bytesAttribute(object, name.c_str(), where);
    return bytes ? std::string(bytes->c_str()) : std::string();
}

/// A name that is a text or was pickled; empty: None, or code.
std::string nameAttribute(hid_t object, const std::string& name, const std::string& where)
{
    const std::string bytes = attribute(object, name, where);
    if (!bytes.ends_with('.'))
        return asUtf8(bytes);
    const auto pickle = readPickle(bytes);
    if (!pickle && bytes.find('\n') == std::string::npos)
        return asUtf8(bytes); // such as "U.S."
    return pickle ? pickle->nameOf(pickle->rootValue()).value_or(std::string()) : std::string();
}

/// A truth as PyTables writes it: a byte.
bool truthAttribute(hid_t object, const char* name)
{
    if (!hdf5::hasAttribute(object, name))
        return false;
    const hdf5::Attribute attribute(H5Aopen(object, name, H5P_DEFAULT));
    const hdf5::Type type(attribute ? H5Aget_type(attribute.id()) : -1);
    if (!type || H5Tget_size(type.id()) != 1 || H5Sget_simple_extent_npoints(hdf5::Space(H5Aget_space(attribute.id())).id()) != 1)
        return false;
    const H5T_class_t kind = H5Tget_class(type.id());
    char byte = 0;
    return (kind == H5T_BITFIELD || kind == H5T_INTEGER) && H5Aread(attribute.id(), type.id(), &byte) >= 0 && byte != 0;
}

[[noreturn]] void refusePickled(const std::string& where)
{
    throw Error({"has columns that pandas pickled, which are not read",
                 where,
                 "a column of objects, such as texts",
                 {},
                 "Write it with to_hdf(…, format='table'), or as CSV."});
}

void setMeaning(StoredValue& value, std::string_view type, bool inUtc)
{
    if (value.kind != StoredValue::Kind::Whole)
        return;
    const bool isTime = type.starts_with("datetime64"), isDuration = type.starts_with("timedelta64");
    if (isTime || isDuration) {
        value.meaning = isTime ? Meaning::Time : Meaning::Duration;
        value.inUtc = inUtc;
        if (type.ends_with("[s]"))
            value.unitsPerSecond = 1;
        else if (type.ends_with("[ms]"))
            value.unitsPerSecond = 1'000;
        else if (type.ends_with("[us]"))
            value.unitsPerSecond = 1'000'000;
    } else if (type == "date")
        value.meaning = Meaning::Day;
}

const char* wordOf(const StoredValue& value)
{
    switch (value.meaning) {
    case Meaning::Truth:
        return "bool";
    case Meaning::Time:
        return "time";
    case Meaning::Duration:
        return "seconds";
    case Meaning::Day:
        return "date";
    case Meaning::Code:
        return "category";
    case Meaning::Plain:
        break;
    }
    switch (value.kind) {
    case StoredValue::Kind::Text:
        return "text";
    case StoredValue::Kind::Real:
    case StoredValue::Kind::Single:
        return "float";
    default:
        return "integer";
    }
}

/// All values of a dataset with one row of values, as texts.
std::vector<std::string> readTexts(hdf5::Session& session, const CheckedDataset& set, const StoredValue& value, const std::string& member)
{
    const hdf5::Type stored(H5Dget_type(set.dataset.id()));
    hdf5::Type memory;
    if (member.empty())
        memory = memoryTypeOf(value, stored.id());
    else {
        const int number = H5Tget_member_index(stored.id(), member.c_str());
        const hdf5::Type storedMember(H5Tget_member_type(stored.id(), static_cast<unsigned>(number)));
        memory = hdf5::Type(H5Tcreate(H5T_COMPOUND, value.bytes));
        hdf5::check(H5Tinsert(memory.id(), member.c_str(), 0, memoryTypeOf(value, storedMember.id()).id()), set.where,
                    "its members cannot be read");
    }
    const hsize_t total = set.elements, atOnce = std::max<hsize_t>(1, bytesAtOnce / value.bytes);
    std::vector<char> bytes(value.bytes * std::min(total, atOnce));
    std::vector<std::string> texts;
    std::string storage;
    std::size_t left = mostLabelBytes;
    const hdf5::Space from(H5Dget_space(set.dataset.id()));
    for (hsize_t row = 0; row < total; row += atOnce) {
        const hsize_t count = std::min(atOnce, total - row);
        H5Sselect_hyperslab(from.id(), H5S_SELECT_SET, &row, nullptr, &count, nullptr);
        const hdf5::Space to(H5Screate_simple(1, &count, nullptr));
        hdf5::check(H5Dread(set.dataset.id(), memory.id(), to.id(), from.id(), H5P_DEFAULT, bytes.data()), set.where,
                    "the data cannot be read");
        for (hsize_t i = 0; i < count; ++i) {
            texts.emplace_back(textOf(value, bytes.data() + i * value.bytes, storage));
            const std::size_t needs = texts.back().size() + sizeof(std::string);
            if (needs > left)
                throw Error({"holds too many labels", set.where, {}, kernels::formatBytes(mostLabelBytes), {}});
            left -= needs;
        }
        session.giveWay();
    }
    return texts;
}

class Describer {
public:
    Describer(hdf5::Session& session, const hdf5::File& file, const std::string& fileName, const std::string& path)
        : m_session(session)
        , m_path(path)
        , m_where(fmt::format("{} {}", fileName, path))
        , m_object(hdf5::openPath(file.id(), path, fileName))
    {
        if (hdf5::isGroup(m_object))
            return;
        m_name = path;
        while (m_name.ends_with('/'))
            m_name.pop_back();
        const std::size_t slash = m_name.rfind('/');
        const std::string parent = slash == std::string::npos ? std::string() : m_name.substr(0, slash);
        m_name.erase(0, slash + 1); // of none everything stays
        m_parentWhere = parent.empty() ? fileName : fmt::format("{} {}", fileName, parent);
        m_parent = hdf5::openPath(file.id(), parent, fileName);
    }

    Hdf5Table describe() &&
    {
        if (!hdf5::isGroup(m_object)) {
            m_table.layout = "PyTables HDF5, table " + asUtf8(m_path);
            describeCompound(hdf5::openDataset(m_parent.id(), m_name, m_parentWhere), false);
        } else {
            m_table.layout = "pandas HDF5, table " + asUtf8(m_path);
            if (hdf5::hasLink(m_object.id(), "table"))
                describeCompound(hdf5::openDataset(m_object.id(), "table", m_where), true);
            else if (attribute(m_object.id(), "pandas_type", m_where) == "series")
                describeSeries();
            else
                describeFrame();
        }
        if (m_table.columns.empty())
            throw Error({"has no columns that can be read", m_where, {}, {}, {}});
        takeNames();
        return std::move(m_table);
    }

private:
    // What pandas' table and PyTables have in common: rows are compounds.

    void describeCompound(CheckedDataset&& set, bool isPandas)
    {
        const hdf5::Type type(H5Dget_type(set.dataset.id()));
        if (set.dims.size() != 1 || H5Tget_class(type.id()) != H5T_COMPOUND)
            throw Error({"is no list of rows with members", set.where, {}, {}, {}});
        if (set.elementBytes > longestRow)
            throw Error({"its rows are too long", set.where, kernels::formatBytes(set.elementBytes), kernels::formatBytes(longestRow), {}});
        m_table.rows = set.elements;
        const std::string info = isPandas ? attribute(m_object.id(), "info", m_where) : std::string();
        if (!info.empty())
            m_info = readPickle(info);
        const std::string missing = isPandas ? attribute(m_object.id(), "nan_rep", m_where) : std::string();
        std::string left;
        const int members = H5Tget_nmembers(type.id());
        for (int m = 0; m < members; ++m) {
            const std::unique_ptr<char, FreeMemory> name(H5Tget_member_name(type.id(), static_cast<unsigned>(m)));
            if (!name)
                continue;
            const auto index = static_cast<unsigned>(m);
            if (!addMember(set, type.id(), index, name.get(), missing, isPandas) && left.size() < 200)
                left += (left.empty() ? "" : ", ") + asUtf8(name.get());
        }
        if (!left.empty())
            m_table.notes.push_back(fmt::format("Columns of types that are not read were left out: {}.", left));
        StoredPart part;
        part.set = std::move(set);
        part.isCompound = true;
        m_table.parts.push_back(std::move(part));
    }

    bool addMember(const CheckedDataset& set, hid_t type, unsigned index, const std::string& name, const std::string& missing,
                   bool isPandas)
    {
        const hdf5::Type member(H5Tget_member_type(type, index));
        const std::size_t offset = H5Tget_member_offset(type, index), bytes = H5Tget_size(member.id()), all = H5Tget_size(type);
        if (offset > all || bytes > all - offset) // a damaged type
            return false;
        std::uint64_t width = 1;
        hdf5::Type element;
        if (H5Tget_class(member.id()) == H5T_ARRAY) {
            element = hdf5::Type(H5Tget_super(member.id()));
            const std::size_t size = H5Tget_size(element.id());
            width = size == 0 ? 0 : bytes / size;
        }
        const hid_t stored = element ? element.id() : member.id();
        auto value = valueOf(stored);
        if (!value || width == 0 || name.find('\0') != std::string::npos)
            return false;
        const std::string where = set.where;
        const hid_t about = set.dataset.id();
        std::vector<std::string> names;
        if (isPandas) {
            const bool isIndex = name == "index";
            const std::string kind = attribute(about, name + "_kind", where);
            setMeaning(*value, isIndex ? std::string_view(kind) : std::string_view(attribute(about, name + "_dtype", where)),
                       !infoOf(name, "tz").empty());
            value->missing = missing;
            if (attribute(about, name + "_meta", where) == "category")
                setCategories(*value, name);
            if (isIndex) {
                names = {infoOf(name, "index_name")};
                if (names.front().empty() && mayNumberRows(*value))
                    return true;
            } else if (auto pickled = namesInPickle(kind); pickled && pickled->size() == width)
                names = std::move(*pickled);
        }
        checkColumns(width);
        for (std::uint64_t place = 0; place < width; ++place) {
            StoredColumn column;
            column.column.name = place < names.size() && !names[place].empty() ? names[place]
                : width == 1                                                   ? name
                                                                               : fmt::format("{}_{}", name, place);
            column.part = m_table.parts.size();
            column.member = name;
            column.place = place;
            column.width = width;
            column.value = *value;
            m_table.columns.push_back(std::move(column));
        }
        return true;
    }

    /// Of an index without a name.
    bool mayNumberRows(const StoredValue& value)
    {
        const bool isWhole = value.kind == StoredValue::Kind::Whole || value.kind == StoredValue::Kind::Natural;
        if (!isWhole || value.meaning != Meaning::Plain)
            return false;
        m_table.notes.emplace_back("The index without a name was taken for row numbers and left out.");
        return true;
    }

    std::string infoOf(const std::string& member, const char* what) const
    {
        if (!m_info)
            return {};
        const Pickle::Value* const about = m_info->find(m_info->rootValue(), member);
        const Pickle::Value* const value = about ? m_info->find(*about, what) : nullptr;
        return value ? m_info->nameOf(*value).value_or(std::string()) : std::string();
    }

    void setCategories(StoredValue& value, const std::string& name)
    {
        const std::string path = fmt::format("meta/{}/meta", name);
        if (value.kind != StoredValue::Kind::Whole || !hdf5::hasLink(m_object.id(), "meta"))
            return;
        const hdf5::Object meta = hdf5::openObject(m_object.id(), "meta", m_where);
        if (!hdf5::isGroup(meta) || !hdf5::hasLink(meta.id(), name))
            return;
        const hdf5::Object about = hdf5::openObject(meta.id(), name, m_where + "/meta");
        const hdf5::Object group = hdf5::openObject(about.id(), "meta", m_where + "/meta/" + name);
        const CheckedDataset set = hdf5::openDataset(group.id(), "table", fmt::format("{}/{}", m_where, path));
        const hdf5::Type type(H5Dget_type(set.dataset.id()));
        const int number = H5Tget_class(type.id()) == H5T_COMPOUND ? H5Tget_member_index(type.id(), "values") : -1;
        if (set.dims.size() != 1 || number < 0)
            throw Error({"is no list of categories", set.where, {}, {}, {}});
        const hdf5::Type member(H5Tget_member_type(type.id(), static_cast<unsigned>(number)));
        auto label = valueOf(member.id());
        const std::size_t offset = H5Tget_member_offset(type.id(), static_cast<unsigned>(number)), all = H5Tget_size(type.id());
        if (!label || offset > all || H5Tget_size(member.id()) > all - offset)
            throw Error({"has categories of a type that is not read", set.where, {}, "texts or numbers", {}});
        setMeaning(*label, attribute(set.dataset.id(), "values_dtype", set.where), false);
        value.meaning = Meaning::Code;
        value.labels = std::make_shared<std::vector<std::string>>(readTexts(m_session, set, *label, "values"));
    }

    // pandas' fixed layout: datasets for the axes and for blocks of columns of a type.

    CheckedDataset open(const std::string& name) const { return hdf5::openDataset(m_object.id(), name, m_where); }

    /// The values of a dataset; those that were pickled are refused.
    StoredValue fixedValue(const CheckedDataset& set, const char* meaning) const
    {
        const hdf5::Type type(H5Dget_type(set.dataset.id()));
        if (H5Tget_class(type.id()) == H5T_VLEN)
            refusePickled(m_where);
        auto value = valueOf(type.id());
        if (!value)
            throw Error({"has values of a type that is not read", set.where, {}, "numbers, times or texts", {}});
        setMeaning(*value, attribute(set.dataset.id(), meaning, set.where), !attribute(set.dataset.id(), "tz", set.where).empty());
        return *value;
    }

    static bool isEmpty(const CheckedDataset& set) // HDF5's PyTables cannot keep it, so a placeholder does
    {
        return hdf5::hasAttribute(set.dataset.id(), "shape");
    }

    CheckedDataset openLine(const std::string& name) const
    {
        CheckedDataset set = open(name);
        const hdf5::Type type(H5Dget_type(set.dataset.id()));
        if (H5Tget_class(type.id()) == H5T_VLEN)
            refusePickled(m_where);
        if (set.dims.size() != 1)
            throw Error({"is no list", set.where, fmt::format("{} dimensions", set.dims.size()), "1", {}});
        return set;
    }

    std::uint64_t levelsOf(const std::string& axis) const
    {
        if (attribute(m_object.id(), axis + "_variety", m_where) != "multi")
            return 0;
        const auto levels = hdf5::wholeAttribute(m_object.id(), (axis + "_nlevels").c_str(), m_where);
        if (!levels || *levels == 0 || *levels > 64)
            throw Error({"has an index of several levels that cannot be read", m_where, axis, "1 to 64 levels", {}});
        return *levels;
    }

    void checkRows(std::uint64_t rows, const std::string& where)
    {
        if (m_hasRows && rows != m_table.rows)
            throw Error({"has another number of rows", where, fmt::format("{}", rows), fmt::format("{}", m_table.rows), {}});
        m_table.rows = rows;
        m_hasRows = true;
    }

    void checkColumns(std::uint64_t more) const
    {
        if (more > mostColumns || m_table.columns.size() + more > mostColumns)
            throw Error({"has too many columns", m_where, {}, fmt::format("at most {}", mostColumns), {}});
    }

    void addLine(CheckedDataset&& set, const StoredValue& value, const std::string& name)
    {
        checkColumns(1);
        checkRows(isEmpty(set) ? 0 : set.elements, set.where);
        StoredColumn column;
        column.column.name = name;
        column.part = m_table.parts.size();
        column.value = value;
        m_table.columns.push_back(std::move(column));
        StoredPart part;
        part.set = std::move(set);
        part.value = value;
        m_table.parts.push_back(std::move(part));
    }

    /// The rows' index: a column where it has a name or is no number.
    void addIndex(const std::string& axis)
    {
        const std::uint64_t levels = levelsOf(axis);
        for (std::uint64_t k = 0; k < levels; ++k) {
            const CheckedDataset level = openLine(fmt::format("{}_level{}", axis, k));
            StoredValue code = fixedValue(open(fmt::format("{}_label{}", axis, k)), "");
            if (code.kind != StoredValue::Kind::Whole)
                throw Error({"has codes that are no whole numbers", m_where, axis, {}, {}});
            code.meaning = Meaning::Code;
            code.labels = std::make_shared<std::vector<std::string>>(
                isEmpty(level) ? std::vector<std::string>() : readTexts(m_session, level, fixedValue(level, "kind"), {}));
            const std::string name = nameAttribute(level.dataset.id(), "name", level.where);
            addLine(openLine(fmt::format("{}_label{}", axis, k)), code, name.empty() ? fmt::format("level_{}", k) : name);
        }
        if (levels > 0)
            return;
        CheckedDataset set = openLine(axis);
        const StoredValue value = fixedValue(set, "kind");
        const std::string name = nameAttribute(set.dataset.id(), "name", set.where);
        if (name.empty() && (isEmpty(set) || mayNumberRows(value)))
            checkRows(isEmpty(set) ? 0 : set.elements, set.where);
        else
            addLine(std::move(set), value, name.empty() ? "index" : name);
    }

    std::vector<std::string> namesOn(const std::string& axis)
    {
        const std::uint64_t levels = levelsOf(axis);
        std::vector<std::string> names;
        for (std::uint64_t k = 0; k < std::max<std::uint64_t>(levels, 1); ++k) {
            const CheckedDataset set = openLine(levels ? fmt::format("{}_level{}", axis, k) : axis);
            const CheckedDataset codes = levels ? openLine(fmt::format("{}_label{}", axis, k)) : openLine(axis);
            checkColumns(std::max(set.elements, codes.elements));
            std::vector<std::string> texts =
                isEmpty(set) ? std::vector<std::string>() : readTexts(m_session, set, fixedValue(set, "kind"), {});
            if (levels == 0)
                return texts;
            StoredValue code = fixedValue(codes, "");
            code.meaning = Meaning::Code;
            code.labels = std::make_shared<std::vector<std::string>>(std::move(texts));
            const std::vector<std::string> level = readTexts(m_session, codes, code, {});
            names.resize(level.size());
            for (std::size_t i = 0; i < level.size(); ++i)
                names[i] += (k ? "_" : "") + level[i];
        }
        return names;
    }

    void describeSeries()
    {
        addIndex("index");
        CheckedDataset set = openLine("values");
        const StoredValue value = fixedValue(set, "value_type");
        const std::string name = nameAttribute(m_object.id(), "name", m_where);
        addLine(std::move(set), value, name.empty() ? "values" : name);
    }

    void describeFrame()
    {
        const auto blocks = hdf5::wholeAttribute(m_object.id(), "nblocks", m_where);
        if (!blocks || *blocks > mostColumns)
            throw Error({"has no list of its blocks", m_where, {}, "the attribute nblocks", "The file may be damaged."});
        addIndex("axis1");
        const std::size_t indexColumns = m_table.columns.size();
        for (std::uint64_t b = 0; b < *blocks; ++b)
            addBlock(fmt::format("block{}", b));
        std::map<std::string, std::size_t> places;
        for (const std::string& name : namesOn("axis0"))
            places.emplace(name, places.size());
        const auto placeOf = [&](const StoredColumn& column) {
            const auto at = places.find(column.column.name);
            return at == places.end() ? places.size() : at->second;
        };
        std::stable_sort(m_table.columns.begin() + static_cast<std::ptrdiff_t>(indexColumns), m_table.columns.end(),
                         [&](const StoredColumn& a, const StoredColumn& b) { return placeOf(a) < placeOf(b); });
    }

    /// Throws unless it has so many columns.
    void measureBlock(StoredPart& part)
    {
        if (part.set.dims.size() != 2)
            throw Error({"is no block of columns", part.set.where, fmt::format("{} dimensions", part.set.dims.size()), "2", {}});
        part.rowsLast = !truthAttribute(part.set.dataset.id(), "transposed");
        const std::uint64_t columns = part.set.dims[part.rowsLast ? 0 : 1];
        if (columns != part.width)
            throw Error({"has another number of columns than names",
                         part.set.where,
                         fmt::format("{}", columns),
                         fmt::format("{}", part.width),
                         {}});
        checkRows(part.set.dims[part.rowsLast ? 1 : 0], part.set.where);
    }

    void addBlock(const std::string& block)
    {
        const std::vector<std::string> names = namesOn(block + "_items");
        StoredPart part;
        part.set = open(block + "_values");
        part.value = fixedValue(part.set, "value_type");
        part.width = names.size();
        if (isEmpty(part.set))
            checkRows(0, part.set.where);
        else
            measureBlock(part);
        checkColumns(part.width);
        for (std::uint64_t place = 0; place < part.width; ++place) {
            StoredColumn column;
            column.column.name = names[place];
            column.part = m_table.parts.size();
            column.place = place;
            column.width = part.width;
            column.value = part.value;
            m_table.columns.push_back(std::move(column));
        }
        m_table.parts.push_back(std::move(part));
    }

    void takeNames()
    {
        Record names;
        std::string inUtc;
        for (const StoredColumn& column : m_table.columns)
            names.push_back(column.column.name);
        const std::vector<Column> named = namedColumns(names);
        for (std::size_t i = 0; i < named.size(); ++i) {
            m_table.columns[i].column.name = named[i].name;
            m_table.columns[i].column.type = wordOf(m_table.columns[i].value);
            if (m_table.columns[i].value.inUtc && inUtc.size() < 200)
                inUtc += (inUtc.empty() ? "" : ", ") + named[i].name;
        }
        if (!inUtc.empty())
            m_table.notes.push_back(fmt::format("Times with a time zone are given in UTC: {}.", inUtc));
    }

    hdf5::Session& m_session;
    std::string m_path, m_where, m_name, m_parentWhere;
    hdf5::Object m_object, m_parent;
    Hdf5Table m_table;
    std::optional<Pickle> m_info;
    bool m_hasRows = false;
};

} // namespace

Hdf5Table describeTable(hdf5::Session& session, const hdf5::File& file, const std::string& fileName, const std::string& path)
{
    return Describer(session, file, fileName, path).describe();
}

} // namespace io::table
