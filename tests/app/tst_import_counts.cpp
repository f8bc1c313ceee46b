// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/table_import.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using Figures = app::TableImport::Figures;

/// A table's first look, the choices, and what they come to.
class tst_import_counts : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    QString write(const char* name, const QByteArray& text) const
    {
        QFile file(m_folder.filePath(QLatin1String(name)));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
            qFatal("cannot write %s", name);
        return file.fileName();
    }
    QString sales() const
    {
        QByteArray text = "city,product,amount\n";
        for (int n = 0; n < 60; ++n)
            text += QByteArray(n % 3 == 0       ? "Bern"
                                   : n % 3 == 1 ? "Rome"
                                                : "Oslo")
                + ",p" + QByteArray::number(n % 5) + "," + QByteArray::number(n + 0.5) + "\n";
        return write("sales.csv", text);
    }

private Q_SLOTS:
    void proposesAndCounts()
    {
        app::TableImport import;
        import.open(sales());
        QCOMPARE(import.figures(), Figures::None);
        QTRY_COMPARE(import.figures(), Figures::Known);
        QVERIFY(import.survey());
        QCOMPARE(import.recipe().modes.size(), std::size_t{2});
        QCOMPARE(import.recipe().value, std::string("amount"));
        QVERIFY(import.tensor());
        QCOMPARE(import.tensor()->tensor.dims(), (std::vector<kernels::Index>{3, 5}));
        QCOMPARE(import.tensor()->tensor.entries(), kernels::Count{15});
        QVERIFY(import.tensor()->statistics.modes.size() == 2); // nothing is left to be done when it is opened
    }

    /// Until the new figures are there, the tensor is not what was chosen; going back needs no reading.
    void otherChoicesAreCountedAgain()
    {
        app::TableImport import;
        import.open(sales());
        QTRY_COMPARE(import.figures(), Figures::Known);
        const auto first = import.tensor();
        const io::table::Recipe proposed = import.recipe();
        io::table::Recipe counts = proposed;
        counts.value.clear();
        counts.aggregate = io::table::Aggregate::Count;
        import.setRecipe(counts);
        QVERIFY(!import.tensor());
        QCOMPARE(import.lastTensor(), first.get());
        import.setRecipe(proposed);
        QCOMPARE(import.figures(), Figures::Known);
        QCOMPARE(import.tensor(), first);
        import.setRecipe(counts);
        QTRY_COMPARE(import.figures(), Figures::Known);
        QCOMPARE(static_cast<double>(import.tensor()->tensor.value(0)), 4.0);
    }

    void aLargeFileIsCountedOnRequest()
    {
        app::TableImport import;
        import.countByItselfUpTo(10);
        import.open(sales());
        QTRY_COMPARE(import.figures(), Figures::OnRequest);
        QTest::qWait(500);
        QVERIFY(!import.tensor());
        import.count();
        QTRY_COMPARE(import.figures(), Figures::Known);
    }

    void aRowThatCannotBeReadCanBeSkipped()
    {
        QByteArray text = "city,product,amount\n";
        for (int n = 0; n < 60; ++n)
            text += "c" + QByteArray::number(n % 3) + ",p" + QByteArray::number(n % 5) + (n == 40 ? ",lots\n" : ",1.5\n");
        app::TableImport import;
        io::table::Recipe chosen;
        chosen.value = "amount";
        chosen.aggregate = io::table::Aggregate::Sum;
        import.open(write("bad.csv", text), chosen);
        QTRY_COMPARE(import.figures(), Figures::Failed);
        QVERIFY2(import.failedAtRow(), qPrintable(import.failure()));
        QVERIFY2(import.failure().contains(QStringLiteral("row 41")) && import.failure().contains(QStringLiteral("amount")),
                 qPrintable(import.failure()));
        io::table::Recipe recipe = import.recipe();
        recipe.badRows = io::table::BadRows::Skip;
        import.setRecipe(recipe);
        QTRY_COMPARE(import.figures(), Figures::Known);
        QCOMPARE(import.tensor()->report.entriesRead, kernels::Count{59});
    }

    /// Choices stay where the columns do.
    void anotherFormatLooksAgain()
    {
        app::TableImport import;
        import.open(sales());
        QTRY_COMPARE(import.figures(), Figures::Known);
        io::table::Recipe recipe = import.recipe();
        recipe.modes[0].name = "town";
        import.setRecipe(recipe);
        io::table::Dialect dialect;
        dialect.encoding = "latin-1";
        QSignalSpy surveyed(&import, &app::TableImport::surveyed);
        import.setDialect(dialect);
        QVERIFY(surveyed.wait());
        QCOMPARE(import.recipe().modes[0].name, std::string("town"));
        dialect.header = false; // the columns have other names now
        import.setDialect(dialect);
        QVERIFY(surveyed.wait());
        QVERIFY(std::none_of(import.recipe().modes.begin(), import.recipe().modes.end(),
                             [](const io::table::ModeRecipe& mode) { return mode.name == "town"; }));
    }

    void whatIsNoTableIsSaid()
    {
        app::TableImport import;
        import.open(write("pair.tns", "1 1 2\n2 2 4\n"));
        QTRY_COMPARE(import.figures(), Figures::Failed);
        QVERIFY(!import.survey() && !import.failedAtRow());
        QVERIFY2(import.failure().contains(QStringLiteral("pair.tns")), qPrintable(import.failure()));
    }

    void closingForgets()
    {
        app::TableImport import;
        import.open(sales());
        import.close();
        QTest::qWait(500);
        QVERIFY(!import.isOpen() && !import.survey() && !import.tensor());
        QCOMPARE(import.figures(), Figures::None);
    }
};

QTEST_GUILESS_MAIN(tst_import_counts)
#include "tst_import_counts.moc"
