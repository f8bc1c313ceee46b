// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/arrow/source.h"

#include <arrow/ipc/feather.h>
#include <arrow/ipc/options.h>
#include <arrow/ipc/reader.h>
#include <arrow/table.h>

#include <algorithm>

namespace io::table::arrow_module {
namespace {

using Batch = std::shared_ptr<arrow::RecordBatch>;

/// Buffers come from the file as they are: offsets and indices may point anywhere until they are checked.
arrow::Result<Batch> checked(Batch batch)
{
    if (batch)
        ARROW_RETURN_NOT_OK(batch->ValidateFull());
    return batch;
}

/// Feather of version 2 is an Arrow IPC file.
class IpcFileSource final : public Source {
public:
    explicit IpcFileSource(const Input& input)
        : m_input(input)
    {
    }

    arrow::Status open(const std::vector<int>& fields)
    {
        arrow::ipc::IpcReadOptions options;
        options.memory_pool = m_input.pool;
        options.included_fields = fields;
        ARROW_ASSIGN_OR_RAISE(m_reader, arrow::ipc::RecordBatchFileReader::Open(m_input.file, options));
        if (!m_schema)
            m_schema = m_reader->schema();
        return arrow::Status::OK();
    }

    std::shared_ptr<arrow::Schema> schema() const override { return m_schema; }
    std::string layout() const override { return m_input.path.ends_with(".feather") ? "Feather" : "Arrow IPC file"; }
    arrow::Status choose(const std::vector<int>& fields) override
    {
        m_next = 0;
        return open(fields);
    }
    arrow::Result<Batch> next() override
    {
        if (m_next >= m_reader->num_record_batches())
            return nullptr;
        ARROW_ASSIGN_OR_RAISE(Batch batch, m_reader->ReadRecordBatch(m_next++));
        return checked(std::move(batch));
    }
    arrow::Result<Batch> sample(double part) override
    {
        const int batches = m_reader->num_record_batches();
        if (batches < 2)
            return nullptr;
        ARROW_ASSIGN_OR_RAISE(Batch batch, m_reader->ReadRecordBatch(std::min(batches - 1, static_cast<int>(part * batches))));
        return checked(std::move(batch));
    }
    std::uint64_t rowsOrBatches() const override { return static_cast<std::uint64_t>(m_reader->num_record_batches()); }
    std::uint64_t taken() const override { return static_cast<std::uint64_t>(m_next); }

private:
    Input m_input;
    std::shared_ptr<arrow::ipc::RecordBatchFileReader> m_reader;
    std::shared_ptr<arrow::Schema> m_schema; ///< of all fields
    int m_next = 0;
};

class IpcStreamSource final : public Source {
public:
    explicit IpcStreamSource(const Input& input)
        : m_input(input)
    {
    }

    arrow::Status open(const std::vector<int>& fields)
    {
        arrow::ipc::IpcReadOptions options;
        options.memory_pool = m_input.pool;
        options.included_fields = fields;
        ARROW_RETURN_NOT_OK(m_input.file->Seek(0));
        ARROW_ASSIGN_OR_RAISE(m_reader, arrow::ipc::RecordBatchStreamReader::Open(m_input.file, options));
        if (!m_schema)
            m_schema = m_reader->schema();
        ARROW_ASSIGN_OR_RAISE(const std::int64_t bytes, m_input.file->GetSize());
        m_bytes = static_cast<std::uint64_t>(bytes);
        return arrow::Status::OK();
    }

    std::shared_ptr<arrow::Schema> schema() const override { return m_schema; }
    std::string layout() const override { return "Arrow IPC stream"; }
    arrow::Status choose(const std::vector<int>& fields) override { return open(fields); }
    arrow::Result<Batch> next() override
    {
        Batch batch;
        ARROW_RETURN_NOT_OK(m_reader->ReadNext(&batch));
        ARROW_ASSIGN_OR_RAISE(const std::int64_t place, m_input.file->Tell());
        m_taken = static_cast<std::uint64_t>(place);
        return checked(std::move(batch));
    }
    arrow::Result<Batch> sample(double) override { return nullptr; }
    std::uint64_t rowsOrBatches() const override { return m_bytes; }
    std::uint64_t taken() const override { return m_taken; }

private:
    Input m_input;
    std::shared_ptr<arrow::ipc::RecordBatchStreamReader> m_reader;
    std::shared_ptr<arrow::Schema> m_schema;
    std::uint64_t m_bytes = 0, m_taken = 0;
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
/// The first version of Feather has one batch of all rows.
class Feather1Source final : public Source {
public:
    explicit Feather1Source(std::shared_ptr<arrow::ipc::feather::Reader> reader)
        : m_reader(std::move(reader))
    {
    }

    std::shared_ptr<arrow::Schema> schema() const override { return m_reader->schema(); }
    std::string layout() const override { return "Feather 1"; }
    arrow::Status choose(const std::vector<int>& fields) override
    {
        ARROW_RETURN_NOT_OK(m_reader->Read(fields, &m_table));
        ARROW_RETURN_NOT_OK(m_table->ValidateFull());
        m_batches = std::make_unique<arrow::TableBatchReader>(*m_table);
        m_taken = 0;
        return arrow::Status::OK();
    }
    arrow::Result<Batch> next() override
    {
        Batch batch;
        ARROW_RETURN_NOT_OK(m_batches->ReadNext(&batch));
        m_taken += batch ? static_cast<std::uint64_t>(batch->num_rows()) : 0;
        return batch;
    }
    arrow::Result<Batch> sample(double) override { return nullptr; }
    std::uint64_t rowsOrBatches() const override { return m_table ? static_cast<std::uint64_t>(m_table->num_rows()) : 0; }
    std::uint64_t taken() const override { return m_taken; }

private:
    std::shared_ptr<arrow::ipc::feather::Reader> m_reader;
    std::shared_ptr<arrow::Table> m_table;
    std::unique_ptr<arrow::TableBatchReader> m_batches;
    std::uint64_t m_taken = 0;
};

} // namespace

Opened openFeather1(const Input& input)
{
    ARROW_ASSIGN_OR_RAISE(auto reader, arrow::ipc::feather::Reader::Open(input.file));
    return std::make_unique<Feather1Source>(std::move(reader));
}
#pragma GCC diagnostic pop

Opened openIpcFile(const Input& input)
{
    auto source = std::make_unique<IpcFileSource>(input);
    ARROW_RETURN_NOT_OK(source->open({}));
    return source;
}

Opened openIpcStream(const Input& input)
{
    auto source = std::make_unique<IpcStreamSource>(input);
    ARROW_RETURN_NOT_OK(source->open({}));
    return source;
}

} // namespace io::table::arrow_module
