// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/deflate.h"
#include "io/error.h"
#include "io/hdf5_chunks.h"
#include "io/hdf5_read.h"
#include "io/hdf5_write.h"
#include "support/temporary_files.h"

#include <QtTest>

#include <limits>
#include <numeric>

using namespace io;

namespace {

template <class T> hid_t nativeType();
template <> hid_t nativeType<std::int8_t>() { return H5T_NATIVE_INT8; }
template <> hid_t nativeType<std::int16_t>() { return H5T_NATIVE_INT16; }
template <> hid_t nativeType<std::int32_t>() { return H5T_NATIVE_INT32; }
template <> hid_t nativeType<std::uint8_t>() { return H5T_NATIVE_UINT8; }
template <> hid_t nativeType<std::uint16_t>() { return H5T_NATIVE_UINT16; }
template <> hid_t nativeType<std::uint32_t>() { return H5T_NATIVE_UINT32; }
template <> hid_t nativeType<std::uint64_t>() { return H5T_NATIVE_UINT64; }
template <> hid_t nativeType<float>() { return H5T_NATIVE_FLOAT; }
template <> hid_t nativeType<double>() { return H5T_NATIVE_DOUBLE; }

struct Layout {
    bool shuffle = false, deflate = true, fletcher = false, bigEndian = false;
    hsize_t chunk = 100;
};

/// Numbers of all sizes and both signs, none of which a whole number of 64 bits loses.
template <class T> std::vector<T> numbers(std::size_t count)
{
    std::vector<T> made(count);
    for (std::size_t i = 0; i < count; ++i) {
        if constexpr (std::is_floating_point_v<T>)
            made[i] = static_cast<T>(static_cast<double>(i) * 0.37 - 55);
        else
            made[i] = static_cast<T>(i * 2654435761u * 97 + (i << 40));
    }
    if constexpr (std::is_integral_v<T>)
        made[0] = std::numeric_limits<T>::max(), made[1] = std::numeric_limits<T>::min();
    return made;
}

} // namespace

class TestHdf5Chunks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyTypeIsReadAsHdf5ReadsIt();
    void otherLayoutsAreLeftToHdf5();
    void chunksThatAreNotThereAreFilled();
    void rowsOfAMatrix();
    void aDamagedChunkIsRefused();
    void whatIsWrittenIsReadByHdf5_data();
    void whatIsWrittenIsReadByHdf5();
    void whatDoesNotPackIsStoredAsItIs();

private:
    template <class T> std::string write(const std::vector<T>& data, std::vector<hsize_t> dims, const Layout& layout);
    template <class Stored, class T> void compare(const Layout& layout);

    test::TemporaryFiles m_files;
};

template <class T> std::string TestHdf5Chunks::write(const std::vector<T>& data, std::vector<hsize_t> dims, const Layout& layout)
{
    const std::string path = m_files.path("chunks.h5");
    const hdf5::File file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hdf5::Space space(H5Screate_simple(int(dims.size()), dims.data(), nullptr));
    const hdf5::Properties creation(H5Pcreate(H5P_DATASET_CREATE));
    std::vector<hsize_t> chunk = dims;
    chunk[0] = layout.chunk;
    H5Pset_chunk(creation.id(), int(chunk.size()), chunk.data());
    if (layout.shuffle)
        H5Pset_shuffle(creation.id());
    if (layout.deflate)
        H5Pset_deflate(creation.id(), 4);
    if (layout.fletcher)
        H5Pset_fletcher32(creation.id());
    hdf5::Type type(H5Tcopy(nativeType<T>()));
    if (layout.bigEndian)
        H5Tset_order(type.id(), H5T_ORDER_BE);
    const hdf5::Dataset set(H5Dcreate2(file.id(), "x", type.id(), space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT));
    H5Dwrite(set.id(), nativeType<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, data.data());
    return path;
}

template <class Stored, class T> void TestHdf5Chunks::compare(const Layout& layout)
{
    hdf5::Session session;
    const std::vector<Stored> data = numbers<Stored>(1037);
    const hdf5::File file = hdf5::openFile(write(data, {data.size()}, layout));
    const hdf5::CheckedDataset set = hdf5::openDataset(file.id(), "x", "chunks.h5");
    const auto chunks = hdf5::ParallelChunks::of(set);
    QVERIFY(chunks);
    std::vector<T> found(data.size()), expected(data.size());
    hdf5::readRowsByHdf5(set, 0, data.size(), expected.data());
    hdf5::readArray(session, set, found.data());
    QVERIFY(found == expected);
    QVERIFY(chunks->match(set, 300, 400));
    QVERIFY(!chunks->match(set, 301, 400));
    QVERIFY(!chunks->match(set, 300, 401));
    QVERIFY(chunks->match(set, 1000, 37));
    std::vector<T> some(400);
    chunks->read(set, 300, 400, some.data());
    QVERIFY(std::equal(some.begin(), some.end(), expected.begin() + 300));
}

void TestHdf5Chunks::everyTypeIsReadAsHdf5ReadsIt()
{
    for (const bool shuffle : {false, true}) {
        const Layout layout{.shuffle = shuffle};
        compare<std::int8_t, float>(layout);
        compare<std::int16_t, float>(layout);
        compare<std::int32_t, double>(layout);
        compare<std::uint8_t, std::uint32_t>(layout);
        compare<std::uint16_t, std::uint32_t>(layout);
        compare<std::uint32_t, std::uint32_t>(layout);
        compare<std::uint32_t, std::uint64_t>(layout);
        compare<std::uint64_t, std::uint64_t>(layout);
        compare<std::uint64_t, std::uint32_t>(layout); // what does not fit is the largest
        compare<std::int32_t, std::uint32_t>(layout); // negative ones are 0
        compare<float, float>(layout);
        compare<float, double>(layout);
        compare<double, double>(layout);
        compare<double, float>(layout);
        if (QTest::currentTestFailed())
            return;
    }
}

void TestHdf5Chunks::otherLayoutsAreLeftToHdf5()
{
    hdf5::Session session;
    const std::vector<std::uint32_t> data = numbers<std::uint32_t>(500);
    for (const Layout& layout : {Layout{.fletcher = true}, Layout{.deflate = false}, Layout{.bigEndian = true}}) {
        const hdf5::File file = hdf5::openFile(write(data, {data.size()}, layout));
        const hdf5::CheckedDataset set = hdf5::openDataset(file.id(), "x", "chunks.h5");
        QVERIFY(!hdf5::ParallelChunks::of(set));
        std::vector<std::uint32_t> found(data.size());
        hdf5::readArray(session, set, found.data());
        QVERIFY(found == data);
    }
}

void TestHdf5Chunks::chunksThatAreNotThereAreFilled()
{
    hdf5::Session session;
    const std::string path = m_files.path("holes.h5");
    {
        const hdf5::File file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
        const hsize_t size = 1000, chunk = 100, start = 200, count = 100;
        const hdf5::Space space(H5Screate_simple(1, &size, nullptr)), memory(H5Screate_simple(1, &count, nullptr));
        const hdf5::Properties creation(H5Pcreate(H5P_DATASET_CREATE));
        H5Pset_chunk(creation.id(), 1, &chunk);
        H5Pset_deflate(creation.id(), 1);
        const double filler = 7;
        H5Pset_fill_value(creation.id(), H5T_NATIVE_DOUBLE, &filler);
        const hdf5::Dataset set(H5Dcreate2(file.id(), "x", H5T_NATIVE_DOUBLE, space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT));
        const std::vector<double> data(100, 3);
        H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, &start, nullptr, &count, nullptr);
        H5Dwrite(set.id(), H5T_NATIVE_DOUBLE, memory.id(), space.id(), H5P_DEFAULT, data.data());
    }
    const hdf5::File file = hdf5::openFile(path);
    const hdf5::CheckedDataset set = hdf5::openDataset(file.id(), "x", "holes.h5");
    std::vector<double> found(1000);
    hdf5::readArray(session, set, found.data());
    for (std::size_t i = 0; i < found.size(); ++i)
        QCOMPARE(found[i], i >= 200 && i < 300 ? 3.0 : 7.0);
}

void TestHdf5Chunks::rowsOfAMatrix()
{
    hdf5::Session session;
    const std::vector<float> data = numbers<float>(123 * 7);
    const hdf5::File file = hdf5::openFile(write(data, {123, 7}, {.shuffle = true, .chunk = 10}));
    const hdf5::CheckedDataset set = hdf5::openDataset(file.id(), "x", "chunks.h5");
    QVERIFY(hdf5::ParallelChunks::of(set));
    std::vector<float> found(data.size());
    hdf5::readArray(session, set, found.data());
    QVERIFY(found == data);
}

void TestHdf5Chunks::aDamagedChunkIsRefused()
{
    hdf5::Session session;
    const std::vector<std::uint32_t> data = numbers<std::uint32_t>(1000);
    const std::string path = write(data, {data.size()}, {});
    haddr_t address = 0;
    hsize_t bytes = 0;
    {
        const hdf5::File file = hdf5::openFile(path);
        const hdf5::CheckedDataset set = hdf5::openDataset(file.id(), "x", "chunks.h5");
        const hsize_t offset = 300;
        unsigned mask = 0;
        QVERIFY(H5Dget_chunk_info_by_coord(set.dataset.id(), &offset, &mask, &address, &bytes) >= 0);
    }
    QFile file(QString::fromStdString(path));
    QVERIFY(file.open(QIODevice::ReadWrite));
    const QByteArray whole = file.readAll();
    for (hsize_t at = 0; at < bytes; at += 7) {
        QByteArray damaged = whole;
        damaged[qsizetype(address + at)] = char(damaged[qsizetype(address + at)] ^ 0x5a);
        const std::string name = m_files.write("damaged.h5", damaged);
        const hdf5::File opened = hdf5::openFile(name);
        const hdf5::CheckedDataset set = hdf5::openDataset(opened.id(), "x", "damaged.h5");
        std::vector<std::uint32_t> found(data.size());
        try {
            hdf5::readArray(session, set, found.data());
            QVERIFY2(found == data, qPrintable(QString::number(at))); // a bit that nothing depends on
        } catch (const Error& error) {
            QVERIFY(QString::fromUtf8(error.what()).contains("damaged"));
        }
    }
}

void TestHdf5Chunks::whatIsWrittenIsReadByHdf5_data()
{
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("columns");
    for (const int rows : {1, 7, 4096, 4097, 20000})
        for (const int columns : {1, 3})
            QTest::addRow("%d x %d", rows, columns) << rows << columns;
}

void TestHdf5Chunks::whatIsWrittenIsReadByHdf5()
{
    QFETCH(const int, rows);
    QFETCH(const int, columns);
    const auto check = [&]<class T>(T) {
        const std::vector<T> data = numbers<T>(std::size_t(rows * columns + 2));
        std::vector<hsize_t> dims{hsize_t(rows)};
        if (columns > 1)
            dims.push_back(hsize_t(columns));
        const std::string path = m_files.path("written.h5");
        hdf5::writeFile(path, [&](hdf5::Session& session, hid_t root) {
            hdf5::writeArray(session, root, "x", data.data(), dims, hdf5::Storage{4096, true, false});
        });
        hdf5::Session session;
        const hdf5::File file = hdf5::openFile(path);
        const hdf5::CheckedDataset set = hdf5::openDataset(file.id(), "x", "written.h5");
        std::vector<T> found(std::size_t(rows * columns)), again(found.size());
        hdf5::readRowsByHdf5(set, 0, hsize_t(rows), found.data());
        QVERIFY(std::equal(found.begin(), found.end(), data.begin()));
        hdf5::readArray(session, set, again.data());
        QVERIFY(again == found);
    };
    check(float{});
    check(double{});
    check(std::uint32_t{});
    check(std::uint64_t{});
}

void TestHdf5Chunks::whatDoesNotPackIsStoredAsItIs()
{
    std::vector<std::uint64_t> noise(10000);
    std::uint64_t state = 1;
    for (std::uint64_t& x : noise) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        x = state ^ state >> 29;
    }
    const std::string path = m_files.path("noise.h5");
    hdf5::writeFile(path, [&](hdf5::Session& session, hid_t root) {
        hdf5::writeArray(session, root, "x", noise.data(), {noise.size()}, hdf5::Storage{1000, true, false});
    });
    QVERIFY(QFileInfo(QString::fromStdString(path)).size() < 8 * 10000 + 20000);
    hdf5::Session session;
    const hdf5::File file = hdf5::openFile(path);
    const hdf5::CheckedDataset set = hdf5::openDataset(file.id(), "x", "noise.h5");
    std::vector<std::uint64_t> found(noise.size()), again(noise.size());
    hdf5::readRowsByHdf5(set, 0, noise.size(), found.data());
    QVERIFY(found == noise);
    hdf5::readArray(session, set, again.data());
    QVERIFY(again == noise);
}

QTEST_GUILESS_MAIN(TestHdf5Chunks)
#include "tst_hdf5_chunks.moc"
