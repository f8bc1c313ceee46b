// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/error.h"
#include "io/hdf5_read.h"
#include "io/hdf5_text_heap.h"
#include "io/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace io::hdf5 {
namespace {

constexpr hsize_t stringsAtOnce = 8192;

std::string fixedText(const char* bytes, std::size_t size)
{
    std::string_view text(bytes, strnlen(bytes, size));
    while (text.ends_with(' '))
        text.remove_suffix(1);
    return asUtf8(text);
}

std::vector<std::string> readVariable(const CheckedDataset& set, const Space& to, const Space& from, std::size_t count, std::size_t limit)
{
    std::vector<StoredText> stored(count);
    check(H5Dread(set.dataset.id(), storedTextType(), to.id(), from.id(), H5P_DEFAULT, stored.data()), set.where,
          "its texts cannot be read");
    TextHeap heap(set.dataset.id());
    std::vector<std::string> values;
    values.reserve(count);
    for (const StoredText& each : stored) {
        if (each.bytes() > limit)
            throw Error({"its texts are too long",
                         set.where,
                         kernels::formatBytes(each.bytes()),
                         fmt::format("at most {}", kernels::formatBytes(limit)),
                         {}});
        const auto text = heap.text(each);
        if (!text)
            throw Error({"its texts cannot be read", set.where, {}, {}, "The file is damaged or was cut short."});
        values.push_back(asUtf8(*text));
    }
    return values;
}

std::vector<std::string> readFixed(const CheckedDataset& set, const Type& type, const Space& to, const Space& from, std::size_t count)
{
    std::vector<char> bytes(count * set.elementBytes);
    check(H5Dread(set.dataset.id(), type.id(), to.id(), from.id(), H5P_DEFAULT, bytes.data()), set.where, "its texts cannot be read");
    std::vector<std::string> values;
    values.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        values.push_back(fixedText(bytes.data() + i * set.elementBytes, set.elementBytes));
    return values;
}

Type stringTypeOf(const CheckedDataset& set)
{
    Type type(H5Dget_type(set.dataset.id()));
    if (H5Tget_class(type.id()) != H5T_STRING || (H5Tis_variable_str(type.id()) > 0 && !hasCharactersOfAByte(type.id())))
        throw Error({"holds no texts", set.where, {}, {}, {}});
    return type;
}

} // namespace

std::string readText(hid_t group, const std::string& name, const std::string& where)
{
    const CheckedDataset set = openDataset(group, name, where);
    const Type type = stringTypeOf(set);
    if (set.elements != 1)
        throw Error({"is not one text", set.where, fmt::format("{} elements", set.elements), "1", {}});
    const Space all(H5Dget_space(set.dataset.id()));
    if (H5Tis_variable_str(type.id()) > 0)
        return readVariable(set, all, all, 1, longestText).front();
    if (set.elementBytes > longestText)
        throw Error({"the text is too long", set.where, kernels::formatBytes(set.elementBytes), "at most 16 MiB", {}});
    return readFixed(set, type, all, all, 1).front();
}

std::vector<std::string> readStrings(Session& session, hid_t group, const std::string& name, const std::string& where, std::uint64_t count,
                                     std::size_t& bytesLeft, kernels::Progress* progress)
{
    const CheckedDataset set = openDataset(group, name, where);
    const Type type = stringTypeOf(set);
    if (set.dims.size() != 1 || set.elements != count)
        throw Error({"has another number of texts", set.where, fmt::format("{}", set.elements), fmt::format("{}", count), {}});
    const bool variable = H5Tis_variable_str(type.id()) > 0;
    if (!variable && set.elementBytes > longestLabel)
        throw Error({"its texts are too long", set.where, kernels::formatBytes(set.elementBytes), "at most 64 KiB", {}});
    const Space from(H5Dget_space(set.dataset.id()));
    std::vector<std::string> values;
    for (hsize_t row = 0; row < count; row += stringsAtOnce) {
        if (progress)
            progress->throwIfCancelled();
        const hsize_t size = std::min<hsize_t>(stringsAtOnce, count - row);
        H5Sselect_hyperslab(from.id(), H5S_SELECT_SET, &row, nullptr, &size, nullptr);
        const Space to(H5Screate_simple(1, &size, nullptr));
        auto piece = variable ? readVariable(set, to, from, size, longestLabel) : readFixed(set, type, to, from, size);
        for (std::string& text : piece) {
            const std::size_t bytes = text.size() + sizeof(std::string);
            if (bytes > bytesLeft)
                throw Error({"holds too many texts", set.where, {}, "1 GiB of labels together", {}});
            bytesLeft -= bytes;
            values.push_back(std::move(text));
        }
        session.giveWay();
    }
    return values;
}

} // namespace io::hdf5
