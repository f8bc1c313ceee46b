// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/tensor/statistics.h"

#include "kernels/base/chunks.h"
#include "kernels/tensor/moments.h"
#include "kernels/tensor/value_sample.h"

#include <tbb/combinable.h>
#include <tbb/info.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>

namespace kernels {
namespace {

constexpr Count entriesPerChunk = Count{1} << 15;
constexpr std::size_t evenBins = 32;
constexpr std::size_t mostHeaviest = 10;
constexpr std::size_t mostRanks = 512;
constexpr std::uint64_t privateCountsBudget = std::uint64_t{64} << 20;

/// Calls add(index, how many) for runs of equal neighbours: a giant slice costs one addition per run.
template <class Add> void addRuns(const Array<Index>& indices, Count begin, Count end, const Add& add)
{
    for (Count e = begin; e < end;) {
        const Index index = indices[e];
        const Count first = e;
        while (e < end && indices[e] == index)
            ++e;
        add(index, e - first);
    }
}

/// A copy per thread, added up at the end; whole numbers, so the order does not matter.
template <class Watch> Array<Count> countPrivately(const Array<Index>& indices, Index size, Watch& watch)
{
    tbb::combinable<Array<Count>> parts([size] { return Array<Count>(size, Count{0}); });
    forEachChunk(indices.size(), entriesPerChunk, watch, [&](Count, Count begin, Count end) {
        Array<Count>& counts = parts.local();
        addRuns(indices, begin, end, [&](Index index, Count count) { counts[index] += count; });
    });
    Array<Count> total(size, Count{0});
    parts.combine_each([&](const Array<Count>& counts) {
        for (Index i = 0; i < size; ++i)
            total[i] += counts[i];
    });
    return total;
}

template <class Watch> Array<Count> countTogether(const Array<Index>& indices, Index size, Watch& watch)
{
    Array<Count> counts;
    counts.resize(size);
    forEachChunk(size, entriesPerChunk, nullptr, [&](Count, Count begin, Count end) {
        std::fill(counts.begin() + static_cast<std::ptrdiff_t>(begin), counts.begin() + static_cast<std::ptrdiff_t>(end), Count{0});
    });
    forEachChunk(indices.size(), entriesPerChunk, watch, [&](Count, Count begin, Count end) {
        addRuns(indices, begin, end,
                [&](Index index, Count count) { std::atomic_ref(counts[index]).fetch_add(count, std::memory_order_relaxed); });
    });
    return counts;
}

std::uint64_t mostThreads() { return static_cast<std::uint64_t>(tbb::info::default_concurrency()); }

/// Threads' own counts pay while they are few beside the entries.
bool privateCountsFit(Index size) { return std::uint64_t{size} * sizeof(Count) * mostThreads() <= privateCountsBudget; }

/// Watch is Progress* or RunControl: who is asked between chunks.
template <class Watch> Array<Count> countSlices(const SparseTensor& tensor, unsigned mode, Watch& watch)
{
    const Index size = tensor.modes[mode].size;
    if (privateCountsFit(size) && size <= tensor.entries())
        return countPrivately(tensor.indices[mode], size, watch);
    return countTogether(tensor.indices[mode], size, watch);
}

/// How many slices have how many entries, largest first, without sorting all slices: small counts are
/// tallied, only the few large ones sorted.
class SlicesBySize {
public:
    explicit SlicesBySize(const Array<Count>& counts)
    {
        std::vector<Count> tally(tallied, 0);
        for (const Count count : counts) {
            if (count >= tallied)
                m_large.push_back(count);
            else
                ++tally[count];
        }
        std::sort(m_large.begin(), m_large.end(), std::greater<>());
        m_nonEmpty = m_large.size();
        for (Count size = tallied - 1; size > 0; --size) {
            if (tally[size] == 0)
                continue;
            m_nonEmpty += tally[size];
            m_small.push_back({m_nonEmpty, size});
        }
    }
    Count nonEmpty() const { return m_nonEmpty; }
    /// Entries of the slice of this rank, counted from 1.
    Count atRank(Count rank) const
    {
        if (rank <= m_large.size())
            return m_large[rank - 1];
        return std::lower_bound(m_small.begin(), m_small.end(), rank, [](const auto& step, Count r) { return step.first < r; })->second;
    }

private:
    static constexpr Count tallied = 1 << 16;
    std::vector<Count> m_large;
    std::vector<std::pair<Count, Count>> m_small; // last rank of this size, size
    Count m_nonEmpty = 0;
};

std::vector<std::pair<Count, Count>> thinnedRanks(const SlicesBySize& slices)
{
    std::vector<std::pair<Count, Count>> result;
    const Count last = slices.nonEmpty();
    if (last == 0)
        return result;
    const auto steps = static_cast<double>(mostRanks - 1);
    for (std::size_t i = 0; i < mostRanks; ++i) {
        const double onLogScale = std::exp(std::log(static_cast<double>(last)) * static_cast<double>(i) / steps);
        const Count rank = last <= mostRanks ? i + 1 : std::min(last, static_cast<Count>(std::llround(onLogScale)));
        if (rank > last)
            break;
        if (result.empty() || result.back().first < rank)
            result.emplace_back(rank, slices.atRank(rank));
    }
    return result;
}

std::vector<Slice> heaviestSlices(const Array<Count>& counts)
{
    const auto heavier = [](const Slice& a, const Slice& b) { return a.entries != b.entries ? a.entries > b.entries : a.index < b.index; };
    std::vector<Slice> best; // sorted, at most mostHeaviest
    for (Index i = 0; i < counts.size(); ++i) {
        const Slice slice{i, counts[i]};
        if (slice.entries == 0 || (best.size() == mostHeaviest && !heavier(slice, best.back())))
            continue;
        best.insert(std::upper_bound(best.begin(), best.end(), slice, heavier), slice);
        if (best.size() > mostHeaviest)
            best.pop_back();
    }
    return best;
}

ModeStatistics modeStatistics(const SparseTensor& tensor, unsigned mode, Progress* progress)
{
    const Array<Count> counts = countSlices(tensor, mode, progress);
    if (progress)
        progress->throwIfCancelled(); // many slices take a while, too
    const SlicesBySize slices(counts);
    ModeStatistics result;
    result.emptySlices = counts.size() - slices.nonEmpty();
    if (slices.nonEmpty() > 0) {
        result.largestSlice = slices.atRank(1);
        result.meanSlice = static_cast<double>(tensor.entries()) / static_cast<double>(slices.nonEmpty());
    }
    if (progress)
        progress->throwIfCancelled();
    result.heaviest = heaviestSlices(counts);
    result.slicesByRank = thinnedRanks(slices);
    return result;
}

/// What one pass over the values finds.
struct ValueSummary {
    Moments moments;
    Count zeros = 0;
    double minimum = std::numeric_limits<double>::infinity();
    double maximum = -std::numeric_limits<double>::infinity();
    double squares = 0;
    bool whole = true;
    std::vector<HistogramBin> distinct; // ascending; of no meaning once there are too many
    bool many = false;

    ValueSummary& operator+=(const ValueSummary& other);
    void countValue(double value, Count times);
};

void ValueSummary::countValue(double value, Count times)
{
    if (many)
        return;
    const auto at =
        std::lower_bound(distinct.begin(), distinct.end(), value, [](const HistogramBin& bin, double v) { return bin.lower < v; });
    if (at != distinct.end() && at->lower == value)
        at->count += times;
    else if (distinct.size() == evenBins)
        many = true;
    else
        distinct.insert(at, {value, value, times});
}

ValueSummary& ValueSummary::operator+=(const ValueSummary& other)
{
    moments += other.moments;
    squares += other.squares;
    zeros += other.zeros;
    minimum = std::min(minimum, other.minimum);
    maximum = std::max(maximum, other.maximum);
    whole = whole && other.whole;
    many = many || other.many;
    for (const HistogramBin& bin : other.distinct)
        countValue(bin.lower, bin.count);
    return *this;
}

template <class Value> ValueSummary summaryOfChunk(const Value* begin, const Value* end, bool countsDistinct)
{
    ValueSummary s;
    s.many = !countsDistinct;
    s.moments = Moments::of(begin, end);
    for (const Value* p = begin; p != end; ++p) {
        const auto value = static_cast<double>(*p);
        s.squares += value * value;
        s.zeros += value == 0;
        s.minimum = std::min(s.minimum, value);
        s.maximum = std::max(s.maximum, value);
        s.whole = s.whole && value == std::trunc(value);
        if (s.whole && !s.many)
            s.countValue(value, 1);
    }
    return s;
}

ValueSummary summariseValues(const SparseTensor& tensor, Progress* progress, bool countsDistinct = true)
{
    const Count entries = tensor.entries();
    std::vector<ValueSummary> parts(chunkCount(entries, entriesPerChunk));
    std::visit(
        [&](const auto& values) {
            forEachChunk(entries, entriesPerChunk, progress, [&](Count chunk, Count begin, Count end) {
                parts[chunk] = summaryOfChunk(values.data() + begin, values.data() + end, countsDistinct);
            });
        },
        tensor.values);
    ValueSummary total;
    for (const ValueSummary& part : parts)
        total += part;
    return total;
}

std::vector<HistogramBin> evenHistogram(const SparseTensor& tensor, double minimum, double maximum, Progress* progress)
{
    const double width = (maximum - minimum) / static_cast<double>(evenBins);
    if (!std::isfinite(width) || width <= 0)
        return {{minimum, maximum, tensor.entries()}};
    std::vector<HistogramBin> bins(evenBins);
    for (std::size_t b = 0; b < evenBins; ++b)
        bins[b] = {minimum + width * static_cast<double>(b), b + 1 == evenBins ? maximum : minimum + width * static_cast<double>(b + 1), 0};
    std::array<std::atomic<Count>, evenBins> counts{};
    std::visit(
        [&](const auto& values) {
            forEachChunk(tensor.entries(), entriesPerChunk, progress, [&](Count, Count begin, Count end) {
                std::array<Count, evenBins> own{};
                for (Count e = begin; e < end; ++e) {
                    const double position = (static_cast<double>(values[e]) - minimum) / width;
                    if (position >= 0) // not so for what is no number
                        ++own[std::min(static_cast<std::size_t>(position), evenBins - 1)];
                }
                for (std::size_t b = 0; b < evenBins; ++b)
                    counts[b].fetch_add(own[b], std::memory_order_relaxed);
            });
        },
        tensor.values);
    for (std::size_t b = 0; b < evenBins; ++b)
        bins[b].count = counts[b];
    return bins;
}

void takeValues(const ValueSummary& summary, Count entries, TensorStatistics& to)
{
    to.valueMin = summary.minimum;
    to.valueMax = summary.maximum;
    to.valueMean = summary.moments.mean;
    to.valueDeviation = std::sqrt(summary.moments.variance());
    to.rootMeanSquare = std::sqrt(summary.squares / static_cast<double>(entries));
    to.zeros = summary.zeros;
    to.valuesAreWhole = summary.whole;
}

Count countDuplicates(const SparseTensor& sorted, Progress* progress)
{
    std::atomic<Count> duplicates{0};
    const Count neighbours = sorted.entries() > 0 ? sorted.entries() - 1 : 0;
    forEachChunk(neighbours, entriesPerChunk, progress, [&](Count, Count begin, Count end) {
        Count own = 0;
        for (Count e = begin; e < end; ++e)
            own += std::all_of(sorted.indices.begin(), sorted.indices.end(),
                               [e](const auto& indices) { return indices[e] == indices[e + 1]; });
        duplicates.fetch_add(own, std::memory_order_relaxed);
    });
    return duplicates;
}

} // namespace

TensorStatistics computeStatistics(const SparseTensor& tensor, Progress* progress)
{
    const Count entries = tensor.entries();
    if (progress)
        progress->begin("computing statistics", entries * (tensor.order() + 3));
    TensorStatistics result;
    for (unsigned n = 0; n < tensor.order(); ++n)
        result.modes.push_back(modeStatistics(tensor, n, progress));
    if (entries == 0)
        return result;

    const ValueSummary summary = summariseValues(tensor, progress);
    takeValues(summary, entries, result);
    result.sortedSample = sortedValueSample(tensor);
    result.histogram =
        summary.whole && !summary.many ? summary.distinct : evenHistogram(tensor, summary.minimum, summary.maximum, progress);
    if (tensor.sorted)
        result.duplicates = countDuplicates(tensor, progress);
    if (progress)
        progress->set(progress->total());
    return result;
}

TensorStatistics computeValueStatistics(const SparseTensor& tensor, Progress* progress)
{
    if (progress)
        progress->begin("computing statistics", tensor.entries());
    TensorStatistics result;
    if (tensor.entries() > 0)
        takeValues(summariseValues(tensor, progress, false), tensor.entries(), result);
    return result;
}

Array<Count> sliceCounts(const SparseTensor& tensor, unsigned mode)
{
    Progress* const nobody = nullptr;
    return countSlices(tensor, mode, nobody);
}

Array<Count> sliceCounts(const SparseTensor& tensor, unsigned mode, RunControl& control) { return countSlices(tensor, mode, control); }

std::uint64_t sliceCountsBytes(const std::vector<Index>& dims)
{
    std::uint64_t most = 0;
    for (const Index size : dims)
        most = std::max(most, std::uint64_t{size} * sizeof(Count) * (privateCountsFit(size) ? mostThreads() + 1 : 1));
    return most;
}

} // namespace kernels
