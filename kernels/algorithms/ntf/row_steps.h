// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/base/types.h"
#include "kernels/operations/divergence_kind.h"

/// The loops of multiplicative updates on the CPU, one table for each instruction set (row_steps_isa.cpp). Plain data alone: what
/// such a source includes must bring no inline functions that others use. Rows are aligned, `stride` a multiple of 64 bytes, what is
/// past the rank zero.
namespace kernels::ntf {

/// Entries whose products S are made before their weights.
constexpr unsigned entriesAtOnce = 16;

/// Entries of one row, from begin to end: adds P = Σ p and P̄ = Σ p̄ of every r to two sums in fp64.
template <class T> struct RowWalk {
    Divergence divergence = Divergence::Euclidean;
    unsigned others = 0, stride = 0;
    const Index* indices[maxOrder] = {}; ///< [other]
    const T* rows[maxOrder] = {}; ///< [other]
    const T* values = nullptr;
    const T* own = nullptr; ///< the row as x̂ takes it
    T least = 0; ///< of x̂
    T* products = nullptr; ///< room for entriesAtOnce rows
    T* stretch = nullptr; ///< room for two: what some hundred entries add up to
    double* up = nullptr; ///< P
    double* down = nullptr; ///< P̄
    Count begin = 0, end = 0;
};

/// a ← …, by what is minimised and how.
enum class Rule {
    Plain, ///< a P / (P̄ + λ a)
    KullbackLeibler, ///< 2 a P / (P̄ + √(P̄² + 4 λ a P))
    ItakuraSaito ///< a √(P / (P̄ + λ a))
};

/// A number stays as it is where its sums say nothing (P̄ + λ a = 0) or are no finite numbers, or the new one would be none.
template <class T> struct RowUpdate {
    Rule rule = Rule::Plain;
    unsigned stride = 0;
    double penalty = 0; ///< λ
    const double* up = nullptr;
    const double* down = nullptr;
    T* row = nullptr;
};

/// Entries of a model's x̂, from begin to end, in fp64.
template <class T> struct JudgeWalk {
    Divergence divergence = Divergence::Euclidean;
    unsigned order = 0, stride = 0;
    const Index* indices[maxOrder] = {};
    const T* factors[maxOrder] = {};
    const float* floats = nullptr; ///< the values: one of the two
    const double* doubles = nullptr;
    double unit = 1; ///< of x̂
    double least = 0; ///< of x̂ in divergences
    Count begin = 0, end = 0;
    double squared = 0, absolute = 0, divergences = 0; ///< out: Σ (x̂ − x)², Σ |x̂ − x|, Σ d(x, x̂)
};

template <class T> struct RowSteps {
    void (*walk)(const RowWalk<T>&) = nullptr;
    void (*update)(const RowUpdate<T>&) = nullptr;
    double (*squares)(const T* row, unsigned stride) = nullptr; ///< Σ a²
    void (*judge)(JudgeWalk<T>&) = nullptr;
};

/// For the machine.
const RowSteps<float>& rowSteps(float);
const RowSteps<double>& rowSteps(double);

} // namespace kernels::ntf
