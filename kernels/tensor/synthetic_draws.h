// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/random.h"
#include "kernels/base/types.h"
#include "kernels/tensor/synthetic.h"
#include "kernels/tensor/value_draws.h"

#include <cmath>
#include <cstdint>

/// The draws of the benchmark presets, entry by entry. Each is a pure function of seed and entry number,
/// written once for CPU and CUDA: both make the data that published figures were measured on, and a
/// part of it is always its beginning. Fused multiply-adds stand where they are meant; everything else
/// rounds after each operation.
namespace kernels::synthetic {

constexpr std::uint64_t publishedSeed = 20240601;
constexpr unsigned plantedTerms = 8; ///< rank of the planted CP term of ratings, counts and intensities
constexpr Count testDrawsBegin = Count{1} << 40; ///< entry numbers of test draws

/// Seed 1 gives the published data, every other seed data of its own.
POLYAD_HOST_DEVICE std::uint64_t presetDrawSeed(std::uint64_t seed)
{
    return seed == 1 ? publishedSeed : random::mix(publishedSeed ^ random::mix(seed));
}

/// cos(2πu) for u in (0, 1), exact in its reduction.
POLYAD_HOST_DEVICE double cosineOfTurn(double u)
{
#ifdef __CUDA_ARCH__
    return cospi(2.0 * u);
#else
    constexpr double pi = 3.14159265358979323846;
    const double half = fabs(2.0 * u - 1.0); // cos(2πu) = −cos(π · half), half in [0, 1)
    if (half <= 0.25)
        return -cos(pi * half);
    if (half >= 0.75)
        return cos(pi * (1.0 - half));
    return sin(pi * (half - 0.5));
#endif
}

POLYAD_HOST_DEVICE double normalFromBits(std::uint64_t first, std::uint64_t second)
{
    return sqrt(-2.0 * log(random::uniform(first))) * cosineOfTurn(random::uniform(second));
}

/// Ranks 0 … size−1 with density ∝ (t + q)^−s, by inverting the distribution of the continuous t.
/// What does not depend on the draw is worked out before.
struct ZipfRanks {
    enum class Form { Uniform, Logarithm, Power };
    Form form = Form::Uniform;
    Index size = 1;
    double offset = 1; ///< q
    double low = 0, span = 0,
           inverseExponent = 1; ///< Power: q^a, (size + q)^a − q^a, 1/a with a = 1 − s; Logarithm: span = log((size + q)/q)
};

inline ZipfRanks zipfRanks(double exponent, double offset, Index size)
{
    ZipfRanks z;
    z.size = size;
    z.offset = offset;
    const double end = static_cast<double>(size) + offset;
    if (exponent < 1e-9) {
        z.form = ZipfRanks::Form::Uniform;
    } else if (fabs(exponent - 1.0) < 1e-9) {
        z.form = ZipfRanks::Form::Logarithm;
        z.span = log(end / offset);
    } else {
        const double a = 1.0 - exponent;
        z.form = ZipfRanks::Form::Power;
        z.low = pow(offset, a);
        z.span = pow(end, a) - z.low;
        z.inverseExponent = 1.0 / a;
    }
    return z;
}

POLYAD_HOST_DEVICE Index zipfRank(const ZipfRanks& z, double u)
{
    double t = 0;
    switch (z.form) {
    case ZipfRanks::Form::Uniform:
        t = z.offset + u * static_cast<double>(z.size);
        break;
    case ZipfRanks::Form::Logarithm:
        t = z.offset * exp(u * z.span);
        break;
    case ZipfRanks::Form::Power:
        t = pow(z.low + u * z.span, z.inverseExponent);
        break;
    }
    const double rank = t - z.offset;
    if (!(rank > 0))
        return 0;
    return rank >= static_cast<double>(z.size) ? z.size - 1 : static_cast<Index>(rank);
}

/// index = (factor · rank + shift) mod size, factor and size without common divisor: popular ranks lie anywhere.
struct Shuffle {
    Index size = 1, factor = 1, shift = 0;
};

inline Shuffle shuffleOfMode(std::uint64_t seed, unsigned mode, Index size)
{
    const auto commonDivisor = [](std::uint64_t a, std::uint64_t b) {
        while (b) {
            const std::uint64_t rest = a % b;
            a = b;
            b = rest;
        }
        return a;
    };
    std::uint64_t factor = random::mix(seed + mode) % size | 1;
    while (commonDivisor(factor, size) != 1)
        ++factor;
    factor %= size;
    return {size, static_cast<Index>(factor == 0 ? 1 : factor), static_cast<Index>(random::mix(seed * 31 + mode) % size)};
}

POLYAD_HOST_DEVICE Index shuffled(const Shuffle& s, Index rank)
{
    return static_cast<Index>((static_cast<std::uint64_t>(rank) * s.factor + s.shift) % s.size);
}

/// Element `position` = row · 8 + k of a rating preset's factor of one mode: mode 0 holds the first
/// mode's bias in k = 0, mode 1 its own in k = 1, both their interaction in the rest; further modes vary mildly.
POLYAD_HOST_DEVICE float ratingFactor(std::uint64_t seed, unsigned mode, std::uint64_t position)
{
    const std::uint64_t modeSeed = seed * 77 + mode * std::uint64_t{1000003};
    const auto z =
        static_cast<float>(normalFromBits(random::mix(modeSeed ^ (position * 2 + 1)), random::mix(modeSeed ^ (position * 2 + 2))));
    if (mode > 1)
        return fmaf(0.1F, z, 1.0F);
    const unsigned k = static_cast<unsigned>(position % plantedTerms);
    if (k > 1)
        return 0.45F * z;
    return k == mode ? 0.35F * z : 1.0F;
}

/// The same of a preset of counts or intensities: few large and many small.
POLYAD_HOST_DEVICE float rateFactor(std::uint64_t seed, unsigned mode, std::uint64_t position)
{
    const double u = random::uniform(random::bits(seed, mode, position));
    return static_cast<float>(u * u * u);
}

/// One mode of a preset; factor is I × 8 row-major where values come of a model, in the memory of whoever draws.
struct PresetMode {
    ZipfRanks ranks;
    Shuffle shuffle;
    const float* factor = nullptr;
};

/// Everything a draw needs: plain data, copied to a device by value.
struct PresetDraws {
    PresetMode modes[maxOrder];
    unsigned order = 0;
    PresetValues values = PresetValues::Uniform;
    std::uint64_t seed = publishedSeed;

    POLYAD_HOST_DEVICE std::uint64_t bits(Count draw, unsigned stream) const { return random::mix(seed ^ random::mix(draw * 16 + stream)); }

    POLYAD_HOST_DEVICE Index index(Count draw, unsigned mode) const
    {
        const PresetMode& m = modes[mode];
        return shuffled(m.shuffle, zipfRank(m.ranks, random::uniform(bits(draw, mode))));
    }

    POLYAD_HOST_DEVICE float term(const Index* index) const
    {
        float sum = 0;
        for (unsigned k = 0; k < plantedTerms; ++k) {
            float product = 1;
            for (unsigned m = 0; m < order; ++m)
                product *= modes[m].factor[static_cast<std::uint64_t>(index[m]) * plantedTerms + k];
            sum += product;
        }
        return sum;
    }

    /// The value that belongs to the draw, as its preset has it; index as drawn. On the CPU: so are counts.
    float value(Count draw, const Index* index) const
    {
        const double u = random::uniform(bits(draw, 12));
        const double scale = ldexp(1.0 / plantedTerms, static_cast<int>(2 * order)); // to a mean of 1: U³ has 1/4
        switch (values) {
        case PresetValues::Uniform:
            break;
        case PresetValues::Ratings: {
            const auto z = static_cast<float>(normalFromBits(bits(draw, 12), bits(draw, 13)));
            return fminf(5.0F, fmaxf(1.0F, rintf(fmaf(0.9F, z, 3.6F + term(index)))));
        }
        case PresetValues::Counts:
            return static_cast<float>(poissonCount(5 * scale * static_cast<double>(term(index)), u));
        case PresetValues::Intensities:
            return static_cast<float>(exponentialValue(scale * static_cast<double>(term(index)), u));
        }
        return 0.5F + static_cast<float>(u);
    }
};

} // namespace kernels::synthetic
