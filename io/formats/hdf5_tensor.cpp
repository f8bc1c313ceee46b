// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/error.h"
#include "io/file_format.h"
#include "io/finish_load.h"
#include "io/hdf5_modes.h"
#include "io/hdf5_name.h"
#include "io/hdf5_superblock.h"
#include "io/hdf5_tensor/entries.h"
#include "io/hdf5_tensor/layouts.h"
#include "io/hdf5_tensor/parts.h"
#include "io/hdf5_tensor/writer.h"
#include "io/input_stream.h"
#include "io/table/hdf5_reader.h"
#include "io/table/table_format.h"

#include <fmt/format.h>

namespace io::formats {
namespace {

void readMeaning(const hdf5::Object& group, const std::string& where, LoadedTensor& loaded)
{
    const auto text = hdf5::textAttribute(group.id(), "empty_cells", where);
    if (!text)
        return;
    if (const auto meaning = kernels::emptyCellsFromString(*text))
        loaded.tensor.emptyCells = *meaning;
    else
        loaded.report.warnings.push_back(
            fmt::format("The attribute empty_cells is \"{}\". It was ignored. Use \"zero\" or \"unknown\".", text->substr(0, 40)));
}

/// One dataset that holds all of the tensor, as the caller says.
LoadedTensor readLayout(hdf5::Session& session, const hdf5::File& file, const Hdf5Name& name, const ReadOptions& options,
                        kernels::Progress& progress)
{
    const std::string fileName = fileNameOf(name.file);
    hdf5::Object group;
    hdf5::CheckedDataset set = hdf5_tensor::findLayoutDataset(file, fileName, name.group, options.layout, group);
    LoadedTensor loaded;
    bool declared = true;
    if (options.layout == "dense")
        loaded = hdf5_tensor::readDense(session, set, options, progress);
    else {
        const hdf5_tensor::Parts parts = hdf5_tensor::tableParts(group.id(), fileName, std::move(set));
        declared = parts.dims.has_value();
        loaded = hdf5_tensor::readEntries(session, parts, options, progress);
    }
    applyGivenDims(loaded.tensor, options.dims, name.file, declared);
    readModes(session, group.id(), fileName, loaded.tensor.modes, &progress);
    readMeaning(group, fileName, loaded);
    return loaded;
}

LoadedTensor readMatlabArray(hdf5::Session& session, const hdf5::File& file, const std::string& path, const std::string& fileName,
                             const ReadOptions& options, kernels::Progress& progress)
{
    hdf5::Object group;
    const hdf5::CheckedDataset set = hdf5_tensor::findLayoutDataset(file, fileNameOf(fileName), path, "dense", group);
    LoadedTensor loaded = hdf5_tensor::readMatlabArray(session, set, options, progress);
    applyGivenDims(loaded.tensor, options.dims, fileName, true);
    return loaded;
}

LoadedTensor readFile(const Hdf5Name& name, const ReadOptions& options, kernels::Progress& progress)
{
    hdf5::Session session;
    const std::string fileName = fileNameOf(name.file);
    const hdf5::File file = hdf5::openFile(name.file, &progress);
    if (!options.layout.empty())
        return readLayout(session, file, name, options, progress);
    std::string where;
    const hdf5::Object group = hdf5_tensor::findTensor(file, fileName, name.group, where);
    if (hdf5::isDataset(group))
        return readMatlabArray(session, file, where.substr(fileName.size() + 1), name.file, options, progress);
    auto parts = hdf5_tensor::binsparseParts(group.id(), where);
    if (!parts)
        parts = hdf5_tensor::compressedParts(group.id(), where);
    if (!parts)
        parts = hdf5_tensor::handmadeParts(group.id(), where);
    if (!parts)
        throw Error({"holds no sparse tensor", where, {}, "datasets for indices and values", {}});
    LoadedTensor loaded = hdf5_tensor::readEntries(session, *parts, options, progress);
    applyGivenDims(loaded.tensor, options.dims, name.file, parts->dims.has_value());
    readModes(session, group.id(), where, loaded.tensor.modes, &progress);
    readMeaning(group, where, loaded);
    if (hdf5::hasAttribute(group.id(), "polyad_format") && hdf5::hasLink(group.id(), "recipe"))
        loaded.recipe = table::recipeFromJson(hdf5::readText(group.id(), "recipe", where), where + " recipe");
    return loaded;
}

LoadedTensor read(const std::string& path, const ReadOptions& options, kernels::Progress& progress)
{
    Hdf5Name name = splitHdf5Name(path);
    if (!name.group.empty() && !name.group.starts_with('/'))
        name.group.insert(0, 1, '/'); // a variable of MATLAB
    if (!options.layout.empty() && options.layout != "table" && options.layout != "dense")
        throw Error({"this layout is not known", fileNameOf(name.file), options.layout, "table or dense", {}});
    if (options.layout.empty() && table::isHdf5Table(path))
        return table::readAsTensor(table::openHdf5Table, "hdf5", path, options, progress);
    LoadedTensor loaded = readFile(name, options, progress);
    loaded.report.fileBytes = InputFile(name.file, &progress).bytes();
    finishLoad(loaded, name.file, options, progress);
    return loaded;
}

WriteReport write(const std::string& path, const kernels::SparseTensor& tensor, const WriteOptions& options, kernels::Progress& progress)
{
    if (path.ends_with(".h5ad"))
        throw Error({"AnnData's files are read, not written", fileNameOf(path), {}, {}, "Name the file .h5."});
    return hdf5_tensor::write(path, tensor, options, progress);
}

/// The signature stands at 0, or after a user block of 512, 1024 … bytes (MATLAB).
Likeness looksLike(const FileHead& head) { return hdf5::hasSignature(head.bytes) ? Likeness::Content : Likeness::None; }

} // namespace

FileFormat hdf5_tensorFormat()
{
    return {"hdf5",
            "HDF5 tensor",
            {"h5", "hdf5", "he5", "mat", "h5ad"},
            looksLike,
            read,
            write,
            "Keeps sizes and labels; h5py and other readers of Binsparse open it.",
            table::openHdf5Table,
            table::isHdf5Table,
            {"he5", "mat", "h5ad"}};
}

} // namespace io::formats
