// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/binary/entries.h"
#include "io/binary/variants.h"
#include "io/finish_load.h"
#include "io/input_stream.h"

// ALTO's and BLCO's binary coordinates: N, the sizes, nnz and the indices mode after mode as uint64, then doubles. Other
// builds have 32-bit integers, floats or both; without a magic only the exact size tells.

namespace io::formats {
namespace {

constexpr unsigned integerBytes = sizeof(std::uint64_t);
constexpr std::size_t longestHeader = (kernels::maxOrder + 2) * integerBytes;

LoadedTensor read(const std::string& path, const ReadOptions& options, kernels::Progress& progress)
{
    const std::string head = binary::headOf(path, longestHeader);
    const auto variant = binary::altoVariant(head, InputFile(path).bytes());
    if (!variant)
        binary::refuseUnknown(path, head);
    return binary::readEntries(path, *variant, "alto", options, progress);
}

WriteReport write(const std::string& path, const kernels::SparseTensor& given, const WriteOptions&, kernels::Progress& progress)
{
    WriteReport report;
    kernels::SparseTensor storage;
    const kernels::SparseTensor& tensor = sortedWithoutLabels(given, storage, report, progress);
    binary::EntryLayout layout;
    layout.indexBytes.assign(tensor.order(), integerBytes);
    layout.valueBytes = sizeof(double);
    std::string header;
    binary::appendHeader(header, tensor, integerBytes);
    binary::writeEntries(path, header, layout, tensor, progress);
    return report;
}

Likeness looksLike(const FileHead& head)
{
    if (binary::altoVariant(head.bytes, head.fileBytes))
        return Likeness::Content;
    return likenessByEnding(head.name, {".alto.bin", ".blco.bin"});
}

} // namespace

FileFormat altoFormat()
{
    return {
        "alto", "ALTO and BLCO binary", {"alto.bin", "blco.bin"}, looksLike, read, write, "For ALTO and BLCO: quicker to read than text."};
}

} // namespace io::formats
