// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/train_test.h"

#include "io/error.h"
#include "io/finish_load.h"
#include "io/table/table_format.h"
#include "kernels/tensor/sort.h"
#include "kernels/tensor/split.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

namespace app {
namespace {

using kernels::SparseTensor;
using kernels::SplitKind;

/// The tensor's entries without a copy: shares the ownership of the whole.
std::shared_ptr<const SparseTensor> part(const OpenTensorPtr& tensor, const SparseTensor& which) { return {tensor, &which}; }

/// In the layout its training file was read in; a file that needs none, such as text, is read without.
io::LoadedTensor readAsLaidOut(const std::string& path, io::ReadOptions options, kernels::Progress& progress)
{
    if (options.layout.empty())
        return io::readTensor(path, options, progress);
    try {
        return io::readTensor(path, options, progress);
    } catch (const io::Error& asTrainingFile) {
        options.layout.clear();
        try {
            return io::readTensor(path, options, progress);
        } catch (const io::Error&) {
            throw asTrainingFile;
        }
    }
}

/// A test file counts its indices as the training file does, even when no index happens to tell.
/// How many entries went.
kernels::Count dropPast(kernels::SparseTensor& tensor, const std::vector<kernels::Index>& dims)
{
    const std::vector<kernels::Index> found = tensor.dims();
    bool past = false;
    for (std::size_t n = 0; n < std::min(found.size(), dims.size()); ++n)
        past = past || found[n] > dims[n];
    if (!past || found.size() != dims.size())
        return 0;
    kernels::Array<kernels::Count> kept;
    for (kernels::Count e = 0; e < tensor.entries(); ++e) {
        bool known = true;
        for (unsigned n = 0; n < tensor.order(); ++n)
            known = known && tensor.indices[n][e] < dims[n];
        if (known)
            kept.push_back(e);
    }
    const kernels::Count dropped = tensor.entries() - kept.size();
    tensor = kernels::gather(tensor, kept);
    for (unsigned n = 0; n < tensor.order(); ++n) {
        tensor.modes[n].size = std::min(tensor.modes[n].size, dims[n]);
        if (!tensor.modes[n].labels.empty())
            tensor.modes[n].labels.resize(tensor.modes[n].size);
    }
    return dropped;
}

io::LoadedTensor readLikeTrainingFile(const std::string& path, const OpenTensor& train, kernels::Progress& progress)
{
    io::ReadOptions options = train.readOptions;
    options.dims.clear();
    options.naming.clear(); // label files fit the training tensor
    if (train.recipe && io::table::isTable(path)) {
        options.recipe = train.recipe;
        options.knownModes = train.modes();
        io::LoadedTensor loaded = readAsLaidOut(path, options, progress);
        dropPast(loaded.tensor, train.tensor.dims());
        return loaded;
    }
    io::LoadedTensor loaded = readAsLaidOut(path, options, progress);
    const auto base =
        options.indexBase == io::IndexBase::Auto ? io::baseLike(train.report.layout, train.report.indexBase, loaded.report) : std::nullopt;
    if (!base)
        return loaded;
    options.indexBase = *base;
    return readAsLaidOut(path, options, progress);
}

TrainTest fromFile(const OpenTensorPtr& tensor, const std::string& path, kernels::Progress& progress)
{
    SparseTensor test = testFileEntries(path, *tensor, tensor->tensor.dims(), "the training tensor", progress);
    return {part(tensor, tensor->tensor), std::make_shared<const SparseTensor>(std::move(test)), {}};
}

TrainTest shared(kernels::Split split)
{
    auto parts = std::make_shared<kernels::Split>(std::move(split));
    return {{parts, &parts->train}, {parts, &parts->test}, {parts, &parts->testPositions}};
}

TrainTest split(const SparseTensor& whole, double fraction, std::uint64_t seed, kernels::Progress& progress)
{
    return shared(kernels::splitRandom(whole, fraction, seed, &progress));
}

} // namespace

void fitDims(kernels::SparseTensor& tensor, const std::vector<kernels::Index>& dims, const std::string& where, const char* what)
{
    const std::vector<kernels::Index> found = tensor.dims();
    bool fits = found.size() == dims.size();
    for (std::size_t n = 0; fits && n < dims.size(); ++n)
        fits = found[n] <= dims[n];
    if (!fits)
        throw io::Error({fmt::format("its shape does not fit {}", what), where, fmt::format("{}", fmt::join(found, " x ")),
                         fmt::format("at most {}", fmt::join(dims, " x ")),
                         "Both must be of one tensor, with the modes in the same order; sizes that only one of them has are told by a "
                         "header, or --dims."});
    for (unsigned n = 0; n < tensor.order(); ++n) {
        if (tensor.modes[n].size != dims[n])
            tensor.modes[n].labels.clear(); // they are those of the smaller mode
        tensor.modes[n].size = dims[n];
    }
}

void leaveOutUnknown(OpenTensor& open, const std::vector<kernels::Index>& dims)
{
    if (!open.recipe || open.readOptions.knownModes.empty())
        return;
    if (const kernels::Count dropped = dropPast(open.tensor, dims))
        open.report.warnings.push_back(fmt::format("{} labels that the model does not know and {} left out.",
                                                   io::counted(dropped, "entry has", "entries have"), dropped == 1 ? "was" : "were"));
}

void requireTold(const std::string& layout, const std::string& indexBase, const std::string& path, const io::LoadReport& report)
{
    if (io::baseLike(layout, indexBase, report) == io::IndexBase::PerMode)
        throw io::Error(
            {"nothing tells that its indices count as those of the file it goes with", path, report.indexBase, indexBase,
             "An entry with index 0 in each mode that has one there tells; or have all modes of both files count from the same."});
}

kernels::SparseTensor testFileEntries(const std::string& path, const OpenTensor& train, const std::vector<kernels::Index>& dims,
                                      const char* what, kernels::Progress& progress)
{
    io::LoadedTensor loaded = readLikeTrainingFile(path, train, progress);
    requireTold(train.report.layout, train.report.indexBase, path, loaded.report);
    fitDims(loaded.tensor, dims, path, what);
    if (loaded.tensor.entries() == 0)
        throw io::Error({"the test tensor has no entries", path, {}, {}, "Choose another file, or a random split."});
    return std::move(loaded.tensor);
}

kernels::SplitConfig effectiveSplit(const kernels::SplitConfig& chosen, const OpenTensor& tensor)
{
    kernels::SplitConfig split = chosen;
    if (split.kind == SplitKind::Random && tensor.hasTestPart())
        split = {SplitKind::File, chosen.testFraction, {}};
    if (split.kind == SplitKind::Random && split.testFraction == 0)
        split.kind = SplitKind::None;
    if (split.kind == SplitKind::File && split.testFile.empty() && !tensor.hasTestPart())
        throw kernels::Error(
            kernels::ErrorKind::BadArgument,
            {"no test file is given and this tensor brings no test part", "split", {}, {}, "Choose a file, or a random split."});
    return split;
}

TrainTest TrainTestCache::get(const OpenTensorPtr& tensor, const kernels::RunConfig& config, kernels::Progress& progress)
{
    switch (config.split.kind) {
    case SplitKind::None:
        return {part(tensor, tensor->tensor), {}, {}};
    case SplitKind::File:
        if (config.split.testFile.empty())
            return {part(tensor, tensor->tensor), part(tensor, tensor->test), {}};
        return fromFile(tensor, config.split.testFile, progress);
    case SplitKind::Random:
        return random(tensor, {tensor->id, config.split.testFraction, config.seed}, progress);
    }
    throw kernels::Error(kernels::ErrorKind::Internal, "unknown kind of split");
}

void TrainTestCache::divide(OpenTensor& tensor, const kernels::RunConfig& config, kernels::Progress& progress)
{
    if (config.split.kind != SplitKind::Random)
        return;
    const Key key{tensor.id, config.split.testFraction, config.seed};
    const kernels::Count entries = tensor.tensor.entries();
    TrainTest parts = shared(kernels::splitRandom(std::move(tensor.tensor), key.fraction, key.seed, &progress));
    tensor.isHere = false;
    tensor.absentEntries = entries;
    const std::lock_guard lock(m_mutex);
    m_entries[key.tensor] = {key, true, std::move(parts)};
}

TrainTest TrainTestCache::random(const OpenTensorPtr& tensor, const Key& key, kernels::Progress& progress)
{
    std::unique_lock lock(m_mutex);
    while (true) {
        if (m_forgotten.contains(key.tensor)) {
            lock.unlock();
            return split(tensor->tensor, key.fraction, key.seed, progress);
        }
        const auto entry = m_entries.find(key.tensor);
        if (entry == m_entries.end())
            break;
        if (entry->second.ready) {
            if (entry->second.key == key)
                return entry->second.parts;
            break;
        }
        // Another device's run is splitting this tensor; wake now and then to see a stop.
        m_changed.wait_for(lock, std::chrono::milliseconds(50));
        progress.throwIfCancelled();
    }
    m_entries[key.tensor] = {key, false, {}};
    lock.unlock();
    try {
        TrainTest parts = split(tensor->tensor, key.fraction, key.seed, progress);
        lock.lock();
        // forget() may have come meanwhile: then only the caller keeps the parts.
        if (const auto entry = m_entries.find(key.tensor); entry != m_entries.end())
            entry->second = {key, true, parts};
        m_changed.notify_all();
        return parts;
    } catch (...) {
        if (!lock.owns_lock())
            lock.lock();
        m_entries.erase(key.tensor);
        m_changed.notify_all();
        throw;
    }
}

TrainTest TrainTestCache::getAside(const OpenTensorPtr& tensor, const kernels::RunConfig& config, kernels::Progress& progress)
{
    if (config.split.kind != SplitKind::Random)
        return get(tensor, config, progress);
    const Key key{tensor->id, config.split.testFraction, config.seed};
    {
        const std::lock_guard lock(m_mutex);
        const auto entry = m_entries.find(key.tensor);
        if (entry != m_entries.end() && entry->second.ready && entry->second.key == key)
            return entry->second.parts;
    }
    return split(tensor->tensor, key.fraction, key.seed, progress);
}

void TrainTestCache::forget(int tensorId)
{
    const std::lock_guard lock(m_mutex);
    m_entries.erase(tensorId);
    m_forgotten.insert(tensorId);
    m_changed.notify_all();
}

} // namespace app
