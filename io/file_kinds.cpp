// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/file_kinds.h"

#include "io/text/tokens.h"
#include "kernels/base/types.h"

#include <cstring>
#include <limits>

namespace io {
namespace {

constexpr const char* convertAdvice = "Save it as a text tensor (.tns: one line of indices and a value per entry) or as HDF5.";
constexpr const char* unpackAdvice = "Unpack it first; only gzip is unpacked while reading.";

struct Magic {
    std::string_view bytes;
    ForeignKind kind;
};

using namespace std::string_view_literals;

constexpr Magic magics[] = {
    {"MATLAB 5.0 MAT-file"sv,
     {"a MATLAB file of version 7 or older", "Save it again in MATLAB with the option '-v7.3', which writes HDF5."}},
    {"sptn"sv, {"a binary GenTen tensor", convertAdvice}},
    {"dntn"sv, {"a dense binary GenTen tensor", convertAdvice}},
    {"PK\x03\x04"sv, {"a zip archive (.npz, .zip)", "Unpack it, or save indices and values with h5py instead."}},
    {"\x93NUMPY"sv, {"a single NumPy array", "Save indices and values together in one HDF5 file with h5py."}},
    {"\xfd\x37zXZ\0"sv, {"an xz archive", unpackAdvice}},
    {"BZh"sv, {"a bzip2 archive", unpackAdvice}},
    {"\x28\xb5\x2f\xfd"sv, {"a zstd archive", unpackAdvice}},
    {"PAR1"sv, {"a Parquet file", convertAdvice}},
};

template <class T> T numberAt(std::string_view head, std::size_t offset)
{
    T value{};
    std::memcpy(&value, head.data() + offset, sizeof value);
    return value;
}

/// int32 0, then the widths of integers and values as uint64.
bool looksLikeSplatt(std::string_view head)
{
    if (head.size() < 20 || numberAt<std::int32_t>(head, 0) != 0)
        return false;
    const auto integers = numberAt<std::uint64_t>(head, 4), values = numberAt<std::uint64_t>(head, 12);
    return (integers == 4 || integers == 8) && (values == 4 || values == 8);
}

/// No magic, so the size must fit exactly: N, dims and nnz as uint64, then nnz indices per mode and values.
bool looksLikeAlto(std::string_view head, std::uint64_t fileBytes)
{
    if (head.size() < 32)
        return false;
    const auto order = numberAt<std::uint64_t>(head, 0);
    if (order < kernels::minOrder || order > kernels::maxOrder || head.size() < 8 * (order + 2))
        return false;
    const auto entries = numberAt<std::uint64_t>(head, 8 * (order + 1));
    const std::uint64_t headerBytes = 8 * (order + 2);
    if (entries == 0 || entries > kernels::maxEntries || fileBytes < headerBytes)
        return false;
    for (const std::uint64_t index : {4, 8}) {
        for (const std::uint64_t value : {4, 8}) {
            if (fileBytes - headerBytes == entries * (order * index + value))
                return true;
        }
    }
    return false;
}

} // namespace

std::optional<ForeignKind> foreignKind(std::string_view head, std::uint64_t fileBytes)
{
    for (const Magic& magic : magics) {
        if (head.starts_with(magic.bytes))
            return magic.kind;
    }
    if (looksLikeSplatt(head))
        return ForeignKind{"a binary SPLATT tensor", "Convert it to .tns with splatt convert."};
    if (looksLikeAlto(head, fileBytes))
        return ForeignKind{"a binary ALTO or BLCO tensor", convertAdvice};
    const std::string_view word = text::firstWord(head);
    if (word == "tensor")
        return ForeignKind{"a dense text tensor", "Save its stored entries as a sparse one (sptensor or .tns)."};
    if (word == "ktensor" || word == "facmatrix" || word == "matrix")
        return ForeignKind{"a model as text (ktensor), not a tensor", "Open the tensor that the model was made from."};
    return std::nullopt;
}

} // namespace io
