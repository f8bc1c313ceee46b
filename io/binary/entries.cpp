// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/binary/entries.h"

#include "io/atomic_file.h"
#include "io/checked_dims.h"
#include "io/error.h"
#include "io/finish_load.h"
#include "io/input_stream.h"
#include "io/memory_budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace io::binary {
namespace {

using kernels::Count;
using kernels::Index;

constexpr std::uint64_t blockBytes = std::uint64_t{1} << 20;

std::string entryOf(const std::string& fileName, Count entry) { return fmt::format("{} entry {} (from 0)", fileName, entry); }

std::uint64_t indexAt(const char* from, unsigned bytes)
{
    std::uint64_t index = 0;
    std::memcpy(&index, from, bytes); // little endian
    return index;
}

double valueAt(const char* from, unsigned bytes)
{
    if (bytes == sizeof(double))
        return numberAt<double>({from, bytes}, 0);
    return static_cast<double>(numberAt<float>({from, bytes}, 0));
}

class EntryReader {
public:
    EntryReader(const std::string& path, const EntryLayout& layout, kernels::Progress& progress)
        : m_file(path, &progress)
        , m_name(fileNameOf(path))
        , m_layout(layout)
        , m_progress(progress)
    {
    }

    kernels::SparseTensor read(const ReadOptions& options)
    {
        const std::vector<Index> dims = checkedDims(m_layout.dims, m_name);
        if (m_layout.entries > kernels::maxEntries)
            throw Error({"too many entries declared",
                         m_name,
                         fmt::format("{}", m_layout.entries),
                         fmt::format("at most {}", kernels::maxEntries),
                         {}});
        checkFileBytes(m_layout.headerBytes + m_layout.entries * m_layout.bytesPerEntry(), m_file.bytes(), m_name);
        MemoryBudget(options.memoryLimit)
            .require(m_layout.entries * (dims.size() * sizeof(Index) + (m_layout.valueBytes == 8 ? sizeof(double) : sizeof(float)))
                     + blockBytes);
        m_progress.begin("reading", m_file.bytes());
        m_block.resize(m_layout.headerBytes);
        take(m_layout.headerBytes);
        m_tensor = kernels::SparseTensor(dims, m_layout.entries, m_layout.valueBytes == sizeof(double));
        if (m_layout.entryByEntry)
            readEntryByEntry();
        else
            readModeByMode();
        return std::move(m_tensor);
    }

private:
    void take(std::uint64_t bytes)
    {
        m_progress.throwIfCancelled();
        if (m_file.read(m_block.data(), bytes) != bytes)
            throw Error({"changed while it was read", m_name, {}, {}, {}});
        m_progress.advance(bytes);
    }

    /// Calls body(begin, count) with the next `count` records in m_block.
    template <class Body> void forEachBlock(std::uint64_t recordBytes, const Body& body)
    {
        const Count atOnce = std::max<Count>(1, blockBytes / recordBytes);
        m_block.resize(std::min(atOnce, m_layout.entries) * recordBytes);
        for (Count begin = 0; begin < m_layout.entries; begin += atOnce) {
            const Count count = std::min(atOnce, m_layout.entries - begin);
            take(count * recordBytes);
            body(begin, count);
        }
    }

    void setIndex(unsigned mode, Count entry, const char* from)
    {
        const std::uint64_t index = indexAt(from, m_layout.indexBytes[mode]);
        if (index >= m_layout.dims[mode])
            throw Error({"index past the declared size",
                         entryOf(m_name, entry),
                         fmt::format("{} in mode {} (from 0)", index, mode + 1),
                         fmt::format("less than {}", m_layout.dims[mode]),
                         {}});
        m_tensor.indices[mode][entry] = static_cast<Index>(index);
    }

    void setValue(Count entry, const char* from)
    {
        const double value = valueAt(from, m_layout.valueBytes);
        if (!std::isfinite(value))
            throw Error({"value is not finite", entryOf(m_name, entry), fmt::format("{}", value), "a finite number",
                         "Leave missing entries out of the file."});
        m_tensor.setValue(entry, value);
    }

    void readModeByMode()
    {
        for (unsigned n = 0; n < m_tensor.order(); ++n) {
            const unsigned bytes = m_layout.indexBytes[n];
            forEachBlock(bytes, [&](Count begin, Count count) {
                for (Count e = 0; e < count; ++e)
                    setIndex(n, begin + e, m_block.data() + e * bytes);
            });
        }
        forEachBlock(m_layout.valueBytes, [&](Count begin, Count count) {
            for (Count e = 0; e < count; ++e)
                setValue(begin + e, m_block.data() + e * m_layout.valueBytes);
            m_progress.setEntries(begin + count);
        });
    }

    void readEntryByEntry()
    {
        forEachBlock(m_layout.bytesPerEntry(), [&](Count begin, Count count) {
            const char* from = m_block.data();
            for (Count e = begin; e < begin + count; ++e) {
                for (unsigned n = 0; n < m_tensor.order(); from += m_layout.indexBytes[n], ++n)
                    setIndex(n, e, from);
                setValue(e, from);
                from += m_layout.valueBytes;
            }
            m_progress.setEntries(begin + count);
        });
    }

    InputFile m_file;
    std::string m_name;
    const EntryLayout& m_layout;
    kernels::Progress& m_progress;
    kernels::Array<char> m_block;
    kernels::SparseTensor m_tensor;
};

void appendIndex(std::string& bytes, Index index, unsigned width)
{
    const std::uint64_t wide = index;
    bytes.append(reinterpret_cast<const char*>(&wide), width); // little endian
}

void appendValue(std::string& bytes, double value, unsigned width)
{
    if (width == sizeof(double))
        append(bytes, value);
    else
        append(bytes, static_cast<float>(value));
}

/// Collects bytes and writes them a block at a time.
class BlockWriter {
public:
    BlockWriter(AtomicFile& file, kernels::Progress& progress)
        : m_file(file)
        , m_progress(progress)
    {
    }
    ~BlockWriter() = default;
    BlockWriter(const BlockWriter&) = delete;
    BlockWriter& operator=(const BlockWriter&) = delete;

    std::string& bytes()
    {
        if (m_bytes.size() >= blockBytes)
            flush();
        return m_bytes;
    }
    void flush()
    {
        m_progress.throwIfCancelled();
        m_file.write(m_bytes);
        m_progress.advance(m_bytes.size());
        m_bytes.clear();
    }

private:
    AtomicFile& m_file;
    kernels::Progress& m_progress;
    std::string m_bytes;
};

} // namespace

std::uint64_t EntryLayout::bytesPerEntry() const
{
    return std::accumulate(indexBytes.begin(), indexBytes.end(), std::uint64_t{valueBytes});
}

std::string headOf(const std::string& path, std::size_t bytes)
{
    InputFile file(path);
    std::string head(bytes, '\0');
    head.resize(file.read(head.data(), head.size()));
    return head;
}

void checkFileBytes(std::uint64_t declared, std::uint64_t found, const std::string& fileName)
{
    if (declared != found)
        throw Error({"the file is not as long as its header says", fileName, fmt::format("{} bytes", found),
                     fmt::format("{} bytes", declared), found < declared ? "It may have been cut short; copy it again." : ""});
}

void reportBase(LoadReport& report, const ReadOptions& options)
{
    report.indexBase = "0: files of this format count from 0";
    if (options.indexBase == IndexBase::One)
        report.warnings.push_back("The file's format counts indices from 0; the index base asked for was not taken.");
}

LoadedTensor readEntries(const std::string& path, const EntryLayout& layout, const char* formatId, const ReadOptions& options,
                         kernels::Progress& progress)
{
    LoadedTensor loaded;
    loaded.tensor = EntryReader(path, layout, progress).read(options);
    loaded.report.formatId = formatId;
    loaded.report.layout = layout.title;
    loaded.report.fileBytes = InputFile(path).bytes();
    reportBase(loaded.report, options);
    applyGivenDims(loaded.tensor, options.dims, path, true);
    finishLoad(loaded, path, options, progress);
    return loaded;
}

void writeEntries(const std::string& path, const std::string& header, const EntryLayout& layout, const kernels::SparseTensor& tensor,
                  kernels::Progress& progress)
{
    AtomicFile file(path);
    progress.begin("writing", header.size() + tensor.entries() * layout.bytesPerEntry());
    progress.setEntries(tensor.entries());
    BlockWriter out(file, progress);
    out.bytes() += header;
    const auto writeIndex = [&](unsigned n, Count e) { appendIndex(out.bytes(), tensor.indices[n][e], layout.indexBytes[n]); };
    const auto writeValue = [&](Count e) { appendValue(out.bytes(), tensor.value(e), layout.valueBytes); };
    if (layout.entryByEntry) {
        for (Count e = 0; e < tensor.entries(); ++e) {
            for (unsigned n = 0; n < tensor.order(); ++n)
                writeIndex(n, e);
            writeValue(e);
        }
    } else {
        for (unsigned n = 0; n < tensor.order(); ++n)
            for (Count e = 0; e < tensor.entries(); ++e)
                writeIndex(n, e);
        for (Count e = 0; e < tensor.entries(); ++e)
            writeValue(e);
    }
    out.flush();
    file.commit();
}

} // namespace io::binary
