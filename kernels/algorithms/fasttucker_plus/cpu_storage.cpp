// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/algorithms/fasttucker_plus/cpu_storage.h"

#include <algorithm>

namespace kernels::fasttucker_plus {
namespace {

constexpr Count rowsAtOnce = 4096;

template <class T> Array<T> padded(const Matrix& matrix, unsigned stride, RunControl& control)
{
    Array<T> result;
    result.resize(matrix.rows * stride);
    const Array<T>& from = std::get<Array<T>>(matrix.data);
    forEachChunk(matrix.rows, rowsAtOnce, control, [&](Count, Count begin, Count end) {
        for (Count row = begin; row < end; ++row) {
            T* const to = result.data() + row * stride;
            std::copy_n(from.data() + row * matrix.columns, matrix.columns, to);
            std::fill(to + matrix.columns, to + stride, T(0));
        }
    });
    return result;
}

template <class T> Matrix unpadded(const Array<T>& data, std::size_t rows, unsigned columns)
{
    Matrix result = Matrix::unfilled(rows, columns, sizeof(T) == sizeof(double));
    Array<T>& to = std::get<Array<T>>(result.data);
    forEachChunk(rows, rowsAtOnce, nullptr, [&](Count, Count begin, Count end) {
        for (Count row = begin; row < end; ++row)
            std::copy_n(data.data() + row * paddedColumns<T>(columns), columns, to.data() + row * columns);
    });
    return result;
}

} // namespace

template <class T> std::uint64_t StoredModel<T>::bytes() const
{
    std::uint64_t elements = 0;
    for (const auto* group : {&factors, &cores})
        for (const Array<T>& data : *group)
            elements += data.size();
    for (const AlignedArray<T>& data : coresTransposed)
        elements += data.size();
    return elements * sizeof(T);
}

template <class T> void StoredModel<T>::copyNumbers(const StoredModel& other)
{
    const auto copy = [](std::vector<Array<T>>& to, const std::vector<Array<T>>& from) {
        for (std::size_t n = 0; n < from.size(); ++n)
            forEachChunk(from[n].size(), Count{1} << 16, nullptr, [&](Count, Count begin, Count end) {
                std::copy(from[n].begin() + begin, from[n].begin() + end, to[n].begin() + begin);
            });
    };
    copy(factors, other.factors);
    copy(cores, other.cores);
}

template <class T>
void StoredModel<T>::updateCore(unsigned mode, unsigned rank, unsigned coreRank, const double* gradient, const CoreStep& step)
{
    const unsigned coreStride = paddedColumns<T>(coreRank);
    for (unsigned j = 0; j < rank; ++j)
        for (unsigned r = 0; r < coreRank; ++r) {
            const std::size_t at = std::size_t{j} * coreStride + r;
            double b = cores[mode][at];
            b -= step.rate * (gradient[at] / step.entries + step.lambda * b);
            cores[mode][at] = static_cast<T>(step.nonnegative ? std::max(b, 0.0) : b);
        }
}

template <class T> void StoredModel<T>::transposeCores(const std::vector<unsigned>& ranks, unsigned coreRank)
{
    const unsigned coreStride = paddedColumns<T>(coreRank);
    for (std::size_t n = 0; n < cores.size(); ++n) {
        const unsigned stride = paddedColumns<T>(ranks[n]);
        for (unsigned j = 0; j < ranks[n]; ++j)
            for (unsigned r = 0; r < coreRank; ++r)
                coresTransposed[n][std::size_t{r} * stride + j] = cores[n][std::size_t{j} * coreStride + r];
    }
}

template <class T> StoredModel<T> storeModel(const Model& model, RunControl& control)
{
    StoredModel<T> result;
    for (unsigned n = 0; n < model.order(); ++n) {
        const unsigned stride = paddedColumns<T>(model.ranks[n]);
        result.factors.push_back(padded<T>(model.factors[n], stride, control));
        result.cores.push_back(padded<T>(model.coreFactors[n], paddedColumns<T>(model.coreRank), control));
        result.coresTransposed.emplace_back(std::size_t{model.coreRank} * stride);
    }
    result.transposeCores(model.ranks, model.coreRank);
    return result;
}

template <class T> Model publicModel(const StoredModel<T>& stored, const Model& shape)
{
    Model model;
    model.kind = ModelKind::FastTucker;
    model.dims = shape.dims;
    model.ranks = shape.ranks;
    model.coreRank = shape.coreRank;
    for (unsigned n = 0; n < shape.order(); ++n) {
        model.factors.push_back(unpadded(stored.factors[n], shape.dims[n], shape.ranks[n]));
        model.coreFactors.push_back(unpadded(stored.cores[n], shape.ranks[n], shape.coreRank));
    }
    return model;
}

template struct StoredModel<float>;
template struct StoredModel<double>;
template StoredModel<float> storeModel(const Model&, RunControl&);
template StoredModel<double> storeModel(const Model&, RunControl&);
template Model publicModel(const StoredModel<float>&, const Model&);
template Model publicModel(const StoredModel<double>&, const Model&);

} // namespace kernels::fasttucker_plus
