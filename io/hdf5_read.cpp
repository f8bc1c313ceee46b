// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/hdf5_read.h"

#include "io/error.h"
#include "io/hdf5_chunks.h"
#include "io/hdf5_object_header.h"
#include "io/hdf5_superblock.h"
#include "io/input_stream.h"
#include "io/labels.h"
#include "io/unpacker.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <thread>

namespace io::hdf5 {
namespace {

constexpr hsize_t slabElements = hsize_t{1} << 20;
constexpr hsize_t longestSlab = hsize_t{1} << 23; ///< elements where all cores unpack chunks

/// "movies.h5" and "subs" → "movies.h5 /subs"; "movies.h5 /group" → "movies.h5 /group/subs".
std::string child(const std::string& where, const std::string& name)
{
    if (where.ends_with('/'))
        return where + name;
    return fmt::format("{}{}/{}", where, where.find(" /") == std::string::npos ? " " : "", name);
}

template <class T> hid_t memoryType();
template <> hid_t memoryType<float>() { return H5T_NATIVE_FLOAT; }
template <> hid_t memoryType<double>() { return H5T_NATIVE_DOUBLE; }
template <> hid_t memoryType<std::int64_t>() { return H5T_NATIVE_INT64; }
template <> hid_t memoryType<std::uint32_t>() { return H5T_NATIVE_UINT32; }
template <> hid_t memoryType<std::uint64_t>() { return H5T_NATIVE_UINT64; }

/// Element count of a simple dataspace without overflow; 2^40 × 16 indices are more than enough.
std::uint64_t elementsOf(const std::vector<hsize_t>& dims, const std::string& where)
{
    constexpr std::uint64_t most = std::uint64_t{1} << 48;
    std::uint64_t elements = 1;
    for (const hsize_t size : dims) {
        if (size != 0 && elements > most / size)
            throw Error({"declares too many elements", where, {}, fmt::format("at most {}", most), {}});
        elements *= size;
    }
    return elements;
}

void checkFilters(hid_t creation, const std::string& where, bool& packed)
{
    const int filters = check(H5Pget_nfilters(creation), where, "the dataset's filters cannot be read");
    for (int i = 0; i < filters; ++i) {
        unsigned flags = 0, config = 0;
        std::size_t values = 0;
        char name[256] = "";
        const H5Z_filter_t filter =
            H5Pget_filter2(creation, static_cast<unsigned>(i), &flags, &values, nullptr, sizeof name, name, &config);
        packed = packed || filter == H5Z_FILTER_DEFLATE || filter == H5Z_FILTER_SZIP;
        if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_FLETCHER32 && filter != H5Z_FILTER_SZIP)
            throw Error({"is packed by a filter that is not part of HDF5", where,
                         fmt::format("filter {} {}", filter, asUtf8(std::string_view(name, strnlen(name, sizeof name)))),
                         "deflate, shuffle, fletcher32 or szip", "Pack it anew: h5repack -f GZIP=1 in.h5 out.h5"});
    }
}

std::vector<hsize_t> checkedChunk(hid_t creation, const CheckedDataset& set)
{
    constexpr std::uint64_t largestChunk = std::uint64_t{256} << 20;
    std::vector<hsize_t> chunk(set.dims.size());
    check(H5Pget_chunk(creation, static_cast<int>(chunk.size()), chunk.data()), set.where, "the dataset's chunks cannot be read");
    std::uint64_t bytes = set.elementBytes;
    for (const hsize_t size : chunk) {
        if (size == 0 || bytes > largestChunk / size)
            throw Error({"its chunks are too large",
                         set.where,
                         {},
                         "at most 256 MiB each",
                         "Chunk it anew: h5repack -l CHUNK=262144 in.h5 out.h5"});
        bytes *= size;
    }
    return chunk;
}

/// What a dataset declares must be there: a file of 1,400 bytes can claim 2^50 values.
void checkStorage(const CheckedDataset& set, bool chunked, bool packed, hid_t file)
{
    const std::uint64_t declared = set.elements * set.elementBytes;
    const std::uint64_t stored = set.elements ? H5Dget_storage_size(set.dataset.id()) : 0;
    hsize_t fileBytes = 0;
    H5Fget_filesize(file, &fileBytes);
    const bool exact = set.numbers != NumberClass::Other; // texts lie elsewhere; only their references are counted here
    const bool enough = packed ? stored >= declared / bestDeflateRatio : chunked || !exact ? stored >= declared : stored == declared;
    if (stored > fileBytes || !enough)
        throw Error(
            {"declares data that the file does not have", set.where, kernels::formatBytes(std::min<std::uint64_t>(stored, fileBytes)),
             fmt::format("{}{}", kernels::formatBytes(declared), packed ? ", packed" : ""), "The file is damaged or was cut short."});
}

void checkLayout(CheckedDataset& set, const Properties& creation, hid_t file)
{
    const H5D_layout_t layout = H5Pget_layout(creation.id());
    if (layout == H5D_VIRTUAL)
        throw Error({"is a virtual dataset, whose data lies in other files", set.where, {}, {}, "Copy it: h5repack in.h5 out.h5"});
    if (H5Pget_external_count(creation.id()) != 0)
        throw Error({"keeps its data in another, raw file, which is not read", set.where, {}, {}, "Copy it: h5repack in.h5 out.h5"});
    bool packed = false;
    checkFilters(creation.id(), set.where, packed);
    if (layout == H5D_CHUNKED)
        set.chunk = checkedChunk(creation.id(), set);
    checkStorage(set, layout == H5D_CHUNKED, packed, file);
}

/// HDF5 1.10 reads bits wherever a damaged type says that they are.
bool fitsItsBytes(hid_t type)
{
    const std::size_t bits = 8 * H5Tget_size(type);
    const auto fits = [bits](std::size_t begin, std::size_t count) { return count > 0 && begin <= bits && count <= bits - begin; };
    switch (H5Tget_class(type)) {
    case H5T_INTEGER:
        return fits(static_cast<std::size_t>(H5Tget_offset(type)), H5Tget_precision(type));
    case H5T_FLOAT: {
        std::size_t sign = 0, exponent = 0, exponentBits = 0, mantissa = 0, mantissaBits = 0;
        return H5Tget_fields(type, &sign, &exponent, &exponentBits, &mantissa, &mantissaBits) >= 0 && fits(sign, 1)
            && fits(exponent, exponentBits) && fits(mantissa, mantissaBits)
            && fits(static_cast<std::size_t>(H5Tget_offset(type)), H5Tget_precision(type));
    }
    case H5T_ENUM:
        return fitsItsBytes(Type(H5Tget_super(type)).id());
    default:
        return true;
    }
}

/// A file that HDF5 can open by its name. Of a stream that is a copy, which needs the name no longer once it is open.
class NamedFile {
public:
    explicit NamedFile(const InputFile& file)
        : m_path(file.seekablePath())
        , m_isCopy(file.isStream())
    {
    }
    ~NamedFile()
    {
        if (m_isCopy)
            unlink(m_path.c_str());
    }
    NamedFile(const NamedFile&) = delete;
    NamedFile& operator=(const NamedFile&) = delete;
    const char* path() const { return m_path.c_str(); }

private:
    std::string m_path;
    bool m_isCopy;
};

bool beginsAsHdf5(InputFile& file)
{
    std::string head(4096, '\0');
    head.resize(file.read(head.data(), head.size()));
    return hasSignature(head);
}

} // namespace

NumberClass numberClassOf(hid_t type)
{
    if (!fitsItsBytes(type))
        return NumberClass::Other;
    switch (H5Tget_class(type)) {
    case H5T_INTEGER:
        return H5Tget_sign(type) == H5T_SGN_NONE ? NumberClass::Unsigned : NumberClass::Signed;
    case H5T_FLOAT:
        return NumberClass::Floating;
    case H5T_ENUM:
        return NumberClass::Signed; // bool, as h5py writes it
    default:
        return NumberClass::Other;
    }
}

File openFile(const std::string& given, kernels::Progress* progress)
{
    const std::string name = fileNameOf(given);
    InputFile opened(given, progress); // its sentences are better than HDF5's
    if (opened.isStream() && !beginsAsHdf5(opened))
        fail(name, "is not an HDF5 file, or a damaged one"); // without waiting for its end
    const NamedFile file(opened);
    if (H5Fis_hdf5(file.path()) <= 0)
        fail(name, "is not an HDF5 file, or a damaged one");
    checkSuperblock(file.path(), name);
    return File(check(H5Fopen(file.path(), H5F_ACC_RDONLY, H5P_DEFAULT), name,
                      "the HDF5 file cannot be opened; it may be damaged, cut short or still being written"));
}

bool hasLink(hid_t group, const std::string& name) { return H5Lexists(group, name.c_str(), H5P_DEFAULT) > 0; }

std::vector<std::string> linkNames(hid_t group, const std::string& where, std::size_t limit, bool* otherLinks)
{
    struct Found {
        std::vector<std::string> names;
        std::size_t limit;
        bool others = false;
    } found{{}, limit};
    const auto note = [](hid_t, const char* name, const H5L_info_t* info, void* data) -> herr_t {
        auto& to = *static_cast<Found*>(data);
        if (to.names.size() >= to.limit)
            return 1;
        if (info->type == H5L_TYPE_HARD)
            to.names.emplace_back(name);
        else
            to.others = true;
        return 0;
    };
    if (check(H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, note, &found), where, "the group cannot be listed") > 0)
        throw Error({"holds too many objects", where, {}, fmt::format("at most {}", limit), "Name the group: FILE.h5:/group"});
    if (otherLinks)
        *otherLinks = *otherLinks || found.others;
    return found.names;
}

Object openObject(hid_t group, const std::string& name, const std::string& where)
{
    H5L_info_t info{};
    if (!hasLink(group, name))
        throw Error({"there is no such object in the file", child(where, name), {}, {}, {}});
    check(H5Lget_info(group, name.c_str(), &info, H5P_DEFAULT), child(where, name), "the link cannot be read");
    if (info.type != H5L_TYPE_HARD)
        throw Error({"is a link to another place, which is not followed", child(where, name),
                     info.type == H5L_TYPE_EXTERNAL   ? "an external link"
                         : info.type == H5L_TYPE_SOFT ? "a soft link"
                                                      : "a user-defined link",
                     "the object itself", "Copy the data into this file."});
    checkObjectHeader(StoredBytes(group), info.u.address, child(where, name));
    return Object(check(H5Oopen(group, name.c_str(), H5P_DEFAULT), child(where, name), "the object cannot be opened"));
}

Object openPath(hid_t file, const std::string& path, const std::string& where)
{
    Object object(check(H5Oopen(file, "/", H5P_DEFAULT), where, "the root group cannot be opened"));
    std::string done;
    for (std::size_t begin = 0; begin < path.size();) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        const std::string step = path.substr(begin, end - begin);
        begin = end + 1;
        if (step.empty() || step == ".")
            continue;
        if (!isGroup(object))
            throw Error({"there is no such group", fmt::format("{} {}", where, path), {}, {}, {}});
        object = openObject(object.id(), step, done.empty() ? where : fmt::format("{} {}", where, done));
        done += "/" + step;
    }
    return object;
}

bool isGroup(const Object& object) { return H5Iget_type(object.id()) == H5I_GROUP; }
bool isDataset(const Object& object) { return H5Iget_type(object.id()) == H5I_DATASET; }

CheckedDataset openDataset(hid_t group, const std::string& name, const std::string& where)
{
    CheckedDataset set;
    set.where = child(where, name);
    const Object object = openObject(group, name, where);
    if (!isDataset(object))
        throw Error({"is not a dataset", set.where, {}, {}, {}});
    set.dataset = Dataset(check(H5Dopen2(group, name.c_str(), H5P_DEFAULT), set.where, "the dataset cannot be opened"));
    const Space space(check(H5Dget_space(set.dataset.id()), set.where, "the dataset's shape cannot be read"));
    const int rank = check(H5Sget_simple_extent_ndims(space.id()), set.where, "the dataset's shape cannot be read");
    if (H5Sget_simple_extent_type(space.id()) == H5S_NULL)
        throw Error({"is an empty dataspace", set.where, {}, {}, {}});
    set.dims.resize(static_cast<std::size_t>(rank));
    H5Sget_simple_extent_dims(space.id(), set.dims.data(), nullptr);
    set.elements = elementsOf(set.dims, set.where);
    const Type type(check(H5Dget_type(set.dataset.id()), set.where, "the dataset's type cannot be read"));
    set.numbers = numberClassOf(type.id());
    constexpr std::size_t smallestReference = 12; // of a text of variable length: size, address, number
    set.elementBytes = H5Tis_variable_str(type.id()) > 0 ? smallestReference : H5Tget_size(type.id());
    set.matlab = hasAttribute(set.dataset.id(), "MATLAB_class");
    const Properties creation(check(H5Dget_create_plist(set.dataset.id()), set.where, "the dataset's layout cannot be read"));
    const File file(H5Iget_file_id(set.dataset.id()));
    checkLayout(set, creation, file.id());
    return set;
}

template <class T> void readBox(const CheckedDataset& set, const std::vector<hsize_t>& start, const std::vector<hsize_t>& count, T* to)
{
    if (set.numbers == NumberClass::Other)
        throw Error({"holds no numbers", set.where, {}, {}, {}});
    if (set.dims.empty()) {
        check(H5Dread(set.dataset.id(), memoryType<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, to), set.where, "the data cannot be read");
        return;
    }
    const Space from(H5Dget_space(set.dataset.id()));
    H5Sselect_hyperslab(from.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
    const Space memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr));
    check(H5Dread(set.dataset.id(), memoryType<T>(), memory.id(), from.id(), H5P_DEFAULT, to), set.where, "the data cannot be read");
}

template <class T> void readRows(const CheckedDataset& set, hsize_t row, hsize_t count, T* to)
{
    if (const auto chunks = ParallelChunks::of(set); chunks && chunks->match(set, row, count))
        chunks->read(set, row, count, to);
    else
        readRowsByHdf5(set, row, count, to);
}

template <class T> void readRowsByHdf5(const CheckedDataset& set, hsize_t row, hsize_t count, T* to)
{
    std::vector<hsize_t> start(set.dims.size(), 0), counts = set.dims;
    if (!set.dims.empty()) {
        start[0] = row;
        counts[0] = count;
    }
    readBox(set, start, counts, to);
}

void forEachSlab(Session& session, const CheckedDataset& set, kernels::Progress* progress,
                 const std::function<void(hsize_t begin, hsize_t count)>& body, std::size_t dimension)
{
    const hsize_t total = set.dims.empty() ? 1 : set.dims[dimension];
    const hsize_t across = total ? std::max<hsize_t>(1, set.elements / total) : 1;
    hsize_t atOnce = std::max<hsize_t>(1, slabElements / across);
    if (dimension == 0 && ParallelChunks::of(set))
        atOnce = std::max(atOnce,
                          set.chunk[0] * std::min<hsize_t>(2 * std::thread::hardware_concurrency(), longestSlab / across / set.chunk[0]));
    if (!set.chunk.empty())
        atOnce = std::max<hsize_t>(1, atOnce / set.chunk[dimension]) * set.chunk[dimension];
    for (hsize_t begin = 0; begin < total; begin += atOnce) {
        if (progress)
            progress->throwIfCancelled();
        const hsize_t count = std::min(atOnce, total - begin);
        body(begin, count);
        if (progress)
            progress->advance(count * across * set.elementBytes);
        session.giveWay();
    }
}

template <class T> void readArray(Session& session, const CheckedDataset& set, T* to, kernels::Progress* progress)
{
    const hsize_t rowElements = set.dims.empty() || set.dims[0] == 0 ? 1 : set.elements / set.dims[0];
    forEachSlab(session, set, progress, [&](hsize_t row, hsize_t count) { readRows(set, row, count, to + row * rowElements); });
}

template void readBox(const CheckedDataset&, const std::vector<hsize_t>&, const std::vector<hsize_t>&, std::int64_t*);
template void readBox(const CheckedDataset&, const std::vector<hsize_t>&, const std::vector<hsize_t>&, float*);
template void readBox(const CheckedDataset&, const std::vector<hsize_t>&, const std::vector<hsize_t>&, double*);
template void readRows(const CheckedDataset&, hsize_t, hsize_t, float*);
template void readRows(const CheckedDataset&, hsize_t, hsize_t, double*);
template void readRows(const CheckedDataset&, hsize_t, hsize_t, std::int64_t*);
template void readRows(const CheckedDataset&, hsize_t, hsize_t, std::uint32_t*);
template void readRows(const CheckedDataset&, hsize_t, hsize_t, std::uint64_t*);
template void readArray(Session&, const CheckedDataset&, float*, kernels::Progress*);
template void readArray(Session&, const CheckedDataset&, double*, kernels::Progress*);
template void readArray(Session&, const CheckedDataset&, std::uint32_t*, kernels::Progress*);
template void readArray(Session&, const CheckedDataset&, std::uint64_t*, kernels::Progress*);

} // namespace io::hdf5
