// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/formats/csf_builder.h"

#include "kernels/base/error.h"
#include "kernels/device/make_back_end.h"
#include "kernels/formats/csf_merge.h"

#include <utility>

namespace kernels::formats {
namespace {

class CpuCsfBuilder final : public CsfBuilder {
public:
    void load(const SparseTensor& tensor, RunControl&) override
    {
        m_tensor = &tensor;
        m_tree.reset();
    }

    void build(const std::vector<unsigned>& modeOrder, const std::optional<BcsfLimits>& limits, RunControl& control) override
    {
        requireEntries();
        m_tree.reset();
        if (limits)
            m_tree = buildBcsf(*m_tensor, modeOrder, *limits, control);
        else
            m_tree = Bcsf{buildCsf(*m_tensor, modeOrder, control), {}, {}};
    }

    void merge(const SparseTensor& added, Duplicates duplicates, RunControl& control) override
    {
        if (!m_tree || !m_tree->blockBegins.empty())
            throw Error(ErrorKind::Internal, "no tree of fibres stands that takes new entries");
        mergeIntoCsf(m_tree->tree, added, duplicates, control);
    }

    Bcsf take(RunControl&) override
    {
        if (!m_tree)
            throw Error(ErrorKind::Internal, "no tree of fibres stands to be taken");
        return *std::exchange(m_tree, std::nullopt);
    }

    Mmcsf buildMixed(RunControl& control) override
    {
        requireEntries();
        return buildMmcsf(*m_tensor, control);
    }

private:
    void requireEntries() const
    {
        if (!m_tensor)
            throw Error(ErrorKind::Internal, "no entries were loaded to build a tree of fibres from");
    }

    const SparseTensor* m_tensor = nullptr;
    std::optional<Bcsf> m_tree;
};

} // namespace

void addCpuBackEnds(BackEnds& table)
{
    table.add(csfBuilderId, DeviceKind::Cpu, [](Precision, const DeviceId&) { return std::make_unique<CpuCsfBuilder>(); });
}

std::unique_ptr<CsfBuilder> makeCsfBuilder(Precision precision, const DeviceId& device)
{
    return makeBackEndOf<CsfBuilder>(csfBuilderId, precision, device);
}

} // namespace kernels::formats
