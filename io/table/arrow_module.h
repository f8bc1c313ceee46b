// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "io/table/rows.h"

#include <memory>
#include <string>
#include <vector>

namespace io::table {

struct ArrowColumn {
    Column column;
    std::string problem; ///< why it cannot be read: "is nested"; empty: it can
};

/// A file that the Arrow module has opened. Calls as those of a Reader; all throw io::Error and kernels::Error.
class ArrowFile {
public:
    virtual ~ArrowFile() = default;
    virtual const std::vector<ArrowColumn>& columns() const = 0;
    virtual std::string layout() const = 0; ///< "Parquet"
    virtual void want(const std::vector<std::size_t>& columns) = 0; ///< none that has a problem
    virtual bool take(Rows&) = 0; ///< Rows::held is what split() reads
    virtual void split(Rows&) const = 0;
    virtual bool sample(double part, Rows&) = 0;
    virtual double shareTaken() const = 0;
    virtual std::vector<std::string> notes() const = 0;
};

constexpr const char* arrowModuleFile = "libpolyad_arrow.so";
constexpr const char* arrowModuleEntry = "polyadOpenArrow";
/// Null: the module was built from other headers than the program. The caller owns the file.
using OpenArrowFile = ArrowFile* (*)(const char* path, const char* fileName, const char* interface);

} // namespace io::table
