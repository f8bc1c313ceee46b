// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/labels.h"

#include "io/error.h"
#include "io/finish_load.h"
#include "io/text/line_blocks.h"

#include <fmt/format.h>

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

/// At most `count` lines; fewer when the file has fewer.
std::vector<std::string> readLabels(const LabelFile& file, kernels::Index count, std::size_t& bytesLeft, kernels::Progress& progress)
{
    InputStream stream(file.path);
    text::LineBlocks blocks(stream);
    text::LineCursor cursor(blocks);
    std::vector<std::string> labels;
    std::string_view line;
    while (labels.size() < count && cursor.next(line)) {
        if (labels.size() % 4096 == 0)
            progress.throwIfCancelled();
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        const std::string where = fmt::format("{} line {}", file.fileName, cursor.line());
        if (line.size() > longestLabel)
            throw Error({"label too long", where, kernels::formatBytes(line.size()), "at most 64 KiB", {}});
        if (line.size() + sizeof(std::string) > bytesLeft)
            throw Error({"too many labels", where, {}, "1 GiB of labels together", {}});
        bytesLeft -= line.size() + sizeof(std::string);
        labels.push_back(asUtf8(line));
    }
    return labels;
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

std::vector<std::string> readLabelFile(const std::string& path, kernels::Index count, std::string* warning, kernels::Progress& progress)
{
    const std::string fileName = fileNameOf(path);
    InputStream stream(path);
    text::LineBlocks blocks(stream);
    text::LineCursor cursor(blocks);
    std::vector<std::string> labels;
    std::size_t bytesLeft = labelBytesTogether;
    std::uint64_t more = 0;
    std::string_view line;
    while (cursor.next(line)) {
        if (cursor.line() % 4096 == 0)
            progress.throwIfCancelled();
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        if (labels.size() == count) {
            more += !line.empty(); // empty lines at the end are none
            continue;
        }
        const std::string where = fmt::format("{} line {}", fileName, cursor.line());
        if (line.find('\0') != std::string_view::npos)
            throw Error({"is no text", where, "a byte 0", "a label a line, in UTF-8", {}});
        if (cursor.lineTooLong() || line.size() > longestLabel)
            throw Error({"label too long", where, kernels::formatBytes(line.size()), "at most 64 KiB", {}});
        if (!isUtf8(line))
            throw Error({"is not in UTF-8", where, {}, {}, "Save the file as UTF-8 in a text editor and attach it again."});
        if (line.size() + sizeof(std::string) > bytesLeft)
            throw Error({"too many labels", where, {}, "1 GiB of labels together", {}});
        bytesLeft -= line.size() + sizeof(std::string);
        labels.emplace_back(line);
    }
    while (!labels.empty() && labels.back().empty())
        labels.pop_back();
    if (labels.size() < count)
        throw Error({"has fewer labels than the mode has indices", fileName, counted(labels.size(), "label", "labels"),
                     fmt::format("{}", count), "It needs a label a line, in the order of the indices."});
    if (more > 0 && warning)
        *warning = fmt::format("{} has {} for {} indices: the first {} were taken. A head line would shift them by one.", fileName,
                               counted(count + more, "label", "labels"), count, count);
    return labels;
}

void applyNaming(std::vector<kernels::Mode>& modes, const std::vector<ModeNaming>& naming, std::vector<std::string>& warnings,
                 kernels::Progress& progress)
{
    for (const ModeNaming& each : naming) {
        if (each.mode >= modes.size()) {
            warnings.push_back(fmt::format("There is no mode {} to name.", each.mode + 1));
            continue;
        }
        kernels::Mode& mode = modes[each.mode];
        if (each.name)
            mode.name = asUtf8(*each.name);
        if (!each.labelFile)
            continue;
        mode.labels.clear();
        if (each.labelFile->empty())
            continue;
        try {
            std::string warning;
            mode.labels = readLabelFile(*each.labelFile, mode.size, &warning, progress);
            if (!warning.empty())
                warnings.push_back(std::move(warning));
        } catch (const kernels::Error& error) {
            warnings.push_back(fmt::format("The labels of mode {} were not taken: {}", each.mode + 1, error.what()));
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

void attachLabels(LoadedTensor& loaded, const std::string& tensorPath, kernels::Progress& progress)
{
    if (isStream(tensorPath)) // it lies in no folder
        return;
    kernels::SparseTensor& tensor = loaded.tensor;
    std::size_t bytesLeft = labelBytesTogether;
    for (const auto& [mode, files] : labelFilesBeside(tensorPath)) {
        if (mode >= tensor.order())
            continue;
        if (files.size() > 1) {
            loaded.report.warnings.push_back(fmt::format("Mode {} has {} label files ({} and {}); none was taken.", mode + 1, files.size(),
                                                         std::min(files[0].fileName, files[1].fileName),
                                                         std::max(files[0].fileName, files[1].fileName)));
            continue;
        }
        kernels::Mode& to = tensor.modes[mode];
        try {
            std::vector<std::string> labels = readLabels(files[0], to.size, bytesLeft, progress);
            if (labels.size() < to.size) {
                loaded.report.warnings.push_back(fmt::format("{} has {}, mode {} has {} indices; the labels were not taken.",
                                                             files[0].fileName, counted(labels.size(), "line", "lines"), mode + 1,
                                                             to.size));
                continue;
            }
            to.labels = std::move(labels);
            to.name = asUtf8(files[0].modeName);
        } catch (const kernels::Error& error) {
            loaded.report.warnings.push_back(fmt::format("The labels of mode {} were not taken: {}", mode + 1, error.what()));
        }
    }
}

} // namespace io
