// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_entries.h"

#include "kernels/tensor/find_entries.h"

#include <algorithm>
#include <cmath>

namespace app {
namespace {

void take(std::vector<JudgedEntry>& into, const std::vector<kernels::EntryResidual>& entries, const kernels::SparseTensor& tensor,
          bool test)
{
    for (const kernels::EntryResidual& entry : entries) {
        JudgedEntry& judged = into.emplace_back();
        for (const auto& indices : tensor.indices)
            judged.index.push_back(indices[entry.entry]);
        judged.x = entry.x;
        judged.predicted = entry.predicted;
        judged.test = test;
    }
}

void takeWorst(std::vector<JudgedEntry>& into, const kernels::PartResiduals& part, const kernels::SparseTensor& tensor, bool test)
{
    take(into, part.tooHigh, tensor, test);
    take(into, part.tooLow, tensor, test);
}

} // namespace

RunEntries::RunEntries(OpenTensorPtr tensor, const kernels::RunConfig& config, std::shared_ptr<const RunOutcome> outcome,
                       kernels::Progress& progress)
    : m_tensor(std::move(tensor))
    , m_outcome(std::move(outcome))
{
    if (config.split.kind == kernels::SplitKind::File && m_tensor->isHere) // of the others the tensor holds all entries
        m_test = TrainTestCache().get(m_tensor, config, progress).test;
}

bool RunEntries::wantsReading(const kernels::RunConfig& config)
{
    return config.split.kind == kernels::SplitKind::File && !config.split.testFile.empty();
}

std::vector<KnownEntry> RunEntries::known(const kernels::SparseTensor& tensor, const std::vector<kernels::Count>& entries,
                                          unsigned mode) const
{
    const auto& positions = m_outcome->testPositions;
    std::vector<KnownEntry> list;
    for (const kernels::Count entry : entries) {
        const bool test = &tensor == m_test.get() || std::binary_search(positions.begin(), positions.end(), entry);
        list.push_back({tensor.indices[mode][entry], tensor.value(entry), test});
    }
    return list;
}

std::vector<KnownEntry> RunEntries::at(const std::vector<kernels::Index>& index) const
{
    std::vector<KnownEntry> list = known(m_tensor->tensor, kernels::entriesAt(m_tensor->tensor, index), 0);
    if (m_test)
        for (const KnownEntry& entry : known(*m_test, kernels::entriesAt(*m_test, index), 0))
            list.push_back(entry);
    return list;
}

std::vector<KnownEntry> RunEntries::along(const std::vector<kernels::Index>& index, unsigned freeMode, kernels::Progress* progress) const
{
    std::vector<KnownEntry> list = known(m_tensor->tensor, kernels::entriesAlong(m_tensor->tensor, index, freeMode, progress), freeMode);
    if (m_test)
        for (const KnownEntry& entry : known(*m_test, kernels::entriesAlong(*m_test, index, freeMode, progress), freeMode))
            list.push_back(entry);
    std::stable_sort(list.begin(), list.end(), [](const KnownEntry& a, const KnownEntry& b) { return a.index < b.index; });
    return list;
}

RunResiduals RunEntries::residuals(std::size_t worst, kernels::Progress& progress) const
{
    const kernels::Model& model = m_outcome->result.best;
    RunResiduals result;
    kernels::Residuals own = kernels::computeResiduals(model, m_tensor->tensor, m_outcome->testPositions, worst, &progress);
    takeWorst(result.worst, own.train, m_tensor->tensor, false);
    takeWorst(result.worst, own.test, m_tensor->tensor, true);
    result.train = std::move(own.train);
    result.test = std::move(own.test);
    if (m_test) {
        result.test = kernels::computeResiduals(model, *m_test, {}, worst, &progress).train;
        takeWorst(result.worst, result.test, *m_test, true);
    }
    std::stable_sort(result.worst.begin(), result.worst.end(),
                     [](const JudgedEntry& a, const JudgedEntry& b) { return std::abs(a.residual()) > std::abs(b.residual()); });
    return result;
}

} // namespace app
