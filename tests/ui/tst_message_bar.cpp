// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/message_bar.h"

#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

using namespace ui;

/// Messages make room for newer ones, but none takes away what was offered.
class TestMessageBar : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theOldestGoesFirst()
    {
        MessageBar bar;
        for (const char* each : {"a", "b", "c", "d"})
            bar.post(MessageTone::Error, QString::fromLatin1(each));
        QCOMPARE(bar.messages(), (QStringList{"d", "c", "b"}));
    }

    void anOfferOutlastsWhatOnlyTells()
    {
        MessageBar bar;
        bool restored = false;
        bar.post(MessageTone::Info, QStringLiteral("offer"), {{QStringLiteral("Restore"), [&restored] { restored = true; }}});
        for (const char* each : {"a", "b", "c", "d"})
            bar.post(MessageTone::Warning, QString::fromLatin1(each));
        QCOMPARE(bar.messages(), (QStringList{"d", "c", "offer"}));
        for (int i = 0; i < 6; ++i)
            bar.post(MessageTone::Info, QString::number(i), {{QStringLiteral("Find"), [] {}}});
        QCOMPARE(bar.messages(), (QStringList{"5", "4", "3", "2", "1"})); // not for ever
        QVERIFY(!restored);
    }

    void anAnswerWithTheFocusSaysThatItIsGone()
    {
        MessageBar bar;
        bar.post(MessageTone::Info, QStringLiteral("offer"), {{QStringLiteral("Restore"), [] {}}});
        bar.show();
        QVERIFY(QTest::qWaitForWindowExposed(&bar));
        bar.activateWindow();
        auto* button = bar.findChild<QPushButton*>();
        button->setFocus();
        QTRY_VERIFY(button->hasFocus());
        const QSignalSpy lost(&bar, &MessageBar::focusLost);
        QTest::keyClick(button, Qt::Key_Space);
        QCOMPARE(lost.count(), 1);
        QVERIFY(bar.messages().isEmpty());
        bar.post(MessageTone::Info, QStringLiteral("told"));
        bar.dismissAll();
        QCOMPARE(lost.count(), 1); // it had none
    }
};

QTEST_MAIN(TestMessageBar)
#include "tst_message_bar.moc"
