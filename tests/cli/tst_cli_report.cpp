// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/cli_process.h"

#include <QTemporaryDir>

using namespace cli_test;

/// Reports of models as pages.
class TestCliReport : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString at(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)); }

    static QByteArray contentOf(const QString& path)
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

private Q_SLOTS:
    void initTestCase()
    {
        for (const char* name : {"a.h5", "b.h5"})
            COMPARE_CODE(polyad({"run", sample(), "--device", "cpu", "--rank", "4", "--iterations", "5", "--tolerance", "0", "--seed",
                                 QString::number(name[0]), "-o", at(name)}),
                         0);
    }

    void oneModelIsTold()
    {
        const Answer answer = polyad({"report", at("a.h5"), "--output", at("a.html")});
        COMPARE_CODE(answer, 0);
        QVERIFY2(answer.out.contains("wrote ") && answer.out.contains("a.html"), answer.all());
        const QByteArray page = contentOf(at("a.html"));
        for (const char* part : {"<h1>a.h5</h1>", "<svg ", "polyad-cli run ", "--seed 97", "<h2>Environment</h2>", "flights.tns"})
            QVERIFY2(page.contains(part), part);
    }

    void severalStandBesideEachOther()
    {
        COMPARE_CODE(polyad({"report", at("a.h5"), at("b.h5"), "-o", at("both.html")}), 0);
        const QByteArray page = contentOf(at("both.html"));
        for (const char* part : {"Comparison of 2 runs", "Settings that differ", ">97<", ">98<"})
            QVERIFY2(page.contains(part), part);
    }

    void whatCannotBeIsRefusedInOneSentence()
    {
        const auto refused = [this](const QStringList& arguments, int code, const char* says) {
            const Answer answer = polyad(QStringList{"report"} + arguments);
            COMPARE_CODE(answer, code);
            VERIFY_ONE_SENTENCE(answer);
            QVERIFY2(answer.err.contains(says), answer.all());
        };
        refused({at("a.h5"), "-o", at("a.docx")}, 2, "a name that ends in .html");
        refused({sample(), "-o", at("x.html")}, 3, "is a tensor, not a model");
        refused({at("a.h5"), "-o", at("no/such/x.html")}, 3, "no/such");
        QVERIFY(writeFile(at("mine.html"), "mine"));
        refused({at("a.h5"), "-o", at("mine.html")}, 2, "mine.html");
        QCOMPARE(contentOf(at("mine.html")), QByteArray("mine"));
        COMPARE_CODE(polyad({"report", at("a.h5"), "-o", at("mine.html"), "--force"}), 0);
        QVERIFY(!QFile::exists(at("x.html")));
    }
};

QTEST_GUILESS_MAIN(TestCliReport)
#include "tst_cli_report.moc"
