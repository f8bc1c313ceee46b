// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/error.h"
#include "io/hdf5_handles.h"
#include "io/hdf5_read.h"
#include "support/temporary_files.h"

#include <QtTest>

#include <limits>

using namespace io;

namespace {

/// What a file of texts holds, written as a library of somebody else writes it.
struct Texts {
    std::string attribute;
    std::vector<std::string> labels;
    bool operator==(const Texts&) const = default;
};

Texts sample(std::size_t labels)
{
    Texts texts{"an attribute – früh", {}};
    for (std::size_t i = 0; i < labels; ++i)
        texts.labels.push_back(i % 7 == 3 ? std::string() : std::string(i * 13 % 90, 'x') + std::to_string(i));
    return texts;
}

void write(const std::string& path, const Texts& texts, hsize_t userBlock, std::size_t numberBytes)
{
    const hdf5::Session session;
    const hdf5::Properties creation(H5Pcreate(H5P_FILE_CREATE));
    H5Pset_userblock(creation.id(), userBlock);
    H5Pset_sizes(creation.id(), numberBytes, numberBytes);
    const hdf5::File file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.id(), H5P_DEFAULT));
    QVERIFY(bool(file));
    const hdf5::Type type(H5Tcopy(H5T_C_S1));
    H5Tset_size(type.id(), H5T_VARIABLE);
    const hdf5::Space one(H5Screate(H5S_SCALAR));
    for (const auto& [name, text] : {std::pair("text", texts.attribute.c_str()), std::pair("empty", "")}) {
        const hdf5::Attribute attribute(H5Acreate2(file.id(), name, type.id(), one.id(), H5P_DEFAULT, H5P_DEFAULT));
        QVERIFY(H5Awrite(attribute.id(), type.id(), &text) >= 0);
    }
    std::vector<const char*> labels;
    for (const std::string& label : texts.labels)
        labels.push_back(label.c_str());
    const hsize_t count = labels.size();
    const hdf5::Space all(H5Screate_simple(1, &count, nullptr));
    const hdf5::Dataset set(H5Dcreate2(file.id(), "labels", type.id(), all.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    QVERIFY(H5Dwrite(set.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, labels.data()) >= 0);
}

Texts read(const std::string& path, std::size_t labels)
{
    hdf5::Session session;
    const hdf5::File file = hdf5::openFile(path);
    Texts texts;
    texts.attribute =
        hdf5::textAttribute(file.id(), "text", "/").value_or("none") + hdf5::textAttribute(file.id(), "empty", "/").value_or("none");
    std::size_t bytesLeft = std::numeric_limits<std::size_t>::max();
    texts.labels = hdf5::readStrings(session, file.id(), "labels", "/", labels, bytesLeft, nullptr);
    return texts;
}

} // namespace

/// Texts of variable length are read as HDF5 wrote them, and what is damaged is refused.
class TestTextHeap : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void textsAreReadAsWritten_data();
    void textsAreReadAsWritten();
    void everyDamagedByteIsAnAnswer();

private:
    test::TemporaryFiles m_files;
};

void TestTextHeap::textsAreReadAsWritten_data()
{
    QTest::addColumn<int>("labels");
    QTest::addColumn<int>("userBlock");
    QTest::addColumn<int>("numberBytes");
    QTest::newRow("one heap") << 5 << 0 << 8;
    QTest::newRow("many heaps") << 20000 << 0 << 8;
    QTest::newRow("behind a block of the user") << 300 << 2048 << 8;
    QTest::newRow("addresses of 4 bytes") << 300 << 512 << 4;
}

void TestTextHeap::textsAreReadAsWritten()
{
    QFETCH(const int, labels);
    QFETCH(const int, userBlock);
    QFETCH(const int, numberBytes);
    const Texts texts = sample(static_cast<std::size_t>(labels));
    const std::string path = m_files.path("texts.h5");
    write(path, texts, static_cast<hsize_t>(userBlock), static_cast<std::size_t>(numberBytes));
    QVERIFY(read(path, texts.labels.size()) == texts);
}

/// Of the heap, every byte in turn takes three other values: all texts come, or a sentence. Letters may change, lengths may not.
void TestTextHeap::everyDamagedByteIsAnAnswer()
{
    const Texts texts = sample(12);
    const std::string path = m_files.path("damaged.h5");
    write(path, texts, 0, 8);
    QFile file(QString::fromStdString(path));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray whole = file.readAll();
    file.close();
    const qsizetype heap = whole.indexOf("GCOL");
    QVERIFY(heap > 0);
    int refused = 0, changed = 0;
    for (qsizetype at = heap; at < std::min<qsizetype>(whole.size(), heap + 700); ++at) {
        for (const char value : {char(0), char(0xff), char(whole[at] ^ 0x10)}) {
            QByteArray damaged = whole;
            damaged[at] = value;
            QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
            QCOMPARE(file.write(damaged), damaged.size());
            file.close();
            try {
                const Texts found = read(path, texts.labels.size());
                QCOMPARE(found.labels.size(), texts.labels.size());
                changed += found != texts;
            } catch (const Error& error) {
                ++refused;
                QVERIFY2(std::string(error.what()).find("cannot be read") != std::string::npos, error.what());
            }
        }
    }
    QVERIFY2(refused > 40, qPrintable(QString::number(refused)));
    QVERIFY2(changed > 40, qPrintable(QString::number(changed)));
}

QTEST_GUILESS_MAIN(TestTextHeap)
#include "tst_text_heap.moc"
