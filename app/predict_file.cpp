// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/predict_file.h"

#include "io/atomic_file.h"
#include "io/error.h"
#include "io/input_stream.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

namespace app {
namespace {

constexpr std::string_view separators = " \t,\r";

/// An item of a line: what is meant, and as it was written.
struct Token {
    std::string_view text, written;
};

/// Splits at blanks, tabs and commas outside of double quotes.
std::vector<Token> tokensOf(std::string_view line, const std::string& where)
{
    std::vector<Token> tokens;
    for (std::size_t begin = line.find_first_not_of(separators); begin != std::string_view::npos;) {
        const bool quoted = line[begin] == '"';
        const std::size_t last = quoted ? line.find('"', begin + 1) : std::string_view::npos;
        if (quoted && last == std::string_view::npos)
            throw io::Error({"a quotation mark is never closed", where, {}, {}, "Write one at the end of the label, too."});
        const std::size_t end = quoted ? last + 1 : std::min(line.find_first_of(separators, begin), line.size());
        const std::string_view written = line.substr(begin, end - begin);
        tokens.push_back({quoted ? written.substr(1, written.size() - 2) : written, written});
        begin = line.find_first_not_of(separators, end);
    }
    return tokens;
}

/// One line's indices; the error tells the line.
void readIndices(const IndexReader& reader, const std::vector<Token>& tokens, const std::string& where, std::vector<kernels::Index>& at)
{
    if (tokens.size() != at.size() && tokens.size() != at.size() + 1)
        throw io::Error({"not an index per mode", where, fmt::format("{} items", tokens.size()),
                         fmt::format("{}, or {} with a value", at.size(), at.size() + 1),
                         tokens.size() > at.size() ? "Labels that hold blanks or commas want double quotes." : ""});
    for (unsigned n = 0; n < at.size(); ++n) {
        try {
            at[n] = reader.one(n, tokens[n].text);
        } catch (const kernels::Error& error) {
            const auto& d = error.details();
            throw io::Error({d.message + " in " + d.where, where, d.found, d.expected, d.hint});
        }
    }
}

/// What a packed file holds.
class Unpacked : public std::streambuf {
public:
    explicit Unpacked(const std::string& path)
        : m_packed(path)
    {
    }

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

/// A text file, which may be packed, or a pipe.
class Lines : public std::istream {
public:
    explicit Lines(const std::string& path);
    bool packed() const { return m_unpacked != nullptr; }

private:
    std::filebuf m_plain;
    std::unique_ptr<Unpacked> m_unpacked;
};

Lines::Lines(const std::string& path)
    : std::istream(nullptr)
{
    std::error_code ignored;
    errno = 0;
    const bool folder = std::filesystem::is_directory(path, ignored);
    if (folder || !m_plain.open(path, std::ios::in))
        throw io::Error({"cannot be read",
                         path,
                         folder      ? "a folder"
                             : errno ? std::strerror(errno)
                                     : "",
                         "a text file with an index per mode on each line",
                         {}});
    rdbuf(&m_plain);
    if (peek() == 0x1F && std::filesystem::is_regular_file(path, ignored)) { // as gzip begins, and no line
        m_unpacked = std::make_unique<Unpacked>(path);
        rdbuf(m_unpacked.get());
        exceptions(std::ios::badbit); // throws on what its underflow() throws
    }
    clear();
}

} // namespace

std::uint64_t predictLines(const kernels::Model& model, IndexReader& reader, const std::string& path,
                           const std::function<void(const std::string&)>& write, kernels::Progress& progress)
{
    Lines in(path);
    std::error_code unknown; // of a pipe: then there is no total
    const std::uintmax_t bytes = in.packed() ? 0 : std::filesystem::file_size(path, unknown);
    reader.prepareForMany();
    progress.begin("predicting", unknown ? 0 : bytes);
    const kernels::Predictor predict(model);
    std::vector<kernels::Index> at(reader.order());
    std::uint64_t number = 0, done = 0;
    std::string line, text;
    const auto writeOut = [&] {
        progress.throwIfCancelled();
        write(text);
        text.clear();
    };
    while (std::getline(in, line)) {
        ++number;
        progress.advance(line.size() + 1);
        const std::size_t first = line.find_first_not_of(separators);
        if (first == std::string::npos || line[first] == '#' || line[first] == '%')
            continue;
        const std::string where = fmt::format("line {} of {}", number, path);
        const std::vector<Token> tokens = tokensOf(line, where);
        readIndices(reader, tokens, where, at);
        for (unsigned n = 0; n < at.size(); ++n) {
            text += tokens[n].written;
            text += ' ';
        }
        text += fmt::format("{}\n", predict(at));
        ++done;
        if (text.size() > 65536)
            writeOut();
    }
    if (in.bad())
        throw io::Error({"cannot be read to its end", path, fmt::format("{} lines", number), {}, {}});
    writeOut();
    return done;
}

std::uint64_t predictFile(const kernels::Model& model, IndexReader& reader, const std::string& path, const std::string& target,
                          kernels::Progress& progress)
{
    std::error_code ignored;
    if (std::filesystem::equivalent(path, target, ignored))
        throw io::Error({"this is the file that is read", target, {}, {}, "Choose another name for the predictions."});
    io::AtomicFile file(target);
    const std::uint64_t done = predictLines(
        model, reader, path, [&file](const std::string& lines) { file.write(lines); }, progress);
    progress.throwIfCancelled();
    file.commit();
    return done;
}

} // namespace app
