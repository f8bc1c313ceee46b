// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/formats/csf_cuda.cuh"
#include "kernels/operations/mttkrp/mttkrp.h"

#include <string_view>

/// MTTKRP on a GPU. Operations work on the stream they were made with and return when their work is in it; factors and results
/// lie on the device, their rows a multiple of deviceStride apart.
namespace kernels::mttkrp::gpu {

template <class T> using Made = std::unique_ptr<Operation<T>>;
template <class T> using EntryColumns = formats::gpu::EntryColumns<T>;

/// Columns a row on the device has: whole vectors of 16 bytes.
template <class T> constexpr std::size_t deviceStride(std::size_t rank)
{
    constexpr std::size_t vector = 16 / sizeof(T);
    return (rank + vector - 1) / vector * vector;
}

/// The columns must outlive it where the format is coo. Throws as makeOnCpu does.
template <class T> Made<T> makeOnCuda(std::string_view format, const EntryColumns<T>&, const Settings&, RunControl&, const cuda::Stream&);

template <class T> Made<T> makeCoo(const EntryColumns<T>&, const Settings&, RunControl&, const cuda::Stream&); // coo.cu
template <class T> Made<T> makeCsf(const EntryColumns<T>&, const Settings&, RunControl&, const cuda::Stream&); // tree.cu
template <class T> Made<T> makeBcsf(const EntryColumns<T>&, const Settings&, RunControl&, const cuda::Stream&); // tree.cu
template <class T> Made<T> makeMmcsf(const EntryColumns<T>&, const Settings&, RunControl&, const cuda::Stream&); // mmcsf.cu
template <class T> Made<T> makeFlycoo(const EntryColumns<T>&, const Settings&, RunControl&, const cuda::Stream&); // flycoo.cu
template <class T> Made<T> makeHicoo(const EntryColumns<T>&, const Settings&, RunControl&, const cuda::Stream&); // hicoo.cu
template <class T> Made<T> makeRuns(const EntryColumns<T>&, const Settings&, RunControl&, const cuda::Stream&); // runs.cu
template <class T> Made<T> makeBlco(const EntryColumns<T>&, const Settings&, RunControl&, const cuda::Stream&); // blco.cu

} // namespace kernels::mttkrp::gpu
