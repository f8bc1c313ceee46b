// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu.h"

#include "support/long_tails.h"

using kernels::DeviceId;
using kernels::DeviceKind;
using kernels::Precision;

/// Counts of which some are hundreds of times the others are learnt on a GPU as on the CPU, where thousands of steps are under way at once.
class CudaLongTailsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void countsAreLearnt_data()
    {
        QTest::addColumn<QString>("algorithm");
        QTest::addColumn<QString>("variant");
        QTest::addColumn<Precision>("precision");
        for (const auto& [algorithm, variant] : test::tailLearners())
            for (const Precision precision : {Precision::Fp32, Precision::Fp64, Precision::Tf32, Precision::Fp16})
                if (precision == Precision::Fp32 || precision == Precision::Fp64 || QString(algorithm).startsWith("fast"))
                    QTest::addRow("%s %s, %s", algorithm, variant, kernels::toString(precision).data())
                        << QString(algorithm) << QString(variant) << precision;
    }
    void countsAreLearnt()
    {
        POLYAD_NEEDS_GPU();
        QFETCH(QString, algorithm);
        QFETCH(QString, variant);
        QFETCH(Precision, precision);
        const test::Counts counts = test::countsOf(0.9);
        const double at =
            test::standsAt(counts, {algorithm.toStdString(), variant.toStdString(), false, DeviceId{DeviceKind::Cuda, 0}, precision});
        qInfo("%.3f", at);
        QVERIFY2(at < 0.2, qPrintable(QString::number(at)));
    }
};

QTEST_GUILESS_MAIN(CudaLongTailsTest)
#include "tst_cuda_long_tails.moc"
