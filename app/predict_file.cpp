// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/predict_file.h"

#include "io/atomic_file.h"
#include "io/error.h"
#include "io/input_stream.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <istream>
#include <streambuf>

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

std::uint64_t predictLines(const kernels::Model& model, IndexReader& reader, const std::string& path,
                           const std::function<void(const std::string&)>& write, kernels::Progress& progress)
{
    Unpacked bytes(path, progress);
    std::istream in(&bytes);
    in.exceptions(std::ios::badbit); // throws on what underflow() throws
    reader.prepareForMany();
    progress.begin("predicting", bytes.packed().fileBytes());
    const std::string name = path == io::standardStream ? io::fileNameOf(path) : path;
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
        progress.set(bytes.packed().fileBytesRead());
        const std::size_t first = line.find_first_not_of(separators);
        if (first == std::string::npos || line[first] == '#' || line[first] == '%')
            continue;
        const std::string where = fmt::format("line {} of {}", number, name);
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
