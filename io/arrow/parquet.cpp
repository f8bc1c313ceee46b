// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/arrow/source.h"

#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/properties.h>

#include <algorithm>

namespace io::table::arrow_module {
namespace {

constexpr std::int64_t bufferBytes = 1 << 20; ///< of a column chunk that is read page by page

/// Whether all pages of a text column hold numbers of words. As texts they would be as long as the words are in all rows together.
bool isOfWords(const parquet::FileMetaData& metadata, int leaf)
{
    const parquet::ColumnDescriptor& column = *metadata.schema()->Column(leaf);
    if (column.physical_type() != parquet::Type::BYTE_ARRAY || column.path()->ToDotVector().size() > 1)
        return false;
    for (int group = 0; group < metadata.num_row_groups(); ++group) {
        const auto chunk = metadata.RowGroup(group)->ColumnChunk(leaf);
        if (!chunk->has_dictionary_page())
            return false;
        for (const parquet::PageEncodingStats& pages : chunk->encoding_stats()) {
            const bool isData = pages.page_type == parquet::PageType::DATA_PAGE || pages.page_type == parquet::PageType::DATA_PAGE_V2;
            const bool isNumbers =
                pages.encoding == parquet::Encoding::RLE_DICTIONARY || pages.encoding == parquet::Encoding::PLAIN_DICTIONARY;
            if (isData && !isNumbers)
                return false;
        }
    }
    return metadata.num_row_groups() > 0;
}

class ParquetSource final : public Source {
public:
    explicit ParquetSource(std::unique_ptr<parquet::arrow::FileReader> reader)
        : m_reader(std::move(reader))
    {
    }

    arrow::Status learn() { return m_reader->GetSchema(&m_schema); }

    std::shared_ptr<arrow::Schema> schema() const override { return m_schema; }
    std::string layout() const override { return "Parquet"; }

    arrow::Status choose(const std::vector<int>& fields) override
    {
        m_leaves.clear();
        for (const int field : fields)
            m_leaves.push_back(m_reader->manifest().schema_fields[static_cast<std::size_t>(field)].column_index);
        m_group = -1;
        m_batches.reset();
        return arrow::Status::OK();
    }

    arrow::Result<std::shared_ptr<arrow::RecordBatch>> next() override
    {
        std::shared_ptr<arrow::RecordBatch> batch;
        while (!batch) {
            if (!m_batches) {
                if (++m_group >= m_reader->num_row_groups())
                    return nullptr;
                ARROW_ASSIGN_OR_RAISE(m_batches, openGroup(m_group));
            }
            ARROW_RETURN_NOT_OK(m_batches->ReadNext(&batch));
            if (!batch)
                m_batches.reset();
        }
        m_taken += static_cast<std::uint64_t>(batch->num_rows());
        return batch;
    }

    arrow::Result<std::shared_ptr<arrow::RecordBatch>> sample(double part) override
    {
        std::shared_ptr<arrow::RecordBatch> batch;
        const int groups = m_reader->num_row_groups();
        if (groups < 2)
            return batch;
        ARROW_ASSIGN_OR_RAISE(const auto batches, openGroup(std::min(groups - 1, static_cast<int>(part * groups))));
        ARROW_RETURN_NOT_OK(batches->ReadNext(&batch));
        return batch;
    }

    std::uint64_t rowsOrBatches() const override
    {
        return static_cast<std::uint64_t>(std::max<std::int64_t>(0, m_reader->parquet_reader()->metadata()->num_rows()));
    }
    std::uint64_t taken() const override { return m_taken; }

private:
    arrow::Result<std::unique_ptr<arrow::RecordBatchReader>> openGroup(int group)
    {
        m_reader->set_batch_size(rowsAtOnce(group));
        return m_reader->GetRecordBatchReader({group}, m_leaves);
    }

    /// Fewer where rows are long.
    std::int64_t rowsAtOnce(int group) const
    {
        const auto metadata = m_reader->parquet_reader()->metadata()->RowGroup(group);
        std::int64_t bytes = 0;
        for (const int leaf : m_leaves)
            bytes += std::max<std::int64_t>(0, metadata->ColumnChunk(leaf)->total_uncompressed_size());
        const std::int64_t rows = std::max<std::int64_t>(1, metadata->num_rows());
        return std::clamp<std::int64_t>(bytesOfBlock / (bytes / rows + 1), 64, rowsOfBlock);
    }

    std::unique_ptr<parquet::arrow::FileReader> m_reader;
    std::shared_ptr<arrow::Schema> m_schema;
    std::vector<int> m_leaves;
    std::unique_ptr<arrow::RecordBatchReader> m_batches;
    int m_group = -1;
    std::uint64_t m_taken = 0;
};

} // namespace

Opened openParquet(const Input& input)
{
    parquet::ReaderProperties properties(input.pool);
    properties.enable_buffered_stream();
    properties.set_buffer_size(bufferBytes);
    parquet::ArrowReaderProperties arrowProperties(true);
    arrowProperties.set_pre_buffer(false); // it would hold whole row groups
    parquet::arrow::FileReaderBuilder builder;
    ARROW_RETURN_NOT_OK(builder.Open(input.file, properties));
    const auto metadata = builder.raw_reader()->metadata();
    for (int leaf = 0; leaf < metadata->num_columns(); ++leaf)
        arrowProperties.set_read_dictionary(leaf, isOfWords(*metadata, leaf));
    builder.memory_pool(input.pool)->properties(arrowProperties);
    std::unique_ptr<parquet::arrow::FileReader> reader;
    ARROW_RETURN_NOT_OK(builder.Build(&reader));
    auto source = std::make_unique<ParquetSource>(std::move(reader));
    ARROW_RETURN_NOT_OK(source->learn());
    return source;
}

} // namespace io::table::arrow_module
