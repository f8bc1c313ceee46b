// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/table/arrow_reader.h"

#include "io/error.h"
#include "io/input_stream.h"
#include "io/labels.h"
#include "io/table/arrow_module.h"
#include "io/table/header.h"
#include "kernels/base/module_file.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace io::table {
namespace {

constexpr const char* howToGetModule = "Install the package polyad-arrow or run installer/arrow.sh.";
constexpr std::size_t mostColumnsShown = 5;

/// Where installer/arrow.sh puts the module for one user.
std::filesystem::path userModule()
{
    const char* const data = std::getenv("XDG_DATA_HOME");
    const char* const home = std::getenv("HOME");
    if (data && *data == '/')
        return std::filesystem::path(data) / "polyad" / "arrow" / arrowModuleFile;
    return home ? std::filesystem::path(home) / ".local" / "share" / "polyad" / "arrow" / arrowModuleFile : std::filesystem::path();
}

struct ArrowModule {
    OpenArrowFile open = nullptr;
    std::string problem; ///< why it cannot be used; empty: there is none

    explicit ArrowModule(const std::filesystem::path& file)
    {
        // Never closed: what it has read lives on.
        void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!handle) {
            const char* const why = dlerror();
            problem = why ? why : "unknown reason";
            return;
        }
        open = reinterpret_cast<OpenArrowFile>(dlsym(handle, arrowModuleEntry));
        if (!open)
            problem = fmt::format("{} lacks {}", file.string(), arrowModuleEntry);
    }
};

/// A module that appears while the program runs is found; one that was opened stays.
OpenArrowFile findOpener(const char* kind, const std::string& fileName)
{
    std::filesystem::path file = kernels::findModule(arrowModuleFile, "POLYAD_ARROW_MODULE");
    std::error_code ignored;
    if (file.empty())
        file = userModule();
    if (file.empty() || !std::filesystem::exists(file, ignored))
        throw Error({fmt::format("{} needs the Arrow module", kind), fileName, {}, {}, howToGetModule});
    static const ArrowModule module(file);
    if (!module.open)
        throw Error({"the Arrow module cannot be opened", fileName, module.problem, {}, howToGetModule});
    return module.open;
}

std::string bytesAtBegin(const std::string& path)
{
    std::string head(4096, '\0');
    std::ifstream file(path, std::ios::binary);
    file.read(head.data(), static_cast<std::streamsize>(head.size()));
    head.resize(static_cast<std::size_t>(file.gcount()));
    return head;
}

std::unique_ptr<ArrowFile> openFile(const std::string& path)
{
    const std::string fileName = fileNameOf(path);
    const InputFile file(path); // says why it cannot be opened
    if (file.isStream())
        throw Error({"this kind of table cannot be read from a stream", fileName, {}, {}, "Save it as a file first."});
    const char* const kind = arrowKind(bytesAtBegin(path));
    std::unique_ptr<ArrowFile> opened(findOpener(kind ? kind : "Arrow", fileName)(path.c_str(), fileName.c_str(), POLYAD_ARROW_INTERFACE));
    if (!opened)
        throw Error({"the Arrow module belongs to another version of Polyad",
                     fileName,
                     {},
                     {},
                     "Install the package polyad-arrow of this version or run installer/arrow.sh again."});
    return opened;
}

/// Leaves out the columns that cannot be read, and says which.
class ArrowReader final : public Reader {
public:
    ArrowReader(const std::string& path, const Recipe& recipe)
        : m_bytes(InputFile(path).knownBytes())
        , m_file(openFile(path))
    {
        const std::vector<ArrowColumn>& all = m_file->columns();
        Record names;
        for (const ArrowColumn& each : all)
            names.push_back(each.column.name);
        const std::vector<Column> named = namedColumns(names);
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (all[i].problem.empty()) {
                m_places.push_back(i);
                m_columns.push_back({named[i].name, asUtf8(all[i].column.type)});
                continue;
            }
            const std::string type = asUtf8(all[i].column.type);
            m_leftOut.push_back(fmt::format("{} ({})", named[i].name, type));
            if (isUsed(recipe, named[i].name) || m_leftOut.size() == all.size())
                throw Error({fmt::format("the column \"{}\" {}", named[i].name, all[i].problem), fileNameOf(path), type,
                             "numbers, text, dates or times",
                             "Make plain columns of it in the program that wrote the file, or use other columns."});
        }
        if (all.empty())
            throw Error({"holds no columns", fileNameOf(path), {}, "a table with a row for each observation", {}});
    }

    const std::vector<Column>& columns() const override { return m_columns; }
    void want(const std::vector<std::size_t>& columns) override
    {
        std::vector<std::size_t> places;
        for (const std::size_t column : columns)
            places.push_back(m_places[column]);
        m_file->want(places);
    }
    bool take(Rows& rows) override
    {
        rows.clear();
        return m_file->take(rows);
    }
    void split(Rows& rows) const override { m_file->split(rows); }
    bool sample(double part, Rows& rows) override { return m_file->sample(part, rows); }
    std::string layout() const override { return m_file->layout(); }
    std::uint64_t bytesTotal() const override { return m_bytes; }
    std::uint64_t bytesTaken() const override { return static_cast<std::uint64_t>(m_file->shareTaken() * static_cast<double>(m_bytes)); }
    std::vector<std::string> notes() const override
    {
        std::vector<std::string> notes;
        for (const std::string& note : m_file->notes())
            notes.push_back(asUtf8(note));
        if (m_leftOut.empty())
            return notes;
        std::string list;
        for (std::size_t i = 0; i < std::min(m_leftOut.size(), mostColumnsShown); ++i)
            list += (i ? ", " : "") + m_leftOut[i];
        notes.push_back(fmt::format("{} not read: {}{}.", m_leftOut.size() == 1 ? "A nested column was" : "Nested columns were", list,
                                    m_leftOut.size() > mostColumnsShown ? ", …" : ""));
        return notes;
    }

private:
    static bool isUsed(const Recipe& recipe, const std::string& name)
    {
        const auto isName = [&](const auto& each) { return each.column == name; };
        return recipe.value == name || std::any_of(recipe.modes.begin(), recipe.modes.end(), isName)
            || std::any_of(recipe.filters.begin(), recipe.filters.end(), isName);
    }

    std::uint64_t m_bytes;
    std::unique_ptr<ArrowFile> m_file;
    std::vector<Column> m_columns;
    std::vector<std::size_t> m_places; ///< of the columns, in the file
    std::vector<std::string> m_leftOut;
};

} // namespace

const char* arrowKind(std::string_view head)
{
    using namespace std::string_view_literals;
    if (head.starts_with("PAR1") || head.starts_with("PARE"))
        return "Parquet";
    if (head.starts_with("FEA1"))
        return "Feather";
    if (head.starts_with("ARROW1\0\0"sv))
        return "Arrow";
    if (head.size() >= 8 && head.starts_with("\xff\xff\xff\xff")) { // a stream's first message and its length
        std::int32_t length = 0;
        std::memcpy(&length, head.data() + 4, sizeof length);
        return length > 0 && length % 8 == 0 && length < 1 << 24 ? "Arrow" : nullptr;
    }
    const bool isText = std::none_of(head.begin(), head.end(), [](char c) { return c >= 0 && c < ' ' && !std::strchr("\t\n\r\f", c); });
    return head.starts_with("ORC") && !isText ? "ORC" : nullptr;
}

std::unique_ptr<Reader> openArrow(const std::string& path, Recipe& recipe)
{
    recipe.dialect.decimal = '.';
    return std::make_unique<ArrowReader>(path, recipe);
}

} // namespace io::table
