// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/hdf5_tensor/index_rows.h"

#include "io/error.h"
#include "kernels/base/array.h"
#include "kernels/base/chunks.h"

#include <fmt/format.h>

#include <atomic>
#include <cmath>

namespace io::hdf5_tensor {

using hdf5::CheckedDataset;
using hdf5::NumberClass;
using kernels::Count;
using kernels::Index;

namespace {

constexpr Count elementsPerChunk = Count{1} << 16;

template <class T> void convert(const CheckedDataset& set, hsize_t row, hsize_t count, hsize_t elements, Index* to)
{
    kernels::Array<T> stored(elements);
    hdf5::readRows(set, row, count, stored.data());
    std::atomic<bool> fit{true};
    kernels::forEachChunk(elements, elementsPerChunk, nullptr, [&](Count, Count begin, Count end) {
        bool good = true;
        for (Count i = begin; i < end; ++i) {
            const T x = stored[i];
            const bool isIndex = x >= 0 && x <= static_cast<T>(largestIndex) && x == static_cast<T>(static_cast<Index>(x));
            good = good && isIndex;
            to[i] = isIndex ? static_cast<Index>(x) : Index{0};
        }
        if (!good)
            fit.store(false, std::memory_order_relaxed);
    });
    for (hsize_t i = 0; i < elements && !fit; ++i) // finds the first fault, and says what it is
        to[i] = toIndex(stored[i], set, row * (elements / count) + i);
}

} // namespace

std::string entryOf(const CheckedDataset& set, Count entry) { return fmt::format("{} entry {} (from 0)", set.where, entry); }

Index toIndex(std::int64_t stored, const CheckedDataset& set, Count entry)
{
    if (stored < 0)
        throw Error({"negative index", entryOf(set, entry), fmt::format("{}", stored), "0 or more", {}});
    if (static_cast<std::uint64_t>(stored) > largestIndex)
        throw Error({"index too large", entryOf(set, entry), fmt::format("{}", stored), fmt::format("at most {}", largestIndex), {}});
    return static_cast<Index>(stored);
}

Index toIndex(double stored, const CheckedDataset& set, Count entry)
{
    if (!(stored == std::floor(stored)) || std::abs(stored) > 0x1p53)
        throw Error({"index is not a whole number", entryOf(set, entry), fmt::format("{}", stored), {}, {}});
    return toIndex(static_cast<std::int64_t>(stored), set, entry);
}

void readIndexRows(const CheckedDataset& set, hsize_t row, hsize_t count, hsize_t elements, Index* to)
{
    if (set.numbers == NumberClass::Unsigned && set.elementBytes <= sizeof(Index))
        hdf5::readRows(set, row, count, to);
    else if (set.numbers == NumberClass::Floating)
        convert<double>(set, row, count, elements, to);
    else
        convert<std::int64_t>(set, row, count, elements, to);
}

} // namespace io::hdf5_tensor
