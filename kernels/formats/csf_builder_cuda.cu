// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/dispatch.h"
#include "kernels/base/error.h"
#include "kernels/formats/csf_builder.h"
#include "kernels/formats/csf_merge_cuda.cuh"
#include "kernels/formats/entry_transfer.cuh"
#include "kernels/formats/mmcsf_cuda.cuh"

#include <algorithm>
#include <utility>

namespace kernels::formats {
namespace {

using cuda::DeviceBuffer;

template <class T> class CudaCsfBuilder final : public CsfBuilder {
public:
    explicit CudaCsfBuilder(int device)
        : m_device(device)
    {
        useDevice();
        m_stream = std::make_unique<cuda::Stream>();
    }
    ~CudaCsfBuilder() override
    {
        (void)cudaSetDevice(m_device);
        (void)cudaStreamSynchronize(*m_stream);
    }

    void load(const SparseTensor& tensor, RunControl& control) override
    {
        useDevice();
        m_tree = {};
        m_stream->synchronize();
        m_entries.reset();
        m_entries = std::make_unique<gpu::UploadedEntries<T>>(tensor, control, *m_stream);
    }

    void build(const std::vector<unsigned>& modeOrder, const std::optional<BcsfLimits>& limits, RunControl& control) override
    {
        useDevice();
        if (limits)
            checkLimits(*limits);
        m_tree = {};
        m_tree.tree = gpu::buildCsf(columns(), modeOrder, control, *m_stream);
        m_dims = columns().dims;
        if (limits)
            m_tree = gpu::balance(std::move(m_tree.tree), *limits, control, *m_stream);
    }

    void merge(const SparseTensor& added, Duplicates duplicates, RunControl& control) override
    {
        useDevice();
        if (m_tree.tree.modeOrder.empty() || !m_tree.blockBegins.empty())
            throw Error(ErrorKind::Internal, "no tree of fibres stands that takes new entries");
        const gpu::UploadedEntries<T> entries(added, control, *m_stream);
        gpu::mergeIntoCsf(m_tree.tree, entries.columns(), duplicates, control, *m_stream);
        for (std::size_t n = 0; n < m_dims.size(); ++n)
            m_dims[n] = std::max(m_dims[n], entries.columns().dims[n]);
    }

    Bcsf take(RunControl& control) override
    {
        useDevice();
        if (m_tree.tree.modeOrder.empty())
            throw Error(ErrorKind::Internal, "no tree of fibres stands to be taken");
        Bcsf result;
        result.limits = m_tree.limits;
        result.tree = download(m_tree.tree, m_dims, control);
        for (const auto& begins : m_tree.blockBegins)
            result.blockBegins.push_back(download(begins));
        m_tree = {};
        return result;
    }

    Mmcsf buildMixed(RunControl& control) override
    {
        useDevice();
        m_tree = {};
        Mmcsf result;
        for (const gpu::DeviceCsf<T>& tree : gpu::buildMmcsf(columns(), control, *m_stream))
            result.trees.push_back(download(tree, columns().dims, control));
        return result;
    }

private:
    void useDevice() const { CUDA_CHECK(cudaSetDevice(m_device)); }

    const gpu::EntryColumns<T>& columns() const
    {
        if (!m_entries)
            throw Error(ErrorKind::Internal, "no entries were loaded for trees of fibres");
        return m_entries->columns();
    }

    Csf download(const gpu::DeviceCsf<T>& from, const std::vector<Index>& dims, RunControl& control) const
    {
        Csf tree;
        tree.dims = dims;
        tree.modeOrder = from.modeOrder;
        for (std::size_t level = 0; level < from.children.size(); ++level) {
            control.checkpoint();
            tree.levels.push_back({download(from.indices[level]), download(from.children[level])});
        }
        tree.leaves = download(from.indices.back());
        tree.values = download(from.values);
        return tree;
    }

    template <class E> Array<E> download(const DeviceBuffer<E>& from) const { return gpu::download(from, *m_stream); }

    int m_device;
    std::unique_ptr<cuda::Stream> m_stream; ///< the device must be current when it is made
    std::unique_ptr<gpu::UploadedEntries<T>> m_entries;
    gpu::DeviceBcsf<T> m_tree; ///< without blocks where no limits were given
    std::vector<Index> m_dims; ///< of the tree that stands
};

} // namespace

void addCudaBackEnds(BackEnds& table)
{
    table.add(csfBuilderId, DeviceKind::Cuda, [](Precision precision, const DeviceId& device) -> std::unique_ptr<BackEnd> {
        return dispatchMasterType(precision, [&](auto type) -> std::unique_ptr<BackEnd> {
            return std::make_unique<CudaCsfBuilder<typename decltype(type)::type>>(device.index);
        });
    });
}

} // namespace kernels::formats
