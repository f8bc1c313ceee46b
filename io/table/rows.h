// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/array.h"
#include "kernels/base/progress.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace io::table {

/// A row that has not the columns it should have.
struct BadRow {
    std::size_t row = 0; ///< in its block, from 0
    std::size_t found = 0; ///< fields
    std::size_t at = 0; ///< bytes of the block before its end
};

/// Some consecutive rows of a table, column by column. A block may be used again: its memory is kept.
struct Rows {
    kernels::Array<char> bytes; ///< what most fields point into
    std::deque<std::string> texts; ///< what others point into: unquoted or made from numbers
    std::vector<std::vector<std::string_view>> fields; ///< [wanted column][row]; data() == nullptr: missing
    std::size_t count = 0; ///< rows, bad ones too: theirs are missing
    std::vector<BadRow> bad;
    std::size_t longRow = 0, longLines = 0; ///< the row whose quoted field holds the most lines, if very many; 0: none does
    std::uint64_t lines = 0; ///< of a text that the block takes, for messages
    std::shared_ptr<const void> held; ///< a reader's own: what split() reads, or fields point into

    void clear();
    std::string_view keep(std::string text) { return texts.emplace_back(std::move(text)); }
};

struct Column {
    std::string name;
    std::string type; ///< what the file says of it, for people: "INTEGER", "timestamp[us]"; empty for text
};

/// A table, read from its beginning to its end, block by block. take() is called by one thread at a time and in order, split()
/// by several at once. Whoever has typed values gives them as text: numbers in their shortest form, times as ISO 8601.
class Reader {
public:
    virtual ~Reader() = default;
    virtual const std::vector<Column>& columns() const = 0;
    /// Before the first take(): which columns are wanted, in the order of Rows::fields.
    virtual void want(const std::vector<std::size_t>& columns) = 0;
    /// Whose cancel ends a take() that waits long, if the reader can.
    virtual void watch(const kernels::Progress&) { }
    /// The next block as it is in the file; false: the table has ended.
    virtual bool take(Rows&) = 0;
    /// Its rows and fields. Where take() has filled them there is nothing left to do.
    virtual void split(Rows&) const { }
    /// Some whole rows from that part of the table, to look at, for split(); false: the source cannot jump.
    virtual bool sample(double, Rows&) { return false; }
    virtual std::string layout() const = 0; ///< "CSV, semicolons, decimal comma, UTF-8"
    virtual std::uint64_t bytesTotal() const = 0; ///< 0: not known
    virtual std::uint64_t bytesTaken() const = 0;
    virtual std::vector<std::string> notes() const { return {}; } ///< about the file, for the load report
    virtual std::vector<std::string> parts() const { return {}; } ///< sheets or tables of the file, by the names that Recipe::part takes
    virtual std::uint64_t headerLines() const { return 0; } ///< of a text, before the first row
};

} // namespace io::table
