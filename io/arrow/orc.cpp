// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/arrow/source.h"

#include <arrow/util/config.h>

#ifdef ARROW_ORC
#include <arrow/adapters/orc/adapter.h>
#endif

#include <algorithm>

namespace io::table::arrow_module {

#ifdef ARROW_ORC
namespace {

using Batch = std::shared_ptr<arrow::RecordBatch>;

class OrcSource final : public Source {
public:
    explicit OrcSource(std::unique_ptr<arrow::adapters::orc::ORCFileReader> reader)
        : m_reader(std::move(reader))
    {
    }

    arrow::Status learn()
    {
        ARROW_ASSIGN_OR_RAISE(m_schema, m_reader->ReadSchema());
        return arrow::Status::OK();
    }

    std::shared_ptr<arrow::Schema> schema() const override { return m_schema; }
    std::string layout() const override { return "ORC"; }
    arrow::Status choose(const std::vector<int>& fields) override
    {
        m_fields = fields;
        m_stripe.reset();
        return m_reader->Seek(0);
    }
    arrow::Result<Batch> next() override
    {
        Batch batch;
        while (!batch) {
            if (!m_stripe) {
                ARROW_ASSIGN_OR_RAISE(m_stripe, m_reader->NextStripeReader(rowsAtOnce(), m_fields));
                if (!m_stripe)
                    return nullptr;
            }
            ARROW_RETURN_NOT_OK(m_stripe->ReadNext(&batch));
            if (!batch)
                m_stripe.reset();
        }
        m_taken += static_cast<std::uint64_t>(batch->num_rows());
        return batch;
    }
    arrow::Result<Batch> sample(double part) override
    {
        const std::int64_t rows = m_reader->NumberOfRows();
        if (m_reader->NumberOfStripes() < 2)
            return nullptr;
        ARROW_RETURN_NOT_OK(m_reader->Seek(static_cast<std::int64_t>(part * static_cast<double>(rows))));
        m_stripe.reset();
        return next();
    }
    std::uint64_t rowsOrBatches() const override { return static_cast<std::uint64_t>(std::max<std::int64_t>(0, m_reader->NumberOfRows())); }
    std::uint64_t taken() const override { return m_taken; }

private:
    /// Fewer where rows are long.
    std::int64_t rowsAtOnce() const
    {
        const std::int64_t bytes = std::max<std::int64_t>(0, m_reader->GetContentLength());
        const std::int64_t rows = std::max<std::int64_t>(1, m_reader->NumberOfRows());
        return std::clamp<std::int64_t>(bytesOfBlock / (bytes / rows + 1), 64, rowsOfBlock);
    }

    std::unique_ptr<arrow::adapters::orc::ORCFileReader> m_reader;
    std::shared_ptr<arrow::Schema> m_schema;
    std::vector<int> m_fields;
    std::shared_ptr<arrow::RecordBatchReader> m_stripe;
    std::uint64_t m_taken = 0;
};

} // namespace

Opened openOrc(const Input& input)
{
    ARROW_ASSIGN_OR_RAISE(auto reader, arrow::adapters::orc::ORCFileReader::Open(input.file, input.pool));
    auto source = std::make_unique<OrcSource>(std::move(reader));
    ARROW_RETURN_NOT_OK(source->learn());
    return source;
}
#else
Opened openOrc(const Input&) { return arrow::Status::NotImplemented("this build of Arrow has no ORC"); }
#endif

} // namespace io::table::arrow_module
