// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/exports/tables.h"

#include "io/csv.h"
#include "io/dense/cells.h"

#include <fmt/compile.h>
#include <fmt/format.h>

namespace io::tables {
namespace {

constexpr std::size_t blockBytes = std::size_t{1} << 20;

/// Calls row(text, index) for every row and writes what it appended.
template <class Row> void writeRows(AtomicFile& file, std::size_t rows, kernels::Progress& progress, const Row& row)
{
    std::string text;
    for (std::size_t i = 0; i < rows; ++i) {
        row(text, i);
        if (text.size() < blockBytes && i + 1 < rows)
            continue;
        progress.throwIfCancelled();
        file.write(text);
        text.clear();
    }
}

} // namespace

void writeFactorCsv(AtomicFile& file, const kernels::Matrix& matrix, const Names& labels, const Names& columns, kernels::Progress& progress)
{
    std::string header = "index1,label";
    for (std::size_t c = 0; c < matrix.columns; ++c) {
        const std::string number = fmt::format("c{}", c + 1);
        header += ',' + (c < columns.size() && !columns[c].empty() ? csvCell(number + ' ' + columns[c]) : number);
    }
    file.write(header + '\n');
    std::visit(
        [&](const auto& data) {
            writeRows(file, matrix.rows, progress, [&](std::string& text, std::size_t i) {
                text += fmt::format("{},{}", i + 1, i < labels.size() ? csvCell(labels[i]) : "");
                for (std::size_t c = 0; c < matrix.columns; ++c)
                    fmt::format_to(std::back_inserter(text), FMT_COMPILE(",{}"), data[i * matrix.columns + c]);
                text += '\n';
            });
        },
        matrix.data);
}

void writeWeightsCsv(AtomicFile& file, const kernels::Model& cp, const Names& names)
{
    file.write(names.empty() ? "component,weight\n" : "component,weight,name\n");
    for (unsigned r = 0; r < cp.coreRank; ++r) {
        const std::string name = names.empty() ? "" : ',' + (r < names.size() ? csvCell(names[r]) : "");
        file.write(fmt::format("{},{}{}\n", r + 1, r < cp.weights.size() ? cp.weights[r] : 1.0, name));
    }
}

void writeCore(AtomicFile& file, const kernels::Model& model, kernels::Progress& progress)
{
    const kernels::Array<double> core = model.kind == kernels::ModelKind::FastTucker ? kernels::denseCore(model).value() : model.core;
    // Ours runs with the last index fastest, the text with the first.
    kernels::Array<double> turned(core.size());
    std::vector<std::size_t> strides(model.order(), 1);
    for (unsigned n = 1; n < model.order(); ++n)
        strides[n] = strides[n - 1] * model.ranks[n - 1];
    for (std::size_t cell = 0; cell < core.size(); ++cell) {
        std::size_t rest = cell, to = 0;
        for (unsigned n = model.order(); n-- > 0; rest /= model.ranks[n])
            to += rest % model.ranks[n] * strides[n];
        turned[to] = core[cell];
    }
    dense::writeText(file, false, {model.ranks.begin(), model.ranks.end()}, turned, progress);
}

void writeSplattMatrix(AtomicFile& file, const kernels::Matrix& matrix, kernels::Progress& progress)
{
    writeRows(file, matrix.rows, progress, [&](std::string& text, std::size_t i) {
        for (std::size_t c = 0; c < matrix.columns; ++c)
            fmt::format_to(std::back_inserter(text), FMT_COMPILE("{:+.8e} "), matrix.at(i, c));
        text += '\n';
    });
}

void writeSplattVector(AtomicFile& file, const std::vector<double>& numbers)
{
    for (const double number : numbers)
        file.write(fmt::format("{:.6e}\n", number));
}

} // namespace io::tables
