// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels/base/registry.h"

#include <QtTest>

using namespace kernels;

/// What every tensor format promises, whichever it is.
class FormatContractTest : public QObject {
    Q_OBJECT

    static void addFormats()
    {
        QTest::addColumn<QString>("format");
        for (const TensorFormatInfo& info : tensorFormats())
            QTest::addRow("%s", info.id.c_str()) << QString::fromStdString(info.id);
    }
    static const TensorFormatInfo& fetchFormat()
    {
        QFETCH(QString, format);
        return tensorFormat(format.toStdString());
    }

private Q_SLOTS:
    void isDescribed_data() { addFormats(); }
    void isDescribed()
    {
        const TensorFormatInfo& info = fetchFormat();
        QVERIFY(!info.title.empty());
        QVERIFY(!info.summary.empty());
    }

    void bytesGrowWithEntriesAndHoldTheValues_data() { addFormats(); }
    void bytesGrowWithEntriesAndHoldTheValues()
    {
        const TensorFormatInfo& info = fetchFormat();
        for (unsigned order = minOrder; order <= maxOrder; ++order) {
            ProblemShape shape{std::vector<Index>(order, 1000), 0, 0};
            std::uint64_t before = 0;
            for (const Count entries : {Count{1}, Count{1000}, Count{1} << 20, maxEntries}) {
                shape.trainEntries = entries;
                for (const unsigned valueBytes : {4u, 8u})
                    QVERIFY(info.bytes(shape, valueBytes) >= entries * valueBytes);
                QVERIFY(info.bytes(shape, 4) > before);
                QVERIFY(info.bytes(shape, 8) >= info.bytes(shape, 4)); // records may have room for either
                before = info.bytes(shape, 4);
            }
        }
    }

    /// Four bytes an index and the value, nothing else.
    void cooHoldsExactlyItsCoordinates()
    {
        const ProblemShape shape{{10, 20, 30}, 1000, 0};
        QCOMPARE(tensorFormat("coo").bytes(shape, 4), std::uint64_t{1000 * (3 * 4 + 4)});
        QCOMPARE(tensorFormat("coo").bytes(shape, 8), std::uint64_t{1000 * (3 * 4 + 8)});
    }
};

QTEST_GUILESS_MAIN(FormatContractTest)
#include "tst_format_contract.moc"
