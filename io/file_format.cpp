// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/file_format.h"
#include "io/text/index_base.h"

#include "io/error.h"
#include "io/file_kinds.h"
#include "io/hdf5_name.h"
#include "io/input_stream.h"
#include "io/labels.h"
#include "io/lower_case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <new>

namespace io {

std::vector<FileFormat> makeFileFormats(); // written by cmake/PolyadFileFormats.cmake

namespace {

constexpr std::size_t headBytes = 4096;

/// The first bytes, unpacked. What cannot be unpacked has no head; the reader then says why.
struct Head {
    std::string bytes;
    std::string packing; ///< "gzip", "zstd" or empty
    std::uint64_t fileBytes = 0;
    std::optional<Error> fault = {}; ///< why there are no bytes
};

Head headOf(const std::string& path, kernels::Progress* progress)
{
    InputStream stream(path, progress);
    Head head{std::string(headBytes, '\0'), std::string(stream.packing()), stream.fileBytes()};
    try {
        head.bytes.resize(stream.read(head.bytes.data(), head.bytes.size()));
    } catch (const Error& error) {
        head.bytes.clear();
        head.fault = error;
    }
    return head;
}

constexpr const char* perMode = "per mode: "; ///< how a report of bases begins that differ

/// Coordinates as text, packed or not.
bool isLines(const std::string& layout)
{
    const std::string kind = layout.substr(0, layout.find(','));
    return kind.ends_with(" text") && kind != "dense text";
}

std::string knownEndings()
{
    std::vector<std::string> endings;
    for (const FileFormat& format : fileFormats()) {
        for (const std::string& extension : format.extensions) {
            if (std::find(endings.begin(), endings.end(), "." + extension) == endings.end())
                endings.push_back("." + extension);
        }
    }
    return fmt::format("{}", fmt::join(endings, ", "));
}

std::string writtenEndings()
{
    std::vector<std::string> endings;
    for (const FileFormat& format : fileFormats())
        for (const std::string& extension : format.writtenExtensions())
            endings.push_back("." + extension);
    return fmt::format("{}", fmt::join(endings, ", "));
}

bool isOnlyRead(const std::string& path)
{
    const std::string name = lowerCase(path);
    return std::any_of(fileFormats().begin(), fileFormats().end(), [&](const FileFormat& format) {
        return std::any_of(format.extensions.begin(), format.extensions.end(),
                           [&](const std::string& extension) { return name.ends_with("." + extension); });
    });
}

bool readsPacked(const FileFormat& format)
{
    return std::any_of(format.extensions.begin(), format.extensions.end(),
                       [](const std::string& extension) { return extension.ends_with(".gz"); });
}

struct Likely {
    const FileFormat* format = nullptr;
    Likeness likeness = Likeness::None;
};

Likely likeliest(const Head& head, const std::string& path)
{
    const std::string name = lowerCase(path);
    Likely best;
    for (const FileFormat& format : fileFormats()) {
        const Likeness likeness = format.looksLike({head.bytes, name, head.fileBytes});
        if (likeness > best.likeness)
            best = {&format, likeness};
    }
    return best;
}

const FileFormat& recognise(const std::string& path, kernels::Progress& progress)
{
    const Head head = headOf(path, &progress);
    const auto [best, likeness] = likeliest(head, path);
    const auto foreign = likeness == Likeness::Content ? std::nullopt : foreignKind(head.bytes);
    if (foreign)
        throw Error({fmt::format("is {}, which is not read", foreign->name), fileNameOf(path), {}, {}, foreign->advice});
    if (best && !head.packing.empty() && !readsPacked(*best))
        throw Error({fmt::format("is packed with {} around {}", head.packing, best->title),
                     fileNameOf(path),
                     {},
                     {},
                     head.packing == "gzip" ? "Unpack it with gunzip first." : "Unpack it with zstd -d first."});
    if (best)
        return *best;
    if (head.fault)
        throw Error(*head.fault);
    if (head.fileBytes == 0 && head.bytes.empty())
        throw Error({"is an empty file", fileNameOf(path), {}, {}, {}});
    throw Error({"is no tensor or table of a known kind", fileNameOf(path), {}, fmt::format("content of {}", knownEndings()), {}});
}

LoadedTensor timedRead(const FileFormat& format, const std::string& path, const ReadOptions& options, kernels::Progress& progress)
{
    const auto start = std::chrono::steady_clock::now();
    LoadedTensor loaded = format.read(path, options, progress);
    applyNaming(loaded.tensor.modes, options.naming, options.namingMustFit, loaded.report, progress);
    if (options.emptyCells != kernels::EmptyCells::Unsaid)
        loaded.tensor.emptyCells = options.emptyCells;
    loaded.report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return loaded;
}

} // namespace

const std::vector<FileFormat>& fileFormats()
{
    static const std::vector<FileFormat> formats = makeFileFormats();
    return formats;
}

std::vector<unsigned> firstIndicesOfLines(const std::string& layout, const std::string& indexBase, unsigned order)
{
    std::vector<unsigned> first(order, 1);
    if (!isLines(layout))
        return first;
    if (indexBase.starts_with('0'))
        first.assign(order, 0);
    std::size_t at = indexBase.starts_with(perMode) ? std::string_view(perMode).size() : indexBase.size();
    for (unsigned n = 0; n < order && at < indexBase.size(); ++n, at += 3) // "0, 1, 1"
        first[n] = indexBase[at] == '0' ? 0 : 1;
    return first;
}

std::optional<IndexBase> baseLike(const std::string& layout, const std::string& indexBase, const LoadReport& other)
{
    const auto digit = [](const std::string& reason) { return reason.empty() ? ' ' : reason.front(); };
    const bool lines = isLines(layout) && isLines(other.layout);
    if (indexBase.starts_with(perMode))
        return lines && other.indexBase != indexBase ? std::optional(IndexBase::PerMode) : std::nullopt;
    const char wanted = digit(indexBase);
    const bool tells = lines && !other.indexBase.ends_with(wanted == '0' ? text::noZeroOccurs : text::zeroOccurs);
    if ((!lines && layout != other.layout) || tells || digit(other.indexBase) == wanted || (wanted != '0' && wanted != '1'))
        return std::nullopt;
    return wanted == '0' ? IndexBase::Zero : IndexBase::One;
}

std::vector<std::string> FileFormat::writtenExtensions() const
{
    std::vector<std::string> written = write ? extensions : std::vector<std::string>();
    std::erase_if(written, [&](const std::string& each) { return std::find(onlyRead.begin(), onlyRead.end(), each) != onlyRead.end(); });
    return written;
}

const FileFormat* formatForWriting(std::string_view path, std::string_view id)
{
    if (path == standardStream && id.empty())
        id = "tns";
    const std::string name = lowerCase(path);
    for (const FileFormat& format : fileFormats()) {
        const std::vector<std::string> endings = format.writtenExtensions();
        const bool fits = id.empty()
            ? std::any_of(endings.begin(), endings.end(), [&](const std::string& extension) { return name.ends_with("." + extension); })
            : format.id == id;
        if (fits && format.write)
            return &format;
    }
    return nullptr;
}

const FileFormat* formatByContent(const std::string& path, kernels::Progress* progress)
{
    try {
        const Likely likely = likeliest(headOf(path, progress), path);
        return likely.likeness == Likeness::Content ? likely.format : nullptr;
    } catch (const Error&) {
        return nullptr;
    }
}

const FileFormat* formatForReading(const std::string& path)
{
    try {
        const std::string file = splitHdf5Name(path).file;
        return likeliest(headOf(file, nullptr), file).format;
    } catch (const Error&) {
        return nullptr;
    }
}

Likeness likenessByEnding(std::string_view name, std::initializer_list<const char*> endings)
{
    const bool any = std::any_of(endings.begin(), endings.end(), [&](const char* ending) { return name.ends_with(ending); });
    return any ? Likeness::Ending : Likeness::None;
}

LoadedTensor readTensor(const std::string& path, const ReadOptions& options, kernels::Progress& progress)
{
    try {
        return timedRead(recognise(splitHdf5Name(path).file, progress), path, options, progress);
    } catch (const std::bad_alloc&) {
        throw kernels::Error(kernels::ErrorKind::OutOfMemory,
                             {"not enough main memory to load it",
                              fileNameOf(path),
                              {},
                              {},
                              "Close other programs, or use a part of the file or a larger machine."});
    }
}

WriteReport writeTensor(const std::string& path, const kernels::SparseTensor& tensor, const WriteOptions& options,
                        kernels::Progress& progress)
{
    const FileFormat* format = formatForWriting(path, options.format);
    if (!format)
        throw Error({options.format.empty() && isOnlyRead(path) ? "files with this ending are read, not written"
                                                                : "the ending of this file name is not one that tensors are written in",
                     path,
                     {},
                     writtenEndings(),
                     {}});
    tensor.check();
    return format->write(path, tensor, options, progress);
}

} // namespace io
