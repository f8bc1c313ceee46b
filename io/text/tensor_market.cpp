// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/text/tensor_market.h"

#include "io/lower_case.h"
#include "io/text/header_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace io::text {
namespace {

constexpr std::string_view banner = "%%matrixmarket";

/// object, format, field and symmetry; what is not read is refused by name.
void readBanner(std::string_view line, const HeaderReader& header, Layout& layout, bool& isMatrix)
{
    const Tokens tokens = splitTokens(trimmed(line), 5);
    if (tokens.count != 5)
        header.refuse({"header not understood",
                       fmt::format("{} words", tokens.count),
                       "5: %%MatrixMarket, tensor or matrix, coordinate, real, integer or pattern, general or symmetric",
                       {}});
    const std::string object = lowerCase(tokens.kept[1]), format = lowerCase(tokens.kept[2]), field = lowerCase(tokens.kept[3]),
                      symmetry = lowerCase(tokens.kept[4]);
    isMatrix = object == "matrix";
    if (!isMatrix && object != "tensor")
        header.refuse({"what it holds is not read", shown(object), "tensor or matrix", {}});
    if (format != "coordinate")
        header.refuse(
            {"this form is not read", shown(format), "coordinate", "Save it in coordinates: a line of indices and a value per entry."});
    if (field != "real" && field != "integer" && field != "pattern")
        header.refuse({"these values are not read", shown(field), "real, integer or pattern", {}});
    layout.pattern = field == "pattern";
    layout.integers = field == "integer";
    layout.symmetric = symmetry == "symmetric";
    if (!layout.symmetric && symmetry != "general")
        header.refuse({"this symmetry is not read", shown(symmetry), "general or symmetric", "Save all entries, as general."});
}

} // namespace

bool isTensorMarket(std::string_view head)
{
    if (head.starts_with("\xef\xbb\xbf"))
        head.remove_prefix(3);
    return lowerCase(head.substr(0, banner.size())) == banner;
}

Layout readTensorMarketLayout(LineCursor& cursor, const std::string& fileName)
{
    HeaderReader header(cursor, fileName);
    Layout layout;
    layout.kind = Layout::Kind::TensorMarket;
    layout.declaredBase = IndexBase::One;
    std::string_view line;
    if (!cursor.next(line) || !isTensorMarket(line))
        header.refuse({"is no MatrixMarket or TensorMarket file", shown(line.substr(0, 40)), "%%MatrixMarket in its first line", {}});
    bool isMatrix = false;
    readBanner(line, header, layout, isMatrix);
    const Tokens sizes = header.require("the sizes of the modes and the number of entries");
    if (sizes.count < 2)
        header.refuse(
            {"header not understood", fmt::format("{} number", sizes.count), "the sizes of the modes and the number of entries", {}});
    layout.order = header.order(sizes.count - 1);
    if ((isMatrix || layout.symmetric) && layout.order != 2)
        header.refuse({isMatrix ? "a matrix has two sizes" : "only a matrix can be symmetric", fmt::format("{}", layout.order), "2", {}});
    for (unsigned n = 0; n < layout.order; ++n)
        layout.dims.push_back(header.dimension(sizes.kept[n]));
    if (layout.symmetric && layout.dims[0] != layout.dims[1])
        header.refuse({"a symmetric matrix is square", fmt::format("{} x {}", layout.dims[0], layout.dims[1]), "equal sizes", {}});
    const auto entries = wholeNumber(sizes.kept[layout.order]);
    if (!entries)
        header.refuse({"not a number of entries", shown(sizes.kept[layout.order]), "a whole number", {}});
    layout.declaredEntries = header.entries(*entries);
    layout.linesBefore = cursor.line();
    return layout;
}

std::string tensorMarketHeader(const std::vector<kernels::Index>& dims, kernels::Count entries, bool asMatrix)
{
    return fmt::format("%%MatrixMarket {} coordinate real general\n{} {}\n", asMatrix ? "matrix" : "tensor", fmt::join(dims, " "), entries);
}

} // namespace io::text
