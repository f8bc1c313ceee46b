// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/finish_load.h"

#include "io/error.h"
#include "io/input_stream.h"
#include "kernels/base/chunks.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <numeric>

namespace io {
namespace {

constexpr kernels::Count entriesPerChunk = kernels::Count{1} << 16;

/// Negative, zero or positive as entry e comes before, with or after entry e+1.
int compareWithNext(const kernels::SparseTensor& tensor, kernels::Count e)
{
    for (const auto& indices : tensor.indices) {
        if (indices[e] != indices[e + 1])
            return indices[e] < indices[e + 1] ? -1 : 1;
    }
    return 0;
}

enum class Order { None, Sorted, Strict }; // Strict: sorted, and no coordinate occurs twice

Order orderOf(const kernels::SparseTensor& tensor, kernels::Progress& progress)
{
    if (tensor.entries() < 2)
        return Order::Strict;
    std::atomic<bool> sorted{true}, strict{true};
    kernels::forEachChunk(tensor.entries() - 1, entriesPerChunk, nullptr, [&](kernels::Count, kernels::Count begin, kernels::Count end) {
        progress.throwIfCancelled();
        int largest = -1;
        for (kernels::Count e = begin; e < end && largest <= 0; ++e)
            largest = std::max(largest, compareWithNext(tensor, e));
        if (largest >= 0)
            strict.store(false, std::memory_order_relaxed);
        if (largest > 0)
            sorted.store(false, std::memory_order_relaxed);
    });
    return strict ? Order::Strict : sorted ? Order::Sorted : Order::None;
}

template <class Body> auto overValues(const kernels::SparseTensor& tensor, const Body& body)
{
    return std::visit([&](const auto& values) { return body(values); }, tensor.values);
}

kernels::Count countZeros(const kernels::SparseTensor& tensor)
{
    return overValues(tensor, [](const auto& values) {
        std::atomic<kernels::Count> zeros{0};
        kernels::forEachChunk(values.size(), entriesPerChunk, nullptr, [&](kernels::Count, kernels::Count begin, kernels::Count end) {
            zeros += static_cast<kernels::Count>(
                std::count(values.begin() + static_cast<std::ptrdiff_t>(begin), values.begin() + static_cast<std::ptrdiff_t>(end), 0));
        });
        return zeros.load();
    });
}

kernels::SparseTensor withoutZeros(const kernels::SparseTensor& tensor, kernels::Count zeros)
{
    kernels::Array<kernels::Count> kept;
    kept.reserve(tensor.entries() - zeros);
    overValues(tensor, [&](const auto& values) {
        for (kernels::Count e = 0; e < values.size(); ++e) {
            if (values[e] != 0)
                kept.push_back(e);
        }
        return 0;
    });
    return kernels::gather(tensor, kept);
}

void dealWithZeros(LoadedTensor& loaded, const ReadOptions& options)
{
    LoadReport& report = loaded.report;
    report.explicitZeros = countZeros(loaded.tensor);
    if (options.keepZeros || report.explicitZeros == 0)
        return;
    loaded.tensor = withoutZeros(loaded.tensor, report.explicitZeros);
    report.zerosDropped = report.explicitZeros;
    report.notes.push_back(fmt::format("{} left out.", counted(report.zerosDropped, "stored zero was", "stored zeros were")));
}

void dealWithDuplicates(LoadedTensor& loaded, const std::string& path, const ReadOptions& options, kernels::Progress& progress)
{
    try {
        loaded.report.duplicatesMerged = kernels::mergeDuplicates(loaded.tensor, options.duplicates, &progress);
    } catch (const kernels::OutOfMemory&) {
        throw;
    } catch (const kernels::Error& error) {
        kernels::Error::Details details = error.details();
        details.where = fileNameOf(path);
        throw Error(std::move(details));
    }
    const kernels::Count merged = loaded.report.duplicatesMerged;
    if (merged == 0)
        return;
    const std::string entries = counted(merged, "entry repeats", "entries repeat");
    switch (options.duplicates) {
    case kernels::Duplicates::Sum:
        loaded.report.warnings.push_back(entries + " a coordinate that occurred before; values of equal coordinates were summed.");
        break;
    case kernels::Duplicates::Mean:
        loaded.report.warnings.push_back(entries + " a coordinate that occurred before; values of equal coordinates were averaged.");
        break;
    case kernels::Duplicates::Last:
        loaded.report.warnings.push_back(entries + " a coordinate that occurred before; the last value was taken.");
        break;
    case kernels::Duplicates::Max:
        loaded.report.warnings.push_back(entries + " a coordinate that occurred before; the largest value was taken.");
        break;
    case kernels::Duplicates::Keep:
        loaded.report.notes.push_back(entries + " a coordinate that occurred before; each stays an entry of its own.");
        break;
    case kernels::Duplicates::Error:
        break;
    }
}

} // namespace

std::string counted(kernels::Count count, const std::string& singular, const std::string& plural)
{
    std::string digits = fmt::format("{}", count);
    for (std::size_t at = digits.size(); at > 3;)
        digits.insert(at -= 3, 1, ',');
    return digits + ' ' + (count == 1 ? singular : plural);
}

void applyGivenDims(kernels::SparseTensor& tensor, const std::vector<kernels::Index>& given, const std::string& path, bool declaredByFile)
{
    if (given.empty())
        return;
    if (given.size() != tensor.order())
        throw Error({"the given dims have another order than the file",
                     fileNameOf(path),
                     fmt::format("{} dims", given.size()),
                     fmt::format("{}", tensor.order()),
                     {}});
    for (unsigned n = 0; n < tensor.order(); ++n) {
        if (given[n] < tensor.modes[n].size)
            throw Error({fmt::format("{} of mode {} is past the given size", declaredByFile ? "the declared size" : "an index", n + 1),
                         fileNameOf(path),
                         fmt::format("{}", tensor.modes[n].size),
                         fmt::format("at most {}", given[n]),
                         {}});
        tensor.modes[n].size = given[n];
    }
}

void finishLoad(LoadedTensor& loaded, const std::string& path, const ReadOptions& options, kernels::Progress& progress)
{
    loaded.report.entriesRead = loaded.tensor.entries();
    const Order order = orderOf(loaded.tensor, progress);
    loaded.report.wasSorted = loaded.tensor.sorted = order != Order::None;
    if (!loaded.tensor.sorted)
        kernels::sortLexicographically(loaded.tensor, &progress);
    if (order != Order::Strict)
        dealWithDuplicates(loaded, path, options, progress);
    dealWithZeros(loaded, options);
    if (loaded.tensor.entries() == 0)
        loaded.report.warnings.push_back("The tensor holds no entries.");
}

const kernels::SparseTensor& sortedAndUnique(const kernels::SparseTensor& tensor, kernels::SparseTensor& storage, WriteReport& report,
                                             kernels::Progress& progress)
{
    report.entries = tensor.entries();
    if (orderOf(tensor, progress) == Order::Strict)
        return tensor;
    storage = tensor;
    kernels::sortLexicographically(storage, &progress);
    if (const kernels::Count merged = kernels::mergeDuplicates(storage, kernels::Duplicates::Mean, &progress))
        report.warnings.push_back(fmt::format("{} a coordinate that occurred before; the file holds the mean of equal coordinates.",
                                              counted(merged, "entry repeats", "entries repeat")));
    report.entries = storage.entries();
    return storage;
}

const kernels::SparseTensor& sortedWithoutLabels(const kernels::SparseTensor& tensor, kernels::SparseTensor& storage, WriteReport& report,
                                                 kernels::Progress& progress)
{
    if (std::any_of(tensor.modes.begin(), tensor.modes.end(), [](const kernels::Mode& mode) { return !mode.labels.empty(); }))
        report.warnings.push_back("This format holds no labels; write HDF5 to keep them.");
    return sortedAndUnique(tensor, storage, report, progress);
}

} // namespace io
