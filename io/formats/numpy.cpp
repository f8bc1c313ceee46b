// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/binary/entries.h"
#include "io/checked_dims.h"
#include "io/dense/cells.h"
#include "io/error.h"
#include "io/exact_floats.h"
#include "io/finish_load.h"
#include "io/hdf5_name.h"
#include "io/input_stream.h"
#include "io/numpy/archive.h"
#include "io/numpy/sparse.h"
#include "io/several_tensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

// NumPy's files: one array (.npy), or a zip archive of them (.npz). Dense arrays, and sparse ones as scipy and pydata keep them.

namespace io::formats {
namespace {

constexpr std::string_view arrayMagic = "\x93NUMPY";

class FileSource : public numpy::ByteSource {
public:
    explicit FileSource(const std::string& path)
        : m_file(path)
    {
    }
    std::size_t read(char* to, std::size_t size) override { return m_file.read(to, size); }
    std::uint64_t bytes() const override { return m_file.bytes(); }

private:
    InputFile m_file;
};

bool isDense(const numpy::ArrayHeader& header) { return header.isNumber() && header.shape.size() >= kernels::minOrder; }

/// Every cell, the first index fastest in the order of the disk; C order is turned round afterwards.
LoadedTensor readDense(numpy::ArrayReader& array, const std::string& path, const ReadOptions& options, kernels::Progress& progress)
{
    const numpy::ArrayHeader& header = array.header();
    if (!isDense(header))
        throw Error({"is no array that a tensor is made of",
                     array.where(),
                     fmt::format("{} of {}", header.typeName, numpy::shapeText(header.shape)),
                     fmt::format("numbers with {} to {} dimensions", kernels::minOrder, kernels::maxOrder),
                     {}});
    std::vector<kernels::Index> dims = checkedDims(header.shape, array.where());
    if (!header.fortranOrder)
        std::reverse(dims.begin(), dims.end());
    dense::Collector collector(dims, options, array.where());
    progress.begin("reading", header.elements * header.itemBytes);
    array.doubles(progress, [&](std::uint64_t, std::span<const double> numbers) {
        for (const double number : numbers)
            collector.add(number);
        progress.setEntries(collector.taken());
    });
    LoadedTensor loaded = collector.finish(header.fitsFloat());
    if (header.kind != NumberKind::Floating)
        integersAsFloats(loaded.tensor.values);
    if (!header.fortranOrder) {
        std::reverse(loaded.tensor.modes.begin(), loaded.tensor.modes.end());
        std::reverse(loaded.tensor.indices.begin(), loaded.tensor.indices.end());
    }
    loaded.report.layout = fmt::format("NumPy array of {}, {} order", header.typeName, header.fortranOrder ? "Fortran" : "C");
    applyGivenDims(loaded.tensor, options.dims, path, true);
    return loaded;
}

LoadedTensor readNamed(const numpy::Archive& archive, const Hdf5Name& name, const ReadOptions& options, kernels::Progress& progress)
{
    if (!archive.has(name.group))
        throw Error({"holds no array of this name", archive.fileName(), name.group, "the name of one of its arrays", {}});
    numpy::ArrayReader array = archive.open(name.group);
    return readDense(array, name.file, options, progress);
}

void refuseModels(const numpy::Archive& archive)
{
    if (archive.has("factor_0") && archive.has("config"))
        throw Error({"is a model that Polyad exported for NumPy, not a tensor",
                     archive.fileName(),
                     {},
                     {},
                     "Open the model's own file (.h5), or the tensor it was made from."});
}

/// The only dense array of an archive.
LoadedTensor readOnly(const numpy::Archive& archive, const std::string& path, const ReadOptions& options, kernels::Progress& progress)
{
    constexpr std::size_t mostShown = 8;
    std::vector<std::string> candidates, shown;
    for (const std::string& name : archive.names()) {
        const bool only = archive.names().size() == 1; // what is wrong with it is said
        std::string about = "not read";
        try {
            const numpy::ArrayHeader header = archive.open(name).header();
            about = numpy::shapeText(header.shape);
            if (isDense(header))
                candidates.push_back("/" + name); // as groups of HDF5 files are named
        } catch (const Error&) {
            if (only)
                throw;
        }
        if (shown.size() < mostShown)
            shown.push_back(fmt::format("{} ({})", name, about));
    }
    const std::string found = fmt::format("{}{}", fmt::join(shown, ", "), archive.names().size() > shown.size() ? ", …" : "");
    if (candidates.empty())
        throw Error({"holds no tensor",
                     archive.fileName(),
                     found.empty() ? "no arrays" : found,
                     "an array of 2 or more dimensions, or a sparse one with coords, data and shape",
                     {}});
    if (candidates.size() > 1)
        throw SeveralTensors({"holds several arrays", archive.fileName(), found, "one",
                              fmt::format("Name one: {}:{}", archive.fileName(), candidates.front().substr(1))},
                             candidates);
    const std::string name = candidates.front().substr(1);
    numpy::ArrayReader array = archive.open(name);
    LoadedTensor loaded = readDense(array, path, options, progress);
    if (archive.names().size() > 1)
        loaded.report.notes.push_back(fmt::format("The array {} was read, of these: {}.", name, found));
    return loaded;
}

LoadedTensor readArchive(const Hdf5Name& name, const ReadOptions& options, kernels::Progress& progress)
{
    const numpy::Archive archive(name.file);
    if (!name.group.empty())
        return readNamed(archive, name, options, progress);
    refuseModels(archive);
    if (auto sparse = numpy::readSparse(archive, name.file, options, progress))
        return std::move(*sparse);
    return readOnly(archive, name.file, options, progress);
}

LoadedTensor read(const std::string& path, const ReadOptions& options, kernels::Progress& progress)
{
    Hdf5Name name = splitHdf5Name(path);
    if (name.group.starts_with('/'))
        name.group.erase(0, 1);
    LoadedTensor loaded;
    if (binary::headOf(name.file, arrayMagic.size()) == arrayMagic) {
        if (!name.group.empty())
            throw Error({"is a single array without a name", fileNameOf(name.file), name.group, {}, "Leave the name out."});
        numpy::ArrayReader array(std::make_unique<FileSource>(name.file), fileNameOf(name.file));
        loaded = readDense(array, name.file, options, progress);
    } else
        loaded = readArchive(name, options, progress);
    loaded.report.formatId = "numpy";
    loaded.report.fileBytes = InputFile(name.file).bytes();
    finishLoad(loaded, name.file, options, progress);
    return loaded;
}

Likeness looksLike(const FileHead& head)
{
    const std::string_view first = numpy::firstArrayName(head.bytes);
    if (head.bytes.starts_with(arrayMagic) || (!first.empty() && first != "factor_0")) // that is a model
        return Likeness::Content;
    return likenessByEnding(head.name, {".npy", ".npz"});
}

} // namespace

FileFormat numpyFormat() { return {"numpy", "NumPy array or archive", {"npy", "npz"}, looksLike, read, {}, {}}; }

} // namespace io::formats
