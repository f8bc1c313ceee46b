// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/session_file.h"

#include "io/hdf5_model.h"
#include "io/hdf5_read.h"
#include "io/hdf5_write.h"
#include "io/input_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace io {
namespace {

using namespace hdf5;

constexpr std::size_t mostTensors = 100000, mostRuns = 1000000;
constexpr const char* kind = "session";

/// Groups are named by numbers with leading zeros, so that their order by name is the window's.
std::string numbered(std::size_t i) { return fmt::format("{:06}", i); }

std::uint64_t bytesOf(const SessionFile& content)
{
    std::uint64_t bytes = 0;
    for (const SessionRun& run : content.runs)
        bytes += (run.modelToWrite() ? run.modelToWrite()->bytes() : 0) + run.file.input.testPositions.size() * sizeof(kernels::Count);
    return bytes;
}

void writeTensor(hid_t parent, const std::string& name, const SessionTensor& tensor)
{
    const Group group = createGroup(parent, name);
    writeAttribute(group.id(), "id", tensor.id);
    writeAttribute(group.id(), "name", tensor.name);
    writeAttribute(group.id(), "dims", std::vector<std::uint64_t>(tensor.dims.begin(), tensor.dims.end()));
    writeAttribute(group.id(), "nnz", std::uint64_t{tensor.entries});
    writeText(group.id(), "source", tensor.source);
}

void writeRun(Session& session, hid_t parent, const std::string& name, const SessionRun& run, kernels::Progress* progress)
{
    const Group group = createGroup(parent, name);
    writeAttribute(group.id(), "id", run.id);
    writeAttribute(group.id(), "tensor", run.tensor);
    writeAttribute(group.id(), "name", run.name);
    writeAttribute(group.id(), "color", std::uint64_t{run.color});
    writeAttribute(group.id(), "visible", std::uint8_t{run.visible});
    writeAttribute(group.id(), "seconds", run.seconds);
    writeText(group.id(), "note", run.note);
    writeText(group.id(), "error", run.error);
    writeModelGroups(session, group.id(), run.file, run.modelToWrite(), progress);
}

std::string textOf(hid_t group, const char* name, const std::string& where)
{
    return hasLink(group, name) ? readText(group, name, where) : std::string();
}

SessionTensor readTensor(const Object& group, const std::string& where)
{
    SessionTensor tensor;
    tensor.id = wholeAttribute(group.id(), "id", where).value_or(0);
    tensor.name = textAttribute(group.id(), "name", where).value_or("");
    tensor.entries = wholeAttribute(group.id(), "nnz", where).value_or(0);
    tensor.source = textOf(group.id(), "source", where);
    for (const std::uint64_t size : wholesAttribute(group.id(), "dims", where, kernels::maxOrder).value_or(std::vector<std::uint64_t>{})) {
        if (size < 1 || size > std::numeric_limits<kernels::Index>::max())
            throw Error({"dims out of range", where, fmt::format("{}", size), "sizes of modes", {}});
        tensor.dims.push_back(static_cast<kernels::Index>(size));
    }
    return tensor;
}

SessionRun readRun(Session& session, const Object& group, const std::string& where, kernels::Progress* progress)
{
    SessionRun run;
    run.id = wholeAttribute(group.id(), "id", where).value_or(0);
    run.tensor = wholeAttribute(group.id(), "tensor", where).value_or(0);
    run.name = textAttribute(group.id(), "name", where).value_or("");
    run.color = static_cast<unsigned>(std::min<std::uint64_t>(wholeAttribute(group.id(), "color", where).value_or(0), 1U << 20));
    run.visible = wholeAttribute(group.id(), "visible", where).value_or(1) != 0;
    run.seconds = std::max(0.0, numberAttribute(group.id(), "seconds", where).value_or(0));
    run.note = textOf(group.id(), "note", where);
    run.error = textOf(group.id(), "error", where);
    run.file = readModelGroups(session, group.id(), where, progress, ReadState::KeptIfWhole);
    return run;
}

/// Calls read(group, where) for each group below `parent`, in the order of their names.
template <class Read> void forEachGroup(hid_t root, const std::string& file, const char* parent, std::size_t most, const Read& read)
{
    if (!hasLink(root, parent))
        return;
    const std::string where = fmt::format("{} /{}", file, parent);
    const Object all = openObject(root, parent, file);
    for (const std::string& name : linkNames(all.id(), where, most)) {
        const std::string whereThis = where + '/' + name;
        const Object group = openObject(all.id(), name, whereThis);
        if (!isGroup(group))
            throw Error({"is no group", whereThis, "a dataset", "a group", {}});
        read(group, whereThis);
    }
}

} // namespace

void writeSession(const std::string& path, const SessionFile& content, kernels::Progress* progress)
{
    for (const SessionRun& run : content.runs)
        if (run.modelToWrite())
            requireWholeModel(path, *run.modelToWrite());
    if (progress)
        progress->begin("writing", bytesOf(content));
    writeFile(path, [&](Session& session, hid_t root) {
        writeFileKind(root, kind);
        const Group tensors = createGroup(root, "tensors"), runs = createGroup(root, "runs");
        for (std::size_t i = 0; i < content.tensors.size(); ++i)
            writeTensor(tensors.id(), numbered(i), content.tensors[i]);
        for (std::size_t i = 0; i < content.runs.size(); ++i)
            writeRun(session, runs.id(), numbered(i), content.runs[i], progress);
        writeText(root, "ui", content.window);
    });
}

SessionFile readSession(const std::string& path, kernels::Progress* progress)
{
    if (progress)
        progress->begin("reading", InputFile(path).bytes());
    Session session; // first: everything below is closed inside it
    const File file = openFile(path);
    const std::string name = fileNameOf(path);
    requireFileKind(file.id(), kind, name);
    SessionFile content;
    content.window = textOf(file.id(), "ui", name);
    forEachGroup(file.id(), name, "tensors", mostTensors,
                 [&](const Object& group, const std::string& where) { content.tensors.push_back(readTensor(group, where)); });
    forEachGroup(file.id(), name, "runs", mostRuns, [&](const Object& group, const std::string& where) {
        content.runs.push_back(readRun(session, group, where, progress));
        const std::uint64_t tensor = content.runs.back().tensor;
        if (std::none_of(content.tensors.begin(), content.tensors.end(), [&](const SessionTensor& t) { return t.id == tensor; }))
            throw Error({"is a run of a tensor that the session does not have", where, fmt::format("tensor {}", tensor), {}, {}});
    });
    return content;
}

bool isSessionFile(const std::string& path)
{
    try {
        const Session session;
        const File file = openFile(path);
        return textAttribute(file.id(), "polyad_format", path) == kind;
    } catch (const Error&) {
        return false;
    }
}

} // namespace io
