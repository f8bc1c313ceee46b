// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/report_pdf.h"

#include <QAbstractTextDocumentLayout>
#include <QTest>
#include <QTextBlock>
#include <QTextDocument>
#include <QTextLayout>

/// Pages of a report.
class tst_report_pdf : public QObject {
    Q_OBJECT

    static int pageOf(const QTextBlock& block)
    {
        const QTextDocument& document = *block.document();
        const double top = document.documentLayout()->blockBoundingRect(block).top();
        return static_cast<int>((top + block.layout()->lineAt(0).y()) / document.pageSize().height());
    }

    /// Headings on another page than the text or heading below them.
    static int leftAlone(const QTextDocument& document)
    {
        int count = 0;
        for (QTextBlock block = document.begin(); block.next().isValid(); block = block.next())
            count += block.blockFormat().headingLevel() > 0 && pageOf(block) != pageOf(block.next());
        return count;
    }

private Q_SLOTS:
    void noHeadingEndsAPage_data()
    {
        QTest::addColumn<QString>("part");
        QTest::newRow("text") << QStringLiteral("<h2>Heading</h2><p>One line.</p>");
        QTest::newRow("two headings") << QStringLiteral("<h2>Heading</h2><h3>Smaller</h3><p>One line.</p>");
        QTest::newRow("table") << QStringLiteral(
            "<h3>Heading</h3><table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>");
    }
    void noHeadingEndsAPage()
    {
        QFETCH(QString, part);
        QString text;
        for (int i = 0; i < 40; ++i)
            text += part + QStringLiteral("<p>More.</p>").repeated(i % 3);
        int before = 0;
        for (int height = 200; height < 300; height += 7) {
            QTextDocument document;
            document.setHtml(text);
            document.setPageSize({300.0, static_cast<double>(height)});
            before += leftAlone(document);
            const int pages = document.pageCount();
            ui::keepHeadings(document);
            QCOMPARE(leftAlone(document), 0);
            QVERIFY(document.pageCount() >= pages && document.pageCount() < 2 * pages);
        }
        QVERIFY(before > 0);
    }
};

QTEST_MAIN(tst_report_pdf)
#include "tst_report_pdf.moc"
