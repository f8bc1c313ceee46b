// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/model_argument.h"

#include "app/cli/interrupt.h"
#include "app/command_line.h"
#include "io/atomic_file.h"
#include "io/error.h"
#include "io/file_format.h"
#include "io/input_stream.h"
#include "kernels/base/error.h"
#include "kernels/tensor/synthetic.h"

#include <fmt/format.h>

namespace cli {
namespace {

/// By its beginning; what is neither is left to the readers, which know what is wrong with it.
bool isTensor(const std::string& argument)
{
    return kernels::parsePresetReference(argument)
        || (!io::isModelFile(argument, &Interrupt::progress()) && io::formatByContent(argument, &Interrupt::progress()));
}

} // namespace

io::ModelFile readModelArgument(const std::string& path, io::ReadState state)
{
    const io::FileFormat* const format =
        io::isModelFile(path, &Interrupt::progress()) ? nullptr : io::formatByContent(path, &Interrupt::progress());
    if (format && format->id != "hdf5") // of those the reader tells more
        throw io::Error({"is a tensor, not a model",
                         io::fileNameOf(path),
                         format->title,
                         {},
                         "Give a model, which is what `polyad-cli run --output` writes."});
    return io::readModel(path, &Interrupt::progress(), state);
}

void refuseSwapped(const char* command, const std::string& model, const std::string& tensor)
{
    if (isTensor(model) && io::isModelFile(tensor, &Interrupt::progress()))
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"the model comes first, then the tensor",
                              command,
                              {},
                              {},
                              fmt::format("Write: polyad-cli {} {} {}", command, app::shellQuoted(tensor), app::shellQuoted(model))});
}

void checkWritable(const std::string& path)
{
    if (!path.empty())
        io::AtomicFile probe(path);
}

void checkModelTarget(const char* option, const std::string& path)
{
    if (!path.empty() && !path.ends_with(".h5") && !path.ends_with(".hdf5"))
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"models are written as HDF5 files", option, path, "a name that ends in .h5 or .hdf5", {}});
    checkWritable(path);
}

} // namespace cli
