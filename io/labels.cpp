// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/labels.h"

#include "io/error.h"
#include "io/finish_load.h"
#include "io/text/line_blocks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>

namespace io {
namespace {

struct LabelFile {
    std::string path, fileName, modeName;
};

/// "mode-2-species.map.gz" → mode 1, "species".
bool parseName(const std::string& fileName, unsigned& mode, std::string& modeName)
{
    std::string_view text = fileName;
    for (const std::string_view ending : {".gz", ".map"}) {
        if (text.ends_with(ending))
            text.remove_suffix(ending.size());
        else if (ending == ".map")
            return false;
    }
    constexpr std::string_view prefix = "mode-";
    if (!text.starts_with(prefix))
        return false;
    text.remove_prefix(prefix.size());
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mode);
    if (error != std::errc{} || mode == 0 || end == text.data() + text.size() || *end != '-')
        return false;
    --mode;
    modeName.assign(end + 1, text.data() + text.size());
    return !modeName.empty();
}

std::map<unsigned, std::vector<LabelFile>> labelFilesBeside(const std::string& tensorPath)
{
    std::map<unsigned, std::vector<LabelFile>> found;
    std::filesystem::path folder = std::filesystem::path(tensorPath).parent_path();
    if (folder.empty())
        folder = ".";
    std::error_code error;
    for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        LabelFile file{it->path().string(), it->path().filename().string(), {}};
        if (unsigned mode = 0; parseName(file.fileName, mode, file.modeName))
            found[mode].push_back(std::move(file));
    }
    return found;
}

struct LabelLines {
    std::vector<std::string> labels; ///< as many as wanted at most
    std::uint64_t lines = 0; ///< in the file, without empty ones at its end
};

enum class Coding { MustBeUtf8, Repaired };

LabelLines readLabels(const std::string& path, kernels::Index wanted, Coding coding, std::size_t& bytesLeft, kernels::Progress& progress)
{
    InputStream stream(path);
    text::LineBlocks blocks(stream);
    text::LineCursor cursor(blocks);
    LabelLines read;
    std::string_view line;
    while (cursor.next(line)) {
        if (cursor.line() % 4096 == 0)
            progress.throwIfCancelled();
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        if (!line.empty())
            read.lines = cursor.line();
        if (read.labels.size() == wanted)
            continue;
        const std::string where = fmt::format("{} line {}", fileNameOf(path), cursor.line());
        if (line.find('\0') != std::string_view::npos)
            throw Error({"is no text", where, "a byte 0", "a label a line, in UTF-8", {}});
        if (cursor.lineTooLong() || line.size() > longestLabel)
            throw Error({"label too long", where, kernels::formatBytes(line.size()), "at most 64 KiB", {}});
        if (coding == Coding::MustBeUtf8 && !isUtf8(line))
            throw Error({"is not in UTF-8", where, {}, {}, "Save the file as UTF-8 in a text editor and attach it again."});
        if (line.size() + sizeof(std::string) > bytesLeft)
            throw Error({"too many labels", where, {}, "1 GiB of labels together", {}});
        bytesLeft -= line.size() + sizeof(std::string);
        read.labels.push_back(asUtf8(line));
    }
    return read;
}

/// Length of the UTF-8 character at the front, 0 when it is none (overlong forms and surrogates too).
std::size_t characterLength(std::string_view text)
{
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0u) == 0x80u; };
    const unsigned first = byte(0);
    if (first < 0x80)
        return 1;
    if (first >= 0xc2 && first < 0xe0)
        return follows(1) ? 2 : 0;
    if (first >= 0xe0 && first < 0xf0) {
        const bool sane = !(first == 0xe0 && byte(1) < 0xa0) && !(first == 0xed && byte(1) >= 0xa0);
        return sane && follows(1) && follows(2) ? 3 : 0;
    }
    if (first >= 0xf0 && first < 0xf5) {
        const bool sane = !(first == 0xf0 && byte(1) < 0x90) && !(first == 0xf4 && byte(1) >= 0x90);
        return sane && follows(1) && follows(2) && follows(3) ? 4 : 0;
    }
    return 0;
}

} // namespace

std::vector<std::string> readLabelFile(const std::string& path, kernels::Index count, kernels::Progress& progress)
{
    std::size_t bytesLeft = labelBytesTogether;
    LabelLines read = readLabels(path, count, Coding::MustBeUtf8, bytesLeft, progress);
    if (read.lines != count)
        throw Error({fmt::format("has {} labels than the mode has indices", read.lines < count ? "fewer" : "more"), fileNameOf(path),
                     counted(read.lines, "label", "labels"), fmt::format("{}", count),
                     "It needs a label a line, without a head line, in the order of the indices."});
    return std::move(read.labels);
}

void setLabelFile(LoadReport& report, unsigned mode, const std::string& path)
{
    report.labelFiles.resize(std::max<std::size_t>(report.labelFiles.size(), mode + std::size_t{1}));
    report.labelFiles[mode] = path.empty() ? std::string() : fileNameOf(path);
}

std::vector<std::string> labelSources(const std::vector<kernels::Mode>& modes, const LoadReport& report)
{
    std::vector<std::string> sources;
    for (std::size_t n = 0; n < std::min(modes.size(), report.labelFiles.size()); ++n)
        if (!report.labelFiles[n].empty())
            sources.push_back(fmt::format("Labels of {}: {}.", modes[n].name.empty() ? fmt::format("mode {}", n + 1) : modes[n].name,
                                          report.labelFiles[n]));
    return sources;
}

void applyNaming(std::vector<kernels::Mode>& modes, const std::vector<ModeNaming>& naming, bool mustFit, LoadReport& report,
                 kernels::Progress& progress)
{
    for (const ModeNaming& each : naming) {
        if (each.mode >= modes.size()) {
            report.warnings.push_back(fmt::format("There is no mode {} to name.", each.mode + 1));
            continue;
        }
        kernels::Mode& mode = modes[each.mode];
        if (each.name)
            mode.name = asUtf8(*each.name);
        if (!each.labelFile)
            continue;
        mode.labels.clear();
        setLabelFile(report, each.mode, {});
        if (each.labelFile->empty())
            continue;
        try {
            mode.labels = readLabelFile(*each.labelFile, mode.size, progress);
            setLabelFile(report, each.mode, *each.labelFile);
        } catch (const kernels::Error& error) {
            if (mustFit)
                throw;
            report.warnings.push_back(fmt::format("The labels of mode {} were not taken: {}", each.mode + 1, error.what()));
        }
    }
}

bool isUtf8(std::string_view text)
{
    while (!text.empty()) {
        const std::size_t length = characterLength(text);
        if (length == 0)
            return false;
        text.remove_prefix(length);
    }
    return true;
}

std::string asUtf8(std::string_view text)
{
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = characterLength(text);
        if (length)
            result.append(text.substr(0, length));
        else
            result.append("\xef\xbf\xbd");
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return result;
}

namespace {

/// A mode's label file in the tensor's folder, and what it holds.
struct FoundLabels {
    unsigned mode = 0;
    LabelFile file;
    LabelLines read;
    std::string misfit; ///< a sentence on why it is not this tensor's; empty: it may be
};

FoundLabels tryLabels(unsigned mode, const std::vector<LabelFile>& files, const kernels::SparseTensor& tensor, std::size_t& bytesLeft,
                      kernels::Progress& progress)
{
    FoundLabels found{mode, files.front(), {}, {}};
    if (mode >= tensor.order()) {
        found.misfit = fmt::format("{} is for mode {} of {}.", found.file.fileName, mode + 1, tensor.order());
        return found;
    }
    if (files.size() > 1) {
        found.misfit = fmt::format("{} and {} are both for mode {}.", std::min(files[0].fileName, files[1].fileName),
                                   std::max(files[0].fileName, files[1].fileName), mode + 1);
        return found;
    }
    const kernels::Index size = tensor.modes[mode].size;
    try {
        found.read = readLabels(found.file.path, size, Coding::Repaired, bytesLeft, progress);
        if (found.read.lines != size)
            found.misfit = fmt::format("{} has {}, but mode {} has {}.", found.file.fileName, counted(found.read.lines, "line", "lines"),
                                       mode + 1, counted(size, "index", "indices"));
    } catch (const kernels::Error& error) {
        found.misfit = error.what();
        if (!found.misfit.ends_with('.'))
            found.misfit += '.';
    }
    return found;
}

/// What a person can do about labels that do not fit.
std::string remedyFor(const std::vector<FoundLabels>& all, const kernels::SparseTensor& tensor)
{
    std::vector<std::uint64_t> sizes;
    for (const kernels::Mode& mode : tensor.modes)
        sizes.push_back(mode.size);
    for (const FoundLabels& found : all) {
        if (found.misfit.empty())
            continue;
        const unsigned mode = std::min(found.mode, tensor.order() - 1);
        if (found.mode >= tensor.order() || found.read.lines <= sizes[mode])
            return fmt::format("Choose label files with --labels {}=FILE.", mode + 1);
        sizes[mode] = found.read.lines;
    }
    return fmt::format("If they are its labels, give its sizes: --dims {}.", fmt::join(sizes, ","));
}

} // namespace

void attachLabels(LoadedTensor& loaded, const std::string& tensorPath, kernels::Progress& progress)
{
    if (isStream(tensorPath)) // it lies in no folder
        return;
    std::vector<FoundLabels> all;
    std::vector<std::string> misfits;
    std::size_t bytesLeft = labelBytesTogether;
    for (const auto& [mode, files] : labelFilesBeside(tensorPath)) {
        all.push_back(tryLabels(mode, files, loaded.tensor, bytesLeft, progress));
        if (!all.back().misfit.empty())
            misfits.push_back(all.back().misfit);
    }
    if (!misfits.empty()) {
        loaded.report.labelsLeft = true;
        loaded.report.warnings.push_back(fmt::format(
            "The label files in the folder of {} were not taken. {}{} {}", fileNameOf(tensorPath), misfits.front(),
            misfits.size() == 1 ? "" : fmt::format(" {} more do not fit either.", misfits.size() - 1), remedyFor(all, loaded.tensor)));
        return;
    }
    for (FoundLabels& found : all) {
        kernels::Mode& to = loaded.tensor.modes[found.mode];
        to.labels = std::move(found.read.labels);
        to.name = asUtf8(found.file.modeName);
        setLabelFile(loaded.report, found.mode, found.file.path);
    }
}

} // namespace io
