// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/text/index_base.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

namespace io::text {
namespace {

using kernels::Index;

bool anySet(const std::array<std::uint64_t, kernels::maxOrder>& lines)
{
    return std::any_of(lines.begin(), lines.end(), [](std::uint64_t line) { return line != 0; });
}

Bases sameForAll(const Layout& layout, Index base, const std::string& reason)
{
    return {std::vector<Index>(layout.order, base), fmt::format("{}: {}", base, reason), {}};
}

Bases askedFor(const Layout& layout, IndexBase asked)
{
    Bases bases = sameForAll(layout, asked == IndexBase::One, "as asked for");
    if (layout.declaredBase != IndexBase::Auto && layout.declaredBase != asked)
        bases.warning = fmt::format("The header says that indices count from {}; {} was taken as asked for.",
                                    asked == IndexBase::One ? 0 : 1, asked == IndexBase::One ? 1 : 0);
    return bases;
}

Bases perMode(const Layout& layout, const EntrySummary& summary)
{
    Bases bases;
    for (unsigned n = 0; n < layout.order; ++n)
        bases.base.push_back(summary.zeroLine[n] ? 0 : 1);
    bases.reason = fmt::format("per mode: {}", fmt::join(bases.base, ", "));
    return bases;
}

Bases byEvidence(const Layout& layout, const EntrySummary& summary, bool dimsKnown)
{
    if (anySet(summary.zeroLine))
        return sameForAll(layout, 0, zeroOccurs);
    if (dimsKnown && anySet(summary.limitLine))
        return sameForAll(layout, 1, "an index equals the size of its mode");
    Bases bases = sameForAll(layout, 1, noZeroOccurs);
    if (layout.kind == Layout::Kind::Sptensor && summary.entries > 0)
        bases.warning =
            "Nothing in the file tells whether its indices count from 0 or from 1. 1 was taken, as Tensor Toolbox and pyttb write; "
            "GenTen counts from 0: load the file with index base 0 if it comes from there.";
    return bases;
}

} // namespace

IndexBase knownBase(const Layout& layout, IndexBase asked)
{
    return asked == IndexBase::Auto ? layout.declaredBase : asked == IndexBase::PerMode ? IndexBase::Auto : asked;
}

IndexLimits indexLimits(const Layout& layout, const std::vector<Index>& givenDims, IndexBase known)
{
    const std::vector<Index>& dims = layout.dims.empty() ? givenDims : layout.dims;
    IndexLimits limits;
    for (std::size_t n = 0; n < limits.size(); ++n) {
        const Index size = n < dims.size() ? dims[n] : std::numeric_limits<Index>::max();
        limits[n] = known == IndexBase::Zero ? size - 1 : size;
    }
    return limits;
}

Bases findBases(const Layout& layout, const EntrySummary& summary, const IndexLimits& limits, IndexBase asked, bool dimsGiven,
                const std::string& fileName)
{
    const IndexBase known = knownBase(layout, asked);
    Bases bases;
    if (asked == IndexBase::Zero || asked == IndexBase::One)
        bases = askedFor(layout, asked);
    else if (asked == IndexBase::PerMode)
        bases = perMode(layout, summary);
    else if (known != IndexBase::Auto)
        bases = sameForAll(layout, known == IndexBase::One,
                           layout.kind != Layout::Kind::Sptensor ? "files with this header count from 1" : "the header says so");
    else
        bases = byEvidence(layout, summary, dimsGiven || !layout.dims.empty());

    for (unsigned n = 0; n < layout.order; ++n) {
        if (bases.base[n] == 1 && summary.zeroLine[n])
            refuseLine(fileName, summary.zeroLine[n],
                       {fmt::format("index 0 in mode {}", n + 1), "0", "at least 1",
                        "Load the file with index base 0 if its indices count from 0."});
        if (bases.base[n] == 0 && known != IndexBase::Zero && summary.limitLine[n])
            refuseLine(fileName, summary.limitLine[n],
                       {"index past the declared size",
                        fmt::format("{}", limits[n]),
                        fmt::format("at most {}, because {}", limits[n] - 1,
                                    anySet(summary.zeroLine) ? "an index 0 elsewhere makes the file count from 0" : "indices count from 0"),
                        {}});
    }
    return bases;
}

} // namespace io::text
