// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/hdf5_tensor/writer.h"

#include "io/finish_load.h"
#include "io/hdf5_modes.h"
#include "io/hdf5_write.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <numeric>

namespace io::hdf5_tensor {
namespace {

using Json = nlohmann::ordered_json;

/// The description twice: wrapped for C and Julia readers, which want version 0.1, and at top level for
/// Binsparse's Python reference.
std::string description(const kernels::SparseTensor& tensor)
{
    Json types;
    for (unsigned n = 0; n < tensor.order(); ++n)
        types[fmt::format("indices_{}", n)] = "uint32";
    types["values"] = tensor.hasDoubleValues() ? "float64" : "float32";
    std::vector<unsigned> transpose(tensor.order());
    std::iota(transpose.begin(), transpose.end(), 0u);
    const Json keys{{"format", "custom"},
                    {"shape", tensor.dims()},
                    {"number_of_stored_values", tensor.entries()},
                    {"data_types", types},
                    {"custom",
                     {{"transpose", transpose},
                      {"level", {{"level_desc", "sparse"}, {"rank", tensor.order()}, {"level", {{"level_desc", "element"}}}}}}}};
    Json wrapped{{"version", "0.1"}}, result;
    wrapped.update(keys);
    result["binsparse"] = wrapped;
    result["version"] = "0.1.0";
    result.update(keys);
    return result.dump();
}

void fill(hdf5::Session& session, hid_t root, const kernels::SparseTensor& tensor, const WriteOptions& options, kernels::Progress& progress)
{
    hdf5::writeAttribute(root, "polyad_format", std::string("tensor"));
    hdf5::writeAttribute(root, "polyad_format_version", std::string("1.0"));
    hdf5::writeAttribute(root, "binsparse", description(tensor));
    if (tensor.emptyCells != kernels::EmptyCells::Unsaid)
        hdf5::writeAttribute(root, "empty_cells", std::string(kernels::toString(tensor.emptyCells)));
    const std::vector<hsize_t> length{tensor.entries()};
    const hdf5::Storage storage = hdf5::storageFor(tensor.entries());
    for (unsigned n = 0; n < tensor.order(); ++n)
        hdf5::writeArray(session, root, fmt::format("indices_{}", n), tensor.indices[n].data(), length, storage, &progress);
    std::visit([&](const auto& values) { hdf5::writeArray(session, root, "values", values.data(), length, storage, &progress); },
               tensor.values);
    writeModes(session, root, tensor.modes);
    if (options.recipe)
        hdf5::writeText(root, "recipe", table::toJson(*options.recipe));
}

} // namespace

WriteReport write(const std::string& path, const kernels::SparseTensor& given, const WriteOptions& options, kernels::Progress& progress)
{
    WriteReport report;
    kernels::SparseTensor storage;
    const kernels::SparseTensor& tensor = sortedAndUnique(given, storage, report, progress);
    progress.begin("writing", tensor.bytes());
    progress.setEntries(tensor.entries());
    hdf5::writeFile(path, [&](hdf5::Session& session, hid_t root) { fill(session, root, tensor, options, progress); });
    return report;
}

} // namespace io::hdf5_tensor
