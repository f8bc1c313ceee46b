// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/tensor_output.h"

#include "app/cli/formatting.h"
#include "app/cli/interrupt.h"
#include "app/cli/stage_line.h"
#include "app/cli/standard_output.h"
#include "app/empty_cells.h"
#include "io/atomic_file.h"
#include "io/existing_file.h"
#include "io/hdf5_name.h"
#include "io/spooled_stream.h"
#include "kernels/base/error.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cli {
namespace {

/// The endings a tensor can be written to, for the message.
std::string writableEndings()
{
    std::vector<std::string> endings;
    for (const io::FileFormat& format : io::fileFormats())
        for (const std::string& extension : format.writtenExtensions())
            endings.push_back('.' + extension);
    return joined(endings, ", ");
}

std::string writableFormats()
{
    std::vector<std::string> ids;
    for (const io::FileFormat& format : io::fileFormats())
        if (format.write)
            ids.push_back(format.id);
    return joined(ids, ", ");
}

} // namespace

void addWriteOptions(CLI::App& app, io::WriteOptions& options)
{
    app.add_option("--to", options.format, "The format, where the ending does not tell (tns on standard output)")->type_name("FORMAT");
    app.add_option("--header", options.header, "Text only: write ParTI's or Tensor Toolbox' header, which keeps the sizes (none)")
        ->type_name("parti|sptensor");
}

void addForceOption(CLI::App& app, bool& force)
{
    app.add_flag("--force", force, "Write also over a file that is there already, which is refused otherwise");
}

void checkTensorTarget(const std::string& path, const io::WriteOptions& options, bool force)
{
    const std::string& header = options.header;
    if (!header.empty() && header != "parti" && header != "sptensor")
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"not a value for this option", "--header", fmt::format("\"{}\"", header), "parti or sptensor", {}});
    const io::FileFormat* const format = io::formatForWriting(path, options.format);
    if (!format && !options.format.empty())
        throw kernels::Error(
            kernels::ErrorKind::BadArgument,
            {"there is no such format to write", "--to", fmt::format("\"{}\"", options.format), "one of " + writableFormats(), {}});
    if (!format)
        throw kernels::Error(kernels::ErrorKind::BadArgument,
                             {"the ending names no format that can be written", path, {}, "one of " + writableEndings(), {}});
    if (!header.empty() && format->id != "tns")
        throw kernels::Error(
            kernels::ErrorKind::BadArgument,
            {"only .tns files have such a header", "--header", path, "an output that ends in .tns or .tns.gz", "Leave the option out."});
    io::refuseLosing(path, force ? io::Existing::Replace : io::Existing::Keep);
    const io::AtomicFile probe(path,
                               format->id == "hdf5" ? io::AtomicFile::Unfinished::Named : io::AtomicFile::Unfinished::NamelessIfPossible);
}

void refuseOverwriting(const char* option, const std::string& target, std::initializer_list<std::string> others)
{
    for (const std::string& other : others) {
        const std::string file = io::splitHdf5Name(other).file;
        if (target != io::standardStream && file != io::standardStream && io::isSameFile(target, file))
            throw kernels::Error(
                kernels::ErrorKind::BadArgument,
                {"this file is used by the same command already", fmt::format("{} {}", option, target), {}, {}, "Choose another name."});
    }
}

std::string writeTensorFile(const std::string& path, const kernels::SparseTensor& tensor, const io::WriteOptions& options)
{
    const bool toStandardOutput = path == io::standardStream;
    const StageLine line(Interrupt::progress());
    io::WriteReport report = io::writeTensor(path, tensor, options, Interrupt::progress());
    for (std::string& warning : report.warnings)
        warning = (toStandardOutput ? "standard output" : path) + ": " + warning;
    printWarnings(report.warnings);
    if (toStandardOutput)
        return {};
    return fmt::format("wrote {}: {}, {}\n", path, fmt::join(tensor.dims(), " x "), countText(report.entries, "entry", "entries"));
}

void printWarnings(const std::vector<std::string>& warnings)
{
    for (const std::string& warning : warnings)
        printError("polyad-cli: " + warning + '\n');
}

void warnOfTestFile(const std::string& test, const std::string& tensor)
{
    if (io::isSameFile(test, tensor))
        printWarnings({"--test names the file that the run learns from. Its test error says nothing about new entries. Choose another "
                       "file or --test-fraction."});
}

void warnOfEmptyCells(const std::string& algorithm, const app::OpenTensor& tensor)
{
    if (const QString warning = app::emptyCellsWarning(kernels::algorithm(algorithm), tensor); !warning.isEmpty())
        printWarnings({warning.toStdString()});
}

} // namespace cli
