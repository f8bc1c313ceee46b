// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/baselines.h"

#include "kernels/operations/additive_baseline.h"

namespace kernels {
namespace {

BaselineErrors errorsOfParts(const AdditiveModel& model, const SparseTensor& train, const SparseTensor* test, Progress* progress)
{
    const ErrorSums ofTrain = errorsOf(model, train, progress), ofTest = test ? errorsOf(model, *test, progress) : ErrorSums{};
    return {ofTest.rmse(), ofTest.mae(), ofTrain.rmse(), ofTrain.mae(), notMeasured};
}

} // namespace

Baselines measureBaselines(const SparseTensor& train, const SparseTensor* test, Objective objective, Progress* progress)
{
    Baselines baselines;
    if (train.entries() == 0)
        return baselines;
    if (objective == Objective::All) {
        const CellFits fits = fitsOfAllCells(train, progress);
        baselines.mean.fit = fits.mean;
        baselines.additive.fit = fits.additive;
        return baselines;
    }
    baselines.mean = errorsOfParts(meanModel(train, progress), train, test, progress);
    baselines.additive = errorsOfParts(fitAdditiveModel(train, progress), train, test, progress);
    return baselines;
}

} // namespace kernels
