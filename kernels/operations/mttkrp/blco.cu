// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/mttkrp/blco_stream.cuh"

#include "kernels/base/error.h"

namespace kernels::mttkrp::gpu {
namespace {

using formats::BlcoPlan;

/// A stretch of linearised entries for a product that has begun.
template <class T> void addTo(TileProduct<T>& product, const BlcoPlan& plan, BlcoEntries<T> entries)
{
    entries.order = plan.order();
    entries.based = plan.words.size() > 1;
    for (unsigned column = 0; column < product.columns(); ++column) {
        entries.shift[column] = plan.words.front().shift[product.modeOf(column)];
        entries.width[column] = plan.words.front().width[product.modeOf(column)];
    }
    product.add(entries);
}

/// All entries on the device.
template <class T> class Blco final : public Operation<T> {
public:
    Blco(formats::gpu::DeviceBlco<T> blco, const cuda::Stream& stream)
        : m_blco(std::move(blco))
        , m_product(stream)
    {
    }

    void compute(unsigned mode, const Factors<T>& factors, T* out, RunControl& control) override
    {
        control.checkpoint();
        m_product.begin(m_blco.plan.dims, mode, factors, out);
        BlcoEntries<T> entries{m_blco.words.data(), m_blco.values.data(), m_blco.begins.data(), m_blco.bases.data(), 0};
        entries.entries = static_cast<std::uint32_t>(m_blco.entries());
        entries.blocks = static_cast<std::uint32_t>(m_blco.blocks());
        addTo(m_product, m_blco.plan, entries);
        m_product.end();
    }

    std::uint64_t bytes() const override { return m_blco.bytes(); }

private:
    formats::gpu::DeviceBlco<T> m_blco;
    TileProduct<T> m_product;
};

/// Entries on the host, which come to the device piece by piece for every product.
template <class T> class StreamedBlco final : public Operation<T> {
public:
    StreamedBlco(std::shared_ptr<BlcoStream<T>> entries, const cuda::Stream& stream)
        : m_entries(std::move(entries))
        , m_product(stream)
    {
    }

    void compute(unsigned mode, const Factors<T>& factors, T* out, RunControl& control) override
    {
        control.checkpoint();
        const BlcoPlan& plan = m_entries->onHost().plan;
        m_product.begin(plan.dims, mode, factors, out);
        m_entries->forEachPiece([&](const BlcoEntries<T>& piece) { addTo(m_product, plan, piece); }, control);
        m_product.end();
    }

    std::uint64_t bytes() const override { return m_entries->onHost().bytes(); }
    std::uint64_t streamedBytes() const override { return bytes(); }

private:
    std::shared_ptr<BlcoStream<T>> m_entries;
    TileProduct<T> m_product;
};

void requireNoPromise(const Settings& settings)
{
    if (settings.deterministic)
        throw Error(ErrorKind::BadArgument, {"blco on a GPU adds rows in no certain order", "format", "blco, deterministic", "runs", {}});
}

} // namespace

template <class T>
Made<T> makeBlco(const EntryColumns<T>& entries, const Settings& settings, RunControl& control, const cuda::Stream& stream)
{
    requireNoPromise(settings);
    return std::make_unique<Blco<T>>(formats::gpu::buildBlco(entries, control, stream), stream);
}
template Made<float> makeBlco(const EntryColumns<float>&, const Settings&, RunControl&, const cuda::Stream&);
template Made<double> makeBlco(const EntryColumns<double>&, const Settings&, RunControl&, const cuda::Stream&);

template <class T> Made<T> makeBlco(std::shared_ptr<BlcoStream<T>> entries, const Settings& settings, const cuda::Stream& stream)
{
    requireNoPromise(settings);
    return std::make_unique<StreamedBlco<T>>(std::move(entries), stream);
}
template Made<float> makeBlco(std::shared_ptr<BlcoStream<float>>, const Settings&, const cuda::Stream&);
template Made<double> makeBlco(std::shared_ptr<BlcoStream<double>>, const Settings&, const cuda::Stream&);

} // namespace kernels::mttkrp::gpu
