// SPDX-FileCopyrightText: 2026 The Polyad authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/desktop_scheme.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>

namespace ui {
namespace {
const QString service = QStringLiteral("org.freedesktop.portal.Desktop");
const QString path = QStringLiteral("/org/freedesktop/portal/desktop");
const QString interface = QStringLiteral("org.freedesktop.portal.Settings");
const QString group = QStringLiteral("org.freedesktop.appearance");
const QString schemeKey = QStringLiteral("color-scheme");
const QString contrastKey = QStringLiteral("contrast");

/// Read() of the portal wraps its answer in a second variant.
QVariant unwrapped(QVariant value)
{
    while (value.canConvert<QDBusVariant>())
        value = value.value<QDBusVariant>().variant();
    return value;
}
} // namespace

DesktopScheme::DesktopScheme(QObject* parent)
    : QObject(parent)
{
    QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected())
        return;
    bus.connect(service, path, interface, QStringLiteral("SettingChanged"), this, SLOT(settingChanged(QString, QString, QDBusVariant)));
    ask(schemeKey);
    ask(contrastKey);
}

/// Asynchronous: a portal that is slow to start must not hold up the window.
void DesktopScheme::ask(const QString& key)
{
    QDBusMessage call = QDBusMessage::createMethodCall(service, path, interface, QStringLiteral("Read"));
    call << group << key;
    auto* watcher = new QDBusPendingCallWatcher(QDBusConnection::sessionBus().asyncCall(call), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher, key] {
        watcher->deleteLater();
        const QDBusPendingReply<QDBusVariant> reply = *watcher;
        if (!reply.isError())
            take(key, unwrapped(reply.value().variant()).toUInt());
    });
}

void DesktopScheme::settingChanged(const QString& changedGroup, const QString& key, const QDBusVariant& value)
{
    if (changedGroup == group)
        take(key, unwrapped(value.variant()).toUInt());
}

/// Of the scheme 1 is dark, 2 light, anything else no preference; of the contrast 1 is high.
void DesktopScheme::take(const QString& key, uint value)
{
    const std::optional<bool> darkBefore = m_dark;
    const bool contrastBefore = m_contrast;
    if (key == schemeKey)
        m_dark = value == 1 ? std::optional(true) : value == 2 ? std::optional(false) : std::nullopt;
    else if (key == contrastKey)
        m_contrast = value == 1;
    if (m_dark != darkBefore || m_contrast != contrastBefore)
        Q_EMIT changed();
}

} // namespace ui
