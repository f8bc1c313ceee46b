// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme.h"

#include <QApplication>
#include <QLabel>
#include <QMessageBox>
#include <QTest>
#include <QToolTip>

using namespace ui;

/// Names come from files: nobody's label, tooltip or question takes them for HTML.
class TestPlainText : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { Theme::instance().install(*qApp); }

    void labelsShowTheirText()
    {
        QLabel label(m_name), plain(m_name);
        plain.setTextFormat(Qt::PlainText);
        QCOMPARE(label.sizeHint(), plain.sizeHint());
        QCOMPARE(label.textFormat(), Qt::PlainText);
        QLabel meant(QStringLiteral("<b>bold</b>"));
        meant.setTextFormat(Qt::RichText);
        meant.ensurePolished();
        QCOMPARE(meant.textFormat(), Qt::RichText);
    }

    void tooltipsShowTheirText()
    {
        QToolTip::showText({10, 10}, m_name);
        const QLabel* tip = nullptr;
        for (const QWidget* each : QApplication::topLevelWidgets())
            if (each->inherits("QTipLabel"))
                tip = qobject_cast<const QLabel*>(each);
        QVERIFY(tip);
        QCOMPARE(tip->text(), m_name);
        QCOMPARE(tip->textFormat(), Qt::PlainText);
        QToolTip::hideText();
    }

    void questionsShowTheirText()
    {
        QMessageBox box(QMessageBox::Question, QStringLiteral("title"), m_name);
        box.setInformativeText(m_name);
        box.show();
        int found = 0;
        for (const QLabel* label : box.findChildren<QLabel*>())
            if (label->text() == m_name) {
                ++found;
                QCOMPARE(label->textFormat(), Qt::PlainText);
            }
        QCOMPARE(found, 2);
    }

private:
    const QString m_name = QStringLiteral("<b>x</b> <img src=\"none.png\">");
};

QTEST_MAIN(TestPlainText)
#include "tst_plain_text.moc"
