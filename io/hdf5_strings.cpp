// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/error.h"
#include "io/hdf5_read.h"
#include "io/hdf5_stored_text.h"
#include "io/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

// Strings of variable length: the file says how long each is, so that is asked first, and what HDF5 may allocate for one is capped.

namespace io::hdf5 {
namespace {

constexpr hsize_t stringsAtOnce = 8192;

void* allocateCapped(std::size_t size, void* limit) { return size > *static_cast<std::size_t*>(limit) ? nullptr : std::malloc(size); }
void freeCapped(void* memory, void*) { std::free(memory); }

/// Transfer properties under which no string is longer than `limit`, which must outlive them.
Properties cappedTransfer(std::size_t& limit)
{
    Properties transfer(H5Pcreate(H5P_DATASET_XFER));
    H5Pset_vlen_mem_manager(transfer.id(), allocateCapped, &limit, freeCapped, nullptr);
    return transfer;
}

struct FreeMemory {
    void operator()(char* memory) const { std::free(memory); }
};
using OwnedText = std::unique_ptr<char, FreeMemory>;

Type variableString(hid_t like)
{
    Type memory(H5Tcopy(H5T_C_S1));
    H5Tset_size(memory.id(), H5T_VARIABLE);
    H5Tset_cset(memory.id(), H5Tget_cset(like));
    return memory;
}

std::string fixedText(const char* bytes, std::size_t size)
{
    std::string_view text(bytes, strnlen(bytes, size));
    while (text.ends_with(' '))
        text.remove_suffix(1);
    return asUtf8(text);
}

std::vector<std::string> readVariable(const CheckedDataset& set, const Type& memory, const Space& to, const Space& from, std::size_t count,
                                      std::size_t limit)
{
    std::vector<StoredText> stored(count);
    herr_t status = H5Dread(set.dataset.id(), storedTextType(), to.id(), from.id(), H5P_DEFAULT, stored.data());
    for (const StoredText& text : stored)
        if (text.bytes() > limit)
            status = -1;
    const Properties transfer = cappedTransfer(limit);
    std::vector<char*> raw(count, nullptr);
    if (status >= 0)
        status = H5Dread(set.dataset.id(), memory.id(), to.id(), from.id(), transfer.id(), raw.data());
    std::vector<OwnedText> owned;
    owned.reserve(count);
    for (char* text : raw)
        owned.emplace_back(text);
    if (status < 0)
        fail(set.where, "its texts cannot be read, or one is too long",
             fmt::format("At most {} each are read.", kernels::formatBytes(limit)));
    std::vector<std::string> values;
    values.reserve(count);
    for (const OwnedText& text : owned)
        values.push_back(text ? asUtf8(text.get()) : std::string());
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
        return readVariable(set, variableString(type.id()), all, all, 1, longestText).front();
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
        auto piece =
            variable ? readVariable(set, variableString(type.id()), to, from, size, longestLabel) : readFixed(set, type, to, from, size);
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
