// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/text/tensor_market.h"

#include "io/error.h"
#include "io/file_format.h"
#include "io/finish_load.h"
#include "io/input_stream.h"
#include "io/text/coordinates.h"
#include "io/text/entry_writer.h"

#include <fmt/format.h>

namespace io::formats {
namespace {

LoadedTensor read(const std::string& path, const ReadOptions& options, kernels::Progress& progress)
{
    return text::readCoordinates(path, options, "tensor-market", text::readTensorMarketLayout, progress);
}

WriteReport write(const std::string& path, const kernels::SparseTensor& given, const WriteOptions&, kernels::Progress& progress)
{
    const bool gzip = path.ends_with(".gz"), asMatrix = path.ends_with(".mtx") || path.ends_with(".mtx.gz");
    if (asMatrix && given.order() != 2)
        throw Error({"MatrixMarket holds matrices only", fileNameOf(path), fmt::format("order {}", given.order()), "order 2",
                     "Write TensorMarket: name the file .ttx."});
    WriteReport report;
    kernels::SparseTensor storage;
    const kernels::SparseTensor& tensor = sortedWithoutLabels(given, storage, report, progress);
    AtomicFile file(path);
    const std::string header = text::tensorMarketHeader(tensor.dims(), tensor.entries(), asMatrix);
    file.write(gzip ? text::packed(header) : header);
    text::writeEntryLines(file, tensor, {gzip, false}, progress);
    file.commit();
    return report;
}

Likeness looksLike(const FileHead& head)
{
    return text::isTensorMarket(head.bytes) ? Likeness::Content
                                            : likenessByEnding(head.name, {".ttx", ".mtx", ".ttx.gz", ".mtx.gz", ".ttx.zst", ".mtx.zst"});
}

} // namespace

FileFormat tensor_marketFormat()
{
    return {"tensor-market",
            "TensorMarket and MatrixMarket text",
            {"ttx", "mtx", "ttx.gz", "mtx.gz"},
            looksLike,
            read,
            write,
            "Text that keeps the sizes; a matrix as .mtx is what most programs read."};
}

} // namespace io::formats
