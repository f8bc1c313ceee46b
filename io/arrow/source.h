// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <arrow/io/file.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <arrow/type.h>

#include <memory>
#include <string>
#include <vector>

namespace io::table::arrow_module {

constexpr std::int64_t rowsOfBlock = 16'384;
constexpr std::int64_t bytesOfBlock = 8 << 20;

/// What a file costs is what it claims: Arrow allocates by the sizes a file states.
struct Input {
    std::string path;
    std::shared_ptr<arrow::io::ReadableFile> file;
    arrow::MemoryPool* pool;
};

/// One kind of file, batch by batch. Used by one thread at a time.
class Source {
public:
    virtual ~Source() = default;
    virtual std::shared_ptr<arrow::Schema> schema() const = 0;
    virtual std::string layout() const = 0;
    /// Fields in ascending order; the batches have no others.
    virtual arrow::Status choose(const std::vector<int>& fields) = 0;
    virtual arrow::Result<std::shared_ptr<arrow::RecordBatch>> next() = 0; ///< null: the end
    /// Some rows from that part of the file; null: it cannot jump. What next() gives after it is not defined.
    virtual arrow::Result<std::shared_ptr<arrow::RecordBatch>> sample(double part) = 0;
    virtual std::uint64_t rowsOrBatches() const = 0; ///< that there are, 0: not known
    virtual std::uint64_t taken() const = 0; ///< of those
};

using Opened = arrow::Result<std::unique_ptr<Source>>;
Opened openParquet(const Input&);
Opened openIpcFile(const Input&);
Opened openIpcStream(const Input&);
Opened openFeather1(const Input&);
Opened openOrc(const Input&);

} // namespace io::table::arrow_module
