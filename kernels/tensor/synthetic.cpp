// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/tensor/synthetic.h"

#include "kernels/base/chunks.h"
#include "kernels/base/error.h"
#include "kernels/base/host_memory.h"
#include "kernels/models/bulk_predictor.h"
#include "kernels/tensor/moments.h"
#include "kernels/tensor/planted_model.h"
#include "kernels/tensor/sort.h"
#include "kernels/tensor/split.h"
#include "kernels/tensor/synthetic_draws.h"
#include "kernels/tensor/value_draws.h"

#include <fmt/format.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace kernels {
namespace {

constexpr Count drawsPerChunk = Count{1} << 14;
constexpr double leastMean = 1e-6, largestMean = 1e6; ///< a count takes as many steps as the root of its rate

[[noreturn]] void refuse(const char* where, std::string message, std::string found, std::string expected, std::string hint = {})
{
    throw Error(ErrorKind::BadArgument, {std::move(message), where, std::move(found), std::move(expected), std::move(hint)});
}

void checkSizes(const SyntheticSpec& spec)
{
    if (spec.dims.size() < minOrder || spec.dims.size() > maxOrder)
        refuse("dims", "order out of range", fmt::format("{} modes", spec.dims.size()), fmt::format("{} to {}", minOrder, maxOrder));
    if (std::find(spec.dims.begin(), spec.dims.end(), Index{0}) != spec.dims.end())
        refuse("dims", "a mode is empty", "size 0", "at least 1");
    if (spec.entries < 1 || spec.entries > maxEntries || spec.testEntries > maxEntries)
        refuse("entries", "number of entries out of range", fmt::format("{} and {} for testing", spec.entries, spec.testEntries),
               fmt::format("1 to {}", maxEntries));
}

void checkNumbers(const SyntheticSpec& spec)
{
    if (!(spec.mean >= leastMean && spec.mean <= largestMean))
        refuse("mean", "out of range", fmt::format("{}", spec.mean), fmt::format("{} to {}", leastMean, largestMean));
    if (spec.draw != ValueDraw::None && (spec.noise > 0 || spec.valueRange || spec.roundValues || spec.uniformValues))
        refuse("values", "drawn ones stay as they are", spec.noise > 0 ? "noise" : "a range, rounding or uniform values",
               "nothing beside the draw");
    if (!(spec.noise >= 0) || !std::isfinite(spec.noise))
        refuse("noise", "out of range", fmt::format("{}", spec.noise), "a number of at least 0");
    if (spec.skew.size() > 1 && spec.skew.size() != spec.dims.size())
        refuse("skew", "one for all modes or one per mode", fmt::format("{}", spec.skew.size()), fmt::format("1 or {}", spec.dims.size()));
    for (const Skew& skew : spec.skew) {
        if (!(skew.exponent >= 0 && skew.exponent <= 20) || !(skew.offset > 0) || !std::isfinite(skew.offset))
            refuse("skew", "out of range", fmt::format("{}, {}", skew.exponent, skew.offset),
                   "an exponent from 0 to 20 and an offset above 0");
    }
    if (spec.valueRange) {
        const auto [low, high] = *spec.valueRange;
        if (!std::isfinite(low) || !std::isfinite(high) || !(low < high))
            refuse("values", "no range", fmt::format("{} to {}", low, high), "two numbers, the smaller first");
    }
}

/// More than half of the cells would mean endless draws for the last few, and hardly a sparse tensor.
void checkCells(const SyntheticSpec& spec)
{
    long double cells = 1;
    for (const Index size : spec.dims)
        cells *= size;
    const Count total = spec.entries + spec.testEntries;
    if (!spec.keepDuplicates && static_cast<long double>(total) > cells / 2)
        refuse("entries",
               "too many entries to be distinct: they are drawn at random until enough differ, and beyond half of the cells most draws "
               "find one that is there",
               fmt::format("{}{}", total, spec.testEntries > 0 ? " with those for testing" : ""),
               fmt::format("at most {}, half of the {} cells", static_cast<double>(std::floor(cells / 2)), static_cast<double>(cells)),
               "Ask for fewer entries or larger modes, or keep duplicates, which a file holds once.");
}

/// Where each mode's indices come from.
class IndexDraws {
public:
    explicit IndexDraws(const SyntheticSpec& spec)
        : m_seed(spec.seed)
    {
        for (unsigned n = 0; n < spec.dims.size(); ++n) {
            const Skew skew = spec.skew.empty() ? Skew{} : spec.skew[spec.skew.size() == 1 ? 0 : n];
            m_ranks.push_back(synthetic::zipfRanks(skew.exponent, skew.offset, spec.dims[n]));
            m_shuffles.push_back(synthetic::shuffleOfMode(spec.seed, n, spec.dims[n]));
        }
    }

    /// Draws firstDraw, firstDraw + 1, … into the entries from firstEntry to the end.
    void fill(SparseTensor& tensor, Count firstEntry, Count firstDraw, Progress* progress) const
    {
        auto& values = std::get<Array<float>>(tensor.values);
        forEachChunk(tensor.entries() - firstEntry, drawsPerChunk, progress, [&](Count, Count begin, Count end) {
            for (unsigned n = 0; n < tensor.order(); ++n)
                for (Count e = begin; e < end; ++e)
                    tensor.indices[n][firstEntry + e] =
                        synthetic::shuffled(m_shuffles[n], synthetic::zipfRank(m_ranks[n], random::uniform(m_seed, n, firstDraw + e)));
            std::fill(values.begin() + firstEntry + begin, values.begin() + firstEntry + end, 0.0F);
        });
    }

private:
    std::uint64_t m_seed;
    std::vector<synthetic::ZipfRanks> m_ranks;
    std::vector<synthetic::Shuffle> m_shuffles;
};

std::uint64_t entryBytes(const SyntheticSpec& spec) { return spec.dims.size() * sizeof(Index) + sizeof(float); }

SparseTensor drawWithDuplicates(const SyntheticSpec& spec, const IndexDraws& draws, Count firstDraw, Count entries, Progress* progress)
{
    if (progress)
        progress->begin("drawing indices", entries);
    SparseTensor tensor(spec.dims, entries);
    draws.fill(tensor, 0, firstDraw, progress);
    return tensor;
}

/// Numbers 0 … population−1, so many of them, each set equally likely; ascending.
Array<Count> sampleDistinct(Count population, Count wanted, std::uint64_t seed, std::uint64_t stream, Progress* progress)
{
    const bool chooseTheRest = wanted > population / 2;
    const Count size = chooseTheRest ? population - wanted : wanted;
    Array<Count> chosen;
    for (Count drawn = 0; chosen.size() < size;) {
        const Count have = chosen.size();
        const Count more = size - have; // at least half of them are new each time
        chosen.resize(size);
        forEachChunk(more, drawsPerChunk, nullptr, [&](Count, Count begin, Count end) {
            for (Count i = begin; i < end; ++i)
                chosen[have + i] = std::min(population - 1,
                                            static_cast<Count>(random::uniform(seed, stream, drawn + i) * static_cast<double>(population)));
        });
        drawn += more;
        if (progress)
            progress->throwIfCancelled();
        tbb::parallel_sort(chosen.begin(), chosen.end());
        chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    }
    if (!chooseTheRest)
        return chosen;
    Array<Count> rest;
    rest.reserve(wanted);
    for (Count i = 0, next = 0; i < population; ++i) {
        if (next < chosen.size() && chosen[next] == i)
            ++next;
        else
            rest.push_back(i);
    }
    return rest;
}

/// Draws until so many distinct coordinates are there, sorted. Each round draws what the last one's
/// yield says is missing; a surplus goes away at random, so that no coordinate is favoured.
SparseTensor drawDistinct(const SyntheticSpec& spec, const IndexDraws& draws, Count wanted, Progress* progress)
{
    constexpr double mostDrawsPerEntry = 25;
    SparseTensor tensor(spec.dims, 0);
    Count drawn = 0;
    Count more = wanted + wanted / 64 + 64;
    while (true) {
        const Count before = tensor.entries();
        requireHostMemory((before + more) * entryBytes(spec), "Ask for fewer entries.");
        if (progress)
            progress->begin("drawing indices", more);
        tensor.resize(before + more);
        tensor.sorted = false;
        draws.fill(tensor, before, drawn, progress);
        drawn += more;
        sortLexicographically(tensor, progress);
        mergeDuplicates(tensor, Duplicates::Last, progress);
        if (tensor.entries() >= wanted)
            break;
        const double missing = static_cast<double>(wanted - tensor.entries());
        const double yield = static_cast<double>(tensor.entries() - before) / static_cast<double>(more);
        const double limit = mostDrawsPerEntry * static_cast<double>(wanted) + 1e6;
        const double needed = yield > 0 ? 1.1 * missing / yield + 64 : 4 * static_cast<double>(more);
        if (static_cast<double>(drawn) + needed > limit)
            refuse("entries", "too few distinct cells can be reached", fmt::format("{} after {} draws", tensor.entries(), drawn),
                   fmt::format("{}", wanted), "Ask for fewer entries, larger modes or a flatter skew, or keep duplicates.");
        more = static_cast<Count>(std::min(needed, std::max(static_cast<double>(wanted), 65536.0)));
    }
    const Count surplus = tensor.entries() - wanted;
    if (surplus > 0)
        tensor = splitAt(tensor, sampleDistinct(tensor.entries(), surplus, spec.seed, SurplusStream, progress), progress).train;
    return tensor;
}

/// Values of train and test together: what is measured over them is measured over both.
class Values {
public:
    Values(const SyntheticSpec& spec, SyntheticProblem& problem, Progress* progress)
        : m_spec(spec)
        , m_parts{&problem.train, &problem.test}
        , m_progress(progress)
    {
    }

    void draw(const std::optional<Model>& truth)
    {
        for (Part part : {Train, Test}) {
            if (m_parts[part]->entries() == 0)
                continue;
            begin("computing values", part);
            if (truth)
                predict(*truth, part);
            else
                drawUniform(part);
        }
    }

    /// Around the planted ones.
    void drawAround()
    {
        change("drawing values", [&](double mean, Count draw) {
            const double u = random::uniform(m_spec.seed, ValueStream, draw);
            return m_spec.draw == ValueDraw::Poisson ? synthetic::poissonCount(mean, u) : synthetic::exponentialValue(mean, u);
        });
    }

    void addNoise()
    {
        const double deviation = m_spec.noise * std::sqrt(moments().variance());
        change("adding noise", [&](double x, Count draw) { return x + deviation * random::normal(m_spec.seed, NoiseStream, draw); });
    }

    /// The mean goes to the middle, two standard deviations to the ends.
    void fitRange(double low, double high)
    {
        const Moments m = moments();
        const double deviation = std::sqrt(m.variance());
        const double slope = deviation > 0 ? (high - low) / (4 * deviation) : 0;
        change("fitting the range", [&](double x, Count) { return std::clamp((low + high) / 2 + slope * (x - m.mean), low, high); });
    }

    /// Whole numbers; those inside the range where there is one that holds any.
    void round()
    {
        const double low = m_spec.valueRange ? std::ceil(m_spec.valueRange->first) : -std::numeric_limits<double>::infinity();
        const double high = m_spec.valueRange ? std::floor(m_spec.valueRange->second) : std::numeric_limits<double>::infinity();
        change("rounding", [&](double x, Count) { return low <= high ? std::clamp(std::round(x), low, high) : std::round(x); });
    }

private:
    enum Part { Train, Test };

    Array<float>& values(Part part) { return std::get<Array<float>>(m_parts[part]->values); }

    void begin(const char* stage, Part part)
    {
        if (m_progress)
            m_progress->begin(stage, m_parts[part]->entries());
    }

    void predict(const Model& truth, Part part)
    {
        const BulkPredictor predictor(truth, *m_parts[part], m_progress);
        forEachChunk(m_parts[part]->entries(), predictor.entriesPerChunk(), m_progress, [&](Count, Count first, Count end) {
            thread_local std::vector<double> predicted(BulkPredictor::largestChunk);
            predictor.predict(first, end, predicted.data());
            std::transform(predicted.begin(), predicted.begin() + static_cast<std::ptrdiff_t>(end - first),
                           values(part).begin() + static_cast<std::ptrdiff_t>(first), [](double x) { return static_cast<float>(x); });
        });
    }

    void drawUniform(Part part)
    {
        const Count firstDraw = part == Test ? synthetic::testDrawsBegin : 0;
        forEachChunk(m_parts[part]->entries(), drawsPerChunk, m_progress, [&](Count, Count first, Count end) {
            for (Count e = first; e < end; ++e)
                values(part)[e] = static_cast<float>(0.5 + random::uniform(m_spec.seed, ValueStream, firstDraw + e));
        });
    }

    Moments moments()
    {
        Moments total;
        for (Part part : {Train, Test}) {
            std::vector<Moments> chunks(chunkCount(m_parts[part]->entries(), drawsPerChunk));
            forEachChunk(m_parts[part]->entries(), drawsPerChunk, nullptr, [&](Count chunk, Count first, Count end) {
                chunks[chunk] = Moments::of(values(part).data() + first, values(part).data() + end);
            });
            for (const Moments& chunk : chunks)
                total += chunk;
        }
        return total;
    }

    template <class F> void change(const char* stage, const F& f)
    {
        for (Part part : {Train, Test}) {
            begin(stage, part);
            const Count firstDraw = part == Test ? synthetic::testDrawsBegin : 0;
            forEachChunk(m_parts[part]->entries(), drawsPerChunk, m_progress, [&](Count, Count first, Count end) {
                for (Count e = first; e < end; ++e)
                    values(part)[e] = static_cast<float>(f(static_cast<double>(values(part)[e]), firstDraw + e));
            });
        }
    }

    const SyntheticSpec& m_spec;
    std::array<SparseTensor*, 2> m_parts;
    Progress* m_progress;
};

void drawCoordinates(const SyntheticSpec& spec, SyntheticProblem& problem, Progress* progress)
{
    const Count total = spec.entries + spec.testEntries;
    requireHostMemory(total * entryBytes(spec) * (spec.keepDuplicates ? 1 : 2), "Ask for fewer entries.");
    const IndexDraws draws(spec);
    if (spec.keepDuplicates) {
        problem.train = drawWithDuplicates(spec, draws, 0, spec.entries, progress);
        if (spec.testEntries > 0)
            problem.test = drawWithDuplicates(spec, draws, synthetic::testDrawsBegin, spec.testEntries, progress);
        return;
    }
    problem.train = drawDistinct(spec, draws, total, progress);
    if (spec.testEntries == 0)
        return;
    // Drawn from all of them, not the last ones: the popular coordinates would be gone by then.
    Split split = splitAt(problem.train, sampleDistinct(total, spec.testEntries, spec.seed, TestStream, progress), progress);
    problem.train = std::move(split.train);
    problem.test = std::move(split.test);
}

} // namespace

SyntheticProblem generate(const SyntheticSpec& spec, Progress* progress)
{
    checkSizes(spec);
    checkNumbers(spec);
    checkCells(spec);
    SyntheticProblem problem;
    if (!spec.uniformValues) {
        checkPlantedModel(spec);
        problem.truth = plantedModel(spec, progress);
    }
    drawCoordinates(spec, problem, progress);

    Values values(spec, problem, progress);
    values.draw(problem.truth);
    if (spec.draw != ValueDraw::None)
        values.drawAround();
    if (spec.noise > 0)
        values.addNoise();
    if (spec.valueRange)
        values.fitRange(spec.valueRange->first, spec.valueRange->second);
    if (spec.roundValues)
        values.round();
    problem.train.emptyCells = problem.test.emptyCells = EmptyCells::Unknown; // a cell that was not drawn has a planted value, too
    return problem;
}

} // namespace kernels
