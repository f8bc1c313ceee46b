// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/hdf5_write.h"

#include "io/atomic_file.h"
#include "io/error.h"
#include "io/hdf5_chunks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace io::hdf5 {
namespace {

constexpr hsize_t slabElements = hsize_t{1} << 21;

template <class T> struct Types;
template <> struct Types<float> {
    static hid_t memory() { return H5T_NATIVE_FLOAT; }
    static hid_t file() { return H5T_IEEE_F32LE; }
};
template <> struct Types<double> {
    static hid_t memory() { return H5T_NATIVE_DOUBLE; }
    static hid_t file() { return H5T_IEEE_F64LE; }
};
template <> struct Types<std::uint8_t> {
    static hid_t memory() { return H5T_NATIVE_UINT8; }
    static hid_t file() { return H5T_STD_U8LE; }
};
template <> struct Types<std::uint32_t> {
    static hid_t memory() { return H5T_NATIVE_UINT32; }
    static hid_t file() { return H5T_STD_U32LE; }
};
template <> struct Types<std::uint64_t> {
    static hid_t memory() { return H5T_NATIVE_UINT64; }
    static hid_t file() { return H5T_STD_U64LE; }
};

Type stringType()
{
    Type type(H5Tcopy(H5T_C_S1));
    H5Tset_size(type.id(), H5T_VARIABLE);
    H5Tset_cset(type.id(), H5T_CSET_UTF8);
    return type;
}

Attribute createAttribute(hid_t object, const char* name, hid_t type, const Space& space)
{
    return Attribute(check(H5Acreate2(object, name, type, space.id(), H5P_DEFAULT, H5P_DEFAULT), name, "the attribute cannot be written"));
}

template <class T> void writeScalar(hid_t object, const char* name, T value)
{
    const Attribute attribute = createAttribute(object, name, Types<T>::file(), Space(H5Screate(H5S_SCALAR)));
    check(H5Awrite(attribute.id(), Types<T>::memory(), &value), name, "the attribute cannot be written");
}

/// A short history must not take whole chunks: a session keeps some twenty columns for each of its runs.
hsize_t chunkRows(hsize_t rows, const Storage& storage)
{
    return storage.extendable ? std::clamp(rows, std::min<hsize_t>(storage.chunk, 64), storage.chunk) : std::min(storage.chunk, rows);
}

Properties creationOf(const std::vector<hsize_t>& dims, const Storage& storage)
{
    Properties creation(H5Pcreate(H5P_DATASET_CREATE));
    if (storage.chunk == 0)
        return creation;
    std::vector<hsize_t> chunk = dims;
    chunk[0] = chunkRows(dims[0], storage);
    H5Pset_chunk(creation.id(), static_cast<int>(chunk.size()), chunk.data());
    if (storage.packed) {
        H5Pset_shuffle(creation.id());
        H5Pset_deflate(creation.id(), 1);
    }
    return creation;
}

File createFile(const std::string& path)
{
    const Properties access(H5Pcreate(H5P_FILE_ACCESS));
    H5Pset_file_locking(access.id(), false, true); // AtomicFile has locked it; on NFS all kinds of locks are one
    H5Pset_libver_bounds(access.id(), H5F_LIBVER_EARLIEST, H5F_LIBVER_V18);
    return File(check(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), "", "the file cannot be created"));
}

/// The system's error in what HDF5 said (hdf5_handles.h: fail()); 0: it is none of the system's.
int systemsError(const std::string& found)
{
    constexpr int last = 133;
    for (int error = 1; error <= last; ++error)
        if (found == fmt::format("HDF5: {}", std::strerror(error)))
            return error;
    return 0;
}

} // namespace

void writeFile(const std::string& target, const std::function<void(Session&, hid_t)>& body)
{
    AtomicFile file(target, AtomicFile::Unfinished::Named); // HDF5 opens none without a name
    try {
        Session session;
        const File content = createFile(file.partPath());
        body(session, content.id());
        check(H5Fflush(content.id(), H5F_SCOPE_GLOBAL), "", "the file cannot be flushed");
    } catch (const Error& error) {
        // HDF5 knows the dataset it was at; a person knows the file.
        const kernels::Error::Details& d = error.details();
        if (const int number = systemsError(d.found))
            throw writingError(target, number);
        const std::string& reason = d.found.empty() ? d.message : d.found;
        throw Error({"writing failed", target, d.where.empty() ? reason : fmt::format("{}: {}", d.where, reason), {}, d.hint});
    }
    file.commit();
}

Group createGroup(hid_t parent, const std::string& name)
{
    return Group(check(H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), name, "the group cannot be created"));
}

void writeAttribute(hid_t object, const char* name, const std::string& value)
{
    const Type type = stringType();
    const Attribute attribute = createAttribute(object, name, type.id(), Space(H5Screate(H5S_SCALAR)));
    const char* const text = value.c_str();
    check(H5Awrite(attribute.id(), type.id(), &text), name, "the attribute cannot be written");
}

void writeAttribute(hid_t object, const char* name, std::uint64_t value) { writeScalar(object, name, value); }
void writeAttribute(hid_t object, const char* name, std::uint8_t value) { writeScalar(object, name, value); }
void writeAttribute(hid_t object, const char* name, double value) { writeScalar(object, name, value); }

void writeAttribute(hid_t object, const char* name, const std::vector<std::uint64_t>& values)
{
    const hsize_t size = values.size();
    const Attribute attribute = createAttribute(object, name, H5T_STD_U64LE, Space(H5Screate_simple(1, &size, nullptr)));
    check(H5Awrite(attribute.id(), H5T_NATIVE_UINT64, values.data()), name, "the attribute cannot be written");
}

void writeText(hid_t parent, const std::string& name, const std::string& value)
{
    const Type type = stringType();
    const Space space(H5Screate(H5S_SCALAR));
    const Dataset dataset(check(H5Dcreate2(parent, name.c_str(), type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), name,
                                "the text cannot be written"));
    const char* const text = value.c_str();
    check(H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, &text), name, "the text cannot be written");
}

void writeStrings(hid_t parent, const std::string& name, const std::vector<std::string>& values)
{
    const Type type = stringType();
    const hsize_t size = values.size();
    const Space space(H5Screate_simple(1, &size, nullptr));
    const Dataset dataset(check(H5Dcreate2(parent, name.c_str(), type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), name,
                                "the texts cannot be written"));
    std::vector<const char*> pointers;
    pointers.reserve(values.size());
    for (const std::string& value : values)
        pointers.push_back(value.c_str());
    if (size > 0)
        check(H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()), name, "the texts cannot be written");
}

Storage storageFor(std::uint64_t elements) { return elements > contiguousElements ? Storage{chunkElements, true, false} : Storage{}; }

template <class T>
void writeArray(Session& session, hid_t parent, const std::string& name, const T* data, const std::vector<hsize_t>& dims, Storage storage,
                kernels::Progress* progress)
{
    std::vector<hsize_t> most = dims;
    if (storage.extendable)
        most[0] = H5S_UNLIMITED;
    const Space space(
        check(H5Screate_simple(static_cast<int>(dims.size()), dims.data(), most.data()), name, "the array cannot be written"));
    const Properties creation = creationOf(dims, storage);
    const Dataset dataset(check(H5Dcreate2(parent, name.c_str(), Types<T>::file(), space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT),
                                name, "the array cannot be written"));
    if (storage.chunk && storage.packed) {
        writeChunks(session, dataset, name, data, dims, chunkRows(dims[0], storage), progress);
        return;
    }

    hsize_t rowElements = 1;
    for (std::size_t d = 1; d < dims.size(); ++d)
        rowElements *= dims[d];
    hsize_t rows = std::max<hsize_t>(1, slabElements / std::max<hsize_t>(rowElements, 1));
    if (storage.chunk)
        rows = std::max<hsize_t>(storage.chunk, rows / storage.chunk * storage.chunk);
    std::vector<hsize_t> start(dims.size(), 0), count = dims;
    for (hsize_t row = 0; row < dims[0]; row += rows) {
        if (progress)
            progress->throwIfCancelled();
        start[0] = row;
        count[0] = std::min(rows, dims[0] - row);
        H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
        const Space memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr));
        check(H5Dwrite(dataset.id(), Types<T>::memory(), memory.id(), space.id(), H5P_DEFAULT, data + row * rowElements), name,
              "the array cannot be written");
        if (progress)
            progress->advance(count[0] * rowElements * sizeof(T));
        session.giveWay();
    }
}

template void writeArray(Session&, hid_t, const std::string&, const float*, const std::vector<hsize_t>&, Storage, kernels::Progress*);
template void writeArray(Session&, hid_t, const std::string&, const double*, const std::vector<hsize_t>&, Storage, kernels::Progress*);
template void writeArray(Session&, hid_t, const std::string&, const std::uint32_t*, const std::vector<hsize_t>&, Storage,
                         kernels::Progress*);
template void writeArray(Session&, hid_t, const std::string&, const std::uint64_t*, const std::vector<hsize_t>&, Storage,
                         kernels::Progress*);

} // namespace io::hdf5
