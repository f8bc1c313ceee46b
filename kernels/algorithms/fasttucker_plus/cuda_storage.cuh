// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/algorithms/fasttucker_plus/cuda_plan.cuh"
#include "kernels/algorithms/fasttucker_plus/cuda_support.cuh"
#include "kernels/algorithms/fasttucker_plus/entry_order.h"
#include "kernels/base/chunks.h"
#include "kernels/device/transfer.cuh"

/// What a run keeps on the device: entries, and the model as it is and as it was best.
namespace kernels::fasttucker_plus::gpu {

/// One set of entries, structure of arrays.
template <class T> struct Entries {
    Count count = 0;
    std::vector<cuda::DeviceBuffer<Index>> indices;
    cuda::DeviceBuffer<T> values;

    Entries() = default;
    Entries(unsigned order, Count entries)
        : count(entries)
        , values(entries)
    {
        for (unsigned n = 0; n < order; ++n)
            indices.emplace_back(entries);
    }
    static std::uint64_t bytesFor(unsigned order, Count entries) { return entries * (order * sizeof(Index) + sizeof(T)); }
    std::uint64_t bytes() const { return bytesFor(static_cast<unsigned>(indices.size()), count); }
};

/// Brings entries to the device column by column; shuffled ones take a detour through a buffer of one column.
template <class T> class EntryUploader {
public:
    EntryUploader(const cuda::Stream& stream, cuda::Uploader& uploader, Count shuffledEntries, std::uint64_t seed)
        : m_stream(stream)
        , m_uploader(uploader)
        , m_order(loadOrder(shuffledEntries, seed))
        , m_column(bytesFor(shuffledEntries))
    {
    }
    ~EntryUploader() { (void)cudaStreamSynchronize(m_stream); } // the column may still be read
    static std::uint64_t bytesFor(Count shuffledEntries) { return shuffledEntries * std::max(sizeof(Index), sizeof(T)); }

    void upload(const SparseTensor& tensor, bool shuffled, Entries<T>& to)
    {
        for (unsigned n = 0; n < tensor.order(); ++n)
            column(tensor.indices[n].data(), to.count, shuffled, to.indices[n].data());
        std::visit([&](const auto& values) { column(values.data(), to.count, shuffled, to.values.data()); }, tensor.values);
    }
    /// Entry positions[p] becomes number p; gathered on the host, a column at a time.
    void upload(const SparseTensor& tensor, const Array<Count>& positions, Entries<T>& to, RunControl& control)
    {
        for (unsigned n = 0; n < tensor.order(); ++n)
            m_uploader.upload(gathered(tensor.indices[n], positions, control).data(), to.count, to.indices[n].data());
        std::visit([&](const auto& values) { m_uploader.upload(gathered(values, positions, control).data(), to.count, to.values.data()); },
                   tensor.values);
    }

private:
    template <class Column> static Column gathered(const Column& from, const Array<Count>& positions, RunControl& control)
    {
        Column to;
        to.resize(positions.size());
        forEachChunk(positions.size(), Count{1} << 15, control, [&](Count, Count begin, Count end) {
            for (Count i = begin; i < end; ++i)
                to[i] = from[positions[i]];
        });
        return to;
    }

    template <class From, class To> void column(const From* from, Count count, bool shuffled, To* to)
    {
        To* const target = shuffled ? reinterpret_cast<To*>(m_column.data()) : to;
        m_uploader.upload(from, count, target);
        if (shuffled && count > 0)
            launchPermute(to, static_cast<const To*>(target), m_order, m_stream);
    }

    const cuda::Stream& m_stream;
    cuda::Uploader& m_uploader;
    Permutation m_order;
    cuda::DeviceBuffer<unsigned char> m_column;
};

/// A of all modes, then B of all modes, rows padded with zeros; the same again as it was best; B transposed.
template <class T> class DeviceModel {
public:
    DeviceModel() = default;
    DeviceModel(const std::vector<Index>& dims, const KernelPlan<T>& plan)
        : m_factorElements(factorElementsOf(dims, plan))
        , m_coreElements(plan.coreElements())
        , m_rank(plan.rank)
        , m_coreRank(plan.coreRank)
        , m_dims(dims)
        , m_parameters(m_factorElements + m_coreElements)
        , m_best(m_parameters.count())
        , m_transposed(m_coreElements)
    {
    }
    static std::uint64_t bytesFor(const std::vector<Index>& dims, const KernelPlan<T>& plan)
    {
        return (2 * factorElementsOf(dims, plan) + 3 * plan.coreElements()) * sizeof(T);
    }

    T* factors() { return m_parameters.data(); }
    T* factors(unsigned mode)
    {
        T* rows = factors();
        for (unsigned n = 0; n < mode; ++n)
            rows += std::size_t{m_dims[n]} * m_rank[n];
        return rows;
    }
    std::size_t coreElements() const { return m_coreElements; }
    T* cores() { return m_parameters.data() + m_factorElements; }
    T* coresTransposed() { return m_transposed.data(); }

    void upload(const Model& start, cuda::Uploader& uploader, const cuda::Stream& stream)
    {
        T* factor = factors();
        for (unsigned n = 0; n < m_rank.size(); ++n) {
            uploader.uploadRows(numbers(start.factors[n]), m_dims[n], start.ranks[n], factor, m_rank[n]);
            factor += std::size_t{m_dims[n]} * m_rank[n];
        }
        CUDA_CHECK(cudaMemsetAsync(cores(), 0, m_coreElements * sizeof(T), stream));
        T* core = cores();
        for (unsigned n = 0; n < m_rank.size(); ++n) {
            uploader.uploadRows(numbers(start.coreFactors[n]), start.ranks[n], start.coreRank, core, m_coreRank);
            core += m_rank[n] * m_coreRank;
        }
        transposeCores(stream);
    }

    void transposeCores(const cuda::Stream& stream)
    {
        T* core = cores();
        T* transposed = coresTransposed();
        std::vector<CoreUpdate<T>> copies;
        for (unsigned n = 0; n < m_rank.size(); ++n) {
            CoreUpdate<T> copy; // a step of rate 0 writes the transpose
            copy.rank = m_rank[n];
            copy.coreRank = m_coreRank;
            copy.core = core;
            copy.transposed = transposed;
            copies.push_back(copy);
            core += m_rank[n] * m_coreRank;
            transposed += m_rank[n] * m_coreRank;
        }
        launchCoreUpdates<T>(copies, stream);
    }

    void rememberBest(const cuda::Stream& stream)
    {
        CUDA_CHECK(cudaMemcpyAsync(m_best.data(), m_parameters.data(), m_best.bytes(), cudaMemcpyDeviceToDevice, stream));
    }

    /// Into a model that has everything but its numbers.
    void download(Snapshot snapshot, Model& model, const cuda::Stream& stream) const
    {
        const T* from = snapshot == Snapshot::Best ? m_best.data() : m_parameters.data();
        for (unsigned n = 0; n < m_rank.size(); ++n) {
            model.factors.push_back(rows(from, m_dims[n], model.ranks[n], m_rank[n], stream));
            from += std::size_t{m_dims[n]} * m_rank[n];
        }
        for (unsigned n = 0; n < m_rank.size(); ++n) {
            model.coreFactors.push_back(rows(from, model.ranks[n], model.coreRank, m_coreRank, stream));
            from += std::size_t{m_rank[n]} * m_coreRank;
        }
    }

    void enter(Tables<T>& tables)
    {
        T* factor = factors();
        T* core = cores();
        T* transposed = coresTransposed();
        tables.order = static_cast<unsigned>(m_rank.size());
        tables.coreRank = m_coreRank;
        for (unsigned n = 0; n < m_rank.size(); ++n) {
            tables.rank[n] = m_rank[n];
            tables.factors[n] = factor;
            tables.cores[n] = core;
            tables.coresTransposed[n] = transposed;
            factor += std::size_t{m_dims[n]} * m_rank[n];
            core += m_rank[n] * m_coreRank;
            transposed += m_rank[n] * m_coreRank;
        }
    }

private:
    static std::size_t factorElementsOf(const std::vector<Index>& dims, const KernelPlan<T>& plan)
    {
        std::size_t sum = 0;
        for (unsigned n = 0; n < dims.size(); ++n)
            sum += std::size_t{dims[n]} * plan.rank[n];
        return sum;
    }
    static const T* numbers(const Matrix& matrix) { return std::get<Array<T>>(matrix.data).data(); }

    static Matrix rows(const T* from, std::size_t count, std::size_t width, std::size_t pitch, const cuda::Stream& stream)
    {
        Matrix matrix(count, width, sizeof(T) == sizeof(double));
        T* const to = std::get<Array<T>>(matrix.data).data();
        CUDA_CHECK(
            cudaMemcpy2DAsync(to, width * sizeof(T), from, pitch * sizeof(T), width * sizeof(T), count, cudaMemcpyDeviceToHost, stream));
        stream.synchronize();
        return matrix;
    }

    std::size_t m_factorElements = 0, m_coreElements = 0;
    std::vector<unsigned> m_rank; ///< padded
    unsigned m_coreRank = 0; ///< padded
    std::vector<Index> m_dims;
    cuda::DeviceBuffer<T> m_parameters, m_best, m_transposed;
};

} // namespace kernels::fasttucker_plus::gpu
