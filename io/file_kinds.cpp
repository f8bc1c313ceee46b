// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/file_kinds.h"

#include "io/numpy/archive.h"
#include "io/text/tokens.h"

namespace io {
namespace {

constexpr const char* unpackAdvice = "Unpack it first; only gzip and zstd are unpacked while reading.";

struct Magic {
    std::string_view bytes;
    ForeignKind kind;
};

using namespace std::string_view_literals;

constexpr Magic magics[] = {
    {"PK\x03\x04"sv, {"a zip archive without NumPy arrays", "Unpack it first."}},
    {"\xfd\x37zXZ\0"sv, {"an xz archive", unpackAdvice}},
    {"BZh"sv, {"a bzip2 archive", unpackAdvice}},
};

} // namespace

std::optional<ForeignKind> foreignKind(std::string_view head)
{
    for (const Magic& magic : magics) {
        if (head.starts_with(magic.bytes) && numpy::firstArrayName(head).empty())
            return magic.kind;
    }
    const std::string_view word = text::firstWord(head);
    if (word == "ktensor" || word == "facmatrix" || word == "matrix")
        return ForeignKind{"a model as text (ktensor), not a tensor",
                           "Give it to evaluate, predict or export, or open the tensor it was made from."};
    return std::nullopt;
}

} // namespace io
