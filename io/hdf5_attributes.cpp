// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/error.h"
#include "io/hdf5_read.h"
#include "io/hdf5_text_heap.h"
#include "io/labels.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

namespace io::hdf5 {
namespace {

Attribute openAttribute(hid_t object, const char* name, const std::string& where)
{
    return Attribute(check(H5Aopen(object, name, H5P_DEFAULT), where, "an attribute cannot be read"));
}

hssize_t elementsOf(const Attribute& attribute) { return H5Sget_simple_extent_npoints(Space(H5Aget_space(attribute.id())).id()); }

[[noreturn]] void refuseAttribute(const char* name, const std::string& where, const std::string& expected)
{
    throw Error({fmt::format("the attribute {} has another type", name), where, {}, expected, {}});
}

std::string textFrom(const char* bytes, std::size_t size)
{
    std::string_view text(bytes, strnlen(bytes, size));
    while (text.ends_with(' '))
        text.remove_suffix(1); // padding of Fortran and MATLAB
    return asUtf8(text);
}

std::string bytesOf(const Attribute& attribute, const Type& type, const char* name, const std::string& where)
{
    if (H5Tis_variable_str(type.id()) > 0) {
        StoredText stored;
        check(H5Aread(attribute.id(), storedTextType(), &stored), where, "an attribute cannot be read");
        if (stored.bytes() > longestText || !hasCharactersOfAByte(type.id()))
            refuseAttribute(name, where, "text of at most 16 MiB");
        TextHeap heap(attribute.id());
        const auto text = heap.text(stored);
        if (!text)
            throw Error({fmt::format("the attribute {} cannot be read", name), where, {}, {}, "The file is damaged or was cut short."});
        return std::string(*text);
    }
    const std::size_t size = H5Tget_size(type.id());
    if (size > longestText || size > H5Aget_storage_size(attribute.id()))
        refuseAttribute(name, where, "text of at most 16 MiB");
    std::string bytes(size, '\0');
    check(H5Aread(attribute.id(), type.id(), bytes.data()), where, "an attribute cannot be read");
    return bytes;
}

} // namespace

bool hasAttribute(hid_t object, const char* name) { return H5Aexists(object, name) > 0; }

std::vector<std::string> attributeNames(hid_t object, std::size_t limit)
{
    struct Found {
        std::vector<std::string> names;
        std::size_t limit;
    } found{{}, limit};
    const auto note = [](hid_t, const char* name, const H5A_info_t*, void* data) -> herr_t {
        auto& to = *static_cast<Found*>(data);
        to.names.emplace_back(name);
        return to.names.size() >= to.limit;
    };
    H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, note, &found);
    return found.names;
}

std::optional<std::string> textAttribute(hid_t object, const char* name, const std::string& where)
{
    if (!hasAttribute(object, name))
        return std::nullopt;
    const Attribute attribute = openAttribute(object, name, where);
    const Type type(H5Aget_type(attribute.id()));
    if (H5Tget_class(type.id()) != H5T_STRING || elementsOf(attribute) != 1)
        refuseAttribute(name, where, "text");
    const std::string bytes = bytesOf(attribute, type, name, where);
    return textFrom(bytes.data(), bytes.size());
}

std::optional<std::string> bytesAttribute(hid_t object, const char* name, const std::string& where)
{
    if (!hasAttribute(object, name))
        return std::nullopt;
    const Attribute attribute = openAttribute(object, name, where);
    const Type type(H5Aget_type(attribute.id()));
    if (H5Tget_class(type.id()) != H5T_STRING || elementsOf(attribute) != 1)
        return std::nullopt;
    return bytesOf(attribute, type, name, where);
}

std::optional<double> numberAttribute(hid_t object, const char* name, const std::string& where)
{
    if (!hasAttribute(object, name))
        return std::nullopt;
    const Attribute attribute = openAttribute(object, name, where);
    if (numberClassOf(Type(H5Aget_type(attribute.id())).id()) == NumberClass::Other || elementsOf(attribute) != 1)
        refuseAttribute(name, where, "a number");
    double value = 0;
    check(H5Aread(attribute.id(), H5T_NATIVE_DOUBLE, &value), where, "an attribute cannot be read");
    return value;
}

std::optional<std::vector<std::uint64_t>> wholesAttribute(hid_t object, const char* name, const std::string& where, std::size_t limit)
{
    if (!hasAttribute(object, name))
        return std::nullopt;
    const Attribute attribute = openAttribute(object, name, where);
    const NumberClass numbers = numberClassOf(Type(H5Aget_type(attribute.id())).id());
    const hssize_t elements = elementsOf(attribute);
    if (numbers == NumberClass::Other || elements < 0 || static_cast<std::size_t>(elements) > limit)
        refuseAttribute(name, where, fmt::format("at most {} whole numbers", limit));
    const auto size = static_cast<std::size_t>(elements);
    std::vector<std::uint64_t> values(size);
    if (numbers == NumberClass::Unsigned) {
        check(H5Aread(attribute.id(), H5T_NATIVE_UINT64, values.data()), where, "an attribute cannot be read");
        return values;
    }
    std::vector<double> doubles(size);
    check(H5Aread(attribute.id(), H5T_NATIVE_DOUBLE, doubles.data()), where, "an attribute cannot be read");
    for (std::size_t i = 0; i < size; ++i) {
        if (!(doubles[i] >= 0 && doubles[i] < 0x1p53 && doubles[i] == std::floor(doubles[i])))
            refuseAttribute(name, where, "whole numbers that are not negative");
        values[i] = static_cast<std::uint64_t>(doubles[i]);
    }
    return values;
}

std::optional<std::uint64_t> wholeAttribute(hid_t object, const char* name, const std::string& where)
{
    const auto values = wholesAttribute(object, name, where, 1);
    if (!values)
        return std::nullopt;
    if (values->size() != 1)
        refuseAttribute(name, where, "one whole number");
    return values->front();
}

} // namespace io::hdf5
