// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/hdf5_read.h"
#include "io/table/rows.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

// Tables that pandas and PyTables write. All of it inside a hdf5::Session.

namespace io::table {

using SharedTexts = std::shared_ptr<const std::vector<std::string>>;

/// One value as it is read into memory, and what it means.
struct StoredValue {
    enum class Kind {
        Whole, ///< std::int64_t
        Natural, ///< std::uint64_t
        Real, ///< double
        Single, ///< float
        Text, ///< of a fixed length
        Bool, ///< a byte
        Seconds, ///< std::int32_t since 1970
        SecondsAndMicro, ///< PyTables' Time64: two numbers of 32 bits
    };
    enum class Meaning {
        Plain,
        Truth,
        Time, ///< units since 1970
        Duration, ///< units
        Day, ///< Python's ordinal
        Code, ///< of `labels`; below 0: missing
    };
    Kind kind = Kind::Whole;
    Meaning meaning = Meaning::Plain;
    std::size_t bytes = 8;
    std::int64_t unitsPerSecond = 1'000'000'000;
    bool inUtc = false;
    SharedTexts labels;
    std::string missing; ///< of texts: what stands for nothing
};

/// Rows of a dataset: its members, or its columns.
struct StoredPart {
    hdf5::CheckedDataset set;
    bool isCompound = false;
    bool rowsLast = false; ///< [columns, rows]
    std::uint64_t width = 1; ///< values in a row, unless it is a compound
    StoredValue value; ///< unless it is a compound
};

struct StoredColumn {
    Column column;
    std::size_t part = 0;
    std::string member; ///< of a compound
    std::uint64_t place = 0; ///< among the values of the member or of the row
    std::uint64_t width = 1; ///< of the member
    StoredValue value;
};

struct Hdf5Table {
    std::vector<StoredPart> parts;
    std::vector<StoredColumn> columns;
    std::uint64_t rows = 0;
    std::string layout; ///< "pandas HDF5, table /flights"
    std::vector<std::string> notes;
};

/// Whether a file, or what is named in it, is a table; a tensor in the file comes first. Throws io::Error where it cannot be searched.
bool holdsTable(const hdf5::File&, const std::string& fileName, const std::string& named);
/// The path of the table named, or of the only one. Throws SeveralTensors.
std::string findTable(const hdf5::File&, const std::string& fileName, const std::string& named);
/// The paths of all tables.
std::vector<std::string> tablesIn(const hdf5::File&, const std::string& fileName);
/// What the columns of a table are. Throws io::Error.
Hdf5Table describeTable(hdf5::Session&, const hdf5::File&, const std::string& fileName, const std::string& path);

/// The memory type of a stored type; nothing: such values are not read.
std::optional<StoredValue> valueOf(hid_t storedType);
/// What a value is read as. `storedType` is that of the file.
hdf5::Type memoryTypeOf(const StoredValue&, hid_t storedType);
/// The text of a value; no data: missing. `storage` is for those that are no text of their own.
std::string_view textOf(const StoredValue&, const char* bytes, std::string& storage);

} // namespace io::table
