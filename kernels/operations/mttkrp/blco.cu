// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/operations/mttkrp/blco.cuh"
#include "kernels/operations/mttkrp/blco_settings.h"

#include "kernels/base/error.h"
#include "kernels/device/event.cuh"

#include <algorithm>
#include <array>

namespace kernels::mttkrp::gpu {
namespace {

using cuda::DeviceBuffer;
using formats::BlcoPlan;

/// The products of linearised entries, whichever way they come.
template <class T> class BlcoProduct {
public:
    BlcoProduct(BlcoPlan plan, const cuda::Stream& stream)
        : m_plan(std::move(plan))
        , m_stream(stream)
    {
        int device = 0, multiprocessors = 0;
        CUDA_CHECK(cudaGetDevice(&device));
        CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
        m_multiprocessors = static_cast<unsigned>(multiprocessors);
    }

    void begin(unsigned mode, const Factors<T>& factors, T* out)
    {
        m_arguments = {};
        m_arguments.order = m_plan.order();
        m_arguments.based = m_plan.words.size() > 1;
        m_arguments.parts = static_cast<unsigned>(factors.stride / Part<T>::columns);
        setColumn(0, mode);
        for (unsigned n = 0; n < m_plan.order(); ++n)
            if (n != mode) {
                m_arguments.rows[m_arguments.others++] = factors.rows[n];
                setColumn(m_arguments.others, n);
            }
        m_arguments.outRows = m_plan.dims[mode];
        m_arguments.copies = blcoCopies(m_plan.dims[mode]);
        m_out = out;
        const std::size_t elements = std::size_t{m_arguments.copies} * m_arguments.outRows * factors.stride;
        m_arguments.out = m_arguments.copies > 1 ? roomFor(elements) : out;
        CUDA_CHECK(cudaMemsetAsync(m_arguments.out, 0, elements * sizeof(T), m_stream));
    }
    void add(const BlcoStretch<T>& stretch)
    {
        m_arguments.from = stretch;
        if (stretch.entries > 0)
            launchBlco(m_arguments, m_multiprocessors, m_stream);
    }
    void end()
    {
        if (m_arguments.copies > 1)
            launchSumOfCopies(m_arguments, m_out, m_stream);
    }

    const BlcoPlan& plan() const { return m_plan; }

private:
    void setColumn(unsigned column, unsigned mode)
    {
        m_arguments.modes[column] = static_cast<unsigned char>(mode);
        m_arguments.shift[column] = m_plan.words.front().shift[mode];
        m_arguments.width[column] = m_plan.words.front().width[mode];
    }
    T* roomFor(std::size_t elements)
    {
        if (elements > m_copies.count()) {
            m_stream.synchronize();
            m_copies = {};
            m_copies = DeviceBuffer<T>(elements);
        }
        return m_copies.data();
    }

    BlcoPlan m_plan;
    const cuda::Stream& m_stream;
    unsigned m_multiprocessors = 1;
    BlcoArguments<T> m_arguments{};
    T* m_out = nullptr;
    DeviceBuffer<T> m_copies;
};

/// All entries on the device.
template <class T> class Blco final : public Operation<T> {
public:
    Blco(formats::gpu::DeviceBlco<T> blco, const cuda::Stream& stream)
        : m_blco(std::move(blco))
        , m_product(m_blco.plan, stream)
    {
    }

    void compute(unsigned mode, const Factors<T>& factors, T* out, RunControl& control) override
    {
        control.checkpoint();
        m_product.begin(mode, factors, out);
        m_product.add({m_blco.words.data(), m_blco.values.data(), m_blco.begins.data(), m_blco.bases.data(), 0,
                       static_cast<std::uint32_t>(m_blco.entries()), static_cast<std::uint32_t>(m_blco.blocks())});
        m_product.end();
    }

    std::uint64_t bytes() const override { return m_blco.bytes(); }

private:
    formats::gpu::DeviceBlco<T> m_blco;
    BlcoProduct<T> m_product;
};

/// Locks an array's pages while it lives, so that the device copies them at full speed in the background. Where the system does
/// not let it the copies are slower, and right.
class LockedPages {
public:
    template <class E>
    explicit LockedPages(const Array<E>& array)
        : m_data(const_cast<E*>(array.data()))
    {
        if (array.empty() || cudaHostRegister(m_data, array.size() * sizeof(E), cudaHostRegisterDefault) != cudaSuccess) {
            (void)cudaGetLastError();
            m_data = nullptr;
        }
    }
    ~LockedPages()
    {
        if (m_data)
            (void)cudaHostUnregister(m_data);
    }
    LockedPages(const LockedPages&) = delete;
    LockedPages& operator=(const LockedPages&) = delete;

private:
    void* m_data;
};

/// A piece of the entries on the device.
template <class T> struct Piece {
    DeviceBuffer<std::uint64_t> words;
    DeviceBuffer<T> values;
    DeviceBuffer<Count> begins;
    DeviceBuffer<Index> bases;
    cuda::Event copied, done;
    BlcoStretch<T> stretch{};
};

/// Entries on the host, which come to the device piece by piece for every product: while one is worked on the next is copied.
template <class T> class StreamedBlco final : public Operation<T> {
public:
    StreamedBlco(formats::Blco<T> blco, std::uint64_t room, const cuda::Stream& stream)
        : m_blco(std::move(blco))
        , m_words(m_blco.words)
        , m_values(m_blco.values)
        , m_begins(m_blco.begins)
        , m_bases(m_blco.bases)
        , m_product(m_blco.plan, stream)
        , m_stream(stream)
    {
        cutInto(room / m_pieces.size());
    }
    ~StreamedBlco() override
    {
        (void)cudaStreamSynchronize(m_copies);
        (void)cudaStreamSynchronize(m_stream);
    }

    void compute(unsigned mode, const Factors<T>& factors, T* out, RunControl& control) override
    {
        control.checkpoint();
        m_product.begin(mode, factors, out);
        Piece<T>* before = nullptr;
        for (Count first = 0; first < m_blco.entries(); first += m_perPiece) {
            Piece<T>& piece = m_pieces[first / m_perPiece % m_pieces.size()];
            piece.done.wait(); // who worked on it last
            copyTo(piece, first);
            if (before)
                workOn(*before);
            before = &piece;
            control.checkpoint();
        }
        if (before)
            workOn(*before);
        m_product.end();
    }

    std::uint64_t bytes() const override { return m_blco.bytes(); }
    std::uint64_t streamedBytes() const override { return m_blco.bytes(); }

private:
    /// Entries of a piece: as many as fit, but no more than are copied while nobody works yet, which the first ones are.
    void cutInto(std::uint64_t bytesOfPiece)
    {
        constexpr std::uint64_t mostBytes = std::uint64_t{32} << 20;
        const unsigned order = m_blco.plan.order();
        const std::uint64_t entryBytes = sizeof(std::uint64_t) + sizeof(T), blockBytes = sizeof(Count) + order * sizeof(Index);
        const bool wide = m_blco.plan.words.size() > 1;
        constexpr Count aligned = 4096;
        m_perPiece = std::min(bytesOfPiece, mostBytes) / (entryBytes + (wide ? blockBytes : 0)) / aligned * aligned;
        m_perPiece = std::clamp<Count>(m_perPiece, aligned, std::max(aligned, m_blco.entries()));
        const Count blocks = wide ? std::min(m_perPiece, m_blco.blocks()) : 1;
        for (Piece<T>& piece : m_pieces) {
            piece.words = DeviceBuffer<std::uint64_t>(m_perPiece);
            piece.values = DeviceBuffer<T>(m_perPiece);
            piece.begins = DeviceBuffer<Count>(blocks);
            piece.bases = DeviceBuffer<Index>(blocks * order);
        }
    }

    template <class E> void copy(DeviceBuffer<E>& to, const Array<E>& from, Count first, Count count) const
    {
        CUDA_CHECK(cudaMemcpyAsync(to.data(), from.data() + first, count * sizeof(E), cudaMemcpyHostToDevice, m_copies));
    }

    void copyTo(Piece<T>& piece, Count first)
    {
        const Count end = std::min(m_blco.entries(), first + m_perPiece);
        const auto blockOf = [&](Count entry) {
            return static_cast<Count>(std::upper_bound(m_blco.begins.begin(), m_blco.begins.end(), entry) - m_blco.begins.begin()) - 1;
        };
        const Count block = blockOf(first), blocks = blockOf(end - 1) - block + 1;
        copy(piece.words, m_blco.words, first, end - first);
        copy(piece.values, m_blco.values, first, end - first);
        copy(piece.begins, m_blco.begins, block, blocks);
        copy(piece.bases, m_blco.bases, block * m_blco.plan.order(), blocks * m_blco.plan.order());
        piece.copied.record(m_copies);
        piece.stretch = {piece.words.data(),
                         piece.values.data(),
                         piece.begins.data(),
                         piece.bases.data(),
                         first,
                         static_cast<std::uint32_t>(end - first),
                         static_cast<std::uint32_t>(blocks)};
    }

    void workOn(Piece<T>& piece)
    {
        piece.copied.wait();
        m_product.add(piece.stretch);
        piece.done.record(m_stream);
    }

    formats::Blco<T> m_blco;
    LockedPages m_words, m_values, m_begins, m_bases;
    BlcoProduct<T> m_product;
    const cuda::Stream& m_stream;
    cuda::Stream m_copies;
    Count m_perPiece = 0; ///< entries
    std::array<Piece<T>, 2> m_pieces;
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

template <class T>
Made<T> streamBlco(const SparseTensor& tensor, std::uint64_t room, const Settings& settings, RunControl& control,
                   const cuda::Stream& stream)
{
    requireNoPromise(settings);
    return std::make_unique<StreamedBlco<T>>(formats::buildBlco<T>(tensor, control), room, stream);
}
template Made<float> streamBlco(const SparseTensor&, std::uint64_t, const Settings&, RunControl&, const cuda::Stream&);
template Made<double> streamBlco(const SparseTensor&, std::uint64_t, const Settings&, RunControl&, const cuda::Stream&);

} // namespace kernels::mttkrp::gpu
