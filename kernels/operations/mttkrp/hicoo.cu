// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/mttkrp/hicoo.cuh"

#include "kernels/base/error.h"
#include "kernels/formats/build_work.cuh"

namespace kernels::mttkrp::gpu {
namespace {

using formats::HicooPosition;

template <class T> class Hicoo final : public Operation<T> {
public:
    Hicoo(const EntryColumns<T>& entries, RunControl& control, const cuda::Stream& stream)
        : m_hicoo(formats::gpu::buildHicoo<T>(entries, control, stream))
        , m_product(stream)
    {
        tellStretches(control, stream);
    }

    void compute(unsigned mode, const Factors<T>& factors, T* out, RunControl& control) override
    {
        control.checkpoint();
        m_product.begin(m_hicoo.dims, mode, factors, out);
        HicooEntries<T> entries{};
        for (unsigned column = 0; column < m_hicoo.order(); ++column)
            entries.offsets[column] = m_hicoo.offsets.data() + m_product.modeOf(column) * m_hicoo.entries();
        entries.values = m_hicoo.values.data();
        entries.begins = m_hicoo.begins.data();
        entries.blocks = m_hicoo.blocks.data();
        entries.stretches = m_stretches.data();
        entries.entries = static_cast<std::uint32_t>(m_hicoo.entries());
        entries.order = m_hicoo.order();
        m_product.add(entries);
        m_product.end();
    }

    std::uint64_t bytes() const override { return m_hicoo.bytes() + m_stretches.bytes(); }

    /// Public: nvcc takes no lambdas of private functions.
    void tellStretches(RunControl& control, const cuda::Stream& stream)
    {
        if (m_hicoo.entries() == 0)
            return;
        m_stretches = cuda::DeviceBuffer<HicooPosition>((m_hicoo.entries() + tileStretch - 1) / tileStretch + 1);
        const formats::gpu::Work work(stream, control);
        work.forEach(m_stretches.count(),
                     [begins = m_hicoo.begins.data(), blocks = m_hicoo.blockCount(), to = m_stretches.data()] __device__(Count stretch) {
                         Count first = 0, last = blocks; // the last block that does not begin behind the entry
                         while (last - first > 1) {
                             const Count middle = first + (last - first) / 2;
                             if (begins[middle] <= stretch * tileStretch)
                                 first = middle;
                             else
                                 last = middle;
                         }
                         to[stretch] = static_cast<HicooPosition>(first);
                     });
        work.checkpoint();
    }

private:
    formats::gpu::DeviceHicoo<T> m_hicoo;
    TileProduct<T> m_product;
    cuda::DeviceBuffer<HicooPosition> m_stretches; ///< as in HicooEntries
};

} // namespace

template <class T>
Made<T> makeHicoo(const EntryColumns<T>& entries, const Settings& settings, RunControl& control, const cuda::Stream& stream)
{
    if (settings.deterministic)
        throw Error(ErrorKind::BadArgument,
                    {"hicoo on a GPU adds entries in no certain order", "format", "hicoo, deterministic", "runs", {}});
    return std::make_unique<Hicoo<T>>(entries, control, stream);
}
template Made<float> makeHicoo(const EntryColumns<float>&, const Settings&, RunControl&, const cuda::Stream&);
template Made<double> makeHicoo(const EntryColumns<double>&, const Settings&, RunControl&, const cuda::Stream&);

} // namespace kernels::mttkrp::gpu
