// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/predict_file.h"

#include "app/label_text.h"
#include "io/atomic_file.h"
#include "io/error.h"
#include "io/finish_load.h"
#include "io/input_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <istream>
#include <streambuf>

namespace app {
namespace {

constexpr std::string_view separators = " \t,\r";

/// Whether a line, from its first item on, is none of a person's entries. "#9 …" begins with an index.
bool isComment(std::string_view line)
{
    if (line.front() != '#')
        return line.front() == '%';
    const std::size_t end = std::min(line.find_first_not_of("0123456789", 1), line.size());
    return end == 1 || (end < line.size() && separators.find(line[end]) == std::string_view::npos);
}

std::vector<ListItem> itemsOf(std::string_view line)
{
    std::vector<ListItem> items = listItems(line, separators);
    std::erase_if(items, [](const ListItem& item) { return item.written.empty(); });
    return items;
}

/// Counts the items that might have meant something else, and keeps the first as an example.
class Doubts {
public:
    void add(const IndexReader& reader, unsigned mode, const std::string& text, const IndexReader::Meaning& meaning)
    {
        if (meaning.doubt == IndexReader::Doubt::None)
            return;
        Kind& kind = meaning.doubt == IndexReader::Doubt::AlsoIndex ? m_labels : m_indices;
        if (kind.items++ == 0)
            kind.first = reader.note(mode, text, meaning);
    }
    std::vector<std::string> notes() const
    {
        std::vector<std::string> notes;
        const auto add = [&](const Kind& kind, const char* what) {
            if (kind.items > 0)
                notes.push_back(fmt::format("{} {} The first: {}", io::counted(kind.items, "item is", "items are"), what, kind.first));
        };
        add(m_labels, "both a label and another index. The label was taken.");
        add(m_indices, "no label. The index was taken.");
        return notes;
    }

private:
    struct Kind {
        std::uint64_t items = 0;
        std::string first;
    };
    Kind m_labels, m_indices;
};

/// One line's indices.
void readIndices(const IndexReader& reader, const std::vector<ListItem>& items, const std::string& where, std::vector<kernels::Index>& at,
                 Doubts& doubts)
{
    if (items.size() != at.size() && items.size() != at.size() + 1)
        throw io::Error({"not an index per mode", where, fmt::format("{} items", items.size()),
                         fmt::format("{}, or {} with a value", at.size(), at.size() + 1),
                         items.size() > at.size() ? "Labels that hold blanks or commas need double quotes." : ""});
    for (unsigned n = 0; n < at.size(); ++n) {
        const IndexReader::Meaning meaning = reader.meaning(n, items[n].text);
        at[n] = meaning.index;
        doubts.add(reader, n, items[n].text, meaning);
    }
}

/// What is wrong in a line tells the line.
template <class Read> void inLine(const std::string& where, const std::string& hint, const Read& read)
{
    try {
        read();
    } catch (const io::Error&) {
        throw;
    } catch (const kernels::Error& error) {
        const auto& d = error.details();
        throw io::Error(
            {d.where.empty() ? d.message : d.message + " in " + d.where, where, d.found, d.expected, d.hint.empty() ? hint : d.hint});
    }
}

/// What a file or a stream holds, unpacked.
class Unpacked : public std::streambuf {
public:
    Unpacked(const std::string& path, kernels::Progress& progress)
        : m_packed(path, &progress)
    {
        m_packed.readOnce();
    }
    const io::InputStream& packed() const { return m_packed; }

protected:
    int_type underflow() override
    {
        const std::size_t read = m_packed.read(m_chunk.data(), m_chunk.size());
        setg(m_chunk.data(), m_chunk.data(), m_chunk.data() + read);
        return read == 0 ? traits_type::eof() : traits_type::to_int_type(m_chunk.front());
    }

private:
    io::InputStream m_packed;
    std::array<char, 65536> m_chunk;
};

} // namespace

Predicted predictLines(const kernels::Model& model, IndexReader& reader, const std::string& path,
                       const std::function<void(const std::string&)>& write, kernels::Progress& progress, const WrittenValues& written)
{
    Unpacked bytes(path, progress);
    std::istream in(&bytes);
    in.exceptions(std::ios::badbit); // throws on what underflow() throws
    reader.prepareForMany();
    progress.begin("predicting", bytes.packed().fileBytes());
    const std::string name = path == io::standardStream ? io::fileNameOf(path) : path;
    const kernels::Predictor predict(model);
    std::vector<kernels::Index> at(reader.order());
    std::uint64_t number = 0;
    Predicted done;
    Doubts doubts;
    std::vector<ListItem> items;
    std::string line, text;
    const auto writeOut = [&] {
        progress.throwIfCancelled();
        write(text);
        text.clear();
    };
    while (std::getline(in, line)) {
        ++number;
        progress.set(bytes.packed().fileBytesRead());
        const std::size_t first = line.find_first_not_of(separators);
        if (first == std::string::npos || isComment(std::string_view(line).substr(first)))
            continue;
        const std::string where = fmt::format("line {} of {}", number, name);
        // The head of a table whose columns have other names is such a line, too.
        const std::string columns = done.lines == 0 ? written.columns() : std::string();
        const std::string hint =
            columns.empty() ? columns : "If the file is a table, name its columns as the model's table does: " + columns + ".";
        inLine(where, hint, [&] {
            items = itemsOf(line);
            readIndices(reader, items, where, at, doubts);
        });
        for (unsigned n = 0; n < at.size(); ++n) {
            text += items[n].written;
            text += ' ';
        }
        text += fmt::format("{}\n", written(at, predict(at)));
        ++done.lines;
        if (text.size() > 65536)
            writeOut();
    }
    writeOut();
    done.notes = doubts.notes();
    return done;
}

std::vector<ListItem> firstItemsOfLines(const std::string& path, kernels::Progress& progress)
{
    constexpr std::size_t looked = 65536;
    std::string bytes(looked, '\0');
    io::InputStream stream(path, &progress);
    bytes.resize(stream.read(bytes.data(), bytes.size()));
    std::string_view text = bytes;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        const std::size_t first = line.find_first_not_of(separators);
        if (first != std::string_view::npos && !isComment(line.substr(first))) {
            std::vector<ListItem> items = itemsOf(line);
            for (ListItem& item : items)
                item.written = {}; // the bytes end here
            return items;
        }
        text.remove_prefix(std::min(line.size() + 1, text.size()));
    }
    return {};
}

Predicted predictFile(const kernels::Model& model, IndexReader& reader, const std::string& path, const std::string& target,
                      kernels::Progress& progress, const WrittenValues& written)
{
    std::error_code ignored;
    if (std::filesystem::equivalent(path, target, ignored))
        throw io::Error({"this is the file that is read", target, {}, {}, "Choose another name for the predictions."});
    io::AtomicFile file(target);
    Predicted done = predictLines(
        model, reader, path, [&file](const std::string& lines) { file.write(lines); }, progress, written);
    progress.throwIfCancelled();
    file.commit();
    return done;
}

} // namespace app
