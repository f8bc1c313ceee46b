// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/tucker_hooi/plan.h"
#include "kernels/device/back_ends.h"
#include "kernels/operations/ttm_chain/ttm_chain.h"

#include <Eigen/Core>

#include <string>
#include <vector>

namespace kernels::tucker_hooi {

inline constexpr const char* algorithmId = "tucker-hooi";

using Square = Eigen::MatrixXd; ///< in fp64 whatever the run's precision

/// Numbers of the host, row-major in rows of `stride`.
struct Tall {
    std::uint64_t rows = 0;
    unsigned columns = 0, stride = 0;
    Array<double> numbers;

    Tall(std::uint64_t rows, unsigned columns); ///< unfilled
    auto map() { return Eigen::Map<RowMajor, 0, Eigen::OuterStride<>>(numbers.data(), long(rows), columns, Eigen::OuterStride<>(stride)); }
    auto map() const
    {
        return Eigen::Map<const RowMajor, 0, Eigen::OuterStride<>>(numbers.data(), long(rows), columns, Eigen::OuterStride<>(stride));
    }

private:
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
};

/// What a back end is given once. The tensors outlive it, the rest is valid during load() only.
struct Problem {
    const SparseTensor& train;
    const SparseTensor* test = nullptr;
    const std::vector<Matrix>& start; ///< factors in the master type
    const Plan& plan;
    unsigned threads = 0; ///< CPU only
};

/// Seconds since they were asked for last.
struct Spent {
    double chains = 0, trees = 0;
};

/// What touches entries or rows; what is small is solver.cpp's. Y is the chain of the mode at hand as a matrix (ttm_chain.h), Z
/// some columns over its rows, in fp64 on the CPU.
class HooiBackEnd : public BackEnd {
public:
    /// What a run may count on where it computes.
    virtual std::uint64_t freeBytes() const = 0;
    virtual void load(const Problem&, RunControl&) = 0;
    /// Y is this mode's from now on.
    virtual void begin(unsigned mode, RunControl&) = 0;
    virtual std::uint64_t rows() const = 0; ///< of Y
    virtual std::uint64_t width() const = 0; ///< of Y
    virtual const std::vector<unsigned>& modeOrder() const = 0; ///< root, then the modes of Y's columns, the fastest last
    virtual Square columnGram(RunControl&) = 0; ///< YᵀY
    virtual Square rowGram(RunControl&) = 0; ///< Y Yᵀ, where Y is whole
    virtual void multiply(const Tall& by, RunControl&) = 0; ///< Z ← Y · by
    virtual Tall multiplyTransposed(RunControl&) = 0; ///< Yᵀ Z
    virtual void setRows(const Square& rows, RunControl&) = 0; ///< Z ← these
    virtual void seedRows(unsigned columns, std::uint64_t seed, RunControl&) = 0; ///< Z ← the mode's factor, then random columns
    virtual Square gramOfRows(RunControl&) = 0; ///< ZᵀZ
    virtual void combineRows(const Square& by, RunControl&) = 0; ///< Z ← Z · by
    /// A ← Z, zeros for slices without entries and in columns Z has not. Returns AᵀA of what is stored.
    virtual Square takeFactor(RunControl&) = 0;
    virtual void setFactor(unsigned mode, const Matrix&) = 0;
    virtual Matrix factor(unsigned mode, Snapshot) const = 0;
    virtual Spent spent() = 0;
    /// core: row-major, J_0 × … × J_{N−1}.
    virtual ttm::Judgement judge(const Array<double>& core, bool testSet, RunControl&) = 0;
    virtual void rememberBest() = 0; ///< factors
    virtual MemoryUse memoryUse() const = 0; ///< without the core
};

std::unique_ptr<Solver> makeSolver(const SolverInput&);

/// A core of a tree's order of modes, or back.
enum class Towards { Tree, Natural };
void permuteCore(const double* from, double* to, const std::vector<unsigned>& ranks, const std::vector<unsigned>& modeOrder, Towards);

} // namespace kernels::tucker_hooi
