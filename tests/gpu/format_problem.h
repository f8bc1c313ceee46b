// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu.h"
#include "kernels/base/error.h"
#include "kernels/operations/mttkrp/back_end.h"
#include "support/fibre_trees.h"

#include <QtTest>

#include <algorithm>
#include <string>
#include <vector>

/// What formats that are built on a GPU are tried with.
namespace test {

constexpr kernels::DeviceId gpu{kernels::DeviceKind::Cuda, 0};
constexpr kernels::Index longestMode = 4'294'967'295;

/// For formats with positions of entries: modes of any length.
inline std::vector<NamedTensor> tensorsOfAnyLength()
{
    std::vector<NamedTensor> all = awkwardTensors();
    all.push_back({"order 16, longest", randomTensor(std::vector<kernels::Index>(16, longestMode), 3000, 17)});
    all.push_back({"long, one slice", withOneIndex(randomTensor({30, 4000, 500}, 1'500'000, 3), 0, 29)});
    return all;
}

/// For formats that have something for every row of a mode: under a million of them.
inline std::vector<NamedTensor> tensorsOfShortModes()
{
    std::vector<NamedTensor> all;
    for (auto& [name, tensor] : awkwardTensors()) {
        const std::vector<kernels::Index> dims = tensor.dims();
        if (std::all_of(dims.begin(), dims.end(), [](kernels::Index size) { return size < 1'000'000; }))
            all.push_back({name, std::move(tensor)});
    }
    all.push_back({"long, one slice", withOneIndex(randomTensor({30, 4000, 500}, 700'000, 5), 0, 29)});
    return all;
}

inline std::vector<kernels::Matrix> factorsFor(const kernels::SparseTensor& tensor, unsigned rank, bool doubles)
{
    std::vector<kernels::Matrix> factors;
    for (unsigned n = 0; n < tensor.order(); ++n)
        factors.push_back(randomMatrix(tensor.modes[n].size, rank, 20 + n, doubles));
    return factors;
}

/// Of a format whose products a GPU adds atomically, while the CPU's are deterministic.
inline void requireThatOnlyTheCpuPromisesBits(const std::string& format)
{
    namespace mttkrp = kernels::mttkrp;
    kernels::RunControl control;
    const kernels::SparseTensor tensor = randomTensor({3, 4, 5}, 50, 6);
    const auto products = mttkrp::makeMttkrp(kernels::Precision::Fp32, gpu);
    products->load(tensor, factorsFor(tensor, 8, false), {8, true}, control);
    QVERIFY_EXCEPTION_THROWN(products->build(format, control), kernels::Error);
    QVERIFY(!mttkrp::promisesBits(format, kernels::DeviceKind::Cuda) && mttkrp::promisesBits(format, kernels::DeviceKind::Cpu));
}

template <class Builder> void requireThatAStopIsHonoured(Builder& builder)
{
    kernels::RunControl stopped;
    stopped.stop();
    QVERIFY_EXCEPTION_THROWN(builder.build(randomTensor({300, 400, 500}, 2000, 4), stopped), kernels::Cancelled);
}

} // namespace test
