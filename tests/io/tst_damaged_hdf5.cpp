// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/error.h"
#include "io/file_format.h"
#include "io/hdf5_handles.h"
#include "io/hdf5_read.h"
#include "io/model_file.h"
#include "kernels/base/random.h"
#include "support/random_tensor.h"
#include "support/temporary_files.h"

#include <QtTest>

#include <cstring>
#include <functional>
#include <sys/mman.h>
#include <unistd.h>

using namespace io;

namespace {

/// Bytes as a file without a place on a disk: there are tens of thousands of them.
class MemoryFile {
public:
    MemoryFile()
        : m_file(memfd_create("damaged", 0))
    {
    }
    ~MemoryFile() { close(m_file); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    bool hold(const QByteArray& bytes) const
    {
        return ftruncate(m_file, 0) == 0 && pwrite(m_file, bytes.constData(), size_t(bytes.size()), 0) == bytes.size();
    }
    std::string path() const { return "/proc/self/fd/" + std::to_string(m_file); }

private:
    int m_file;
};

void setNumber(QByteArray& bytes, qsizetype at, std::uint64_t value, qsizetype count)
{
    std::memcpy(bytes.data() + at, &value, size_t(count));
}

/// Where HDF5's old way of telling chunks begins its message: type 8, 24 bytes, version 3, chunked.
const QByteArray chunkedLayout("\x08\0\x18\0\0\0\0\0\x03\x02", 10);
/// Of a double, as the library writes it, from its class on.
const QByteArray doubleType("\x11\x20\x3f\0\x08\0\0\0\0\0\x40\0\x34\x0b\0\x34\xff\x03\0\0", 20);

} // namespace

/// HDF5 1.10 believes what stands in a file: it divides by sizes of nothing, allocates what is claimed and goes round in circles. Whatever
/// is wrong with a file of ours, it is read or refused, and no handle stays open.
class TestDamagedHdf5 : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void sizesOfNumbersMayDiffer_data();
    void sizesOfNumbersMayDiffer();
    void damageIsTold_data();
    void damageIsTold();
    void anyByteMayBeWrong_data();
    void anyByteMayBeWrong();

private:
    QByteArray m_model, m_tensor;
    test::TemporaryFiles m_files;
};

void TestDamagedHdf5::initTestCase()
{
    ModelFile file;
    file.model = test::randomModel(kernels::ModelKind::FastTucker, {50, 40, 30}, 4, 4, 1, false);
    file.history.resize(40);
    for (std::size_t i = 0; i < file.history.size(); ++i)
        file.history[i].iteration = i + 1;
    writeModel(m_files.path("model.h5"), file);
    m_model = test::contentOf(m_files.path("model.h5"));
    kernels::Progress progress;
    writeTensor(m_files.path("tensor.h5"), test::randomTensor({50, 40, 30}, 300, 3), {}, progress);
    m_tensor = test::contentOf(m_files.path("tensor.h5"));
    QVERIFY(m_model.size() > 4000 && m_tensor.size() > 2000);
}

void TestDamagedHdf5::sizesOfNumbersMayDiffer_data()
{
    QTest::addColumn<int>("addressBytes");
    QTest::addColumn<int>("lengthBytes");
    for (const int address : {4, 8})
        for (const int length : {4, 8})
            QTest::addRow("addresses of %d bytes, lengths of %d", address, length) << address << length;
}

/// What is whole is let through, whatever its numbers take, behind a user block or not.
void TestDamagedHdf5::sizesOfNumbersMayDiffer()
{
    QFETCH(const int, addressBytes);
    QFETCH(const int, lengthBytes);
    for (const hsize_t userBlock : {hsize_t{0}, hsize_t{1024}}) {
        const std::string path = m_files.path("whole.h5");
        const hdf5::Session session;
        {
            const hdf5::Properties creation(H5Pcreate(H5P_FILE_CREATE));
            H5Pset_userblock(creation.id(), userBlock);
            H5Pset_sizes(creation.id(), std::size_t(addressBytes), std::size_t(lengthBytes));
            const hdf5::File file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.id(), H5P_DEFAULT));
            const hdf5::Group group(H5Gcreate2(file.id(), "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
            QVERIFY(file && group);
        }
        const hdf5::File file = hdf5::openFile(path);
        QVERIFY(hdf5::isGroup(hdf5::openPath(file.id(), "/group", "whole.h5")));
    }
}

void TestDamagedHdf5::damageIsTold_data()
{
    QTest::addColumn<QString>("found");
    QTest::addColumn<int>("kind");
    QTest::newRow("a root of gigabytes") << "messages of 4278190104 bytes" << 0;
    QTest::newRow("names of gigabytes") << "names of 4278190080 bytes" << 1;
    QTest::newRow("free room in a circle") << "names with free room that does not end" << 2;
    QTest::newRow("chunks of nothing") << "chunks of no cell" << 3;
    QTest::newRow("chunks without a dimension") << "chunks without sizes" << 4;
    QTest::newRow("bits beyond a number") << "holds no numbers" << 5;
    QTest::newRow("a number of no bits") << "holds no numbers" << 6;
    QTest::newRow("messages in a circle") << "an object without an end" << 7;
}

void TestDamagedHdf5::damageIsTold()
{
    QFETCH(const QString, found);
    QFETCH(const int, kind);
    QByteArray bytes = m_model;
    const qsizetype heap = bytes.indexOf("HEAP"), layout = bytes.indexOf(chunkedLayout), number = bytes.indexOf(doubleType);
    QVERIFY(heap > 0 && layout > 0 && number > 0);
    std::uint64_t root = 0, names = 0;
    std::memcpy(&root, bytes.constData() + 64, 8);
    std::memcpy(&names, bytes.constData() + heap + 24, 8);
    switch (kind) {
    case 0:
        setNumber(bytes, qsizetype(root) + 8, 0xff000018, 4);
        break;
    case 1:
        setNumber(bytes, heap + 8, 0xff000000, 8);
        break;
    case 2:
        setNumber(bytes, heap + 16, 8, 8); // the free room begins at byte 8 and goes on there
        setNumber(bytes, qsizetype(names) + 8, 8, 8);
        break;
    case 3:
        setNumber(bytes, layout + 8 + 3 + 8, 0, 4);
        break;
    case 4:
        setNumber(bytes, layout + 8 + 2, 0, 1);
        break;
    case 5:
    case 6: {
        QByteArray damaged = doubleType;
        setNumber(damaged, kind == 5 ? 15 : 10, kind == 5 ? 0xff : 0, 1);
        bytes.replace(doubleType, damaged);
        break;
    }
    case 7: {
        const qsizetype first = qsizetype(root) + 16; // the root's first message: others are where it stands itself
        setNumber(bytes, first, 16, 2);
        setNumber(bytes, first + 2, 16, 2);
        setNumber(bytes, first + 8, std::uint64_t(first), 8);
        setNumber(bytes, first + 16, 24, 8);
        break;
    }
    }
    try {
        readModel(m_files.write("damaged.h5", bytes));
        QFAIL("it was read");
    } catch (const kernels::Error& error) {
        const QString told = QString::fromUtf8(error.what());
        QVERIFY2(told.startsWith("damaged.h5") && told.contains(found), qPrintable(told));
    }
}

void TestDamagedHdf5::anyByteMayBeWrong_data()
{
    QTest::addColumn<bool>("model");
    QTest::addColumn<int>("most");
    for (const bool model : {false, true})
        for (const int most : {1, 4})
            QTest::addRow("%s, up to %d bytes", model ? "a model" : "a tensor", most) << model << most;
}

/// Up to so many at a time, of those that are not zero among zeros; values that numbers of a file's own structure like to have, and others.
void TestDamagedHdf5::anyByteMayBeWrong()
{
    QFETCH(const bool, model);
    QFETCH(const int, most);
    constexpr int tries = 4000;
    const QByteArray& whole = model ? m_model : m_tensor;
    std::vector<qsizetype> live;
    for (qsizetype at = 0; at < whole.size(); ++at)
        if (whole.mid(std::max<qsizetype>(at - 8, 0), 16).count('\0') < 16)
            live.push_back(at);
    const MemoryFile file;
    std::uint64_t drawn = 0;
    const auto draw = [&](std::size_t below) {
        return static_cast<std::size_t>(kernels::random::uniform(5, std::uint64_t(most), ++drawn) * double(below));
    };
    const auto openObjects = [] {
        const hdf5::Session session;
        return H5Fget_obj_count(hid_t{H5F_OBJ_ALL}, H5F_OBJ_FILE | H5F_OBJ_DATASET | H5F_OBJ_GROUP | H5F_OBJ_ATTR);
    };
    int refused = 0;
    for (int i = 0; i < tries; ++i) {
        QByteArray bytes = whole;
        for (std::size_t left = 1 + draw(std::size_t(most)); left > 0; --left) {
            const qsizetype at = live[draw(live.size())];
            const char values[] = {0, 1, 2, 3, 8, 16, char(0xff), char(bytes[at] ^ (1 << draw(8)))};
            bytes[at] = values[draw(std::size(values))];
        }
        QVERIFY(file.hold(bytes));
        try {
            kernels::Progress progress;
            if (model)
                readModel(file.path(), nullptr, ReadState::Yes);
            else
                readTensor(file.path(), {}, progress).tensor.check();
        } catch (const kernels::Error&) {
            ++refused;
        }
        QCOMPARE(openObjects(), ssize_t{0});
    }
    QVERIFY2(refused > tries / 10, qPrintable(QString::number(refused)));
}

QTEST_GUILESS_MAIN(TestDamagedHdf5)
#include "tst_damaged_hdf5.moc"
