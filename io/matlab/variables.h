// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/stored_numbers.h"
#include "kernels/base/progress.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

// MATLAB's files of version 4 and of versions 5 to 7. libmatio crashes on damaged ones (3 % of structs with a few bytes replaced), so
// headers are read here. All sizes are compared with the bytes that are there.

namespace io::matlab {

/// Numbers of one variable: their place is counted from where its element begins, unpacked.
struct Numbers : StoredNumbers {
    std::uint64_t at = 0, count = 0;
};

enum class Class { Numbers, Sparse, Struct, Object, Other };

/// A variable or the field of one. Its numbers are read later.
struct Variable {
    std::string name, className; ///< "double"
    Class kind = Class::Other;
    bool complex = false;
    std::vector<std::uint64_t> dims;
    Numbers values; ///< column after column
    Numbers rows, pointers; ///< sparse: row of each entry, from 0, and where columns begin
    bool triplets = false; ///< sparse of version 4: values are a matrix of rows, columns and values, with the sizes at its end
    std::vector<Variable> fields; ///< of a struct that is one
    std::uint64_t element = 0; ///< where it begins in the file

    const Variable* field(const char* fieldName) const; ///< null: there is none
};

class File {
public:
    explicit File(const std::string& path); ///< reads all headers; throws io::Error

    const std::vector<Variable>& variables() const { return m_variables; }
    const std::string& title() const { return m_title; } ///< "MATLAB file, version 5"
    const std::string& fileName() const { return m_fileName; }

    template <class Number> using Take = std::function<void(std::uint64_t begin, std::span<const Number>)>;
    /// The first `count` numbers of a variable or field. Progress advances by bytes.
    void doubles(const Variable&, const Numbers&, std::uint64_t count, kernels::Progress&, const Take<double>&) const;
    void wholes(const Variable&, const Numbers&, std::uint64_t count, kernels::Progress&, const Take<std::int64_t>&) const;
    std::string where(const Variable&) const; ///< "x.mat:S"

private:
    template <class Body> void forEachBlock(const Variable&, const Numbers&, std::uint64_t count, kernels::Progress&, const Body&) const;

    std::string m_path, m_fileName, m_title;
    bool m_bigEndian = false;
    std::vector<Variable> m_variables;
};

/// Whether a file with these first bytes is of version 5 to 7.
bool isVersion5(std::string_view head);

} // namespace io::matlab
