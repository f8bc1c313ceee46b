// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/table/hdf5_reader.h"

#include "io/error.h"
#include "io/hdf5_name.h"
#include "io/input_stream.h"
#include "io/table/hdf5_table.h"
#include "io/table/kept_text.h"

#include <algorithm>
#include <atomic>
#include <map>

namespace io::table {
namespace {

constexpr std::uint64_t rowsOfBlock = 16'384, bytesOfBlock = std::uint64_t{8} << 20;
constexpr std::uint64_t largestBlock = std::uint64_t{64} << 20; ///< for chunks of many rows
constexpr std::uint64_t longestRow = std::uint64_t{16} << 20; ///< bytes
constexpr std::uint64_t rowsOfSample = 1'000;

Hdf5Name nameOf(const std::string& path)
{
    Hdf5Name name = splitHdf5Name(path);
    if (!name.group.empty() && !name.group.starts_with('/'))
        name.group.insert(0, 1, '/');
    return name;
}

/// PyTables names itself in the root group, at the file's beginning.
bool beginsAsPyTables(const std::string& path)
{
    InputFile file(path);
    if (file.isStream())
        return false;
    std::string head(4096, '\0');
    head.resize(file.read(head.data(), head.size()));
    return head.find("PYTABLES_FORMAT_VERSION") != std::string::npos;
}

class Hdf5Reader final : public Reader {
public:
    Hdf5Reader(const std::string& path, Recipe& recipe)
    {
        const Hdf5Name name = nameOf(path);
        const std::string fileName = fileNameOf(name.file);
        m_bytes = InputFile(name.file).bytes();
        if (recipe.part.empty())
            recipe.part = name.group;
        hdf5::Session session;
        try {
            m_file = hdf5::openFile(name.file);
            recipe.part = findTable(m_file, fileName, recipe.part);
            m_parts = tablesIn(m_file, fileName);
            m_table = describeTable(session, m_file, fileName, recipe.part);
        } catch (...) {
            close();
            throw;
        }
        for (const StoredColumn& column : m_table.columns)
            m_columns.push_back(column.column);
        recipe.dialect.decimal = '.';
        recipe.dialect.decimalIsFound = true;
    }
    ~Hdf5Reader() override
    {
        const hdf5::Session session;
        close();
    }

    const std::vector<Column>& columns() const override { return m_columns; }
    void want(const std::vector<std::size_t>& columns) override;
    bool take(Rows& rows) override
    {
        const std::uint64_t count = std::min(m_rowsAtOnce, m_table.rows - m_row);
        read(rows, m_row, count);
        m_row += count;
        m_taken = m_table.rows == 0 ? m_bytes : static_cast<std::uint64_t>(static_cast<double>(m_bytes) * m_row / m_table.rows);
        return count > 0;
    }
    void split(Rows&) const override;
    bool sample(double part, Rows& rows) override
    {
        const std::uint64_t count = std::min({rowsOfSample, m_rowsAtOnce, m_table.rows});
        read(rows, std::min(static_cast<std::uint64_t>(part * static_cast<double>(m_table.rows)), m_table.rows - count), count);
        return count > 0;
    }
    std::string layout() const override { return m_table.layout; }
    std::uint64_t bytesTotal() const override { return m_bytes; }
    std::uint64_t bytesTaken() const override { return m_taken; }
    std::vector<std::string> notes() const override { return m_table.notes; }
    std::vector<std::string> parts() const override { return m_parts; }

private:
    /// What is read of a part: of each row so many bytes.
    struct Read {
        std::size_t part = 0;
        std::uint64_t line = 0; ///< of a part with its rows last
        hdf5::Type memory;
        std::uint64_t rowBytes = 0;
    };
    struct Field {
        std::size_t read = 0;
        std::uint64_t offset = 0; ///< in the row
    };

    void close()
    {
        m_reads.clear();
        m_table.parts.clear();
        m_file.reset();
    }
    void addField(const StoredColumn&, std::map<std::pair<std::size_t, std::uint64_t>, std::size_t>& reads,
                  std::map<std::string, std::uint64_t>& members);
    void makeCompound(Read&, const std::map<std::string, std::uint64_t>& members);
    void read(Rows&, std::uint64_t row, std::uint64_t count) const;
    void chooseBlock();

    std::uint64_t m_bytes = 0;
    std::atomic<std::uint64_t> m_taken{0}; // asked for while rows are taken
    hdf5::File m_file;
    Hdf5Table m_table;
    std::vector<Column> m_columns;
    std::vector<std::string> m_parts;
    std::vector<std::size_t> m_wanted;
    std::vector<Read> m_reads;
    std::vector<Field> m_fields; // of the wanted columns
    std::uint64_t m_row = 0, m_rowsAtOnce = 1;
};

void Hdf5Reader::addField(const StoredColumn& column, std::map<std::pair<std::size_t, std::uint64_t>, std::size_t>& reads,
                          std::map<std::string, std::uint64_t>& members)
{
    const StoredPart& part = m_table.parts[column.part];
    const auto [at, isNew] = reads.try_emplace({column.part, part.rowsLast ? column.place : 0}, m_reads.size());
    if (isNew)
        m_reads.push_back({column.part, column.place, {}, 0});
    Read& read = m_reads[at->second];
    if (part.isCompound) {
        const auto [member, isNewMember] = members.try_emplace(column.member, read.rowBytes);
        if (isNewMember)
            read.rowBytes += column.width * column.value.bytes;
        m_fields.push_back({at->second, member->second + column.place * column.value.bytes});
        return;
    }
    if (isNew) {
        read.rowBytes = part.value.bytes * (part.rowsLast ? 1 : part.width);
        read.memory = memoryTypeOf(part.value, hdf5::Type(H5Dget_type(part.set.dataset.id())).id());
    }
    m_fields.push_back({at->second, part.rowsLast ? 0 : column.place * part.value.bytes});
}

void Hdf5Reader::makeCompound(Read& read, const std::map<std::string, std::uint64_t>& members)
{
    const StoredPart& part = m_table.parts[read.part];
    const hdf5::Type stored(H5Dget_type(part.set.dataset.id()));
    read.memory = hdf5::Type(H5Tcreate(H5T_COMPOUND, read.rowBytes));
    for (const std::size_t wanted : m_wanted) {
        const StoredColumn& column = m_table.columns[wanted];
        const auto at = members.find(column.member);
        if (at == members.end() || H5Tget_member_index(read.memory.id(), column.member.c_str()) >= 0)
            continue;
        const int number = H5Tget_member_index(stored.id(), column.member.c_str());
        const hdf5::Type member(H5Tget_member_type(stored.id(), static_cast<unsigned>(std::max(number, 0))));
        const bool isArray = H5Tget_class(member.id()) == H5T_ARRAY;
        hdf5::Type memory = memoryTypeOf(column.value, isArray ? hdf5::Type(H5Tget_super(member.id())).id() : member.id());
        if (isArray) {
            std::vector<hsize_t> dims(static_cast<std::size_t>(std::max(H5Tget_array_ndims(member.id()), 1)));
            H5Tget_array_dims2(member.id(), dims.data());
            memory = hdf5::Type(H5Tarray_create2(memory.id(), static_cast<unsigned>(dims.size()), dims.data()));
        }
        hdf5::check(H5Tinsert(read.memory.id(), column.member.c_str(), at->second, memory.id()), part.set.where,
                    "its members cannot be read");
    }
    hdf5::errorStack(); // of members that were looked for
}

void Hdf5Reader::want(const std::vector<std::size_t>& columns)
{
    const hdf5::Session session;
    m_wanted = columns;
    m_reads.clear();
    m_fields.clear();
    std::map<std::pair<std::size_t, std::uint64_t>, std::size_t> reads;
    std::map<std::string, std::uint64_t> members;
    for (const std::size_t column : columns)
        addField(m_table.columns[column], reads, members);
    for (Read& read : m_reads) {
        if (read.rowBytes > longestRow)
            throw Error({"its rows are too long",
                         m_table.parts[read.part].set.where,
                         kernels::formatBytes(read.rowBytes),
                         kernels::formatBytes(longestRow),
                         {}});
        if (m_table.parts[read.part].isCompound)
            makeCompound(read, members);
    }
    chooseBlock();
}

/// Whole chunks, where that is possible: what is packed is unpacked once.
void Hdf5Reader::chooseBlock()
{
    std::uint64_t rowBytes = 1, chunkRows = 1;
    for (const Read& read : m_reads) {
        const StoredPart& part = m_table.parts[read.part];
        rowBytes += read.rowBytes;
        if (!part.set.chunk.empty())
            chunkRows = std::max<std::uint64_t>(chunkRows, part.set.chunk[part.rowsLast ? 1 : 0]);
    }
    m_rowsAtOnce = std::clamp<std::uint64_t>(bytesOfBlock / rowBytes, 1, rowsOfBlock);
    if (chunkRows <= largestBlock / rowBytes)
        m_rowsAtOnce = std::max(m_rowsAtOnce / chunkRows, std::uint64_t{1}) * chunkRows;
}

void Hdf5Reader::read(Rows& rows, std::uint64_t row, std::uint64_t count) const
{
    rows.clear();
    rows.count = count;
    std::uint64_t rowBytes = 0;
    for (const Read& each : m_reads)
        rowBytes += each.rowBytes;
    rows.bytes.resize(rowBytes * count);
    if (count == 0)
        return;
    const hdf5::Session session;
    char* to = rows.bytes.data();
    for (const Read& each : m_reads) {
        const StoredPart& part = m_table.parts[each.part];
        const hdf5::Space from(H5Dget_space(part.set.dataset.id()));
        const std::vector<hsize_t> start = part.set.dims.size() == 1 ? std::vector<hsize_t>{row}
            : part.rowsLast                                          ? std::vector<hsize_t>{each.line, row}
                                                                     : std::vector<hsize_t>{row, 0};
        const std::vector<hsize_t> counts = part.set.dims.size() == 1 ? std::vector<hsize_t>{count}
            : part.rowsLast                                           ? std::vector<hsize_t>{1, count}
                                                                      : std::vector<hsize_t>{count, part.width};
        H5Sselect_hyperslab(from.id(), H5S_SELECT_SET, start.data(), nullptr, counts.data(), nullptr);
        const hdf5::Space memory(H5Screate_simple(static_cast<int>(counts.size()), counts.data(), nullptr));
        hdf5::check(H5Dread(part.set.dataset.id(), each.memory.id(), memory.id(), from.id(), H5P_DEFAULT, to), part.set.where,
                    "the data cannot be read");
        to += each.rowBytes * count;
    }
}

void Hdf5Reader::split(Rows& rows) const
{
    std::vector<const char*> begins;
    const char* begin = rows.bytes.data();
    for (const Read& each : m_reads) {
        begins.push_back(begin);
        begin += each.rowBytes * rows.count;
    }
    KeptText texts(rows);
    std::string storage;
    rows.fields.resize(m_wanted.size());
    for (std::size_t i = 0; i < m_wanted.size(); ++i) {
        const StoredValue& value = m_table.columns[m_wanted[i]].value;
        const std::uint64_t step = m_reads[m_fields[i].read].rowBytes;
        const char* at = begins[m_fields[i].read] + m_fields[i].offset;
        const bool isKept = value.meaning == StoredValue::Meaning::Code || value.meaning == StoredValue::Meaning::Truth;
        auto& fields = rows.fields[i];
        fields.clear();
        fields.reserve(rows.count);
        for (std::size_t row = 0; row < rows.count; ++row, at += step) {
            const std::string_view text = textOf(value, at, storage);
            fields.push_back(!text.data() || isKept ? text : texts.keep(text));
        }
    }
}

} // namespace

std::unique_ptr<Reader> openHdf5Table(const std::string& path, Recipe& recipe) { return std::make_unique<Hdf5Reader>(path, recipe); }

bool isHdf5Table(const std::string& path)
{
    const Hdf5Name name = nameOf(path);
    try {
        if (!beginsAsPyTables(name.file))
            return false;
        const hdf5::Session session;
        return holdsTable(hdf5::openFile(name.file), fileNameOf(name.file), name.group);
    } catch (const Error&) {
        return false;
    }
}

} // namespace io::table
