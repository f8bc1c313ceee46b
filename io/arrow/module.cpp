// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The Arrow module, libpolyad_arrow.so: opened by io/table/arrow_reader.cpp, linked by nobody.
#include "io/arrow/cells.h"
#include "io/arrow/source.h"
#include "io/error.h"
#include "io/table/arrow_module.h"
#include "kernels/base/host_memory.h"

#include <arrow/compute/initialize.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <new>

namespace io::table::arrow_module {
namespace {

constexpr std::size_t longestReason = 200;

std::string firstLine(const std::string& text)
{
    std::string line = text.substr(0, std::min(text.find('\n'), longestReason));
    while (!line.empty() && (line.back() == '.' || line.back() == ' '))
        line.pop_back();
    // A damaged file may be quoted.
    std::replace_if(
        line.begin(), line.end(), [](char c) { return c < ' ' || c == '\x7f'; }, '?');
    return line;
}

[[noreturn]] void fail(const std::string& kind, const std::string& fileName, const arrow::Status& status)
{
    if (status.IsOutOfMemory())
        throw kernels::Error(kernels::ErrorKind::OutOfMemory,
                             {fmt::format("the {} file asks for more memory than is free", kind),
                              fileName,
                              {},
                              {},
                              "It may be damaged. Else write it with smaller row groups, or use a larger machine."});
    if (status.IsNotImplemented())
        throw Error({fmt::format("the {} file uses what is not read", kind), fileName, firstLine(status.message()), {}, {}});
    throw Error({fmt::format("the {} file is damaged", kind), fileName, firstLine(status.message()), {}, "Copy or write the file again."});
}

/// Of all files, and never destroyed: Arrow's threads may free buffers after the file they belong to is closed.
arrow::MemoryPool* pool()
{
    static auto* const capped =
        new arrow::CappedMemoryPool(arrow::default_memory_pool(), static_cast<std::int64_t>(kernels::availableHostMemory() / 2));
    return capped;
}

/// What split() needs of a block.
struct HeldBatch {
    std::shared_ptr<arrow::RecordBatch> batch;
};

class File final : public ArrowFile {
public:
    File(const std::string& path, std::string fileName)
        : m_fileName(std::move(fileName))
    {
        guarded([&] { return open(path); });
    }

    const std::vector<ArrowColumn>& columns() const override { return m_columns; }
    std::string layout() const override { return m_source->layout(); }
    std::vector<std::string> notes() const override { return m_notes; }

    void want(const std::vector<std::size_t>& columns) override
    {
        std::vector<int> fields;
        for (const std::size_t column : columns)
            fields.push_back(static_cast<int>(column));
        std::sort(fields.begin(), fields.end());
        m_slots.assign(fields.size(), 0);
        for (std::size_t slot = 0; slot < columns.size(); ++slot)
            m_slots[static_cast<std::size_t>(std::lower_bound(fields.begin(), fields.end(), static_cast<int>(columns[slot]))
                                             - fields.begin())] = slot;
        m_batch.reset();
        guarded([&] { return m_source->choose(fields); });
    }

    bool take(Rows& rows) override
    {
        if (!m_batch || m_at >= m_batch->num_rows())
            guarded([&] { return nextBatch(); });
        if (!m_batch)
            return false;
        const std::int64_t count = std::min(rowsOfBlock, m_batch->num_rows() - m_at);
        hold(rows, m_batch->Slice(m_at, count));
        m_at += count;
        return true;
    }

    void split(Rows& rows) const override
    {
        const auto* const held = static_cast<const HeldBatch*>(rows.held.get());
        guarded([&]() -> arrow::Status {
            KeptText texts(rows);
            rows.fields.resize(m_slots.size());
            for (std::size_t i = 0; i < m_slots.size(); ++i) {
                std::vector<std::string_view>& cells = rows.fields[m_slots[i]];
                cells.clear();
                ARROW_RETURN_NOT_OK(appendCells(*held->batch->column(static_cast<int>(i)), texts, cells));
            }
            return arrow::Status::OK();
        });
    }

    bool sample(double part, Rows& rows) override
    {
        std::shared_ptr<arrow::RecordBatch> batch;
        guarded([&]() -> arrow::Status {
            ARROW_ASSIGN_OR_RAISE(batch, m_source->sample(part));
            return arrow::Status::OK();
        });
        if (!batch)
            return false;
        hold(rows, batch->num_rows() > rowsOfBlock ? batch->Slice(0, rowsOfBlock) : batch);
        return true;
    }

    double shareTaken() const override { return m_share; }

private:
    /// Parquet throws where the others have a status.
    template <class Call> void guarded(const Call& call) const
    {
        arrow::Status status;
        try {
            status = call();
        } catch (const kernels::Error&) {
            throw;
        } catch (const std::bad_alloc&) {
            throw;
        } catch (const std::exception& error) {
            status = arrow::Status::Invalid(error.what());
        }
        if (!status.ok())
            fail(m_source ? m_source->layout() : m_kind, m_fileName, status);
    }

    arrow::Status open(const std::string& path)
    {
        Input input{path, nullptr, pool()};
        ARROW_ASSIGN_OR_RAISE(input.file, arrow::io::ReadableFile::Open(path, pool()));
        ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::Buffer> begin, input.file->ReadAt(0, 6));
        const std::string magic = begin->ToString();
        const bool isOrc = magic.starts_with("ORC"), isFile = magic == "ARROW1", isFirst = magic.starts_with("FEA1");
        m_kind = magic.starts_with("PAR") ? "Parquet" : isOrc ? "ORC" : isFirst ? "Feather" : "Arrow";
        ARROW_ASSIGN_OR_RAISE(m_source,
                              magic.starts_with("PAR") ? openParquet(input)
                                  : isOrc              ? openOrc(input)
                                  : isFirst            ? openFeather1(input)
                                  : isFile             ? openIpcFile(input)
                                                       : openIpcStream(input));
        for (const auto& field : m_source->schema()->fields()) {
            const bool isDictionary = field->type()->id() == arrow::Type::DICTIONARY;
            const auto& type = isDictionary ? static_cast<const arrow::DictionaryType&>(*field->type()).value_type() : field->type();
            m_columns.push_back({{field->name(), type->ToString()}, problemOf(*type)});
            if (field->type()->id() != arrow::Type::TIMESTAMP)
                continue;
            const std::string& zone = static_cast<const arrow::TimestampType&>(*field->type()).timezone();
            if (!knowsZone(zone))
                m_notes.push_back(
                    fmt::format("Times of the column {} are in UTC, because the time zone {} is not known here.", field->name(), zone));
        }
        return arrow::Status::OK();
    }

    /// The next one with rows; none at the end.
    arrow::Status nextBatch()
    {
        m_at = 0;
        do {
            ARROW_ASSIGN_OR_RAISE(m_batch, m_source->next());
        } while (m_batch && m_batch->num_rows() == 0);
        const std::uint64_t total = m_source->rowsOrBatches();
        m_share = total == 0 ? 0.0 : std::min(1.0, static_cast<double>(m_source->taken()) / static_cast<double>(total));
        return arrow::Status::OK();
    }

    static void hold(Rows& rows, std::shared_ptr<arrow::RecordBatch> batch)
    {
        rows.count = static_cast<std::size_t>(batch->num_rows());
        rows.held = std::make_shared<HeldBatch>(HeldBatch{std::move(batch)});
    }

    std::string m_fileName, m_kind = "Arrow";
    std::unique_ptr<Source> m_source;
    std::vector<ArrowColumn> m_columns;
    std::vector<std::string> m_notes;
    std::vector<std::size_t> m_slots; ///< of a batch's columns, among the wanted ones
    std::shared_ptr<arrow::RecordBatch> m_batch;
    std::int64_t m_at = 0; ///< its first row that is not taken
    std::atomic<double> m_share{0}; ///< asked for while rows are taken
};

} // namespace
} // namespace io::table::arrow_module

extern "C" __attribute__((visibility("default"))) io::table::ArrowFile* polyadOpenArrow(const char* path, const char* fileName,
                                                                                        const char* interface)
{
    if (std::string_view(interface) != POLYAD_ARROW_INTERFACE)
        return nullptr;
    static const arrow::Status initialized = arrow::compute::Initialize();
    return new io::table::arrow_module::File(path, fileName);
}
