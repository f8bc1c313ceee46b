// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/dense/cells.h"

#include "io/error.h"
#include "io/finish_load.h"
#include "io/text/entry_writer.h"
#include "kernels/base/host_memory.h"

#include <fmt/compile.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace io::dense {

using kernels::Index;

std::uint64_t cellsOf(const std::vector<Index>& dims, const std::string& fileName)
{
    std::uint64_t cells = 1;
    for (const Index size : dims) {
        if (cells > kernels::maxEntries / size)
            throw Error({"has too many cells",
                         fileName,
                         fmt::format("{}", fmt::join(dims, " x ")),
                         fmt::format("at most {} together", kernels::maxEntries),
                         {}});
        cells *= size;
    }
    return cells;
}

Collector::Collector(const std::vector<Index>& dims, const ReadOptions& options, std::string fileName)
    : m_dims(dims)
    , m_at(dims.size(), 0)
    , m_options(options)
    , m_fileName(std::move(fileName))
    , m_budget(options.memoryLimit)
    , m_indices(dims.size())
    , m_cells(cellsOf(dims, m_fileName))
{
    if (!options.keepZeros)
        return; // how many entries there are is known at the end only
    m_budget.require(m_cells * (dims.size() * sizeof(Index) + sizeof(double)));
    for (auto& indices : m_indices)
        indices.reserve(m_cells);
    m_values.reserve(m_cells);
}

/// Room for half as many entries again; while an array moves it is there twice.
void Collector::grow()
{
    constexpr std::uint64_t least = 1024;
    const std::uint64_t held = m_values.size(), room = std::min(m_cells, std::max(least, held + held / 2));
    m_budget.require(room * (m_dims.size() * sizeof(Index) + sizeof(double)) + held * sizeof(double));
    for (auto& indices : m_indices)
        indices.reserve(room);
    m_values.reserve(room);
}

void Collector::add(double value)
{
    if (std::isinf(value))
        throw Error({"value is not finite",
                     fmt::format("{} cell {} (from 1)", m_fileName, m_taken + 1),
                     fmt::format("{}", value),
                     "a finite number, or NaN where it is missing",
                     {}});
    const bool missing = std::isnan(value), dropped = value == 0 && !m_options.keepZeros;
    m_missing += missing;
    m_dropped += dropped;
    if (!missing && !dropped) {
        if (m_values.size() == m_values.capacity())
            grow();
        for (std::size_t n = 0; n < m_at.size(); ++n)
            m_indices[n].push_back(m_at[n]);
        m_values.push_back(value);
    }
    ++m_taken;
    for (std::size_t n = 0; n < m_at.size() && ++m_at[n] == m_dims[n]; ++n)
        m_at[n] = 0;
}

LoadedTensor Collector::finish(bool asFloats)
{
    LoadedTensor loaded;
    loaded.tensor = kernels::SparseTensor(m_dims, 0, true);
    loaded.tensor.indices = std::move(m_indices);
    if (asFloats) {
        kernels::Array<float> floats(m_values.size());
        for (std::size_t e = 0; e < floats.size(); ++e)
            floats[e] = static_cast<float>(m_values[e]);
        loaded.tensor.values = std::move(floats);
    } else
        loaded.tensor.values = std::move(m_values);
    if (m_missing)
        loaded.report.notes.push_back(counted(m_missing, "cell is NaN and was", "cells are NaN and were") + " taken as missing.");
    if (m_dropped)
        loaded.report.notes.push_back(counted(m_dropped, "zero was", "zeros were") + " left out.");
    loaded.report.explicitZeros = loaded.report.zerosDropped = m_dropped;
    loaded.report.indexBase = "0: a dense file names no indices";
    return loaded;
}

kernels::Array<double> cellsOfSparse(const kernels::SparseTensor& tensor, const std::string& fileName, WriteReport& report)
{
    const std::uint64_t cells = cellsOf(tensor.dims(), fileName), free = kernels::availableHostMemory();
    if (cells * sizeof(double) > free)
        throw Error({"is too large to be written with all its cells", fileName, kernels::formatBytes(cells * sizeof(double)),
                     kernels::formatBytes(free) + " of free memory", "Write a sparse format."});
    kernels::Array<double> result(cells);
    std::fill(result.begin(), result.end(), 0.0);
    for (kernels::Count e = 0; e < tensor.entries(); ++e) {
        std::uint64_t at = 0;
        for (unsigned n = tensor.order(); n-- > 0;)
            at = at * tensor.modes[n].size + tensor.indices[n][e];
        result[at] = tensor.value(e);
    }
    if (cells > tensor.entries())
        report.warnings.push_back(fmt::format("{} of {} cells hold no entry and were written as 0: this format knows no missing ones.",
                                              cells - tensor.entries(), cells));
    return result;
}

void writeText(AtomicFile& file, bool gzip, const std::vector<Index>& dims, std::span<const double> cells, kernels::Progress& progress)
{
    constexpr std::size_t blockBytes = std::size_t{1} << 20;
    progress.begin("writing", cells.size());
    std::string text = fmt::format("tensor\n{}\n{}\n", dims.size(), fmt::join(dims, " "));
    const auto flush = [&] {
        progress.throwIfCancelled();
        file.write(gzip ? text::packed(text) : text);
        text.clear();
    };
    for (const double value : cells) {
        fmt::format_to(std::back_inserter(text), FMT_COMPILE("{:.16e}\n"), value);
        progress.advance(1);
        if (text.size() >= blockBytes)
            flush();
    }
    flush();
}

} // namespace io::dense
