// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/error.h"
#include "io/hdf5_tensor/parts.h"
#include "io/several_tensors.h"
#include "io/table/hdf5_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace io::table {
namespace {

constexpr unsigned deepest = 16;
constexpr std::size_t mostObjects = 10'000, namesShown = 8;

bool isPandas(const hdf5::Object& group, const std::string& where)
{
    const auto kind = hdf5::bytesAttribute(group.id(), "pandas_type", where);
    if (!kind)
        return false;
    const std::string_view type(kind->c_str());
    return type == "frame" || type == "series" || type == "frame_table" || type == "series_table";
}

bool isPyTables(const hdf5::Object& dataset, const std::string& where)
{
    const auto kind = hdf5::bytesAttribute(dataset.id(), "CLASS", where);
    return kind && std::string_view(kind->c_str()) == "TABLE";
}

bool isTable(const hdf5::Object& object, const std::string& where)
{
    return hdf5::isGroup(object) ? isPandas(object, where) : hdf5::isDataset(object) && isPyTables(object, where);
}

/// Walks groups over hard links, as far down as tables lie.
class Search {
public:
    explicit Search(const std::string& fileName)
        : m_fileName(fileName)
    {
    }

    void visit(const hdf5::Object& group, const std::string& path, unsigned depth)
    {
        const std::string where = fmt::format("{} {}", m_fileName, path.empty() ? "/" : path);
        m_foundTensor = m_foundTensor || hdf5_tensor::isCandidate(group.id(), where);
        for (const std::string& name : hdf5::linkNames(group.id(), where, mostObjects)) {
            if (m_foundTensor || ++m_visited > mostObjects)
                return;
            if (name.starts_with("_i_")) // PyTables' indices of columns
                continue;
            const hdf5::Object child = hdf5::openObject(group.id(), name, where);
            if (isTable(child, where))
                m_tables.push_back(path + "/" + name);
            else if (hdf5::isGroup(child) && depth < deepest)
                visit(child, path + "/" + name, depth + 1);
        }
    }

    bool foundTensor() const { return m_foundTensor; }
    const std::vector<std::string>& tables() const { return m_tables; }

private:
    const std::string& m_fileName;
    std::vector<std::string> m_tables;
    std::size_t m_visited = 0;
    bool m_foundTensor = false;
};

Search searched(const hdf5::File& file, const std::string& fileName)
{
    Search search(fileName);
    search.visit(hdf5::openPath(file.id(), "/", fileName), "", 0);
    return search;
}

} // namespace

bool holdsTable(const hdf5::File& file, const std::string& fileName, const std::string& named)
{
    if (!named.empty())
        return isTable(hdf5::openPath(file.id(), named, fileName), fileName);
    const Search search = searched(file, fileName);
    return !search.foundTensor() && !search.tables().empty();
}

std::vector<std::string> tablesIn(const hdf5::File& file, const std::string& fileName) { return searched(file, fileName).tables(); }

std::string findTable(const hdf5::File& file, const std::string& fileName, const std::string& named)
{
    if (!named.empty()) {
        if (!isTable(hdf5::openPath(file.id(), named, fileName), fileName))
            throw Error({"is no table of pandas or PyTables", fmt::format("{} {}", fileName, named), {}, {}, {}});
        return named;
    }
    const std::vector<std::string> tables = searched(file, fileName).tables();
    if (tables.size() == 1)
        return tables.front();
    if (tables.empty())
        throw Error({"holds no table of pandas or PyTables", fileName, {}, {}, {}});
    const std::vector<std::string> shown(tables.begin(), tables.begin() + static_cast<std::ptrdiff_t>(std::min(tables.size(), namesShown)));
    throw SeveralTensors({"holds several tables", fileName,
                          fmt::format("{}{}", fmt::join(shown, ", "), tables.size() > shown.size() ? ", …" : ""), "one",
                          fmt::format("Name one: {}:{}", fileName, tables.front())},
                         tables);
}

} // namespace io::table
